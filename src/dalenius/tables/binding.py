"""Binds a spec to what its model reads from the user's table: who lives with whom, the answers without each person.

A model says how many people there are and which values their records may have. The table must be of the same people,
else a promise under the model is about nobody. The error says how many rows of the table differ, and not which.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from os.path import exists
from pathlib import Path
from typing import final

from dalenius.errors import InputError
from dalenius.households_left_out import HouseholdsLeftOut
from dalenius.left_out import LeftOut
from dalenius.models import Readable
from dalenius.queries import Query
from dalenius.spec.data_section import Source
from dalenius.spec.listed_labels import with_listed_labels
from dalenius.spec.spec import Spec
from dalenius.tables import People, TableLike, from_here, open_people, tallied
from dalenius.tables.true_answer import check_missing_value, check_no_gap


def bound_to_table(
    spec: Spec, folder: Path, table: TableLike | None = None, until: ExitStack | None = None, marked: bool = False
) -> tuple[Spec, People | None]:
    """Returns the spec with what its model reads from the table, and the table; None where the spec names no data.

    Args:
        spec: The spec.
        folder: The folder that the data's path is relative to.
        table: A table to read instead of the one that the spec names (`open_people`); a path is relative to where the
            user is. None for the spec's own.
        until: As long as it is open, all that is read of a database is of one state; None for this call only.
        marked: Whether the table's first mark will be asked for, as in `open_people`.

    Raises:
        InputError: `data.…` where the table cannot be read, or is not what the spec says of it; `model.by` where the
            model names a household column that the table does not have.
    """
    # A single question needs one state for as long as this call only.
    if until is None:
        with ExitStack() as own:
            return bound_to_table(spec, folder, table, own, marked)
    if spec.data is None:
        # With --data, a spec may still not say which column holds what.
        if table is not None:
            raise InputError("data", "missing", "a section [data] that names the columns to read")
        return spec, None
    # A spec may come without its table, as by mail: the message says where it was looked for, and which option helps.
    if table is None and spec.data.file is not None and not exists(folder / spec.data.file):
        raise InputError("data.file", str(folder / spec.data.file), "a file that is there, or --data with where it is")
    # Because a table of records has nobody absent, and the key would change nothing.
    if spec.data.absent is not None and spec.model.gives != "answers":
        wanted = f"no such key with model {spec.model.kind}: it belongs to model absent"
        raise InputError("data.absent", "given", wanted)
    source = _with_household(spec, spec.data)
    check_no_gap(source.missing, spec.model)
    try:
        people = open_people(source, folder, None if table is None else from_here(table), until, marked)
    except InputError as error:
        # The household column was named in [model] by, and [data] does not have it.
        if error.key == "data.household" and source is not spec.data:
            raise InputError("model.by", str(error.value), error.wanted) from None  # where the user wrote it
        raise
    filled = with_listed_labels(spec).altered({"model": spec.model.bound(_Readable(spec, people))})
    try:
        for belief in filled.model.joints() if source.missing == "value" and filled.model.gives == "laws" else ():
            check_missing_value(source.missing, belief.strata())
    except InputError:
        people.close()
        raise
    return filled.noting(people.omitted), people


@final
@dataclass(frozen=True)
class _Readable(Readable):
    """The table as the spec's model may read it.

    It gives households by who lives in them, and, where the secret is who is absent, the answers without each person.
    No other model looks at the table.
    """

    spec: Spec
    people: People

    def compositions(self) -> Mapping[tuple[tuple[str, int], ...], int]:
        """Returns how many households there are of each composition."""
        return self.people.compositions()

    def left_out(self, one_by_one: bool) -> LeftOut:
        """Returns the query's answers without each person; InputError without a query.

        They are in the table's order if `one_by_one`, else by distinct answer.
        """
        return self._query.left_out(tallied(self.people, one_by_one))

    def households_left_out(self, whole: float) -> HouseholdsLeftOut:
        """Returns the query's answers without each household, or each member; InputError without a query.

        Args:
            whole: The probability that a whole household is absent, if somebody of it is.
        """
        # Because only a model of absent households asks for these, what reads them is imported here.
        from dalenius.tables.who_is_absent import without_each_household

        return without_each_household(self.people, self._query, whole)

    @property
    def _query(self) -> Query:
        if self.spec.query is None:
            raise InputError("query", "missing", "a section [query], what the table is asked")
        return self.spec.query


def _with_household(spec: Spec, source: Source) -> Source:
    """Returns [data] with `household` as the model's `by` column says, which may be left out there."""
    named = spec.model.household_columns - {source.household}
    # Nothing changes for a model that reads no households, or where both sections name the same column.
    if not named:
        return source
    if source.household is not None or len(named) > 1:
        raise InputError("model.by", ", ".join(sorted(named)), "one household column, the same as data.household")
    return source.altered({"household": next(iter(named))})
