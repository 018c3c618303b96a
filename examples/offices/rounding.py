"""What rounding protects: the numbers and the picture of docs/explanation/rounding.md.

python examples/offices/rounding.py docs/figures/rounding.png

The delta that a count of the ill leaves for one member of a household of four, by the rule of the office and by how
many households are counted; and what the best attack finds out from a table with totals. Nothing is random.
"""

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure

import dalenius as dl
from dalenius.noise import Noise
from dalenius.plotting import save_with_vector

INFECTED = (0.9, 0.04, 0.0, 0.0, 0.06)
ILL = sum(number * chance for number, chance in enumerate(INFECTED)) / 4
"""The probability that a member is ill, before anything is published."""
EPSILONS = (0.5, 1.0, 2.0)
COUNTS = (5, 12, 60, 100_000)
DRAWN = (1, 2, 3, 5, 8, 12, 18, 25, 40, 60, 90, 130, 200, 300)
SMALLEST = 1e-30
"""Smaller deltas are printed as this bound."""
CENSUS = ((0, 10), (15, 10), (100, 50), (1000, 100), (10_000, 500), (100_000, 1000))
"""The rounding rules of the US Census Bureau's review board; counts below 15 are not published."""


def people(count: int) -> dl.Households:
    return dl.Households(count=count, infected=INFECTED)


def calibrated(count: int) -> Noise:
    """The least geometric noise with which the odds of a member's illness move by e at most."""
    release = dl.Release(people(count), dl.Count(), dl.Geometric())
    return dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0)).noise


def nearest(base: int) -> dl.Rounding:
    return dl.Rounding(base=base, how="nearest")


def then(below: int, rule: dl.Rounding, to: int | None = None) -> dl.Steps:
    return dl.Steps(steps=[dl.Suppression(below=below, to=to), rule])


def rules(count: int) -> dict[str, Noise]:
    """The rules of offices, by name, for a count of so many households."""
    return {
        "exact count": dl.NoNoise(),
        "RR3": dl.Rounding(base=3),
        "RR5": dl.Rounding(base=5),
        "below 6 suppressed, then RR3": then(6, dl.Rounding(base=3)),
        "up to 7 to 0, then nearest 5 (OpenSAFELY)": then(8, nearest(5), to=0),
        "below 10 suppressed, then nearest 5 (ONS)": then(10, nearest(5)),
        "below 15 suppressed, then bands (US Census)": then(15, dl.Rounding(how="nearest", bands=CENSUS)),
        "cell keys, moves up to 2, variance 0.9": dl.CellKey(d=2, v=0.9),
        "cell keys, moves up to 5, variance 3, no 1 or 2": dl.CellKey(d=5, v=3.0, js=2),
        "geometric, scale 1 (ε = 1 for one record)": dl.Geometric(scale=1.0),
        "geometric, calibrated to inferential ε = 1": calibrated(count),
    }


LINES = {
    "exact count": ("#000000", "-"),
    "RR3": ("#0072b2", "-"),
    "RR5": ("#56b4e9", "-"),
    "below 6 suppressed, then RR3": ("#009e73", "--"),
    "up to 7 to 0, then nearest 5 (OpenSAFELY)": ("#d55e00", "--"),
    "below 15 suppressed, then bands (US Census)": ("#cc79a7", "--"),
    "geometric, scale 1 (ε = 1 for one record)": ("#e69f00", "-."),
}
"""The rules in the picture, each with its colour and dashes."""


class Row(NamedTuple):
    """Of one rule and number of households: the least delta at each epsilon, from above."""

    rule: str
    households: int
    deltas: tuple[float, ...]


def rows(counts: Iterable[int], names: Sequence[str] | None = None) -> list[Row]:
    found = []
    for count in counts:
        for name, noise in rules(count).items():
            if names is None or name in names:
                release = dl.Release(people(count), dl.Count(), noise)
                found.append(Row(name, count, tuple(dl.delta_of(release, each).upper for each in EPSILONS)))
    return found


class Attack(NamedTuple):
    """Of one published table: how well the best test tells a well member of the first street's household from an ill.

    advantage: true positives minus false alarms; success: how often the best guess is right.
    """

    rule: str
    published: str
    advantage: float
    success: float


