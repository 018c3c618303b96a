"""A first look at a table that nobody has described: how it is written, and which columns are likely what.

It guesses from names and counts; its owner decides. The names of columns are compared without blanks and marks:

>>> [role for role, fits in LIKELY.items() if fits("Haushalts-Nr.")], pair_in(["Ja", "nein "])
(['household'], ('Ja', 'nein '))
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from dalenius.errors import InputError
from dalenius.likely_encoding import likely_encoding
from dalenius.spec.condition import Condition
from dalenius.spec.data_section import Source
from dalenius.spec.table_url import path_of, scheme_of
from dalenius.tables.check import opened_as_written
from dalenius.tables.chosen_rows import labels_of
from dalenius.tables.conditions import DECIMAL_COMMA
from dalenius.tables.csv_files import TextForm, open_bytes, separator_of
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening_with_ibis import IbisTable, answer_of, counted
from dalenius.tables.table_check import ColumnCheck, TableCheck
from dalenius.tables.table_files import there
from dalenius.tables.table_findings import LookedTable, Roles
from dalenius.tables.truth_words import PAIRS
from dalenius.text_files import encoding_of

_LANGUAGES: Final = (
    *(("ja", "nein"), ("oui", "non"), ("sí", "no"), ("si", "no"), ("sì", "no"), ("sim", "não"), ("ja", "nee")),
    *(("ja", "nej"), ("ja", "nei"), ("tak", "nie"), ("ano", "ne"), ("да", "нет"), ("igen", "nem"), ("kyllä", "ei")),
    *(("evet", "hayır"), ("positive", "negative"), ("positiv", "negativ"), ("positif", "négatif"), ("ill", "well")),
)
"""The words for yes and no in other languages, which a condition has to name."""
_CHUNK: Final = 1 << 20
_DECIMAL_POINT: Final = r"^ *[-+]?[0-9]*\.[0-9]+ *$"
_TEXT_FILES: Final = re.compile(r"\.(csv|tsv|jsonl|ndjson)(\.gz)?$", re.IGNORECASE)
_SEPARATED: Final = re.compile(r"\.(csv|tsv)(\.gz)?$", re.IGNORECASE)


def _named_like(*parts: str, whole: tuple[str, ...] = ()) -> Callable[[str], bool]:
    """Returns a test of a column's name: it begins with one of the parts, or is one of the whole names."""

    def fits(name: str) -> bool:
        bare = re.sub(r"[\W_]+", "", name.lower())
        return bare in whole or bare.startswith(parts)

    return fits


LIKELY: Final[Mapping[str, Callable[[str], bool]]] = {
    "household": _named_like(
        *("household", "haushalt", "famil", "hhid", "menage", "ménage", "hogar", "huishoud", "hushåll"),
        *("husholdning", "gospodarstw", "nucleo", "foyer"),
        whole=("home", "hh", "hhnr", "house"),
    ),
    "person": _named_like(*("person", "patient", "einwohner", "respondent", "individu"), whole=("id", "pid", "fallnr")),
    "label": _named_like(
        *("district", "bezirk", "ward", "region", "stadtteil", "gemeinde", "municipal", "quartier", "kommun"),
        *("barrio", "county", "provin", "landkreis", "comune"),
    ),
}
"""By role, whether a column's name sounds like it."""


def pair_in(texts: Iterable[str]) -> tuple[str, str] | None:
    """Returns the text for yes and the one for no, as they are written; "" for one that nobody has.

    None where the texts are not one or two words for yes and no of one language.
    """
    written = {text.strip().lower(): text for text in texts}
    for pair in (*_LANGUAGES, *PAIRS):
        if written and set(written) <= set(pair) and len(written) <= len(pair):
            return written.get(pair[0], ""), written.get(pair[1], "")
    return None


@final
@dataclass(frozen=True)
class YesNo:
    """A column of words for yes and no.

    Attributes:
        column: The column's name.
        condition: The condition that makes a bit of it; None where its cells are read as 1 and 0 as they are.
        no: The cell for no, as a spec writes it; None where nobody says no.
    """

    column: str
    condition: Condition | None = None
    no: str | int | None = None


