"""The table to practise on that `init --practise` writes: drawn from the spec's model, with a seed.

Households, labels and the number of people are read from the table, or stated. No value is read. The spec's condition
says which cells stand for 1 and 0:

>>> cells_of(Condition(column="ill", equals="ja")), cells_of(Condition(column="age", at_least=65))
(('not ja', 'ja'), (64, 65))
"""

import csv
import io
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from tomllib import loads
from typing import Any, Final, final

import numpy as np

from dalenius.cli.draft import Draft, drafted
from dalenius.curator.limits import PRACTICE_PEOPLE
from dalenius.errors import InputError
from dalenius.households_left_out import HouseholdsLeftOut
from dalenius.joints.drawn_records import DrawnRecords
from dalenius.joints.joint import finite_law
from dalenius.left_out import LeftOut
from dalenius.models import Model
from dalenius.models.model import Composition, Readable
from dalenius.plotting import write_atomically
from dalenius.spec import Spec
from dalenius.spec.condition import Condition
from dalenius.spec.data_section import LABEL_SEPARATOR
from dalenius.spec.practice import CELL, COLUMN
from dalenius.spec.spec import spec_from
from dalenius.tables.binding import bound_to_table
from dalenius.tables.check import check_spec

_NO_ANSWERS: Final = "a table: people that are only stated have no answers"

_SIZES: Final = (1, 2, 3, 4, 2, 1, 5, 2)
"""Sizes of the households of a practice table without a table to read them from, again and again."""


def practice_files(draft: Draft, place: Path, seed: int, force: bool) -> dict[Path, str]:
    """Returns the files of a table to practise on and of the spec for it, the spec last; nothing is written.

    Without a table the spec of the draft itself is the one to practise with.

    Args:
        draft: The draft of the spec.
        place: The file of the draft's spec.
        seed: What decides which table is drawn.
        force: Whether files that are there may be overwritten; never the draft's own table.
    """
    _check_stated(draft)
    file = place.with_name(f"{place.stem}_practice.csv")
    spec = place if draft.data is None else place.with_name(f"{place.stem}_practice.toml")
    if draft.data is not None and (place.parent / draft.data).resolve() == file.resolve():
        raise InputError("--practise", str(file), "a spec of another name: this file is the table itself")
    for each in (file, spec):
        check_new(each, force)
    rows, text = practice_rows(draft, place.parent, seed), drafted(practice_draft(draft, file))
    _check_practice(text, rows, file)
    return {file: rows, spec: text}


def check_new(place: Path, force: bool) -> None:
    """Raises InputError if the file `place` is there, unless `force` says that it may be overwritten."""
    if place.exists() and not force:
        raise InputError("spec", str(place), "a file that is not there yet, or --force")


def write_text(place: Path, text: str) -> None:
    """Writes `text` to `place`: the whole file, or nothing."""
    write_atomically(place, lambda path: path.write_text(text, encoding="utf-8", newline="\n"))


def _check_stated(draft: Draft) -> None:
    """Raises InputError where there is no table, and the practice table would be of an unknown number of people."""
    if draft.data is not None:
        return
    if draft.count is None:
        raise InputError("--count", "missing", "the number of people to practise on, or a table")
    if draft.label:
        wanted = "a table to read the labels from, or no label to practise without one"
        raise InputError("--label", ", ".join(draft.label), wanted)


def practice_draft(draft: Draft, file: Path) -> Draft:
    """Returns the draft of the spec for the table to practise on, which is `file`, beside the spec."""
    name = "practice" if draft.data is None else f"practice of {Path(draft.data).stem}"
    return replace(draft, data=file.name, encoding=None, decimal=None, practice=name)


