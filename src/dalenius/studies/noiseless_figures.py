"""NP Figures 1 to 4: on the left as the paper has them, on the right in logs, next to the exact curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from dalenius.bounds import Enclosure
from dalenius.drawing import save

# Okabe-Ito colours; every line also has its own dashes or marker.
BLUE, ORANGE, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
SIZE: Final = (9.6, 4.0)


@final
@dataclass(frozen=True)
class Bits:
    """A figure of n independent bits: ε, the chance of a 1, and the n it is drawn at."""

    epsilon: float
    p: float
    sizes: tuple[int, ...]


@final
@dataclass(frozen=True)
class BitsAt:
    """δ at one n: of Theorem 1, of Bhaskar et al., and the least possible."""

    n: int
    theorem: float
    earlier: float
    exact: Enclosure


@final
@dataclass(frozen=True)
class SumAt:
    """Example 1 at one n: ε and δ as printed, the corrected δ of our law, the exact δ, the least ε at the printed δ."""

    n: int
    epsilon: float
    printed: float
    corrected: float
    exact: Enclosure
    least: Enclosure


def draw_bits(figure: Bits, points: Sequence[BitsAt], path: Path) -> None:
    """Figure 1 or 2."""
    lines = (
        ("Bhaskar et al. (our derivation)", [at.earlier for at in points], ORANGE, "--", ""),
        ("Theorem 1", [at.theorem for at in points], BLUE, "-", ""),
        ("exact", [at.exact.upper for at in points], BLACK, "-", "o"),
    )
    title = f"{{}}: ε = {figure.epsilon:g}, p = {figure.p:g}"
    _draw([at.n for at in points], lines, "δ", title, 1.05, path, paper=2)


def draw_epsilons(points: Sequence[SumAt], third: float, path: Path) -> None:
    """Figure 3."""
    lines = (
        ("Theorem 2 (any E|X-μ|³)", [at.epsilon for at in points], BLUE, "-", ""),
        (
            f"exact, at the printed δ: our law, E|X-μ|³ = {third:.3g}",
            [at.least.upper for at in points],
            BLACK,
            "-",
            "o",
        ),
    )
    _draw([at.n for at in points], lines, "ε (nats)", "{}: Example 1, σ² = 4, range 30", None, path, paper=1)


def draw_deltas(points: Sequence[SumAt], third: float, path: Path) -> None:
    """Figure 4."""
    lines = (
        ("Theorem 2 as printed, E|X-μ|³ = 3 (impossible)", [at.printed for at in points], ORANGE, "--", ""),
        (f"corrected, E|X-μ|³ = {third:.3g}, intervals only", [at.corrected for at in points], BLUE, "-", ""),
        (f"exact, our law, E|X-μ|³ = {third:.3g}, all events", [at.exact.upper for at in points], BLACK, "-", "o"),
    )
    _draw(
        [at.n for at in points], lines, "δ at the ε of Figure 3", "{}: Example 1, σ² = 4, range 30", None, path, paper=1
    )


def _draw(
    sizes: Sequence[int],
    lines: Sequence[tuple[str, list[float], str, str, str]],
    what: str,
    title: str,
    top: float | None,
    path: Path,
    paper: int,
) -> None:
    """paper: how many of the lines, the first ones, are the paper's."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes, drawn in ((left, lines[:paper]), (right, lines)):
        for label, values, colour, dashes, marker in drawn:
            style = {"color": colour, "linestyle": dashes, "marker": marker, "markersize": 3.5}
            axes.plot(sizes, values, label=label, **style)
        _dress(axes, what, sizes[-1])
    left.set_ylim(0, top)
    left.set_title(title.format("the paper’s lines"), fontsize=10)
    right.set_yscale("log")
    right.set_title("beside the exact curve", fontsize=10)
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(lines), frameon=False, fontsize=9)
    save(figure, path)


def _dress(axes: Any, what: str, most: int) -> None:
    axes.set(xlabel="people, n", ylabel=what, xlim=(0, most))
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(alpha=0.3)
