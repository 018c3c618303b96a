"""Leakage of a fixed noise, and the least noise for a fixed promise, against the probability of an epidemic."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any, Final, final

from dalenius.drawing import save
from papers.information.rare import Rare, RareAt

# Okabe-Ito colours; every line also has its own dashes or marker.
BLUE, ORANGE, GREEN, BLACK, PINK = "#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7"
LEAKAGES: Final = (
    ("inferential", "inferential", ORANGE, "-", "s"),
    ("information", "information", BLUE, "-", "o"),
    ("relative_entropy", "relative entropy", GREEN, "--", "^"),
    ("mutual_information", "mutual information", BLACK, "-.", "D"),
)
SIZES: Final = ((ORANGE, "s"), (BLUE, "o"), (GREEN, "^"), (BLACK, "D"))


@final
@dataclass(frozen=True)
class Needed:
    """The least scale of Laplace noise on the count that keeps a promise of epsilon, in people."""

    law: Rare
    epsilon: float
    inferential: float
    information: float

    @property
    def group(self) -> float:
        """Of group privacy, whatever the law."""
        return self.law.people / self.epsilon

    @property
    def rule(self) -> float:
        """1 + ln(1/r)/ε, r the share of epidemics among the reasons to be ill: about what rarity saves."""
        return 1 - log(self.law.share) / self.epsilon


def draw_leakages(points: Sequence[RareAt], path: Path) -> None:
    """The worst and the average, for epidemics as the only cause and beside others; and how likely the worst is."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.6, 4.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    causes = sorted({at.law.sporadic for at in points})
    for axes, cause in zip((left, middle), causes, strict=True):
        own = [at for at in points if at.law.sporadic == cause]
        for name, label, colour, dashes, mark in LEAKAGES:
            heights = [getattr(at, name).middle for at in own]
            _plot(axes, own, heights, colour, dashes, mark, label)
        axes.set(yscale="log", ylim=(1e-8, 100))
        axes.axhline(1.0, color="0.5", linewidth=0.8, linestyle=":")
        axes.set_title(_cause(cause), fontsize=10)
    left.set_ylabel("leakage of Laplace(1) noise, nats")
    _likely(right, points, causes)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=2, frameon=False, fontsize=9)
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower right", ncols=2, frameon=False, fontsize=9)
    save(figure, path)


def draw_noise(points: Sequence[Needed], path: Path) -> None:
    """In people for ten; as what is saved of group noise for more."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.4, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    ten = min(at.law.people for at in points)
    for cause, dashes in zip(sorted({at.law.sporadic for at in points}), ("-", "--"), strict=True):
        own = [at for at in points if at.law.sporadic == cause and at.law.people == ten]
        words = "only cause" if not cause else f"else chance {cause:g}"
        _scales(left, own, [at.inferential for at in own], ORANGE, dashes, "s", f"inferential, {words}")
        _scales(left, own, [at.information for at in own], BLUE, dashes, "o", f"information, {words}")
    left.set(xlabel="probability of an epidemic, p", ylabel="least scale of Laplace noise, people", ylim=(0, 11))
    left.set_title(f"{ten} people, ε = 1; group noise is {ten}", fontsize=10)
    _saved(right, [at for at in points if at.law.sporadic > 0])
    for axes in (left, right):
        axes.set(xscale="log", xlim=(1e-12, 0.5))
        axes.grid(alpha=0.3)
    left.legend(fontsize=8, framealpha=1, loc="center", bbox_to_anchor=(0.42, 0.62))
    right.legend(fontsize=8, framealpha=1)
    save(figure, path)


def _likely(axes: Any, points: Sequence[RareAt], causes: Sequence[float]) -> None:
    for cause, dashes in zip(causes, ("-", "--"), strict=True):
        own = [at for at in points if at.law.sporadic == cause]
        words = "only cause" if not cause else "also others"
        shown = [at for at in own if at.ill.upper > 0]
        _plot(axes, shown, [at.ill.middle for at in shown], ORANGE, dashes, "s", f"δ of the ill at ε = 1, {words}")
        shown = [at for at in own if at.above.upper > 0]
        _plot(axes, shown, [at.above.middle for at in shown], BLUE, dashes, "o", f"output above 1 nat, {words}")
        _plot(axes, own, [at.farthest for at in own], BLACK, dashes, "D", f"10 or more published, {words}")
    axes.set(yscale="log", ylim=(1e-8, 3))
    axes.set_ylabel("probability")
    axes.set_title("how likely the leak is", fontsize=10)


def _saved(axes: Any, points: Sequence[Needed]) -> None:
    for people, (colour, mark) in zip(sorted({at.law.people for at in points}), SIZES, strict=True):
        own = [at for at in points if at.law.people == people]
        heights = [at.group / at.inferential for at in own]
        _scales(axes, own, heights, colour, "-", mark, f"{people:,} people")
    own = [at for at in points if at.law.people == points[0].law.people]
    axes.plot(
        [at.law.epidemic for at in own], [at.rule for at in own], color="0.5", linestyle=":", label="1 + ln(1/r)/ε"
    )
    axes.set(xlabel="probability of an epidemic, p", ylabel="group noise / least noise (inferential)", ylim=(0, 26))
    axes.set_title("what rarity saves, other causes 0.01, ε = 1", fontsize=10)


def _scales(axes: Any, points: Sequence[Needed], heights: Sequence[float], *look: str) -> None:
    colour, dashes, mark, label = look
    places = [at.law.epidemic for at in points]
    style = {"color": colour, "linestyle": dashes, "marker": mark, "markersize": 4, "markevery": 2}
    axes.plot(places, heights, label=label, **style)


def _plot(axes: Any, points: Sequence[RareAt], heights: Sequence[float], *look: str) -> None:
    colour, dashes, mark, label = look
    places = [at.law.epidemic for at in points]
    style = {"color": colour, "linestyle": dashes, "marker": mark, "markersize": 4, "markevery": 2}
    axes.plot(places, heights, label=label, **style)
    axes.set(xscale="log", xlim=(1e-12, 0.5), xlabel="probability of an epidemic, p")
    axes.grid(alpha=0.3)


def _cause(sporadic: float) -> str:
    return f"otherwise each ill with chance {sporadic:g}" if sporadic else "an epidemic is the only cause"