def practice_rows(draft: Draft, folder: Path, seed: int) -> str:
    """Draws the rows of the table to practise on, as CSV.

    Args:
        draft: The draft of the spec, with its table if there is one; no value of that is read.
        folder: The folder that the spec is in.
        seed: What decides which table is drawn.
    """
    law = finite_law(_model(draft, folder).joints()[0])
    assert law is not None, "drafts have models of finitely many values"
    drawn = DrawnRecords(law)
    if drawn.people > PRACTICE_PEOPLE:
        raise InputError("--practise", f"{drawn.people:,} people", f"fewer: {PRACTICE_PEOPLE.said}")
    (slots,) = next(drawn.slots(1, np.random.default_rng(seed)))
    kinds = [(stratum.label, value) for stratum in drawn.strata for value in stratum.values]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    labels = list(draft.label)
    columns = [*([draft.household] if draft.household else []), *labels, *([draft.person] if draft.person else [])]
    value = draft.value or "value" if draft.condition is None else draft.condition.column
    writer.writerow([*columns, value, COLUMN])
    zero, one = (0, 1) if draft.condition is None else cells_of(draft.condition)
    for person, (group, slot) in enumerate(zip(drawn.groups, slots.tolist(), strict=True), 1):
        label, record = kinds[slot]
        cells: Sequence[Any] = [
            *([f"H{group}"] if draft.household else []),
            *(label.split(LABEL_SEPARATOR) if len(labels) > 1 else [label] if labels else []),
            *([f"P{person}"] if draft.person else []),
        ]
        writer.writerow([*cells, one if record == 1 else zero, CELL])
    return text.getvalue()


def _check_practice(text: str, rows: str, file: Path) -> None:
    """Raises InputError where the spec would be refused with its table; nothing is left of the attempt.

    Args:
        text: The spec.
        rows: The table.
        file: The table's file, by its name.
    """
    with TemporaryDirectory() as folder:
        (Path(folder) / file.name).write_text(rows, encoding="utf-8")
        wrong = [each for each in check_spec(spec_from(loads(text)), Path(folder)).findings if each.severity == "error"]
    if wrong:
        raise InputError("--practise", "this draft", f"another one ({wrong[0].line.removeprefix('error: ')})")


def _model(draft: Draft, folder: Path) -> Model:
    """Returns the draft's model of the people that there are, or that are stated."""
    stated = draft.data is None and draft.household is not None
    spec: Spec = spec_from(loads(drafted(replace(draft, data=None) if stated else draft)))
    if stated:
        assert draft.count is not None
        return spec.model.bound(_StatedPeople(draft.count))
    with ExitStack() as until:
        bound, _ = bound_to_table(spec, folder, None, until)
    return bound.model


@final
@dataclass(frozen=True)
class _StatedPeople(Readable):
    """A number of people without labels, in households of usual sizes, where there is no table to read."""

    people: int

    def compositions(self) -> Mapping[Composition, int]:
        found: dict[Composition, int] = {}
        left = self.people
        for size in cycle(_SIZES):
            if not left:
                break
            own = (("", min(size, left)),)
            found[own] = found.get(own, 0) + 1
            left -= own[0][1]
        return found

    def left_out(self, one_by_one: bool) -> LeftOut:
        raise InputError("TABLE", "missing", _NO_ANSWERS)

    def households_left_out(self, whole: float) -> HouseholdsLeftOut:
        raise InputError("TABLE", "missing", _NO_ANSWERS)


def cells_of(condition: Condition) -> tuple[Any, Any]:
    """Returns a cell for which a condition does not hold, and one for which it does.

    InputError for a comparison with dates, or with texts by their order.
    """
    given, first = condition.comparison, condition.operands[0]
    if given in ("equals", "one_of"):
        if isinstance(first, str):
            return f"not {first}", first
        return (0 if 0 not in condition.operands else max(map(float, condition.operands)) + 1), first
    if isinstance(first, str):
        raise InputError("--value", first, "a number, or equals, to practise with: this one is compared by its order")
    below, above = {"at_least": (first - 1, first), "above": (first, first + 1)}, {"at_most": 1, "below": 0}
    if given in below:
        return below[given]
    return first + above[given], first - 1 + above[given]
