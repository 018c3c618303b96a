"""How the optimum nears the exact answer as the population grows: a picture for docs/explanation/optimum.md and its
numbers.

python examples/optimum/towards_noiseless.py docs/figures/towards_noiseless.png
"""

import csv
import sys
from pathlib import Path

from matplotlib.figure import Figure

import dalenius as dl
from dalenius.plotting import METHOD_LOOKS, save_with_vector

PEOPLE = (12, 20, 40, 60, 100, 160, 240, 400, 640, 1000)
MODELS = {
    "people on their own, ill with chance 0.3": lambda people: dl.Independent(n=people, probabilities=[0.3]),
    "households of 4": lambda people: dl.Households(count=people // 4, infected=[0.9, 0.04, 0.0, 0.0, 0.06]),
}
METHODS = {"exact": "exact geometric", "clamped": "clamped geometric", "optimal": "optimal"}
LEAST = 1e-16


def rows() -> list[tuple[str, str, int, float, float]]:
    """Model, method, people, expected error and what no mechanism is below; count, inferential, epsilon = 1."""
    found = []
    for name, model in MODELS.items():
        for people in PEOPLE:
            release = dl.Release(model(people), dl.Count(), dl.Geometric())
            for method in METHODS:
                made = dl.calibrate(release, dl.InferentialPrivacy(epsilon=1), method)
                bound = made.details.get("lower_bound", 0.0)
                found.append((name, method, people, made.expected_error, bound))
    return found


def drawn(found: list[tuple[str, str, int, float, float]]) -> Figure:
    figure = Figure(figsize=(8.4, 3.8), layout="constrained")
    both = figure.subplots(1, 2, sharey=True)
    for axes, name in zip(both, MODELS, strict=True):
        for method, label in METHODS.items():
            line = [(people, error) for model, own, people, error, _ in found if (model, own) == (name, method)]
            axes.plot(*zip(*line, strict=True), label=label, linewidth=1.4, markersize=5, **METHOD_LOOKS[method].line())
        axes.set(xscale="log", yscale="log", xlabel="people", title=name, ylim=(LEAST, 20))
        axes.grid(alpha=0.3)
    both[0].set_ylabel("expected error of the count (people)")
    both[1].legend(frameon=False, fontsize=9, loc="lower left")
    return figure


def main(picture: Path) -> None:
    found = rows()
    with picture.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "method", "people", "expected_error", "lower_bound"])
        writer.writerows(found)
    save_with_vector(drawn(found), picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
