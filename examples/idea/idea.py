"""The idea in one picture: what a published count says of one person, for the README.

python examples/idea/idea.py docs/figures/idea.svg

Three households of four; in each nobody is ill, or one, or all. The chance that one member is ill before the release,
and after any count that may come out: with noise for independent records, and with the least that lets no chance more
than double. Nothing is random.
"""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import dalenius as dl

HOMES = dl.Households(count=3, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
ALONE = dl.Independent(n=12, probabilities=[0.07])
PROMISE = dl.InformationPrivacy(factor=2)
COUNTS = np.arange(-4, 16.25, 0.25)
ORANGE, BLUE = "#d55e00", "#0072b2"


class Row(NamedTuple):
    """Chances that a member is ill, by the published count."""

    published_count: float
    before: float
    noise_for_independent_records: float
    noise_that_keeps_the_promise: float


def chance(noise: dl.Laplace, published: float) -> tuple[float, float]:
    """Before and after the release."""
    said = dl.posterior(dl.Release(HOMES, dl.Count(), noise), [published]).laws[0].people[0]
    ill = next(each for each in said.values if each.value == 1)
    return ill.prior, ill.posterior.middle


def noises() -> tuple[dl.Laplace, dl.Laplace]:
    """What the promise asks for where nobody depends on anybody, and where members of a household do."""
    scales = []
    for model in (ALONE, HOMES):
        found = dl.calibrate(dl.Release(model, dl.Count(), dl.Laplace()), PROMISE)
        assert found.noise.scale is not None
        scales.append(found.noise.scale)
    return dl.Laplace(scale=scales[0]), dl.Laplace(scale=scales[1])


def rows() -> list[Row]:
    alone, homes = noises()
    found = []
    for published in COUNTS.tolist():
        before, after = chance(alone, published)
        found.append(Row(published, before, after, chance(homes, published)[1]))
    return found


def drawn(found: Sequence[Row]) -> Figure:
    mpl.rcParams["svg.hashsalt"] = "idea"
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    axes = figure.subplots()
    counts = [row.published_count for row in found]
    before = found[0].before
    axes.axhspan(0, 200 * before, color="#e8e8e8", zorder=0)
    axes.axhline(100 * before, color="black", linewidth=1, linestyle=":")
    axes.plot(counts, [100 * row.noise_for_independent_records for row in found], color=ORANGE, linewidth=2)
    axes.plot(
        counts, [100 * row.noise_that_keeps_the_promise for row in found], color=BLUE, linewidth=2, linestyle="--"
    )
    end = found[-1]
    axes.text(
        16.3, 100 * end.noise_for_independent_records, "noise as for\nindependent\nrecords", color=ORANGE, va="center"
    )
    axes.text(16.3, 100 * end.noise_that_keeps_the_promise, "noise that keeps\nthe promise", color=BLUE, va="center")
    axes.text(15.8, 100 * before - 0.8, f"before the release: {before:.0%}", va="top", ha="right")
    axes.text(15.8, 0.6, "promised: no chance more than doubles (grey)", va="bottom", ha="right", color="#404040")
    axes.set_xlim(-4, 16)
    axes.set_ylim(0, None)
    axes.set_xticks(range(-4, 17, 4))
    axes.set_xlabel("published number of ill people (of 12, in three households of four)")
    axes.set_ylabel("chance that one of them\nis ill (%)")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    picture = Path(sys.argv[1])
    found = rows()
    with picture.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows([f"{value:.6g}" for value in row] for row in found)
    drawn(found).savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    main()
