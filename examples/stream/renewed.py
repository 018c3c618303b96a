"""What a weekly budget comes to: a picture for docs/research/renewed.md and its numbers.

python examples/stream/renewed.py docs/figures/renewed.png

Each week an answer that is 0.1-private in that week's value of a person, one of two, who keeps it from week to week
with some probability and otherwise has it drawn anew. Nothing is random.
"""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

import dalenius as dl
from dalenius.plotting import save_with_vector

EPSILON = 0.1
WEEKS = (1, 4, 13, 52)
LOOKS = dict(zip(WEEKS, ("-", "--", "-.", ":"), strict=True))
COLOURS = {1: "#000000", 4: "#0072b2", 13: "#d55e00", 52: "#009e73"}
PERSISTENCES = (*np.linspace(0, 0.9, 19).tolist(), *(1 - np.geomspace(0.09, 0.001, 12)).tolist(), 1.0)
CHOSEN = {0.5: ("-", "#0072b2"), 0.9: ("--", "#d55e00"), 0.99: ("-.", "#009e73"), 1.0: (":", "#cc79a7")}


class Row(NamedTuple):
    """Nats. total: of the week about which most leaks; so_far: of the last one, by the weeks up to it."""

    persistence: float
    weeks: int
    epsilon: float
    total: float
    so_far: float
    whole_year: float


def row(persistence: float, weeks: int) -> Row:
    found = dl.stream(persistence=persistence, epsilon=EPSILON, steps=weeks).worst
    total, so_far = found.total.largest.upper, found.backward[weeks - 1].upper
    return Row(persistence, weeks, EPSILON, total, so_far, found.process.upper)


def rows() -> list[Row]:
    by_persistence = [row(each, weeks) for weeks in WEEKS for each in PERSISTENCES]
    return by_persistence + [row(each, weeks) for each in CHOSEN for weeks in range(1, 53)]


def drawn(found: Sequence[Row]) -> Figure:
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    one, other = figure.subplots(1, 2)
    count = len(WEEKS) * len(PERSISTENCES)
    for weeks in WEEKS:
        points = [(each.persistence, each.total) for each in found[:count] if each.weeks == weeks]
        label = f"{weeks} weeks" if weeks > 1 else "1 week: the claim"
        one.plot(*np.array(points).T, LOOKS[weeks], color=COLOURS[weeks], label=label)
    for persistence, (dashes, colour) in CHOSEN.items():
        points = [(each.weeks, each.total) for each in found[count:] if each.persistence == persistence]
        label = f"kept with {persistence:g}" if persistence < 1 else "never changes: the sum of all ε"
        other.plot(*np.array(points).T, dashes, color=colour, label=label)
    other.axhline(EPSILON, color="black", linewidth=1, label="the claim: ε of a week")
    one.set(xlabel="probability that a value is kept for another week", ylabel="what leaks of one week's value (nats)")
    other.set(xlabel="weeks", ylabel="what leaks of one week's value (nats)")
    for axes in (one, other):
        axes.set_yscale("log")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=9)
    return figure


def main(path: Path) -> None:
    found = rows()
    with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        for each in found:
            writer.writerow([f"{each.persistence:.6g}", each.weeks, each.epsilon, *(f"{x:.6g}" for x in each[3:])])
    save_with_vector(drawn(found), path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
