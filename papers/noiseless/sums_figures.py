"""NP Figures 1 to 4 on a log axis, on which the exact curve has room beside the paper's."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from dalenius.bounds import Enclosure
from dalenius.drawing import save, with_ends

# Okabe-Ito colours; every line also has its own dashes or marker.
BLUE, ORANGE, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
SIZE: Final = (7.2, 4.0)


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
        ("Bhaskar et al.\n(our derivation)", [at.earlier for at in points], ORANGE, "--", ""),
        ("Theorem 1", [at.theorem for at in points], BLUE, "-", ""),
        ("exact", [at.exact.upper for at in points], BLACK, "-", "o"),
    )
    title = f"independent bits: ε = {figure.epsilon:g}, p = {figure.p:g}"
    _draw([at.n for at in points], lines, "δ", title, path)


def draw_epsilons(points: Sequence[SumAt], third: float, path: Path) -> None:
    """Figure 3."""
    lines = (
        ("Theorem 2\n(any E|X-μ|³)", [at.epsilon for at in points], BLUE, "-", ""),
        (
            f"exact, at the\nprinted δ: our law,\nE|X-μ|³ = {third:.3g}",
            [at.least.upper for at in points],
            BLACK,
            "-",
            "o",
        ),
    )
    _draw([at.n for at in points], lines, "ε (nats)", "Example 1: σ² = 4, range 30", path)


def draw_deltas(points: Sequence[SumAt], third: float, path: Path) -> None:
    """Figure 4."""
    lines = (
        ("as printed,\nE|X-μ|³ = 3 (impossible)", [at.printed for at in points], ORANGE, "--", ""),
        (f"corrected, intervals\nonly, E|X-μ|³ = {third:.3g}", [at.corrected for at in points], BLUE, "-", ""),
        (f"exact, all events,\nour law, E|X-μ|³ = {third:.3g}", [at.exact.upper for at in points], BLACK, "-", "o"),
    )
    _draw([at.n for at in points], lines, "δ at the ε of Figure 3", "Example 1: σ² = 4, range 30", path)


def _draw(
    sizes: Sequence[int],
    lines: Sequence[tuple[str, list[float], str, str, str]],
    what: str,
    title: str,
    path: Path,
) -> None:
    """Each line is named at its end, so that print and the colour-blind can tell them."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.subplots()
    for _, values, colour, dashes, marker in lines:
        axes.plot(sizes, values, color=colour, linestyle=dashes, marker=marker, markersize=3.5)
    axes.set(xlabel="people, n", ylabel=f"{what}, log axis", xlim=(0, sizes[-1]), yscale="log", title=title)
    axes.title.set_fontsize(10)
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(alpha=0.3)
    axes.set_ylim(axes.get_ylim())  # what is named below is placed by it
    with_ends(axes, [(sizes[-1], values[-1], label, colour) for label, values, colour, _, _ in lines])
    save(figure, path)
