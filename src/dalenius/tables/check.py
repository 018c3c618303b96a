"""Check of a table before anything is computed or spent.

It finds duplicate columns, missing cells, cells that are not like the others of their column, names of households and
people that are likely one name, and people who have several rows. It counts households by size. The engine counts; only
the different names of a column come back, and none of them is shown.
"""

from dataclasses import replace
from pathlib import Path
from typing import Final

from dalenius.errors import InputError
from dalenius.sentences.sentence import counted
from dalenius.spec.condition import Condition
from dalenius.spec.data_section import Source
from dalenius.spec.spec import Spec, read_spec
from dalenius.tables.binding import bound_to_table
from dalenius.tables.csv_files import TextForm
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.missed_conditions import missed_conditions
from dalenius.tables.near_names import near_names
from dalenius.tables.opening import TableLike, TablePart, from_here, open_part
from dalenius.tables.people import People
from dalenius.tables.rows_of_people import clipped_in_words
from dalenius.tables.servers import host_of
from dalenius.tables.table_check import Finding, TableCheck
from dalenius.tables.table_files import there
from dalenius.tables.table_findings import LookedTable, Roles
from dalenius.tables.true_answer import check_people, check_table_values, slots_of

_UNNAMED: Final = Roles()

_NOTHING: Final = frozenset({"\0"})
"""A column that no table has: a file that is asked for it gives the names of all its columns."""
_LEFT_OUT: Final = "these rows are left out"
_SPECS: Final = (".toml", ".json")


def check(
    table: TableLike | Spec,
    *,
    household: str | None = None,
    label: str | None = None,
    person: str | None = None,
    value: str | None = None,
    name: str | None = None,
    encoding: str | None = None,
    missing_words: tuple[str, ...] | None = None,
    folder: Path | str = Path(),
) -> TableCheck:
    """Finds what is wrong or doubtful in a table, before anything is computed or spent.

    Args:
        table: A table: a path, a URL, a frame or an Ibis table. Or a spec or its path (.toml, .json): then the table of
            its `[data]` is checked as its sections say.
        household: The column that says who belongs together; None (the default) for none. A spec's `[data] household`,
            or its model's `by`, goes before it, as do the spec's own columns before the next three.
        label: The column of public labels.
        person: The column of people's ids, of which each may be there once.
        value: The column of the values that the query is about.
        name: The table of a database, or the sheet of a workbook; None (the default) where there is one.
        encoding: The encoding of a file of text; None (the default) for UTF-8, or as the spec says.
        missing_words: The cells of a file of text that say that there is no value; None (the default) for `NA` and
            `NaN`, or as the spec says.
        folder: The folder that the paths of a spec that is no file are relative to; the current one by default.

    Returns:
        The columns, the sizes of households and the findings; `usable` says whether nothing is wrong.

    Raises:
        InputError: If a spec cannot be read, or names no table.

    Example:
        >>> import dalenius as dl
        >>> import pandas
        >>> people = pandas.DataFrame({"home": ["north", "north", "south"], "ill": [1, 0, 1]})
        >>> found = dl.check(people, household="home")
        >>> found.usable, found.household_sizes
        (True, {2: 1, 1: 1})
    """
    roles = Roles(household, label, person, value)
    if isinstance(table, Spec):
        return check_spec(_with_words(table.in_encoding(encoding), missing_words), Path(folder), roles)
    if isinstance(table, str | Path) and Path(str(table)).suffix.lower() in _SPECS and "://" not in str(table):
        read = _with_words(read_spec(table).in_encoding(encoding), missing_words)
        return check_spec(read, Path(table).parent, roles)
    return check_table(table, roles, name, TextForm(encoding, missing_words=missing_words))


def _with_words(spec: Spec, missing_words: tuple[str, ...] | None) -> Spec:
    """Returns the spec whose table is read with these words for missing cells."""
    if spec.data is None or missing_words is None:
        return spec
    return spec.altered({"data": spec.data.altered({"missing_words": missing_words})})


