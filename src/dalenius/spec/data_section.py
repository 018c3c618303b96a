"""The `[data]` section of a spec: where the people are, which columns say what, and conditions on them."""

import math
import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, final
from unicodedata import normalize
from urllib.parse import unquote

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from dalenius.errors import InputError
from dalenius.fields import Finite, Positive
from dalenius.frozen_section import Frozen
from dalenius.text_files import known_encoding

_SIGNS = {
    "equals": "=",
    "one_of": "is",
    "below": "below",
    "at_most": "at most",
    "above": "above",
    "at_least": "at least",
}
_COMPARISONS = tuple(_SIGNS)


_FILES: Final = ("file", "duckdb")
_SERVERS: Final = ("postgresql", "postgres", "spark", "pyspark")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+")
"""A scheme has two letters at least: one is a drive of Windows."""
_WANTED: Final = "a path, or a URL that begins with file://, duckdb://, postgresql://, spark:// or pyspark://"


def checked_url(url: str) -> str:
    """The URL as given. ValueError, which does not show it, where it is none of those that are known."""
    # A path may have any letter in it, blanks among them.
    if not scheme_of(url) or scheme_of(url) in _FILES:
        return url
    if re.search(r"[\s\x00-\x1f]", url):
        raise ValueError(f"{_WANTED}, without blanks (a blank is %20)")
    if scheme_of(url) not in _SERVERS:
        raise ValueError(_WANTED)
    return url


def scheme_of(url: str) -> str:
    """The part before ://, in small letters; "" for a path, though a folder's name may have :// in it.

    >>> scheme_of("DuckDB:///a.duckdb"), scheme_of("C://data/a.csv"), scheme_of("../a b://c.csv")
    ('duckdb', '', '')
    """
    scheme, separator, _ = url.partition("://")
    return scheme.lower() if separator and _SCHEME.fullmatch(scheme) else ""


def is_server(url: str) -> bool:
    """Whether it is no file that can be opened here."""
    return scheme_of(url) in _SERVERS


def path_of(url: str) -> Path:
    """The file, where it is one: `file:///a/b.csv` and `duckdb:///a/b.duckdb` as paths from the root, with two slashes
    relative to the folder, or a bare path.

    >>> path_of("duckdb:///data/a.duckdb").as_posix(), path_of("file://a%20b.csv").as_posix()
    ('/data/a.duckdb', 'a b.csv')
    >>> path_of("file:///C:/data/a.csv").as_posix()
    'C:/data/a.csv'
    """
    if not scheme_of(url):
        return Path(url)
    return Path(re.sub(r"^/+(?=[A-Za-z]:[/\\])", "", unquote(url.partition("://")[2])))


_DIGITS: Final = 10**38
"""Whole numbers of 38 digits are the largest that engines compare exactly."""


def _operand(value: Any) -> Any:
    """A number, a text or a date as it is compared with cells; ValueError for anything else."""
    if isinstance(value, date):  # TOML has dates of its own; a datetime is a date too
        return value.isoformat()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and abs(value) >= _DIGITS:
        raise ValueError("a whole number of at most 38 digits")
    if isinstance(value, str) or (isinstance(value, int | float) and math.isfinite(value)):
        return value
    raise ValueError("a finite number, a text or a date")


Operand = Annotated[int | float | str, BeforeValidator(_operand)]
"""What a cell is compared with: a number, a text, or a date as ISO text (`1861-11-20`)."""


