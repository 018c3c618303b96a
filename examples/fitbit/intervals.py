"""How much noise every method adds to a day of 288 intervals: the numbers and the picture of its page.

python examples/fitbit/intervals.py docs/figures/fitbit_intervals.png

A day is 288 intervals of five minutes, each active or not; what goes out is how many were active. The chain is fitted
to one person's past days, which are read from $DALENIUS_DATA. Nothing is random. It takes a few minutes.
"""

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from days import Day, people
from matplotlib.figure import Figure

import dalenius as dl
from dalenius.calibration.comparison import compared
from dalenius.fitting import fit_chain
from dalenius.plotting import save_with_vector

PERSON = "5577150313"
MINUTES = 5
ACTIVE = 2
"""The least class of an active interval: moderate."""
EPSILONS = range(1, 21)
LONG = (1, 5, 20)
"""The promises for which the optimum is computed, a linear programme each."""
LINES = {
    "group": ("#000000", "-"),
    "weak_dependence": ("#999999", "-"),
    "comonotone": ("#cc79a7", "-"),
    "markov_quilt": ("#e69f00", "-"),
    "wasserstein": ("#56b4e9", "-"),
    "bdp_markov": ("#009e73", "-"),
    "exact": ("#0072b2", "-"),
    "dependence_coefficient": ("#d55e00", ":"),
    "independent": ("#d55e00", "--"),
}
"""The methods in the picture, each with its colour and dashes; broken lines are not sound."""


class Row(NamedTuple):
    """Of one method at one promise: its noise, and what that really leaks.

    sound: `yes`, `no`, or empty where the method does not apply; scale: of geometric noise, in intervals;
    expected_error: in intervals; leakage: in nats; why: why it is sound, or does not apply.
    """

    epsilon: int
    method: str
    sound: str
    scale: str
    expected_error: str
    leakage: str
    why: str


def release() -> dl.Release:
    """The count of one person's active intervals, under the chain of all days but the last."""
    past: list[Day] = list(people(MINUTES)[PERSON].values())[:-1]
    fit = fit_chain([[int(each >= ACTIVE) for each in day] for day in past])
    return dl.Release(fit.model, dl.Count(), dl.Geometric())


def rows(asked: dl.Release) -> list[Row]:
    found = []
    for epsilon in EPSILONS:
        methods = [method for method in dl.METHODS if method.name != "optimal" or epsilon in LONG]
        for each in compared(asked, [dl.InferentialPrivacy(epsilon=epsilon)], methods):
            made = each.calibration
            if made is None:
                found.append(Row(epsilon, each.method, "", "", "", "", each.why or ""))
                continue
            scale = made.noise.scale if made.noise.kind == "geometric" else None
            found.append(
                Row(
                    epsilon,
                    each.method,
                    "yes" if made.sound else "no",
                    "" if scale is None else f"{scale:.6g}",
                    f"{made.expected_error:.6g}",
                    f"{made.leakage.upper:.6g}",
                    made.why,
                )
            )
    return found


def drawn(found: Sequence[Row]) -> Figure:
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    axes = figure.subplots()
    for name, (colour, dashes) in LINES.items():
        mine = [row for row in found if row.method == name and row.scale]
        label = name if all(row.sound == "yes" for row in mine) else f"{name} (not sound)"
        points = zip(*((row.epsilon, float(row.scale)) for row in mine), strict=True)
        axes.plot(*points, dashes, color=colour, marker="o", markersize=3, label=label)
    axes.set(
        xlabel="promise: inferential epsilon (nats)",
        ylabel="scale of the geometric noise (intervals)",
        yscale="log",
        xticks=[1, 5, 10, 15, 20],
    )
    axes.grid(alpha=0.3)
    figure.legend(frameon=False, fontsize=8, loc="outside right upper")
    return figure


def save(path: Path, lines: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(lines)


def main(path: Path) -> None:
    asked = release()
    print(asked.model)
    found = rows(asked)
    save(path.with_suffix(".csv"), found)
    save_with_vector(drawn(found), path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
