"""DI Figures 1 and 2: the noise of Theorem 3 over the answer, as surfaces over (α, β) seen from above."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log10
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from dalenius.drawing import save
from dalenius.laws.absence.closed_forms import identifiable_scale
from dalenius.laws.law import Array

STEPS: Final = 41
FINE: Final = 161
"""Steps of what is drawn: with fewer, the edges between colours have corners."""
LEAST_ALPHA, GREATEST_ALPHA = 1e-3, 0.9
LEAST_BETA, GREATEST_BETA = 1e-3, 100.0


@final
@dataclass(frozen=True)
class Adversary:
    """name, and the bounds on anybody's probability of being the absent one."""

    name: str
    least: float
    greatest: float

    def betas(self, steps: int = STEPS) -> Array:
        """What β is shown: up to 1/P_max - 1, which it must stay below."""
        allowed = 1 / self.greatest - 1
        grid: Array = np.geomspace(LEAST_BETA, min(GREATEST_BETA, allowed * (1 - 1e-6)), steps)
        return grid


@final
@dataclass(frozen=True)
class Point:
    """An (alpha, beta) for which the paper's text prints the ratio."""

    alpha: float
    beta: float
    printed: float


@final
@dataclass(frozen=True)
class Panel:
    """One surface: its letter in the paper, the query, its answer over everybody, Θ, and what the paper prints."""

    letter: str
    query: str
    answer: float
    sensitivity: float
    point: Point | None

    @property
    def unit(self) -> float:
        """What the noise is divided by: the answer, where it is not 0."""
        return abs(self.answer) or 1.0

    def ratio(self, adversary: Adversary, alpha: float, beta: float) -> float:
        return identifiable_scale(self.sensitivity, alpha, beta, adversary.least) / self.unit

    def surface(self, adversary: Adversary, steps: int) -> Array:
        """(betas, alphas)."""
        betas = adversary.betas(steps)
        return np.array([[self.ratio(adversary, alpha, beta) for alpha in alphas(steps)] for beta in betas])


def alphas(steps: int = STEPS) -> Array:
    """What α is shown."""
    grid: Array = np.geomspace(LEAST_ALPHA, GREATEST_ALPHA, steps)
    return grid


def rows(panels: Sequence[Panel], adversary: Adversary) -> Iterator[tuple[object, ...]]:
    """The numbers of the figure, a row per point of each surface."""
    yield "panel", "query", "adversary", "answer", "theta", "alpha", "beta", "scale", "scale_over_answer"
    for panel in panels:
        for beta in adversary.betas():
            for alpha in alphas():
                scale = identifiable_scale(panel.sensitivity, alpha, beta, adversary.least)
                over = scale / abs(panel.answer) if panel.answer else ""
                known = panel.letter, panel.query, adversary.name, panel.answer, panel.sensitivity
                yield *known, f"{alpha:.6g}", f"{beta:.6g}", scale, over


def draw(panels: Sequence[Panel], adversary: Adversary, path: Path) -> None:
    """The four surfaces as one picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 8.2), layout="constrained")
    for axes, panel in zip(figure.subplots(2, 2).flat, panels, strict=True):
        _draw_panel(figure, axes, panel, adversary)
    figure.suptitle(f"Noise of (α, β)-identifiability on UCI Adult: {adversary.name} adversary, {_bounds(adversary)}")
    save(figure, path)


def _draw_panel(figure: Any, axes: Any, panel: Panel, adversary: Adversary) -> None:
    from matplotlib.colors import LogNorm

    surface, places = panel.surface(adversary, FINE), (alphas(FINE), adversary.betas(FINE))
    levels = _levels(surface)
    shown = axes.contourf(*places, surface, levels=levels, norm=LogNorm(levels[0], levels[-1]), cmap="cividis_r")
    lines = axes.contour(*places, surface, levels=levels[1:-1], colors="black", linewidths=0.6)
    what = "noise / answer" if panel.answer else "noise (dollars; the answer is 0)"
    bar = figure.colorbar(shown, ax=axes, label=what, ticks=levels, format=_decade)
    bar.add_lines(lines)
    axes.set(xscale="log", yscale="log", xlabel="α", ylabel="β")
    axes.set_title(f"({panel.letter}) {panel.query}, Θ = {panel.sensitivity:,.5g}", fontsize=11)
    if panel.point is not None and adversary.name == "weak":
        _mark(axes, panel, panel.point, adversary)


def _mark(axes: Any, panel: Panel, point: Point, adversary: Adversary) -> None:
    ours = panel.ratio(adversary, point.alpha, point.beta)
    axes.plot(point.alpha, point.beta, marker="o", markersize=8, markerfacecolor="white", markeredgecolor="black")
    right = point.alpha < 0.03
    axes.annotate(
        f"paper {point.printed:g}\nours {ours:.3g}",
        (point.alpha, point.beta),
        xytext=(10 if right else -10, 12),
        textcoords="offset points",
        ha="left" if right else "right",
        bbox={"facecolor": "white", "edgecolor": "black", "linewidth": 0.6, "boxstyle": "round,pad=0.25"},
    )


def _levels(surface: Array) -> Array:
    """Two a decade, around all of it."""
    low, high = np.floor(2 * np.log10(surface.min())), np.ceil(2 * np.log10(surface.max()))
    levels: Array = 10.0 ** (np.arange(low, high + 1) / 2)
    return levels


def _decade(value: float, _: object = None) -> str:
    power = log10(value)
    return f"$10^{{{round(power)}}}$" if abs(power - round(power)) < 1e-6 else ""


def _bounds(adversary: Adversary) -> str:
    least, greatest = (f"1/{round(1 / value):,}" if value else "0" for value in (adversary.least, adversary.greatest))
    return (
        f"$P_{{min}}$ = $P_{{max}}$ = {least}"
        if least == greatest
        else f"$P_{{min}}$ = {least}, $P_{{max}}$ = {greatest}"
    )