@final
class Condition(Frozen):
    """Turns a column into a bit: 1 where the comparison holds, 0 where it does not. Exactly one is given.

    ISO dates are compared as dates where the column holds dates or timestamps (timestamps with a zone: in the
    column's own, or UTC where the engine keeps none).

    >>> Condition(column="age", at_least=65).words
    'age at least 65'
    """

    column: str
    equals: Operand | None = None
    one_of: tuple[Operand, ...] | None = Field(default=None, min_length=1)
    below: Operand | None = None
    at_most: Operand | None = None
    above: Operand | None = None
    at_least: Operand | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        """ValueError for none of the comparisons or two, and for operands of two kinds."""
        if sum(getattr(self, name) is not None for name in _COMPARISONS) != 1:
            raise ValueError(f"exactly one of {', '.join(_COMPARISONS)}")
        # one_of = [1, "2"]: a column is of numbers or of texts.
        if len({isinstance(operand, str) for operand in self.operands}) != 1:
            raise ValueError("one_of all numbers or all texts")
        return self

    @property
    def words(self) -> str:
        """As in "age at least 65"."""
        *most, last = [f"{each}" for each in self.operands]
        which = f"{', '.join(most)} or {last}" if most else last
        return f"{self.column} {_SIGNS[self.comparison]} {which}"

    @property
    def comparison(self) -> str:
        """The name of the comparison that was given."""
        return next(name for name in _COMPARISONS if getattr(self, name) is not None)

    @property
    def asks_for_texts(self) -> bool:
        """Whether a cell is to be one of some texts."""
        return self.comparison in ("equals", "one_of") and isinstance(self.operands[0], str)

    @property
    def operands(self) -> tuple[int | float | str, ...]:
        """What the cells are compared with: one operand, or all those of `one_of`."""
        given = getattr(self, self.comparison)
        return given if isinstance(given, tuple) else (given,)


def _column_or_condition(value: Any) -> Any:
    """A column's name, or a condition; ValueError as the condition's own."""
    # Read here, not left to the union: pydantic would report the branch that was not meant.
    if isinstance(value, str | Condition):
        return value
    if not isinstance(value, Mapping):
        raise ValueError("a column's name, or a condition on a column")
    try:
        return Condition(**value)
    except InputError as error:
        raise ValueError(f"{error.wanted} ({error.key.replace('Condition', 'condition')})") from None


def _name(value: str) -> str:
    """A name as it is kept; ValueError for one that would not be seen as it is, or be mistaken for another."""
    # One form of what looks the same, lest a name typed on another keyboard be another data set.
    name = normalize("NFC", value)
    if not name or not name.isprintable() or name != name.strip():
        raise ValueError("a name of printable characters, without blanks around it")
    return name