def check_spec(spec: Spec, folder: Path, roles: Roles = _UNNAMED) -> TableCheck:
    """Checks the table of a spec, and whether its people are those of the model.

    Args:
        spec: The spec.
        folder: The folder that the data's path is relative to.
        roles: Columns for the roles that the spec does not name.
    """
    if spec.data is None:
        raise InputError("data", "missing", "a section [data] that names the table to check")
    source = spec.data
    household = source.household or next(iter(sorted(spec.model.household_columns)), None)
    own = _own_roles(source, household)
    merged = Roles(**{role: getattr(own, role) or getattr(roles, role) for role in vars(own)})
    location = source.location
    if location is None:
        raise InputError("data.file", "missing", "the file that holds the people")
    found = check_source(source.altered({"household": household}), folder, merged)
    wrong, clipped = _wrong_in(spec, folder)
    errors = () if wrong is None else (wrong,)
    # So that what the spec's own checks refuse is said once, in their words.
    others = [each for each in found.findings if not (errors and each.severity == "error" and each.kind != "repeated")]
    return TableCheck(found.name, found.size, found.columns, found.household_sizes, (*errors, *others, *clipped))


def check_source(
    source: Source, folder: Path, roles: Roles | None = None, table: TableLike | None = None
) -> TableCheck:
    """Checks the table of a `[data]` section, or another table that is read as the section says.

    Args:
        source: The section.
        folder: The folder that paths are relative to.
        roles: The columns that mean something; None for those that the section names.
        table: The other table; None for the section's own.
    """
    own = _own_roles(source, source.household)
    placed, form = _place_and_form(source, folder, table)
    return _as_wanted(check_table(placed, roles or own, source.table, form, source), source)


def check_conditions(source: Source, folder: Path, table: TableLike | None = None) -> tuple[Finding, ...]:
    """Finds the cells that narrowly miss a condition of a `[data]` section, and nothing else.

    Args:
        source: The section.
        folder: The folder that paths are relative to.
        table: The other table; None for the section's own.
    """
    placed, form = _place_and_form(source, folder, table)
    part = opened_as_written(placed, _UNNAMED, source.table, form)
    try:
        return tuple(each for _, each in missed_conditions(part, source))
    finally:
        part.close()


def _place_and_form(source: Source, folder: Path, table: TableLike | None) -> tuple[TableLike, TextForm]:
    """Returns the table of a section, or the other one that is read as it says, and how a file of text is written."""
    given = table if table is not None else source.location
    assert given is not None
    form = TextForm(source.encoding, source.decimal, source.missing_words)
    return folder / given if isinstance(given, Path) else given, form


def _own_roles(source: Source, household: str | None) -> Roles:
    """Returns the columns that the section names; none for a role that several columns have together."""
    value = source.value_columns[0] if len(source.value_columns) == 1 else None
    label = source.label if isinstance(source.label, str) else None
    # Because a person has a row for each stage: what rows count are no people, and opening the table counts these.
    if source.stage is not None:
        return Roles(None, label, None, value)
    return Roles(household, label, source.person if source.per_person is None else None, value)


def _as_wanted(found: TableCheck, source: Source) -> TableCheck:
    """Returns what was found, where missing answers are a warning if the section says what they mean."""
    if source.per_person is not None:
        others = [each for each in found.findings if (each.kind, each.column) != ("repeated", source.person)]
        found = replace(found, findings=tuple(others))
    means = _missing_means(source)
    findings = [
        replace(each, severity="warning", words=f"{each.words}: {means[each.column]}")
        if each.kind == "missing" and each.column in means
        else each
        for each in found.findings
    ]
    return replace(found, findings=tuple(sorted(findings, key=lambda each: each.severity != "error")))


def _missing_means(source: Source) -> dict[str, str]:
    """Returns what an empty cell means, by the columns where the section says it."""
    found = {column: _LEFT_OUT for column in source.label_columns if source.others == "leave_out"}
    found |= {each.column: _LEFT_OUT for each in source.where or () if isinstance(each, Condition) and each.there}
    if source.missing is not None:
        means = {"value": "each is a value of its own", "leave_out": _LEFT_OUT}
        other = source.missing
        found[source.value_column] = means[other] if isinstance(other, str) else f"each is read as {other['as']}"
    return found


def near_advice(people: People) -> list[str]:
    """Warns of names that are likely one name and of cells that narrowly miss a condition; says what is clipped.

    The lines are said before anything is computed from the table. They show no name.

    Args:
        people: The table, with the columns that are read.
    """
    found = []
    if people.clipped is not None:
        count, words = clipped_in_words(people.clipped, people.source)
        found += [words] * (count > 0)
    for role in ("household", "label", "person"):
        column = people.source.columns.get(role)
        # Because ids are no part of what is counted, they are looked at in the table itself.
        rows = (
            people.part.table.select(person=people.part.table[column]) if role == "person" and column else people.rows
        )
        if column is not None and rows[role].type().is_string():
            answer = people.answer(rows.group_by(role).agg(rows=rows.count()), role)
            near = near_names({name: size for name, size in zip(answer[role], answer["rows"], strict=True) if name})
            if near.rarer:
                found.append(f"{near.words(role, column)}: dalenius check says in which rows")
    return [*found, *(f"data.{key}: {each.words}" for key, each in missed_conditions(people.part, people.source))]


