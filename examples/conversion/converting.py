"""What a pipeline's guarantee means where records depend: a picture for docs/explanation/converting.md and its numbers.

python examples/conversion/converting.py docs/figures/converting.png

Twins, a household of four, and days of a life: the epsilon that a pure guarantee leaves, and the profile that is left
of Gaussian noise. Nothing is random.
"""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

import dalenius as dl
from dalenius.models import Model
from dalenius.plotting import save_with_vector

MODELS: dict[str, tuple[Model, str, str]] = {
    "nobody else": (dl.Independent(n=100, probabilities=(0.5,)), "-", "#000000"),
    "twins, equal nine times in ten": (
        dl.Groups(
            types=[
                dl.GroupType(count=50, records=((0, 0), (0, 1), (1, 0), (1, 1)), probabilities=(0.45, 0.05, 0.05, 0.45))
            ]
        ),
        "--",
        "#0072b2",
    ),
    "a household of four": (dl.Households(count=250, infected=(0.9, 0.04, 0.0, 0.0, 0.06)), "-.", "#d55e00"),
    "a thousand days, each as the last with 0.7": (
        dl.Chain(n=1000, transition=((0.7, 0.3), (0.3, 0.7)), initial="stationary"),
        ":",
        "#009e73",
    ),
}
PURE = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.3, 1.6, 2.0)
MU = 1 / 3
EPSILONS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 1.75, 2.0)


class Row(NamedTuple):
    """given: the guarantee, epsilon of a pure one or mu; leaks: the epsilon at delta 0, or the delta at `at`, above."""

    people: str
    guarantee: str
    given: float
    at: float | None
    leaks: float


def rows() -> list[Row]:
    found = []
    for people, (model, _, _) in MODELS.items():
        for epsilon in PURE:
            made = dl.Conversion(model, dl.PureProfile(epsilon), "replace")
            found.append(Row(people, "pure", epsilon, None, made.epsilon(0.0).value.upper))
        noise = dl.Conversion(model, dl.GaussianProfile(MU), "replace")
        found += [Row(people, "gaussian", MU, at, delta) for at, delta in noise.curve(EPSILONS)]
    return found


def drawn(found: Sequence[Row]) -> Figure:
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    one, other = figure.subplots(1, 2)
    for people, (_, dashes, colour) in MODELS.items():
        mine = [row for row in found if row.people == people]
        pure = [(row.given, row.leaks) for row in mine if row.guarantee == "pure"]
        noise = [(row.at or 0.0, row.leaks) for row in mine if row.guarantee == "gaussian"]
        one.plot(*np.array(pure).T, dashes, color=colour, label=people)
        other.plot(*np.array(noise).T, dashes, color=colour, label=people)
    one.set(xlabel="epsilon of the pipeline", ylabel="epsilon that can leak of one record (nats)")
    other.set(xlabel="epsilon (nats)", ylabel="delta that can leak, mu = 1/3", yscale="log", ylim=(1e-7, 1))
    for each in (one, other):
        each.grid(alpha=0.3)
    one.legend(frameon=False, fontsize=9)
    return figure


def main(path: Path) -> None:
    found = rows()
    with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        for row in found:
            at = "" if row.at is None else f"{row.at:g}"
            writer.writerow([row.people, row.guarantee, f"{row.given:.4g}", at, f"{row.leaks:.5g}"])
    save_with_vector(drawn(found), path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
