"""What a sample hides: the numbers and the picture of docs/how-to/sample.md.

python examples/samples/amplification.py docs/figures/sampling.png

The leakage about one person, by the probability of being drawn: the textbook's claim, people who are drawn alone and
depend on nobody, and members of a household of four who are always alike. Nothing is random.
"""

import csv
import sys
from pathlib import Path

from matplotlib.figure import Figure

import dalenius as dl
from dalenius.models.sampled import amplified
from dalenius.plotting import save_with_vector

RATES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
ALONE = dl.Independent(n=100, probabilities=[0.5])
ALIKE = dl.Households(count=25, infected=[0.5, 0.0, 0.0, 0.0, 0.5])
EPSILON = 1.0
"""The loss of a record that is certainly asked, under Laplace noise of scale 1."""

DESIGNS = {
    "independent people, drawn alone": (ALONE, "people", "#0072b2", "o"),
    "members of a household, drawn alone": (ALIKE, "people", "#009e73", "s"),
    "members of a household, drawn as one": (ALIKE, "households", "#d55e00", "^"),
}
"""Each with its population, its units, its colour and its mark."""


def leakage(population: dl.Independent | dl.Households, of: str, rate: float) -> float:
    model = dl.Sampled(population=population, sample=dl.Sample(rate=rate, of=of))
    release = dl.Release(model, dl.Count(), dl.Laplace(scale=1 / EPSILON))
    return dl.InferentialPrivacy().leakage(release).upper


def main(path: Path) -> None:
    found = {name: [leakage(population, of, rate) for rate in RATES] for name, (population, of, *_) in DESIGNS.items()}
    claimed = [amplified(EPSILON, rate) for rate in RATES]
    with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("rate", "claimed", *(name.replace(", ", " ").replace(" ", "_") for name in DESIGNS)))
        for place, rate in enumerate(RATES):
            numbers = claimed[place], *(each[place] for each in found.values())
            writer.writerow((f"{rate:g}", *(f"{number:.6f}" for number in numbers)))
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    for name, (_, _, colour, mark) in list(DESIGNS.items())[::-1]:
        axes.plot(RATES, found[name], "-", color=colour, marker=mark, markersize=4, label=name)
    axes.plot(RATES, claimed, "--", color="black", linewidth=2.5, label="claimed: ln(1 + q(e − 1))", zorder=0)
    axes.set(
        xlabel="probability q of being drawn",
        ylabel="inferential leakage about one person (nats)",
        xscale="log",
        ylim=(0, 4.2),
    )
    axes.set_xticks([0.01, 0.03, 0.1, 0.3, 1.0], ["0.01", "0.03", "0.1", "0.3", "1"])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=9)
    save_with_vector(figure, path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
