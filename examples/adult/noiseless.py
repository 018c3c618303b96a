"""The picture of docs/research/noiseless_adult.md and its numbers: python examples/adult/noiseless.py [FOLDER]

They go to docs/figures by default, and the numbers the page speaks of are printed. Nothing is random. The data are read
from $DALENIUS_DATA.
"""

import csv
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import floor, inf, isinf, log10
from pathlib import Path
from typing import Any

from census import chances, law, past, published
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import dalenius as dl
from dalenius.fitting.moments import fit_moments
from dalenius.knowledge.noiseless import delta_curve
from dalenius.plotting import save_with_vector
from dalenius.theorems import (
    approximation_of,
    bernoulli_epsilon,
    bernoulli_formula,
    most_thresholds,
)
from dalenius.theorems.moment_model import Moments

# Okabe-Ito colours; every line also has its own dashes or marker.
BLUE, ORANGE, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
PEOPLE, KNOWN = 32_561, 16_280
UNKNOWN = PEOPLE - KNOWN
"""With the person's own record. People are alike: it does not matter who is known, and who knows fewer learns less."""
EPSILON, DELTA = 0.5, 1e-6
COLUMNS = ("native-country", "education", "race", "sex", "income")
SUMS = {"education-num": (1, 16), "hours-per-week": (1, 99), "capital-gain": (0, 99_999)}
EPSILONS = [place / 100 for place in range(51)]
LEAST = 1e-12


@dataclass(frozen=True)
class Counted:
    """How many people have a value; chance: of having it, from the past; epsilon: the least at DELTA, or inf."""

    column: str
    value: str
    chance: float
    people: int
    epsilon: float

    @property
    def theorem(self) -> float:
        """ε of Theorem 1 at DELTA; inf where it does not apply."""
        try:
            return bernoulli_epsilon(UNKNOWN, self.chance, DELTA).epsilon
        except dl.InputError:
            return inf


def count(chance: float) -> dl.Release:
    return dl.Release(dl.Independent(n=UNKNOWN, probabilities=[chance]), dl.Count(), dl.NoNoise(), engine="tilting")


@cache
def least_epsilon(chance: float) -> float:
    release = count(chance)
    if delta_curve(release, [50.0])[0].lower > DELTA:
        return inf  # that nobody is counted is likelier than DELTA, and tells everything
    return dl.NoiselessPrivacy(delta=DELTA).leakage(release).upper


def every_count() -> list[Counted]:
    before, now = past(), published()
    rows = []
    for column in COLUMNS:
        for value, chance in chances(before, column).items():
            people = sum(person[column] == value for person in now)
            rows.append(Counted(column, value, chance, people, least_epsilon(chance)))
    return sorted(rows, key=lambda row: row.chance)


@cache
def schooling() -> dl.Release:
    """The sum of years of schooling."""
    years = range(1, 17)
    model = dl.Independent(n=UNKNOWN, values=list(years), probabilities=[law(past(), "education-num", years)])
    return dl.Release(model, dl.Sum(), dl.NoNoise())


def certified(column: str, epsilon: float) -> float:
    """δ of the sum, for intervals, from moments of the past with 95 % confidence; half of the people known."""
    return approximation_of(moments(column)).delta(epsilon)


@cache
def moments(column: str) -> Moments:
    rows = [int(person[column]) for person in past()]
    found = fit_moments(rows, *SUMS[column], n=PEOPLE).model
    return found.model_copy(update={"known_fraction": 0.5})


def curves(chance: float) -> dict[str, list[float]]:
    """Theorem 5 of Bhaskar et al. (2011) has the exponent of Theorem 1, but for a factor (papers/noiseless/bits.py)."""
    theorem = [bernoulli_formula(UNKNOWN, chance, epsilon) for epsilon in EPSILONS]
    return {
        "count: Bhaskar et al.": [2 * (delta / 2) ** min(1.0, 1 / (6 * chance)) for delta in theorem],
        "count: Theorem 1": theorem,
        "count: exact": [each.upper for each in delta_curve(count(chance), EPSILONS)],
        "sum: certificate (intervals)": [certified("education-num", epsilon) for epsilon in EPSILONS],
        "sum: exact": [each.upper for each in delta_curve(schooling(), EPSILONS)],
    }


