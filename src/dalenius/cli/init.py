"""The command `init`: a spec with comments, from a look at the table, flags and, if wanted, five questions.

`dalenius init cases.csv` opens the table, says how it is written and what its columns hold, and drafts a model, a
count, two promises and the section [data]. The promises are that no chance more than doubles, and that an adversary who
knows everybody else learns at most 4 nats. Lines that the draft guesses are marked CHANGE. Without a household column
nobody depends on anybody in the draft:

>>> drafted(Draft("people", count=200)).splitlines()[5:7]
['kind = "independent"   # CHANGE: nobody depends on anybody? households, chain, network say how they do', 'n = 200']
"""

import os
import re
from dataclasses import replace
from pathlib import Path
from tomllib import loads
from typing import Annotated, Final

import typer

from dalenius.cli.draft import UNITS, Draft, drafted
from dalenius.cli.five_questions import asked
from dalenius.cli.options import condition_of, number_option, option
from dalenius.cli.output import advise, print_table, say
from dalenius.cli.practice_files import check_new, practice_files, write_text
from dalenius.errors import InputError, listed
from dalenius.spec.condition import Condition, Conditions
from dalenius.spec.spec import spec_from
from dalenius.tables.check import check_spec
from dalenius.tables.first_look import FirstLook, check_there, first_look
from dalenius.tables.near_names import are, many
from dalenius.tables.table_findings import Roles

_SPECS: Final = (".toml", ".json")


def init(
    table: Annotated[str | None, typer.Argument(help="The table: a path or a URL.", show_default=False)] = None,
    spec: Annotated[Path | None, typer.Argument(help="The spec to write [spec.toml].", show_default=False)] = None,
    rows: Annotated[str, option("What a row is about: " + ", ".join(UNITS) + " [people].")] = "people",
    data: Annotated[str | None, option("The table, if it is not the first argument.")] = None,
    value: Annotated[str | None, option("The table's column of values, or a condition, as in a spec.")] = None,
    household: Annotated[str | None, option("The table's column that says who belongs together.")] = None,
    label: Annotated[
        list[str] | None,
        option("The table's column of public labels: one answer for each; several, for each combination.", "COLUMN"),
    ] = None,
    person: Annotated[str | None, option("The table's column of people's ids: each person has one row.")] = None,
    count: Annotated[int | None, option("The number of rows, if there is no table.")] = None,
    factor: Annotated[float, number_option("The factor by which a chance may grow at most.")] = 2.0,
    cap: Annotated[
        float, number_option("The most, in nats, that an adversary who knows everybody else may learn.")
    ] = 4.0,
    interactive: Annotated[bool, option("Ask five questions first.", name="--interactive")] = False,
    practise: Annotated[
        bool, option("Also write a table to practise on, drawn from the model, and a spec for it.", name="--practise")
    ] = False,
    seed: Annotated[int, option("The seed of the table to practise on.")] = 0,
    force: Annotated[bool, option("Overwrite existing files.", name="--force")] = False,
) -> None:
    """Write a spec with comments, from a look at the table."""
    data, place = _places(table, spec, data)
    check_new(place, force)
    for column in label or ():
        if (label or []).count(column) > 1:
            raise InputError("--label", column, "each column once")
    given = Draft(rows, data, value, household, tuple(label or ()), count, factor, cap, person)
    given.check_unit(practise)
    draft, found = _looked(given, rows in ("people", "households")) if data is not None else (given, None)
    if interactive:
        if found is not None:
            _print(found, draft.label)
        draft = asked(draft, found)
        # Because an answer may name another column, the table is looked at again.
        draft, found = _looked(draft, guess=False) if data is not None else (draft, None)
    draft.check(practise)
    _check_columns(draft, found)
    draft = _placed_from(draft, place.parent)
    files = {place: drafted(draft)} if draft.data is not None or not practise else {}
    if draft.data is not None:
        _check_runs(files[place], place.parent)
    if practise:
        files |= practice_files(draft, place, seed, force)
    for each, text in files.items():
        write_text(each, text)
    if found is not None and not interactive:
        _print(found, draft.label)
    for each in files:
        say(f"wrote {each}")
    for said in _doubtful(draft, found):
        advise(said)
    if practise:
        say(f"to practise: dalenius release {list(files)[-1]}; every answer says that it is about nobody")
    say(f"next: change what its comments name, then dalenius calibrate {place}")


def _places(table: str | None, spec: Path | None, data: str | None) -> tuple[str | None, Path]:
    """Returns the table and the place of the spec, whichever of the two the first argument is."""
    if table is not None and (data is not None or Path(table).suffix.lower() in _SPECS):
        if spec is not None:
            raise InputError("spec", str(spec), f"one argument beside --data, {table}" if data else "the table first")
        return data, Path(table)
    return table if data is None else data, Path("spec.toml") if spec is None else spec