def near_households(people: People) -> tuple[str, ...]:
    """Returns what a promise supposes of households whose names are likely one: a clause, or none.

    Args:
        people: The table of people.
    """
    if people.source.household is None or not people.rows.household.type().is_string():
        return ()
    answer = people.answer(people.rows.group_by("household").agg(rows=people.rows.count()), "household")
    counts = {name: size for name, size in zip(answer["household"], answer["rows"], strict=True) if name}
    count = len(near_names(counts).rarer)
    return (counted("near_household", "near_households", count),) if count else ()


def _wrong_in(spec: Spec, folder: Path) -> tuple[Finding | None, list[Finding]]:
    """Returns what `release` would refuse in the table, None for nothing; and whose values are clipped, counted."""
    clipped: list[Finding] = []
    try:
        filled, people = bound_to_table(spec, folder)
        assert people is not None
        try:
            if people.clipped is not None:
                count, words = clipped_in_words(people.clipped, people.source)
                column = people.source.value_column
                clipped += [Finding("warning", "clipped", column, count, (), words)] * (count > 0)
            tally = people.tally()
            for belief in filled.model.joints() if filled.model.gives == "laws" else ():
                if belief.strata():
                    check_people(belief.strata(), tally)
                    check_table_values(people, tally, slots_of(belief.strata()))
        finally:
            people.close()
    except InputError as error:
        return Finding("error", "unusable", "", 1, (), str(error)), clipped
    return None, clipped


def _shown(table: TableLike, name: str | None) -> str:
    """Returns the name of the table for messages: a file's, or a database's table's; a URL may hold a password."""
    if isinstance(table, str) and "://" in table:
        return name or host_of(table)
    return Path(str(table)).name if isinstance(table, str | Path) else name or f"the {type(table).__name__}"


def check_table(
    table: TableLike,
    roles: Roles = _UNNAMED,
    name: str | None = None,
    form: TextForm | None = None,
    source: Source | None = None,
) -> TableCheck:
    """Finds what is wrong or doubtful in a table, as far as its columns say it.

    Args:
        table: The table, as `open_part` takes it.
        roles: The columns that mean something.
        name: The table of a database, or the sheet of a workbook; None where there is one.
        form: How a file of text is written; None for UTF-8 with a decimal point.
        source: The `[data]` section whose conditions cells may narrowly miss; None for no conditions.
    """
    shown = _shown(table, name)
    try:
        part = opened_as_written(table, roles, name, form)
    except InputError as error:
        return TableCheck(shown, None, (), {}, (Finding("error", "unusable", "", 1, (), str(error)),))
    try:
        with engine_errors("data", shown, "a table that can be read"):
            found = LookedTable(part.table, part.ordered, roles).found(shown)
        missed = () if source is None else tuple(each for _, each in missed_conditions(part, source))
        # So that a column's two ways of writing are said once, by the condition that counts one of them only.
        columns = {each.column for each in missed}
        others = [each for each in found.findings if each.kind != "near" or each.column not in columns]
        return replace(found, findings=(*others, *missed))
    finally:
        part.close()


def opened_as_written(table: TableLike, roles: Roles, name: str | None, form: TextForm | None) -> TablePart:
    """Opens the table with all its columns, and those of a text file as they are written.

    Args:
        table: The table, as `open_part` takes it.
        roles: The columns that mean something.
        name: The table of a database, or the sheet of a workbook; None where there is one.
        form: How a file of text is written; None for UTF-8 with a decimal point.

    Raises:
        InputError: If a role's column is not there.
    """
    given = from_here(table)
    first = open_part(given, name, _NOTHING, (), Path(), form)
    columns = list(first.table.columns)
    for role, column in roles.named.items():
        if column not in columns:
            first.close()
            raise InputError(f"data.{role}", column, there(columns[:40], column))
    if first.path is None:
        return first
    first.close()
    return open_part(given, name, columns, columns, Path(), form)
