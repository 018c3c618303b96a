"""A profile as a table: what an accountant computed."""

import csv
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Final, final

from dalenius.conversion.profile import GuaranteedProfile, Guarantees, checked_guarantees
from dalenius.errors import InputError

COLUMNS: Final = ("epsilon", "delta")


@final
@dataclass(frozen=True)
class TabulatedProfile(GuaranteedProfile):
    """(ε, δ)-differential privacy for every row: epsilons rise from 0 or more, deltas never do.

    Between two rows δ is on the chord in e^ε: every profile is convex there, being the largest of P(S) − e^ε Q(S)
    over events S. InputError names the first bad row.
    """

    kind: ClassVar[str] = "table"
    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.epsilons) != len(self.deltas):
            shown = f"{len(self.epsilons)} epsilons and {len(self.deltas)} deltas"
            raise InputError("profile", shown, "as many of the one as of the other")
        checked_guarantees(self.epsilons, self.deltas, "profile row")

    @cached_property
    def guarantees(self) -> Guarantees:
        return Guarantees(self.epsilons, self.deltas)

    @property
    def pure(self) -> float | None:  # type: ignore[override]
        return next((e for e, d in zip(self.epsilons, self.deltas, strict=True) if d == 0), None)


def read_profile(path: Path) -> TabulatedProfile:
    """The profile in a CSV of columns epsilon and delta. InputError, in one line, for what is not."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except OSError as error:
        raise InputError("profile", str(path), f"a file that can be read ({error.strerror})") from None
    except (UnicodeDecodeError, csv.Error):
        raise InputError("profile", str(path), "a CSV in UTF-8") from None
    header = tuple(cell.strip() for cell in rows[0]) if rows else ()
    if sorted(header) != sorted(COLUMNS):
        raise InputError("profile line 1", ",".join(header), "the columns epsilon,delta")
    places = [header.index(column) for column in COLUMNS]
    read = [_numbers(number, row, places) for number, row in enumerate(rows[1:], 2) if row]
    return TabulatedProfile(tuple(epsilon for epsilon, _ in read), tuple(delta for _, delta in read))


def _numbers(line: int, row: list[str], places: list[int]) -> tuple[float, float]:
    if len(row) != len(COLUMNS):
        raise InputError(f"profile line {line}", ",".join(row), "two numbers")
    found = []
    for place in places:
        try:
            found.append(float(row[place]))
        except ValueError:
            raise InputError(f"profile line {line}", ",".join(row), "two numbers") from None
    return found[0], found[1]