@final
@dataclass(frozen=True)
class FirstLook:
    """Findings of a first look at a table.

    Attributes:
        form: How the file of text is written, as far as a spec has to say it.
        separator: The mark between cells; None where the table is in no separated text.
        check: The columns, households and findings, with the roles that are named or likely.
        roles: The columns that are named or likely to mean something; their likely label is in `label`.
        answers: The columns of yes and no, in the order of the table.
        label: A column that is likely a public label; None where none is, or one was named.
        labels: How many people have each label of the label that was named; empty without one.
    """

    form: TextForm
    separator: str | None
    check: TableCheck
    roles: Roles
    answers: tuple[YesNo, ...]
    label: str | None
    labels: Mapping[str, int]

    @property
    def words(self) -> str:
        """How the table is written, in words; "" where nothing is to be said."""
        names = {"\t": "a tab", ",": "a comma", ";": "a semicolon", "|": "a bar"}
        said = [
            *([f"encoding {self.form.encoding}"] if self.form.encoding else []),
            *([f"{names[self.separator]} between cells"] if self.separator else []),
            *(["decimal commas"] if self.form.decimal == "," else []),
        ]
        return ", ".join(said)

    @property
    def gaps(self) -> str | None:
        """A column that looks like households with cells missing; None where there is none, or households are named."""
        if self.roles.household is not None:
            return None
        free = [each for each in self.check.columns if each.missing and each.different > 1]
        return next((each.column for each in free if LIKELY["household"](each.column)), None)

    def column(self, name: str) -> ColumnCheck:
        """Returns what was found of the column of that name."""
        return next(each for each in self.check.columns if each.column == name)


def first_look(table: str, roles: Roles, guess: bool = True, more_labels: Sequence[str] = ()) -> FirstLook:
    """Opens a table and looks at it.

    Args:
        table: A path or a URL.
        roles: The columns that its owner named.
        guess: Whether a household and a person are guessed from names; the rows may be no people.
        more_labels: Further columns of labels, beside that of `roles`; with them each combination is a label.

    Raises:
        InputError: If the table cannot be read, or has no column of a name that was given.
    """
    path = None if "://" in table and scheme_of(table) not in ("file", "duckdb") else path_of(table)
    encoding = None if path is None or not _TEXT_FILES.search(path.name) else encoding_in(path)
    form = TextForm(encoding)
    given: Path | str = table if path is None else path
    separator = None
    part = opened_as_written(given, roles, None, form)
    try:
        for each in more_labels:
            if each not in part.table.columns:
                raise InputError("data.label", each, there(part.table.columns[:40], each))
        with engine_errors("data", given if path is None else path.name, "a table that can be read"):
            if path is not None and _SEPARATED.search(path.name):
                separator = separator_of(path, encoding or "utf-8")
                if separator != "," and _has_decimal_commas(part.table):
                    form = TextForm(encoding, ",")
            bare = LookedTable(part.table, part.ordered, roles).found("")
            named = _guessed(bare, roles) if guess else roles
            found = LookedTable(part.table, part.ordered, named).found(table if path is None else path.name)
            answers = tuple(_answers(part.table, found, named, more_labels))
            labels = {}
            if roles.label is not None:
                several = (roles.label, *more_labels) if more_labels else roles.label
                # Because a section names values, too, it names a column of which nothing is read.
                source = Source(label=several, value=roles.label)
                joined = part.table.select(label=labels_of(part.table, source))
                labels = _counts(joined, "label")
        label = None if roles.label else next(_likely_labels(found, named), None)
        return FirstLook(form, separator, found, named, answers, label, labels)
    finally:
        part.close()


def encoding_in(path: Path) -> str | None:
    """Returns the encoding that a file of text seems to have; None where it is UTF-8 or has a byte order mark.

    InputError where the file cannot be read.

    Args:
        path: The file.
    """
    with engine_errors("data.file", str(path), "a file that can be read"):
        return _encoding_in(path)


def _encoding_in(path: Path) -> str | None:
    """Returns the encoding by the first bytes that are no UTF-8."""
    decoder = getincrementaldecoder("utf-8")()
    with suppress(FileNotFoundError), open_bytes(path) as file:
        head = file.read(_CHUNK)
        if encoding_of(head)[1]:
            return None
        if b"\0" in head:
            return likely_encoding(head)
        chunk = head
        while chunk:
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                return likely_encoding(head if head is chunk else head + chunk)
            chunk = file.read(_CHUNK)
    return None