@final
class Source(Frozen):
    """Where the people are, one row each, and what is read of them.

    name: of the data set, to which its budget belongs wherever it is; by default the file's stem. file or url: where
    it is; table: which of the tables there. person: the column of ids, each of which may occur once. where: which rows
    belong to the data set, those for which all conditions hold. encoding: of a file of text, UTF-8 by default; decimal:
    the mark before its decimals, a point by default; missing_words: its cells that say that there is no value, instead
    of `NA` and `NaN` (an empty cell is always missing). labels: those that the label column may hold; others: whether a
    row with another one is refused or left out.

    A numeric value x is clipped to [lower, upper] and then moved to the nearest multiple of step, floor(x/step + 1/2)
    step, row by row in the engine: the integer is computed in IEEE doubles, identically on every engine, and only then
    multiplied by the exact decimal step.
    """

    name: Annotated[str, AfterValidator(_name)] | None = None
    file: Path | None = None
    url: Annotated[str, AfterValidator(checked_url)] | None = Field(default=None, repr=False)
    table: str | None = None
    # What a later version adds is None where it is not given, so that no text of an old spec changes.
    encoding: Annotated[str, AfterValidator(known_encoding)] | None = None
    decimal: Literal[".", ","] | None = None
    missing_words: tuple[str, ...] | None = None
    value: Annotated[str | Condition, BeforeValidator(_column_or_condition)]
    household: str | None = None
    label: str | None = None
    person: str | None = None
    lower: Finite | None = None
    upper: Finite | None = None
    step: Positive | None = None
    where: Annotated[tuple[Condition, ...], Field(min_length=1)] | None = None
    labels: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    others: Literal["refuse", "leave_out"] | None = None

    @field_validator("file", mode="before")
    @classmethod
    def _no_url(cls, given: Any) -> Any:
        """ValueError for a URL in place of a path."""
        # A path would lose one of its slashes.
        if isinstance(given, str) and scheme_of(given):
            raise ValueError("a path (a URL is given as url)")
        return given

    @model_validator(mode="after")
    def _one_range(self) -> Self:
        """ValueError for a range that is none, or off the grid of steps, or of a bit."""
        # age at least 65, clipped to [0, 100]: whoever writes so means the age.
        if isinstance(self.value, Condition) and self.wants_number:
            raise ValueError("no lower, upper or step where the value is a condition: it is 0 or 1 already")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"lower at most upper, not {self.lower!r} above {self.upper!r}")
        for bound in (self.lower, self.upper):
            # Otherwise rounding would carry a clipped value out of the range that the sensitivity is read from.
            if bound is not None and self.step is not None and _exact(bound) % _exact(self.step):
                raise ValueError(f"lower and upper multiples of the step {self.step!r}, {bound!r} is not")
        return self

    @model_validator(mode="after")
    def _one_table(self) -> Self:
        """ValueError for places and columns that do not go together."""
        if self.file is not None and self.url is not None:
            raise ValueError("a file or a url, not both")
        # Labels of what? A list of wards without the column of wards.
        if self.labels is not None and self.label is None:
            raise ValueError("label, the column they are in, beside labels")
        if self.labels is not None and len(set(self.labels)) < len(self.labels):
            raise ValueError("each of the labels once")
        # Others are those with no declared label: none are declared.
        if self.others is not None and self.labels is None:
            raise ValueError("labels, the declared ones, beside others")
        return self

    @property
    def location(self) -> Path | str | None:
        """Where the table is: its file, or a URL of no file."""
        if self.url is None:
            return self.file
        return self.url if is_server(self.url) else path_of(self.url)

    def without_place(self) -> "Source":
        """What is read, wherever it is, whatever it is called and however its cells are written."""
        return self.altered(dict.fromkeys(("file", "url", "name", "encoding", "decimal")))

    @property
    def wants_number(self) -> bool:
        """Whether the value has to be a number, because it is clipped or quantised."""
        return any(part is not None for part in (self.lower, self.upper, self.step))

    @property
    def value_column(self) -> str:
        """The column the value is read from."""
        return self.value.column if isinstance(self.value, Condition) else self.value

    @property
    def record_words(self) -> str:
        """What a person's record is, in words, and whose rows are read."""
        if isinstance(self.value, Condition):
            said = f"a record is 1 where {self.value.words}, else 0"
        else:
            ends = [f"{word} {end:g}" for word, end in (("from", self.lower), ("to", self.upper)) if end is not None]
            clipped = f", clipped {' '.join(ends)}" if ends else ""
            said = f"a record is what column {self.value} holds{clipped}"
        rows = f"; of rows with {' and '.join(each.words for each in self.where)}" if self.where else ""
        return f"{said}{rows}"

    @property
    def has_condition(self) -> bool:
        """Whether a record is 1 where a condition holds, and 0 elsewhere."""
        return isinstance(self.value, Condition)

    def clause(self, value: object, record: str) -> str:
        """That a record is this value, as a clause; record: whose, in words."""
        if isinstance(self.value, Condition) and str(value) in ("0", "1"):
            return self.value.words if str(value) == "1" else f"not {self.value.words}"
        return f"{record} is {value}"

    @property
    def columns(self) -> dict[str, str]:
        """The columns that are read of every person, by the key that names them."""
        named = {"household": self.household, "label": self.label, "value": self.value_column, "person": self.person}
        return {key: column for key, column in named.items() if column is not None}

    @property
    def all_columns(self) -> dict[str, str]:
        """These, and those that say which rows belong to the data set."""
        found = {f"where row {row}": each.column for row, each in enumerate(self.where or (), 1)}
        return self.columns | found

    @property
    def unit(self) -> Fraction:
        """What the engine's numbers count: the step exactly as it was written, or 1."""
        return Fraction(1) if self.step is None else _exact(self.step)


def _exact(number: float) -> Fraction:
    return Fraction(repr(number))


def data_name(file: Path) -> str:
    """What a data set is called by its file. InputError where that is no name."""
    try:
        return _name(stem(file))
    except ValueError as error:
        raise InputError("data.name", "missing", f"{error} (the file's own, {stem(file)!r}, is none)") from None


def stem(file: Path) -> str:
    """The file's name without the suffix that names its format.

    >>> stem(Path("people.csv.gz"))
    'people'
    """
    return re.sub(r"\.((csv|tsv|jsonl|ndjson)(\.gz)?|parquet|xlsx|duckdb|db)$", "", file.name, flags=re.IGNORECASE)
