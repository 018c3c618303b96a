"""What a cap on the differential loss costs: a picture for docs/explanation/caps.md and its numbers.

python examples/outbreak/caps.py docs/figures/caps.png

How many are ill in one district of outbreak.toml. Two promises: no chance grows more than twofold for the adversary of
the model, and a differential loss of at most the cap for whoever knows everybody else. Nothing is random.
"""

import csv
import sys
from collections.abc import Sequence
from math import inf, log
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

import dalenius as dl
from dalenius.notions import Notion
from dalenius.plotting import METHOD_LOOKS, save_with_vector
from dalenius.spec import read_spec
from dalenius.tables import bound_to_table

HERE = Path(__file__).resolve().parent
DISTRICT = "Harbour"
PROMISE = dl.InformationPrivacy(factor=2)
HOUSEHOLD = 6
GROUPS = log(2) / HOUSEHOLD
"""The cap of noise for the largest household: it keeps the first promise whatever the model says of its members."""
CAPS = [inf, 8, 6, 4, 3, 2, 1.5, 1, 0.7, 0.5, 0.35, 0.2127, 0.15, GROUPS]
LEAST_SOLVED = 0.5
"""Below it the linear program takes minutes."""
METHODS = {
    "exact": "least geometric noise",
    "clamped": "clamped geometric noise",
    "optimal": "optimum over all mechanisms",
}
NONE, LEFT = 20.0, 0.095
"""Where `no cap` is drawn, and where the axis begins."""


class Row(NamedTuple):
    """differential: the loss in nats to somebody who knows all others; lower_bound: no mechanism's error is below."""

    method: str
    cap_nats: float
    expected_error_people: float
    lower_bound_people: float | None
    differential_nats: float | None


def release() -> dl.Release:
    file = HERE / "outbreak.toml"
    model = bound_to_table(read_spec(file), HERE)[0].model
    return dl.Release(model, dl.Count(labels=(DISTRICT,)), dl.Geometric())


def rows() -> list[Row]:
    asked, found = release(), []
    for cap in CAPS:
        promises: list[Notion] = [PROMISE]
        if cap < inf:
            promises.append(dl.DifferentialPrivacy(epsilon=cap))
        for method in METHODS if cap >= LEAST_SOLVED else ("exact", "clamped"):
            made = dl.calibrate(asked, promises, method)
            least = made.details.get("lower_bound") if method == "optimal" else None
            found.append(Row(method, cap, made.expected_error, least, made.differential))
    return found


def drawn(found: Sequence[Row]) -> Figure:
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for method, label in METHODS.items():
        look = METHOD_LOOKS[method].line()
        own = [each for each in found if each.method == method]
        capped = sorted((each.cap_nats, each.expected_error_people) for each in own if each.cap_nats < inf)
        free = [each.expected_error_people for each in own if each.cap_nats == inf]
        x, y = np.transpose(capped)
        axes.plot(x, y, markersize=5, linewidth=1.5, label=label, **look)
        axes.plot([NONE] * len(free), free, markersize=5, **look | {"linestyle": "none"})
    axes.axvspan(11.5, NONE * 1.6, color="#eeeeee", zorder=0)
    axes.axvline(GROUPS, color="#777777", linewidth=1, linestyle=":")
    axes.annotate("noise for a whole\nhousehold of 6", (GROUPS * 1.04, 0.034), fontsize=8.5, color="#444444")
    ticks = [GROUPS, 0.25, 0.5, 1, 2, 4, 8, NONE]
    axes.set(xscale="log", yscale="log", xlim=(LEFT, NONE * 1.6), ylim=(0.025, 14))
    axes.set_xticks(ticks, [f"{GROUPS:.3f}", "0.25", "0.5", "1", "2", "4", "8", "no cap"], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_yticks([0.03, 0.1, 0.3, 1, 3, 10], ["0.03", "0.1", "0.3", "1", "3", "10"])
    axes.set_xlabel("cap on what whoever knows everybody else learns (differential loss, nats)")
    axes.set_ylabel("expected error of the count (people)")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=9, loc="lower center")
    return figure


def main(picture: Path) -> None:
    found = rows()
    with picture.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in found)
    save_with_vector(drawn(found), picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