def check_there(table: str, form: TextForm, condition: Condition) -> None:
    """Raises InputError where a condition asks for a text that no row has.

    Args:
        table: A path or a URL.
        form: How the file of text is written.
        condition: The condition, which its owner wrote.
    """
    if not condition.asks_for_texts:
        return
    given: Path | str = table if "://" in table else Path(table)
    part = opened_as_written(given, Roles(value=condition.column), None, form)
    try:
        cells = part.table[condition.column]
        if not cells.type().is_string():
            return
        rows = part.table.select(cell=cells)
        sums = {str(place): (rows.cell == text).sum() for place, text in enumerate(condition.operands)}
        found = counted(rows.aggregate(**sums), "--value", condition.column)
    finally:
        part.close()
    for place, text in enumerate(condition.operands):
        if not found[str(place)]:
            raise InputError("--value", str(text), f"a text that a row of column {condition.column} has")


def _has_decimal_commas(rows: IbisTable) -> bool:
    """Says whether some cells are numbers with a decimal comma, and none with a point."""
    texts = [name for name in rows.columns if rows[name].type().is_string()]
    sums: dict[str, Any] = {}
    for place, name in enumerate(texts):
        sums |= {f"comma {place}": rows[name].re_search(DECIMAL_COMMA).sum()}
        sums |= {f"point {place}": rows[name].re_search(_DECIMAL_POINT).sum()}
    found = answer_of(rows.aggregate(**sums)).to_pylist()[0] if sums else {}
    commas = sum(count or 0 for key, count in found.items() if key.startswith("comma"))
    return commas > 0 and not any(count for key, count in found.items() if key.startswith("point"))


def _guessed(found: TableCheck, roles: Roles) -> Roles:
    """Returns the roles with a household and a person whose names and counts fit."""
    size = found.size or 0
    taken = set(roles.named.values())
    free = [each for each in found.columns if each.column not in taken and not each.missing]
    homes = [each.column for each in free if LIKELY["household"](each.column) and 1 < each.different < size]
    ids = [each.column for each in free if LIKELY["person"](each.column) and each.different == size]
    return Roles(
        roles.household or next(iter(homes), None), roles.label, roles.person or next(iter(ids), None), roles.value
    )


def _likely_labels(found: TableCheck, roles: Roles) -> Iterator[str]:
    """Yields the columns that sound like a public label, of few different texts and without missing cells."""
    for each in found.columns:
        few = 1 < each.different <= _MOST_LABELS and not each.missing
        if few and LIKELY["label"](each.column) and each.column not in roles.named.values():
            yield each.column


_MOST_LABELS: Final = 100
"""Different texts above which a column is hardly a label with an answer for each."""


def _answers(rows: IbisTable, found: TableCheck, roles: Roles, labels: Sequence[str]) -> Iterator[YesNo]:
    """Yields the columns of yes and no; of a value that is named, that one only."""
    others = {roles.household, roles.person, roles.label, *labels}
    for each in found.columns:
        if (roles.value or each.column) != each.column or each.column in others or not 0 < each.different <= 2:
            continue
        if rows[each.column].type().is_boolean():
            yield YesNo(each.column, no=0)
            continue
        kind = rows[each.column].type()
        if not (kind.is_string() or kind.is_numeric()):
            continue
        cells = [str(cell) for cell in _counts(rows, each.column)]
        if set(cells) <= {"0", "1", "0.0", "1.0"}:
            yield YesNo(each.column, no=0)
        elif kind.is_string() and (pair := pair_in(cells)) is not None and pair[0]:
            known = any({pair[0].strip().lower(), pair[1].strip().lower()} <= {*own, ""} for own in PAIRS)
            condition = None if known else Condition(column=each.column, equals=pair[0])
            yield YesNo(each.column, condition, pair[1] or None)


def _counts(rows: IbisTable, column: str) -> dict[str, int]:
    """Returns how many rows have each cell of a column, as text, without missing ones."""
    there = rows.filter(rows[column].notnull())
    answer = answer_of(there.group_by(column).agg(rows=there.count()))
    return dict(zip(map(str, answer[column].to_pylist()), answer["rows"].to_pylist(), strict=True))
