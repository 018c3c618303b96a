"""The `[data]` section of a spec: the people's table, and the meaning of its columns."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, final

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from dalenius.fields import Finite, Positive
from dalenius.frozen_section import Frozen
from dalenius.sentences.sentence import Name, Phrase, Series, clip_range, said, semicolons, value_phrase
from dalenius.spec.condition import (
    MISSING_VALUE,
    AnyCondition,
    Condition,
    Conditions,
    Missing,
    column_or_condition,
    single_conditions,
)
from dalenius.spec.data_names import checked_name
from dalenius.spec.limits import MOST_ANSWERS
from dalenius.spec.practice import check_marked
from dalenius.spec.table_url import checked_url, is_server, path_of, scheme_of
from dalenius.text_files import known_encoding

LABEL_SEPARATOR: Final = " / "
"""The text between the cells of several columns that are a label together."""


@final
class Source(Frozen):
    """The table of the people, one row each, and the columns that are read.

    Args:
        name: The name of the data set, to which its budget belongs wherever it is; by default the file's stem.
        file: The file of the table; None where `url` is given.
        url: The URL of the table.
        table: The table that is read, where the place has several.
        encoding: The encoding of a text file; None: UTF-8.
        decimal: The mark before decimals; None: a point.
        missing_words: The cells that stand for a missing value, instead of `NA` and `NaN` (an empty cell is always
            missing).
        value: The column of values, or a condition.
        household: The column of households.
        label: The column of labels, or several columns: a label is then a combination of their cells.
        person: The column of ids, each of which may occur once, unless `per_person` says what several rows make; with
            `stage` once at each stage.
        stage: The column of stages, where each person has a row for each data set of a `linked` model.
        per_person: What the rows of one person make: 1 where the condition holds in any of them, their sum, or the
            largest value. `lower` and `upper` then clip that. None: a person has one row.
        lower: The least value, to which values are clipped, in their own unit.
        upper: The largest value, likewise.
        step: The step to whose nearest multiple a value is moved, floor(x/step + 1/2) step.
        where: The conditions that all rows of the data set fulfil.
        labels: The labels that the label column may hold; of several columns, a list for each of them.
        others: Whether a row with another label is refused or left out, with one without a label.
        absent: The column, or the condition, that says who is absent; for model `absent` alone.
        missing: What a missing answer means: `refuse` (None, the default), `value`, `leave_out`, or the cell that it is
            read as.
        practice: Whether the table is to practise on: drawn from the model, and about nobody. Its name begins with
            `practice`, and so that no other table is taken for one, it has a column `practice` that is `yes` in every
            row, which `where` asks for.

    A value is first clipped and then moved to a step, row by row in the engine: the integer is computed in IEEE
    doubles, identically on every engine, and only then multiplied by the exact decimal step.
    """

    name: Annotated[str, AfterValidator(checked_name)] | None = None
    file: Path | None = None
    url: Annotated[str, AfterValidator(checked_url)] | None = Field(default=None, repr=False)
    table: str | None = None
    # So that no text of an old spec changes, a field that a later version adds is None where it is not given.
    encoding: Annotated[str, AfterValidator(known_encoding)] | None = None
    decimal: Literal[".", ","] | None = None
    missing_words: tuple[str, ...] | None = None
    value: Annotated[str | Condition | Conditions, BeforeValidator(column_or_condition)]
    household: str | None = None
    label: str | tuple[str, ...] | None = None
    person: str | None = None
    stage: str | None = None
    lower: Finite | None = None
    upper: Finite | None = None
    step: Positive | None = None
    where: Annotated[tuple[AnyCondition, ...], Field(min_length=1)] | None = None
    labels: Annotated[tuple[str, ...] | tuple[tuple[str, ...], ...], Field(min_length=1)] | None = None
    others: Literal["refuse", "leave_out"] | None = None
    absent: Annotated[str | Condition | Conditions, BeforeValidator(column_or_condition)] | None = None
    missing: Missing | None = None
    per_person: Literal["any", "sum", "max"] | None = None
    practice: Annotated[bool, Field(strict=True)] | None = None

    @field_validator("practice")
    @classmethod
    def _practised(cls, practice: bool | None) -> bool | None:
        """Returns true or None: so that a spec that writes the default has the text of one that does not."""
        return practice or None

    @model_validator(mode="after")
    def _marked(self) -> Self:
        """Raises ValueError for a table to practise on that another one could be taken for."""
        if self.practice:
            check_marked(self.name, self.where or ())
        return self

    @field_validator("missing")
    @classmethod
    def _refused(cls, missing: Any) -> Any:
        """Returns what is given; None for the default."""
        # So that a spec that writes the default has the text of one that does not.
        return None if missing == "refuse" else missing

    @field_validator("file", mode="before")
    @classmethod
    def _no_url(cls, given: Any) -> Any:
        """Raises ValueError for a URL in place of a path."""
        # Because a path would lose one of its slashes.
        if isinstance(given, str) and scheme_of(given):
            raise ValueError("a path (a URL is given as url)")
        return given

    @model_validator(mode="after")
    def _one_range(self) -> Self:
        """Raises ValueError for an empty range, one off the grid of steps, or one of a bit."""
        # Because a user who writes "age at least 65, clipped to [0, 100]" means the age.
        if self.has_condition and self.wants_number and self.per_person != "sum":
            raise ValueError("no lower, upper or step where the value is a condition: it is 0 or 1 already")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"lower at most upper, not {self.lower!r} above {self.upper!r}")
        for bound in (self.lower, self.upper):
            # Because rounding would carry a clipped value out of the range that the sensitivity is read from.
            if bound is not None and self.step is not None and _exact(bound) % _exact(self.step):
                raise ValueError(f"lower and upper multiples of the step {self.step!r}, {bound!r} is not")
        return self

    @model_validator(mode="after")
    def _one_record(self) -> Self:
        """Raises ValueError where the rows of one person make no record."""
        if self.per_person is None:
            return self
        if self.person is None:
            raise ValueError("person, the column of ids, beside per_person")
        condition = not isinstance(self.value, str)
        if (self.per_person == "any") > condition or ((self.per_person == "max") and condition):
            raise ValueError('per_person = "any" for a condition, "max" for numbers, "sum" for both')
        # Because a person may have any number of rows, a sum has no bound but one that clips it.
        if self.per_person == "sum" and (self.upper is None or (self.lower is None and not condition)):
            raise ValueError('lower and upper beside per_person = "sum", which clip the sum (of a condition, upper)')
        whole = all(end is None or float(end).is_integer() for end in (self.lower, self.upper))
        if self.per_person == "sum" and self.step is None and not whole:
            raise ValueError("whole numbers as lower and upper of a sum without a step")
        if condition and self.step is not None:
            raise ValueError("no step where the value is a condition: a row counts 0 or 1")
        if self.missing == "value":
            raise ValueError("missing as refuse, leave_out or { as = ... } beside per_person")
        return self

    @model_validator(mode="after")
    def _one_table(self) -> Self:
        """Raises ValueError for places and columns that do not go together."""
        if self.file is not None and self.url is not None:
            raise ValueError("a file or a url, not both")
        # Because a cell of which column would be read as the given one, beside several?
        if isinstance(self.missing, Mapping) and len(self.value_columns) > 1:
            raise ValueError("missing as refuse, value or leave_out: the value is made of several columns")
        # The case of a list of wards without the column of wards.
        if self.labels is not None and self.label is None:
            raise ValueError("label, the column they are in, beside labels")
        # Because the rows of one person must be known to belong together.
        if self.stage is not None and self.person is None:
            raise ValueError("person, the column of ids, beside stage")
        # Because a person has one row at each stage.
        if self.stage is not None and self.per_person is not None:
            raise ValueError("no per_person beside stage")
        if isinstance(self.label, tuple) and len(self.label) < 2:
            raise ValueError("label as a column's name, or a list of at least two")
        if len(set(self.label_columns)) < len(self.label_columns):
            raise ValueError("each of the columns of labels once")
        if self.labels is not None:
            self._check_labels(self.labels)
        # Because others are people with no declared label, and none are declared.
        if self.others is not None and self.labels is None:
            raise ValueError("labels, the declared ones, beside others")
        return self

    def _check_labels(self, labels: tuple[str, ...] | tuple[tuple[str, ...], ...]) -> None:
        """Raises ValueError for labels that are no list for each column, or are there twice, or are too many."""
        lists = [each for each in labels if not isinstance(each, str)]
        if len(self.label_columns) > 1 and not len(lists) == len(labels) == len(self.label_columns):
            raise ValueError(f"labels as {len(self.label_columns)} lists, one for each column of label")
        if len(self.label_columns) == 1 and lists:
            raise ValueError("labels as one list of texts, as there is one column of label")
        for one in lists or [tuple(each for each in labels if isinstance(each, str))]:
            if len(set(one)) < len(one) or not one:
                raise ValueError("each of the labels once")
        several = len(self.label_columns) > 1
        if several and any(LABEL_SEPARATOR in str(each) for one in lists for each in one):
            raise ValueError(f"labels without {LABEL_SEPARATOR!r}, which stands between those of two columns")
        if (count := prod(map(len, lists))) > MOST_ANSWERS:
            raise ValueError(f"at most {MOST_ANSWERS} combinations, not {count:,} (limit {MOST_ANSWERS.name})")

    @property
    def label_columns(self) -> tuple[str, ...]:
        """The columns that a label is read from."""
        return () if self.label is None else (self.label,) if isinstance(self.label, str) else self.label

    @property
    def label_name(self) -> str | None:
        """The columns of labels with commas between; None without any."""
        return ", ".join(self.label_columns) or None

    @property
    def declared_labels(self) -> tuple[str, ...]:
        """All labels that are declared: of several columns, all combinations; none where nothing is declared."""
        lists = [each for each in self.labels or () if not isinstance(each, str)]
        singles = tuple(each for each in self.labels or () if isinstance(each, str))
        return tuple(map(LABEL_SEPARATOR.join, product(*lists))) if lists else singles

    def labels_in(self, column: str) -> tuple[str, ...]:
        """Returns the labels that are declared of `column`, one of the label columns."""
        own = (self.labels or ())[self.label_columns.index(column) if len(self.label_columns) > 1 else 0 :]
        return self.declared_labels if isinstance(own[0], str) else own[0]

    @property
    def location(self) -> Path | str | None:
        """The place of the table: its file, or a URL of no file."""
        if self.url is None:
            return self.file
        return self.url if is_server(self.url) else path_of(self.url)

    def without_place(self) -> "Source":
        """Returns the columns that are read, without their place, name and way of writing."""
        return self.altered(dict.fromkeys(("file", "url", "name", "encoding", "decimal")))

    @property
    def chooses_rows(self) -> bool:
        """Whether rows may be left out, so that the number of a row does not say which it is in the table."""
        return bool(self.where or self.others or self.missing == "leave_out" or self.per_person)

    @property
    def wants_number(self) -> bool:
        """Whether the value has to be a number, because it is clipped or quantised."""
        return any(part is not None for part in (self.lower, self.upper, self.step))

    @property
    def value_column(self) -> str:
        """The column that the value is read from; several with commas between."""
        return ", ".join(self.value_columns)

    @property
    def value_columns(self) -> tuple[str, ...]:
        """The columns that the value is read from: several where it is made of several conditions."""
        if isinstance(self.value, str):
            return (self.value,)
        return tuple(dict.fromkeys(each.column for each in single_conditions(self.value)))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions on one column each, of the value and of the rows that belong."""
        given = (*(() if isinstance(self.value, str) else (self.value,)), *(self.where or ()))
        return tuple(single for each in given for single in single_conditions(each))

    @property
    def record_words(self) -> Phrase:
        """The meaning of a person's record, in words, and the rows that are read."""
        parts = [self._staged_words]
        if self.missing == "value":
            parts = [said("or_missing", record=parts[0], value=Name(repr(MISSING_VALUE)))]
        elif self.missing == "leave_out":
            parts.append(said("unknown_left_out", column=Name(self.value_column)))
        elif self.missing is not None:
            parts.append(said("missing_as", column=Name(self.value_column), value=value_phrase(self._read_as)))
        if self.where:
            parts.append(said("of_rows", rows=Series("between_all", (each.words for each in self.where))))
        return semicolons(parts)

    @property
    def _staged_words(self) -> Phrase:
        """The part of a sentence that says what a record is, at each stage where there are some."""
        if self.per_person is not None:
            record = self._person_words
        elif not isinstance(self.value, str):
            record = said("record_where", condition=self.value.words)
        else:
            record = self._clipped(said("record_in_column", column=Name(self.value)))
        return record if self.stage is None else said("at_each_stage", record=record, column=Name(self.stage))

    def _clipped(self, record: Phrase) -> Phrase:
        """Says of a record to which range it is clipped."""
        ends = clip_range(self.lower, self.upper)
        return record if ends is None else said("record_clipped", record=record, ends=ends)

    @property
    def _person_words(self) -> Phrase:
        """The part of a sentence that says what the rows of one person make."""
        if isinstance(self.value, str):
            key = "record_of_largest" if self.per_person == "max" else "record_of_sum"
            return self._clipped(said(key, column=Name(self.value)))
        if self.per_person == "sum":
            return self._clipped(said("record_of_rows", condition=self.value.words))
        return said("record_of_any_row", condition=self.value.words)

    @property
    def _read_as(self) -> object:
        """The cell that a missing one is read as; None where it is not read as another."""
        return self.missing["as"] if isinstance(self.missing, Mapping) else None

    def rests_on(self) -> tuple[str, ...]:
        """Returns what the promise supposes of the table, a clause each."""
        public = [said("label_public", column=Name(each)) for each in self.label_columns]
        if self.missing == "leave_out":
            public.append(said("answered_public"))
        if isinstance(self.missing, Mapping):
            public.append(said("model_of_read", value=value_phrase(self._read_as)))
        return tuple(public)

    @property
    def has_condition(self) -> bool:
        """Whether a record is 1 where a condition holds, and 0 elsewhere."""
        return not isinstance(self.value, str) and self.per_person != "sum"

    def clause(self, value: object, record: str) -> str:
        """Returns a clause that says that a record is this `value`; record: whose, in words."""
        if not isinstance(self.value, str) and self.has_condition and str(value) in ("0", "1"):
            words = f"({self.value.words})" if isinstance(self.value, Conditions) else self.value.words
            return self.value.words if str(value) == "1" else f"not {words}"
        return f"{record} is {value}"

    @property
    def columns(self) -> dict[str, str]:
        """The columns that are read for everybody, by the key that names them; several with commas between."""
        named = {
            "household": self.household,
            "label": self.label_name,
            "value": self.value_column,
            "person": self.person,
            "stage": self.stage,
        }
        return {key: column for key, column in named.items() if column is not None}

    @property
    def all_columns(self) -> dict[str, str]:
        """The columns that are read, one by one, by the key that names them."""
        found = {"household": self.household, "person": self.person, "stage": self.stage}
        combined = len(self.label_columns) > 1
        found |= {f"label row {n}" if combined else "label": each for n, each in enumerate(self.label_columns, 1)}
        several = len(self.value_columns) > 1
        found |= {f"value column {n}" if several else "value": each for n, each in enumerate(self.value_columns, 1)}
        for row, condition in enumerate(self.where or (), 1):
            single = [each.column for each in single_conditions(condition)]
            found |= {f"where row {row}{f'.{n}' if len(single) > 1 else ''}": each for n, each in enumerate(single, 1)}
        return {key: column for key, column in found.items() if column is not None}

    @property
    def unit(self) -> Fraction:
        """The unit of the engine's numbers: the step exactly as it was written, or 1."""
        return Fraction(1) if self.step is None else _exact(self.step)


def _exact(number: float) -> Fraction:
    return Fraction(repr(number))