STREETS = {"A": 1, "B": 5}
"""How many households each street has."""


def streets() -> dl.Households:
    types = [dl.HouseholdType(count=count, infected=INFECTED, members={name: 4}) for name, count in STREETS.items()]
    return dl.Households(types=types)


def tables() -> Mapping[str, Mapping[str, dl.Count]]:
    """The answers of each published table. The cell of street A is too small for any of them."""
    rest, total = dl.Count(labels=("B",)), dl.Count()
    return {
        "street B": {"B": rest},
        "total": {"total": total},
        "street B and total": {"B": rest, "total": total},
        "the same twice": {"B": rest, "total": total, "B again": rest, "total again": total},
    }


def alone(rule: dl.CellKey, most: int) -> dl.Kernel:
    """The moves of the counts up to `most`, drawn for every answer by itself: no office does that."""
    rows = [rule.row(Fraction(count)) for count in range(most + 1)]
    outputs = sorted({output for row in rows for output in row}, key=Fraction)
    chances = [[float(row.get(output, 0)) for output in outputs] for row in rows]
    return dl.Kernel(answers=range(most + 1), outputs=[int(each) for each in outputs], probabilities=chances)


KEYS = dl.CellKey(d=2, v=0.9)
ATTACKED: Mapping[str, Noise] = {
    "exact counts": dl.NoNoise(),
    "RR3": dl.Rounding(base=3),
    "RR5": dl.Rounding(base=5),
    "nearest 5": nearest(5),
    "below 10 suppressed, then nearest 5": then(10, nearest(5)),
    "cell keys, moves up to 2, variance 0.9": KEYS,
    "the same table, every answer drawn alone": alone(KEYS, 24),
    "cell keys, moves up to 5, variance 3, no 1 or 2": dl.CellKey(d=5, v=3.0, js=2),
    "geometric, scale 1": dl.Geometric(scale=1.0),
}


def attacks() -> list[Attack]:
    found = []
    for rule, noise in ATTACKED.items():
        for published, asked in tables().items():
            query = dl.Several(queries=tuple(asked.values()), names=tuple(asked))
            release = dl.Release(streets(), query, noise)
            seen = {each.person: each for each in dl.bayes_attacks(release)}.get(1)
            advantage = 0.0 if seen is None or seen.test is None else seen.test.advantage.upper
            success = 1 - ILL if seen is None or seen.success is None else seen.success.upper
            found.append(Attack(rule, published, advantage, success))
    return found


def drawn(found: Sequence[Row]) -> Figure:
    figure = Figure(figsize=(10, 4.4), layout="constrained")
    axes = figure.subplots()
    for name, (colour, dashes) in LINES.items():
        mine = [(row.households, row.deltas[1]) for row in found if row.rule == name and row.deltas[1] > SMALLEST]
        axes.plot(*zip(*mine, strict=True), dashes, color=colour, marker="o", markersize=3, label=name)
    axes.set(
        xlabel="households of four that are counted",
        ylabel="delta at epsilon = 1, one member",
        xscale="log",
        yscale="log",
        ylim=(1e-5, 1.2),
    )
    axes.grid(alpha=0.3)
    figure.legend(frameon=False, fontsize=8, loc="outside right upper")
    return figure


def written(delta: float) -> str:
    return f"<{SMALLEST:g}" if delta < SMALLEST else f"{delta:.3g}"


def save(path: Path, header: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)


def main(path: Path) -> None:
    table, picture = rows(COUNTS), rows(DRAWN, list(LINES))
    listed = [[row.rule, str(row.households), *map(written, row.deltas)] for row in (*table, *picture)]
    save(path.with_suffix(".csv"), ("rule", "households", *(f"delta_at_{each:g}" for each in EPSILONS)), listed)
    seen = [[each.rule, each.published, f"{each.advantage:.3f}", f"{each.success:.3f}"] for each in attacks()]
    save(path.with_name(f"{path.stem}_table.csv"), Attack._fields, seen)
    save_with_vector(drawn(picture), path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
