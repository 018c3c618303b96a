"""What a benchmark hands back: a table, what was promised of it, and the files drawn from it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, final

Draw: TypeAlias = Callable[[Path], None]
"""Writes a figure and its numbers into the folder docs/figures."""


@final
@dataclass(frozen=True)
class Target:
    """A promise about a number that should be small: `what` is at most `limit`, in `unit`."""

    what: str
    limit: float
    measured: float
    unit: str

    @property
    def met(self) -> bool:
        return self.measured <= self.limit

    def __str__(self) -> str:
        verdict = "met" if self.met else "MISSED"
        return f"{self.what}: {self.measured:.3g} {self.unit}, target {self.limit:g} {self.unit}: {verdict}"


@final
@dataclass(frozen=True)
class Section:
    """One benchmark's results, as the terminal and docs/research/benchmarks.md show them.

    about: what was run, in words; notes: what the numbers come to, a sentence each; figure: the name of the PNG that
    `draw` writes, beside a CSV of the same name.
    """

    title: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    figure: str | None = None
    draw: Draw | None = None
