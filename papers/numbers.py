"""A script's numbers beside the paper's, and the tables of its figures as CSV.

A script is a function from whether it should be quick (fewer points, no other numbers) to its numbers. It writes its
figures and tables itself.
"""

import argparse
import csv
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from errno import ENOENT
from math import isfinite
from pathlib import Path
from typing import Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
OUT: Final = Path("build/papers")
NEAR: Final = 0.05
"""Relative: papers print one digit or two."""
DIGITS: Final = 10
"""Of numbers that are no ends of enclosures: those beyond hang on the processor."""


@final
@dataclass(frozen=True)
class Number:
    """where the paper has it, what it is, the paper's (None where it prints none), ours, and what to know of both.

    relation: what the paper says: that it is this number, below it, or above it.
    """

    where: str
    what: str
    theirs: float | None
    ours: float
    why: str = ""
    relation: Literal["=", "<", ">"] = "="

    @property
    def agrees(self) -> bool:
        """Within NEAR, or on the side of it that the paper says. True where the paper prints none."""
        if self.theirs is None:
            return True
        slack = NEAR * abs(self.theirs)
        below, above = self.ours <= self.theirs + slack, self.ours >= self.theirs - slack
        return {"=": below and above, "<": below, ">": above}[self.relation]

    def __str__(self) -> str:
        sign = "" if self.relation == "=" else self.relation
        theirs = "" if self.theirs is None else f"paper {sign}{self.theirs:.6g}, {'' if self.agrees else 'not '}so: "
        return f"{self.where}: {self.what}: {theirs}{self.ours:.6g}" + (f" ({self.why})" if self.why else "")


Script: TypeAlias = Callable[[bool], Iterator[Number]]


def data_folder() -> Path:
    """Of the public data sets. FileNotFoundError where it is not said, as for a file that is missing there."""
    given = os.environ.get("DALENIUS_DATA")
    if not given:
        raise FileNotFoundError(ENOENT, "not set", "$DALENIUS_DATA")
    return Path(given)


def write_csv(name: str, lines: Iterable[Iterable[object]], rounded: bool = False) -> None:
    """lines: the first is the header; rounded: floats to DIGITS digits."""
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows(map(_rounded, line) if rounded else line for line in lines)


def main(script: Script) -> None:
    """Run one script from the command line."""
    parser = argparse.ArgumentParser(description="A figure of a paper, into build/papers, and its numbers.")
    parser.add_argument("--quick", action="store_true", help="fewer points")
    for number in script(parser.parse_args().quick):
        print(number)


def _rounded(cell: object) -> object:
    return float(f"{cell:.{DIGITS}g}") if isinstance(cell, float) and isfinite(cell) else cell