def _looked(draft: Draft, guess: bool) -> tuple[Draft, FirstLook]:
    """Returns the draft with what the table says, and the look at it; InputError where the table cannot be used.

    guess: whether a column of households and one of people are guessed from names.
    """
    assert draft.data is not None
    condition = condition_of(draft.value, "--value") if draft.value else None
    if isinstance(condition, Conditions):
        raise InputError("--value", draft.value, "a column, or one condition: write several into the spec")
    column = condition.column if isinstance(condition, Condition) else condition
    first, *more = draft.label or (None,)
    roles = Roles(draft.household, first, draft.person, column)
    found = first_look(draft.data, roles, guess, [each for each in more if each is not None])
    if found.check.size == 0:
        raise InputError("--data", draft.data, "a table with at least one row")
    if isinstance(condition, Condition):
        check_there(draft.data, found.form, condition)
    answer = found.answers[0] if found.answers else None
    if column is None and answer is not None:
        column = answer.column
    silent = column is not None and found.column(column).missing > 0
    if not isinstance(condition, Condition):
        condition = answer.condition if answer is not None else None
    made = replace(
        draft,
        value=column,
        condition=condition,
        household=found.roles.household,
        person=found.roles.person,
        encoding=found.form.encoding,
        decimal=found.form.decimal,
        labels=found.labels,
        missing=answer.no if silent and answer is not None else None,
        gaps=found.gaps if guess or draft.gaps else None,
        count=found.check.size if draft.count is None and found.roles.household is None else draft.count,
    )
    return made, found


def _print(found: FirstLook, labels: tuple[str, ...]) -> None:
    """Prints how the table is written, its columns, those of `labels` among them, and its households."""
    cells = [[str(cell) for cell in row.values()] for row in found.check.records()]
    said = f" ({found.words})" if found.words else ""
    titles = ["column", "holds", "missing", "not so", "different"]
    print_table(f"{found.check.caption}, {found.check.size or 0:,} rows{said}", titles, cells)
    named = {role: column for role, column in found.roles.named.items() if role != "value"}
    named |= {"label": ", ".join(labels)} if labels else {}
    if named:
        say(f"taken for {', '.join(f'the {role}: {column}' for role, column in named.items())}")
    for line in found.check.sizes_in_words():
        say(line)


def _check_columns(draft: Draft, found: FirstLook | None) -> None:
    """Raises InputError where no column of the table can be the records as the draft has them."""
    if found is None:
        return
    columns = [each.column for each in found.check.columns]
    if draft.value is None:
        wanted = f"the column of values: none of {listed(columns)} holds words for yes and no"
        raise InputError("--value", "missing", wanted)
    if draft.condition is None and not any(each.column == draft.value for each in found.answers):
        holds = found.column(draft.value).holds
        operand = "at_least = 1" if "number" in holds else 'equals = "…"'
        example = f"'{{ column = \"{draft.value}\", {operand} }}'"
        raise InputError("--value", draft.value, f"a condition, as {example}: the column holds {holds}, not yes and no")


def _check_runs(text: str, folder: Path) -> None:
    """Raises InputError where the drafted spec would be refused with its table."""
    wrong = [each for each in check_spec(spec_from(loads(text)), folder).findings if each.severity == "error"]
    if wrong:
        first = wrong[0].line.removeprefix("error: ")
        raise InputError("table", "its rows", f"rows that can be used; dalenius check says what is not: {first}")


def _doubtful(draft: Draft, found: FirstLook | None) -> list[str]:
    """Lists what is doubtful in the table, and what was guessed of its columns, a line each."""
    if found is None:
        return []
    said = [each.removeprefix("warning: ") for each in found.check.warnings]
    if draft.missing is not None and draft.value is not None:
        count = found.column(draft.value).missing
        cells, be = f"{many(count, 'cell')} of column {draft.value}", are(count)
        said.append(f"{cells} {be} missing, and {be} read as {draft.missing}: see missing")
    if (home := draft.gaps) is not None:
        said.append(
            f"{home} looks like households, but {many(found.column(home).missing, 'cell is', 'cells are')} missing: "
            f"the draft takes people as independent of each other; fill the column, then --household '{home}'"
        )
    if more := [each.column for each in found.answers if each.column != draft.value]:
        said.append(f"yes and no are in column {listed(more)}, too: --value names the one to count")
    if found.label is not None:
        said.append(f"column {found.label} may be a public label: --label '{found.label}' gives one answer for each")
    return said


def _placed_from(draft: Draft, folder: Path) -> Draft:
    """Returns the draft with its table named from the folder that the spec is in."""
    # Where there is no table, a database, or a path that means the same from everywhere.
    if draft.data is None or "://" in draft.data or Path(draft.data).is_absolute():
        return draft
    return replace(draft, data=re.sub(r"\\", "/", os.path.relpath(draft.data, folder)))
