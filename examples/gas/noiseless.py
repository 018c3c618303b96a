"""The picture of docs/research/noiseless_gas.md and its numbers: python examples/gas/noiseless.py [FOLDER]

They go to docs/figures by default, and the numbers the page speaks of are printed. Nothing is random. The data are read
from $DALENIUS_DATA.
"""

import sys
from collections.abc import Sequence
from math import floor, log10
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from memory import (
    KINDS,
    Array,
    States,
    delta,
    kinds_of,
    laws,
    least_epsilon,
    least_scale,
    of_kinds,
    of_known_kinds,
    of_order,
)
from scipy.stats import chi2, false_discovery_control
from scipy.stats.contingency import chi2_contingency
from season import DAY, PAST, hours, winter, write

from dalenius import InputError
from dalenius.fitting.fit import crossed
from dalenius.fitting.moments import fit_moments
from dalenius.plotting import save_with_vector

# Okabe-Ito colours; every line also has its own dashes or marker.
BLUE, ORANGE, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
LONGEST, LEVEL = 21 * DAY, 0.05
EPSILON, DELTA = 0.5, 1e-6
EPSILONS = [place / 20 for place in range(41)]
SHOWN = 1e-8
Pairs = Sequence[tuple[Array, Array]]


def tested(used: Sequence[int]) -> list[tuple[int, float, float, bool]]:
    """Lag, correlation, p-value, and whether it is found: of two hours so far apart, given the hour of the day."""
    gas, clock = np.array(used), np.arange(len(used)) % DAY
    usual = np.array([gas[clock == hour].mean() for hour in range(DAY)])[clock]
    rows = []
    for lag in range(1, LONGEST + 1):
        before, after, own = gas[:-lag], gas[lag:], clock[:-lag]
        tables = [crossed(before[own == hour], after[own == hour], (2, 2)) for hour in range(DAY)]
        # An hour at which there always is gas, or never, says nothing.
        tests = [
            chi2_contingency(table, correction=False) for table in tables if table.any(0).all() and table.any(1).all()
        ]
        p_value = float(chi2.sf(sum(test.statistic for test in tests), sum(test.dof for test in tests)))
        apart = (gas - usual)[:-lag], (gas - usual)[lag:]
        rows.append((lag, float(np.corrcoef(*apart)[0, 1]), p_value))
    adjusted = false_discovery_control([p_value for _, _, p_value in rows])
    return [(*row, bool(level <= LEVEL)) for row, level in zip(rows, adjusted, strict=True)]


def told(used: Sequence[int]) -> dict[str, Pairs]:
    """By model, the laws of the count given no gas and given gas: in an hour of mid-winter, or in each of a day."""
    middle = len(used) // 2
    day = middle - middle % DAY
    kinds = kinds_of(used)
    nearest = [min(np.flatnonzero(kinds == kind) * DAY, key=lambda place: abs(place - day)) for kind in range(KINDS)]
    asked: dict[str, tuple[States, Sequence[int]]] = {
        "chain: 1 hour of memory": (of_order(used, 1), [middle]),
        "2 hours of memory": (of_order(used, 2), [middle]),
        "4 hours of memory": (of_order(used, 4), [middle]),
        "kinds of day, known": (of_known_kinds(used), [int(first) + hour for first in nearest for hour in range(DAY)]),
        "kinds of day, unknown": (of_kinds(used), range(day, day + DAY)),
    }
    return {name: laws(model, hours_) for name, (model, hours_) in asked.items()}


def moments(used: Sequence[int], apart: int) -> str:
    """What is certain of the variance, from hours so far apart that are taken for independent of each other."""
    try:
        return f"variance at least {fit_moments(used[::apart], 0, 1).model.variance:.4f}"
    except InputError as error:
        return str(error)


def draw(tests: Sequence[tuple[int, float, float, bool]], curves: dict[str, list[float]], path: Path) -> None:
    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_lags(left, tests)
    styles = [(BLUE, "-", "o"), (BLUE, "--", ""), (BLUE, ":", ""), (GREEN, "-", "s"), (ORANGE, "-", "^")]
    for (name, values), (colour, dashes, marker) in zip(curves.items(), styles, strict=True):
        shown = [value if value >= SHOWN else float("nan") for value in values]
        right.plot(EPSILONS, shown, color=colour, linestyle=dashes, marker=marker, markersize=4, label=name)
    right.plot(EPSILON, DELTA, "*", color=BLACK, markersize=13, label="the promise")
    right.set(yscale="log", ylim=(SHOWN, 1), xlim=(0, 2), xlabel="ε (nats)", ylabel="δ of the exact count")
    right.grid(alpha=0.3)
    right.legend(frameon=False, fontsize=8.5)
    save_with_vector(figure, path)


def draw_lags(axes: Axes, tests: Sequence[tuple[int, float, float, bool]]) -> None:
    for dependent, colour, marker, label in (
        (True, ORANGE, "o", "found dependent"),
        (False, BLUE, "x", "not found dependent"),
    ):
        own = [(lag / DAY, correlation) for lag, correlation, _, found in tests if found == dependent]
        axes.plot(*zip(*own, strict=True), marker, color=colour, markersize=3, label=label)
    axes.axhline(0, color=BLACK, linewidth=0.8)
    axes.set(xlabel="days between two hours", ylabel="correlation, given the hour of the day", xlim=(0, LONGEST / DAY))
    axes.set_xticks(range(0, LONGEST // DAY + 1, 3))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8.5)


def nine(number: float) -> float:
    """To nine digits, fewer than any two machines differ in."""
    return round(number, 8 - floor(log10(abs(number)))) if number else 0.0


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "docs" / "figures"
    past = winter(hours(), PAST)
    tests, pairs = tested(past), told(past)
    first = next(lag for lag, _, _, dependent in tests if not dependent)
    print(f"dependent at every lag up to {first - 1} hours, so a neighbourhood of at least {2 * first - 1}")
    for apart in (1, 10 * DAY):
        print(f"hours {apart} apart: {moments(past, apart)}")
    print("least epsilon at delta = 1e-6, and least geometric noise for epsilon = 0.5")
    for name, own in pairs.items():
        epsilon = least_epsilon(own, DELTA)
        scale = least_scale(own, EPSILON, DELTA) if epsilon > EPSILON else 0.0
        print(f"{name:24} {epsilon:.2f} {scale:5.0f}")
    curves = {name: [delta(own, epsilon) for epsilon in EPSILONS] for name, own in pairs.items()}
    rounded = [[lag, nine(correlation), nine(p_value), int(found)] for lag, correlation, p_value, found in tests]
    write(folder / "noiseless_gas_lags.csv", ["lag_hours", "correlation", "p_value", "dependent"], rounded)
    cells = [[f"{value:.4e}" if value >= SHOWN else "" for value in column] for column in curves.values()]
    write(folder / "noiseless_gas.csv", ["epsilon_nats", *curves], zip(EPSILONS, *cells, strict=True))
    draw(tests, curves, folder / "noiseless_gas.png")


if __name__ == "__main__":
    main()
