"""The command `init`: a spec with comments, from flags.

`--rows people --data people.csv --value ill --household home` drafts a model of households by column home, a count, two
promises (no chance more than doubles; at most 4 nats for whoever knows everybody else) and the section [data]; what the
draft guesses is marked CHANGE: two probabilities of an epidemic. Without a household column nobody depends on anybody
in the draft:

>>> _drafted(Draft("people", count=200)).splitlines()[5:7]
['kind = "independent"   # CHANGE: nobody depends on anybody? households, chain, network say how they do', 'n = 200']
"""

import json
import os
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Annotated, final

import typer

from dalenius.cli.options import number_option, option
from dalenius.cli.output import advise, say
from dalenius.errors import InputError
from dalenius.plotting import write_atomically
from dalenius.tables.check import check


@final
@dataclass(frozen=True)
class Draft:
    """The choices from which a spec is drafted; InputError for what makes no spec.

    Attributes:
        rows: What rows are, `people` or `days`.
        data: The table, a path or a URL; None for no table.
        value: The table's column of values.
        household: The table's column that says who belongs together.
        label: The table's column of public labels.
        count: The number of rows, where no table says it.
        factor: The factor by which a chance may grow.
        cap: The most nats for an adversary who knows everybody else.
        person: The table's column of people's ids.
    """

    rows: str
    data: str | None = None
    value: str | None = None
    household: str | None = None
    label: str | None = None
    count: int | None = None
    factor: float = 2.0
    cap: float = 4.0
    person: str | None = None

    def __post_init__(self) -> None:
        """Raises InputError where what is said contradicts itself, or makes no spec."""
        if self.rows not in ("people", "days"):
            raise InputError("--rows", self.rows, "people or days (who is absent: dalenius example absent)")
        # So that a contradiction is found, it is said with the flag that is one too many, or the one that is missing.
        for key, given, least in (("factor", self.factor, 1.0), ("cap", self.cap, 0.0)):
            if not (isfinite(given) and given > least):
                raise InputError(f"--{key}", given, f"a finite number above {least:g}")
        if self.count is not None and self.count < 2:
            raise InputError("--count", self.count, "a whole number of at least 2")
        # Because one person's days have neither housemates nor labels.
        columns = {"household": self.household, "label": self.label, "person": self.person}
        named = [(key, name) for key, name in columns.items() if name]
        if self.rows != "people" and named:
            key, name = named[0]
            raise InputError(f"--{key}", name, "none with these rows: only people have such columns")
        if self.data is None and self.household is not None:
            raise InputError("--household", self.household, "a table (--data) to read the households from")
        if self.data is None and self.count is None:
            raise InputError("--count", "missing", "how many rows there are, or a table (--data)")
        # Because a chain says how many days there are, though a table may have them.
        if self.rows == "days" and self.count is None:
            raise InputError("--count", "missing", "how many days there are")


def _drafted(draft: Draft) -> str:
    """Writes the whole spec: model, query, promises, data, as the template beside this file has them."""
    from jinja2 import StrictUndefined, Template

    text = Path(__file__).with_name("spec.toml.j2").read_text(encoding="utf-8")
    template = Template(
        text, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    said = {"factor": f"{draft.factor:g}", "cap": f"{draft.cap:g}"}
    drafted: str = template.render(draft=draft, quoted=_text, **said)
    return drafted


def _text(value: str) -> str:
    """Writes a text as TOML does, in quotes, whatever letters it has."""
    return json.dumps(value, ensure_ascii=False)


def init(
    spec: Annotated[Path, typer.Argument(help="The spec to write.")] = Path("spec.toml"),
    rows: Annotated[str, option("What the rows are: people, or one person's days.")] = "people",
    data: Annotated[str | None, option("The table: a path or a URL.")] = None,
    value: Annotated[str | None, option("The table's column of values.")] = None,
    household: Annotated[str | None, option("The table's column that says who belongs together.")] = None,
    label: Annotated[str | None, option("The table's column of public labels: one answer for each.")] = None,
    person: Annotated[str | None, option("The table's column of people's ids: each person has one row.")] = None,
    count: Annotated[int | None, option("The number of rows, if there is no table.")] = None,
    factor: Annotated[float, number_option("The factor by which a chance may grow at most.")] = 2.0,
    cap: Annotated[
        float, number_option("The most, in nats, that an adversary who knows everybody else may learn.")
    ] = 4.0,
    force: Annotated[bool, option("Overwrite an existing spec.", name="--force")] = False,
) -> None:
    """Write a spec with comments, from flags."""
    if spec.exists() and not force:
        raise InputError("spec", str(spec), "a file that is not there yet, or --force")
    draft = Draft(rows, data, value, household, label, count, factor, cap, person)
    doubtful = _checked(draft)
    text = _drafted(_placed_from(draft, spec.parent))
    write_atomically(spec, lambda path: path.write_text(text, encoding="utf-8"))
    say(f"wrote {spec}")
    for said in doubtful:
        advise(said)
    say(f"next: change what its comments name, then dalenius calibrate {spec}")


def _checked(draft: Draft) -> list[str]:
    """Lists what is doubtful in the table, a line each; none without a table.

    InputError where it cannot be used: a draft for it would be refused later.
    """
    if draft.data is None:
        return []
    value, given = draft.value or "value", draft.data if "://" in draft.data else Path(draft.data)
    found = check(given, household=draft.household, label=draft.label, person=draft.person, value=value)
    for each in found.findings:
        if each.severity == "error":
            raise InputError("--data", draft.data, f"a table that can be used ({each.line.removeprefix('error: ')})")
    doubtful = [said.removeprefix("warning: ") for said in found.warnings]
    # Because a draft counts the records that are 1, a column of texts needs a condition.
    if any(each.column == value and each.holds == "texts" for each in found.columns):
        condition = f'{{ column = "{value}", equals = "…" }}'
        doubtful.append(f"column {value} holds texts: value = {condition} makes 1 of one of them, and 0 of the rest")
    return doubtful


def _placed_from(draft: Draft, folder: Path) -> Draft:
    """Returns the draft with its table named from the folder that the spec is in."""
    # Where there is no table, a database, or a path that means the same from everywhere.
    if draft.data is None or "://" in draft.data or Path(draft.data).is_absolute():
        return draft
    return replace(draft, data=Path(os.path.relpath(draft.data, folder)).as_posix())
