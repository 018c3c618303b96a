"""Noise before the answer: the numbers and the pictures of docs/explanation/local_noise.md.

python examples/reports/noise_before.py docs/figures/local_noise.png

What noised reports of a row of days say in order, shuffled and summed; and what shuffling is claimed to leave beside
what it leaves, for people in households who are all alike. Nothing is random.
"""

import csv
import sys
from collections.abc import Iterable, Sequence
from math import log
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure

import dalenius as dl
from dalenius.plotting import save_with_vector
from dalenius.theorems.shuffled_reports import claimed_epsilon

KEEP = 0.75
STAY = (0.5, 0.8, 0.9, 0.95)
"""The probability that a day is as the day before."""
LENGTHS = (1, 2, 3, 4, 5, 6, 8, 10, 12)
LONG = 100_000
PEOPLE, DELTA = 20_000, 1e-6
SIZES = (1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 40)
ILL = 0.1


class Days(NamedTuple):
    """What reports say of one of n days, in nats: the largest log-ratio, and the average, by how they go out."""

    stay: float
    n: int
    largest: float
    largest_shuffled: float
    average: float
    average_shuffled: float


class Alike(NamedTuple):
    """Households of so many people who are all ill, or none is: the epsilon at delta, claimed and true (a range)."""

    size: int
    claimed: float
    lower: float
    upper: float


def days(stay: float, n: int) -> dl.Chain:
    return dl.Chain(n=n, initial="stationary", transition=[[stay, 1 - stay], [1 - stay, stay]])


def of_days(stay: float, n: int) -> Days:
    noise = dl.RandomizedResponse(keep=KEEP)
    ordered, shuffled = (dl.Release(days(stay, n), dl.Reports(shuffled=mixed), noise) for mixed in (False, True))
    largest, average = dl.InferentialPrivacy(), dl.MutualInformationPrivacy()
    return Days(
        stay,
        n,
        largest.leakage(ordered).upper,
        largest.leakage(shuffled).upper,
        average.leakage(ordered).upper,
        average.leakage(shuffled).upper,
    )


def of_long_days(stay: float) -> float:
    """The largest log-ratio of reports in order of a very long row."""
    release = dl.Release(days(stay, LONG), dl.Reports(), dl.RandomizedResponse(keep=KEEP))
    return dl.InferentialPrivacy().leakage(release).upper


def alike(size: int) -> Alike:
    homes = dl.Households(count=PEOPLE // size, infected=[1 - ILL, *[0.0] * (size - 1), ILL])
    release = dl.Release(homes, dl.Reports(shuffled=True), dl.RandomizedResponse(keep=KEEP))
    found = dl.InferentialPrivacy(delta=DELTA).leakage(release)
    claimed = claimed_epsilon(log(KEEP / (1 - KEEP)), PEOPLE, DELTA)
    assert claimed is not None
    return Alike(size, claimed, found.lower, found.upper)


def drawn(rows: Sequence[Days], homes: Sequence[Alike]) -> Figure:
    figure = Figure(figsize=(11, 4), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    looks = dict(zip(STAY, (("#595959", "o"), ("#0072B2", "s"), ("#D55E00", "^"), ("#009E73", "D")), strict=True))
    for stay, (colour, mark) in looks.items():
        own = [row for row in rows if row.stay == stay]
        n = [row.n for row in own]
        look = {"color": colour, "marker": mark, "markersize": 4}
        left.plot(n, [row.largest for row in own], "-", label=f"as the day before: {stay:g}", **look)
        middle.plot(n, [row.average for row in own], "-", **look)
        middle.plot(n, [row.average_shuffled for row in own], "--", **look)
    left.set(xlabel="days in a row", ylabel="largest log-ratio about a day (nats)", ylim=(0, 8.5))
    left.set_title("at worst: in order, shuffled, summed alike", fontsize=9)
    left.legend(fontsize=8, frameon=False, loc="upper left")
    middle.set(xlabel="days in a row", ylabel="information about a day (nats)", ylim=(0, None))
    middle.set_title("on average: in order (solid), shuffled (dashed)", fontsize=9)
    sizes = [row.size for row in homes]
    right.plot(sizes, [row.claimed for row in homes], "--", color="#595959", label="claimed (Thm 3.1)")
    right.plot(sizes, [row.upper for row in homes], "o-", color="#D55E00", markersize=4, label="true")
    right.set(xlabel="people of a household, all alike", ylabel="epsilon at delta = $10^{-6}$", ylim=(0, None))
    right.set_title(f"shuffled reports of {PEOPLE:,} people", fontsize=9)
    right.legend(fontsize=8, frameon=False)
    for axes in (left, middle, right):
        axes.grid(alpha=0.3)
    return figure


def save(path: Path, header: Sequence[str], rows: Iterable[Sequence[float]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([f"{number:.6g}" for number in row] for row in rows)


def main(path: Path) -> None:
    rows = [of_days(stay, n) for stay in STAY for n in LENGTHS]
    homes = [alike(size) for size in SIZES]
    save(path.with_suffix(".csv"), Days._fields, rows)
    save(path.with_name(f"{path.stem}_shuffled.csv"), Alike._fields, homes)
    save(path.with_name(f"{path.stem}_long.csv"), ("stay", "largest"), [(stay, of_long_days(stay)) for stay in STAY])
    save_with_vector(drawn(rows, homes), path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