def draw(rows: Sequence[Counted], lines: dict[str, list[float]], path: Path) -> None:
    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_counts(left, rows)
    styles = [(ORANGE, "--", ""), (BLUE, "--", ""), (BLUE, "-", "o"), (GREEN, ":", ""), (GREEN, "-", "^")]
    for (name, values), (colour, dashes, marker) in zip(lines.items(), styles, strict=True):
        shown = [value if value >= LEAST else float("nan") for value in values]
        right.plot(EPSILONS, shown, color=colour, linestyle=dashes, marker=marker, markersize=4, label=name)
    right.set(yscale="log", ylim=(LEAST, 2), xlim=(0, 0.5), xlabel="ε (nats)", ylabel="δ, half of the people known")
    right.set_title("income above 50K (count), years of schooling (sum)", fontsize=10)
    right.grid(alpha=0.3)
    right.legend(frameon=False, fontsize=8.5, loc="upper right", bbox_to_anchor=(1, 0.82))
    save_with_vector(figure, path)


def draw_counts(axes: Axes, rows: Sequence[Counted]) -> None:
    finite = [row for row in rows if not isinf(row.epsilon)]
    axes.plot(
        [row.chance for row in finite], [row.epsilon for row in finite], "o", color=BLUE, markersize=4, label="exact"
    )
    none = [row.chance for row in rows if isinf(row.epsilon)]
    # At no height: on the upper edge, which is named.
    edge: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
    axes.plot(none, [1.0] * len(none), "^", color=ORANGE, markersize=6, label="exact: no ε is enough (∞)", **edge)
    axes.annotate("∞", (-0.02, 1.0), xycoords="axes fraction", ha="right", va="center", fontsize=13)
    proved = [row for row in rows if not isinf(row.theorem)]
    axes.plot(
        [row.chance for row in proved],
        [row.theorem for row in proved],
        "s",
        color=GREEN,
        markersize=4,
        markerfacecolor="white",
        label="Theorem 1, where it applies",
    )
    axes.axhline(EPSILON, color=BLACK, linestyle="--", linewidth=1.2, label="promised")
    axes.set(
        xscale="log", yscale="log", xlabel="share of the people who are counted", ylabel="least ε at δ = 10⁻⁶ (nats)"
    )
    axes.set_ylim(0.04, 8)
    axes.set_title("counts by country, education, race, sex, income", fontsize=10, pad=12)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8.5)


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([six(cell) if isinstance(cell, float) else cell for cell in row] for row in rows)


def six(number: float) -> float | str:
    """To six digits, fewer than any two machines differ in; nothing where there is no such number."""
    if isinf(number):
        return ""
    return round(number, 5 - floor(log10(abs(number)))) if number else 0.0


def say(rows: Sequence[Counted]) -> None:
    kept = [row for row in rows if row.epsilon <= EPSILON]
    never = [row for row in rows if isinf(row.epsilon)]
    print(f"{len(rows)} counts: {len(kept)} keep the promise, at {len(never)} no epsilon is enough")
    print(f"Theorem 1 shows it of {sum(row.theorem <= EPSILON for row in rows)}")
    print(f"the rarest that keeps it: {kept[0].value}, {kept[0].people} people, epsilon {kept[0].epsilon:.3f}")
    for row in rows:
        if row.value in ("Hungary", "Cuba", "Doctorate", "Female", ">50K"):
            print(f"  {row.value:10} {row.people:6,} people, epsilon {row.epsilon:.3f}, Theorem 1 {row.theorem:.3f}")
    print(f"years of schooling: epsilon {dl.NoiselessPrivacy(delta=DELTA).leakage(schooling()).upper:.3f}")
    for column in SUMS:
        grid = most_thresholds(approximation_of(moments(column)), EPSILON, 0.05)
        print(f"{column}: certificate of intervals, delta {certified(column, EPSILON):.3f}; thresholds at .05: {grid}")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "docs" / "figures"
    rows = every_count()
    lines = curves(next(row.chance for row in rows if row.value == ">50K"))
    say(rows)
    header = ["column", "value", "chance_from_the_past", "people", "least_epsilon_nats", "theorem_1_epsilon_nats"]
    cells = ([row.column, row.value, row.chance, row.people, row.epsilon, row.theorem] for row in rows)
    write(folder / "noiseless_adult_counts.csv", header, cells)
    shown = [[value if value >= LEAST else inf for value in column] for column in lines.values()]
    write(folder / "noiseless_adult.csv", ["epsilon_nats", *lines], zip(EPSILONS, *shown, strict=True))
    draw(rows, lines, folder / "noiseless_adult.png")


if __name__ == "__main__":
    main()
