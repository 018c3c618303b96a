"""What not knowing the model costs, for docs/how-to/unknown_models.md: python examples/unknown/figure.py [FOLDER]

The least Laplace scale that keeps a promise, when the law of households of four is learned at 95 % from so many
households drawn from it, and when it is known. The picture and its CSV go to docs/figures by default.
"""

import csv
import sys
from pathlib import Path
from statistics import median

import numpy as np
from matplotlib.figure import Figure

import dalenius as dl
from dalenius.fitting import fit_households
from dalenius.plotting import save_with_vector

LAW = (0.8, 0.12, 0.05, 0.02, 0.01)
SIZE = len(LAW) - 1
PROMISE = dl.InferentialPrivacy(epsilon=1.0)
CONFIDENCE = 0.95
LEARNED = [round(10 ** (exponent / 2)) for exponent in range(4, 13)]
SEEDS = range(5)


def scale(law: object) -> float:
    """The least that keeps the promise for 1,000 households."""
    model = dl.Households(count=1000, infected=law)
    release = dl.Release(model, dl.Count(), dl.Laplace(scale=1.0))
    return float(dl.calibrate(release, PROMISE).noise.scale)


def learned(homes: int, seed: int) -> float:
    """The scale for every law in the intervals that so many households give."""
    counts = np.random.default_rng([seed, homes]).multinomial(homes, LAW)
    fit = fit_households({(SIZE, k): int(count) for k, count in enumerate(counts)}, confidence=CONFIDENCE)
    (kind,) = fit.model.types or ()
    return scale(kind.infected)


def draw(rows: list[tuple[int, float, float, float]], known: float, path: Path) -> None:
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    homes, least, middle, most = zip(*rows, strict=True)
    axes.fill_between(homes, least, most, color="#0072B2", alpha=0.25, linewidth=0, label="five samples")
    axes.plot(homes, middle, color="#0072B2", marker="o", linewidth=1.6, label="learned at 95 %: their median")
    axes.axhline(known, color="black", linestyle="--", linewidth=1.2, label=f"law known: {known:.4g}")
    axes.axhline(
        SIZE, color="#D55E00", linestyle=":", linewidth=1.4, label=f"nothing known: the whole household, {SIZE}"
    )
    axes.set(xscale="log", ylim=(known - 0.1, SIZE + 0.1))
    axes.set_xlabel("households one learned from")
    axes.set_ylabel("least Laplace scale that keeps 1 nat")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=9)
    save_with_vector(figure, path)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "docs" / "figures"
    known, rows = scale(LAW), []
    for homes in LEARNED:
        found = sorted(learned(homes, seed) for seed in SEEDS)
        rows.append((homes, found[0], median(found), found[-1]))
    path = folder / "unknown_models.png"
    with path.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["households_learned_from", "least_scale", "median_scale", "most_scale", "known_scale"])
        writer.writerows([homes, *(f"{each:.6g}" for each in (*scales, known))] for homes, *scales in rows)
    draw(rows, known, path)


if __name__ == "__main__":
    main()
