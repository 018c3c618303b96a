"""DDP Figure 9: what learning is worth after each method's noise: clusters, a classifier, a degree distribution."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.random import Generator

from papers.dependent.mechanisms import BASELINE, DPM, EXACT_PAIR, GROUP, Dependence, Mechanism, multiple
from papers.figure import GREY, panels, save
from papers.numbers import Number

EPSILONS: Final = (0.1, 0.3, 0.9, 3.0, 10.0, 30.0, 100.0)
NAMED: Final = 0.9
"""ε of the text."""
READINGS: Final = (DPM, EXACT_PAIR)
"""Of ρ: the closed form of Eq 18, and the exact coefficient of a pair, Eq 14."""
HOPELESS: Final = 1e-6
"""An ε₀ of nothing but noise, the least that the package takes."""
REPEATS: Final = 40
SEED: Final = 9


@final
@dataclass(frozen=True, eq=False)
class Panel:
    """key, title and where: of the picture; simulate: from ε₀ and draws to an accuracy; exact: the accuracy without
    noise; printed: the paper's of DPM at ε = 0.9, and how many times that of the others it is; note: beside ours;
    unsound: why no method is sound here; repeats: at most so many draws, where one takes long."""

    key: str
    title: str
    where: str
    simulate: Callable[[float, Generator], float]
    exact: float
    dependence: Dependence
    mechanisms: tuple[Mechanism, ...]
    printed: tuple[float | None, float | None] = (None, None)
    note: str = ""
    unsound: str = ""
    repeats: int = REPEATS


@final
@dataclass(frozen=True)
class Score:
    """times: the noise, in that of independent records; mean of the accuracy; low, high: ends of a normal 95 % interval
    for it."""

    times: float
    mean: float
    low: float
    high: float


@final
@dataclass(frozen=True, eq=False)
class Scored:
    """A panel with the score of every method at every ε; guess: with so much noise that nothing of the data is left."""

    panel: Panel
    guess: float
    scores: Mapping[tuple[Mechanism, float], Score]


def scored(panel: Panel, repeats: int = REPEATS) -> Scored:
    """Every ε has its own draws, the same for each method."""
    found, repeats = {}, min(repeats, panel.repeats)
    for which in panel.mechanisms:
        for place, epsilon in enumerate(EPSILONS):
            times = multiple(which, panel.dependence, epsilon)
            draws = np.random.default_rng([SEED, place])
            values = np.array([panel.simulate(epsilon / times, draws) for _ in range(repeats)])
            half = 1.96 * float(values.std(ddof=1)) / repeats**0.5
            mean = float(values.mean())
            found[which, epsilon] = Score(times, mean, mean - half, mean + half)
    draws = np.random.default_rng([SEED, len(EPSILONS)])
    guess = float(np.mean([panel.simulate(HOPELESS, draws) for _ in range(repeats)]))
    return Scored(panel, guess, found)


def numbers(all_scored: Sequence[Scored]) -> Iterator[Number]:
    for each in all_scored:
        panel, at = each.panel, f"ε = {NAMED:g}"
        printed, times = panel.printed
        for which in panel.mechanisms:
            score = each.scores[which, NAMED]
            sound = panel.unsound or which.sound_in_words
            why = f"noise × {score.times:,.4g}; {sound}; ± {(score.high - score.low) / 2:.2g}"
            theirs = printed if which in READINGS else None
            yield Number(panel.where, f"{panel.title}: accuracy, {at}, {which.label}", theirs, score.mean, why)
        yield Number(panel.where, f"{panel.title}: accuracy without noise", None, panel.exact, panel.note)
        yield Number(panel.where, f"{panel.title}: nothing but noise", None, each.guess, "nothing of the data is left")
        for which in READINGS:
            for other in (BASELINE, GROUP):
                if {which, other} <= set(panel.mechanisms):
                    ratio = each.scores[which, NAMED].mean / each.scores[other, NAMED].mean
                    what = f"{panel.title}: {which.label} / {other.label}, {at}"
                    yield Number(panel.where, what, times, ratio, "")


def rows(all_scored: Sequence[Scored]) -> Iterator[tuple[object, ...]]:
    yield "panel", "method", "epsilon", "times", "accuracy", "low", "high", "without_noise", "guess"
    for each in all_scored:
        for (which, epsilon), score in each.scores.items():
            shown = (score.times, score.mean, score.low, score.high)
            yield each.panel.key, which.key, epsilon, *shown, each.panel.exact, each.guess


def draw(all_scored: Sequence[Scored]) -> None:
    """Three in a row, the legend in the last place."""
    columns = 3
    figure, all_axes = panels(rows_of_axes := -(-(len(all_scored) + 1) // columns), columns, (10.8, 3.4 * rows_of_axes))
    for axes, each in zip(all_axes, all_scored, strict=False):
        for which in each.panel.mechanisms:
            _line(axes, each, which)
        axes.axhline(each.panel.exact, color=GREY, linewidth=0.9, label="no noise")
        axes.axhline(each.guess, color=GREY, linewidth=0.9, linestyle=":", label="only noise")
        axes.set(xscale="log", xlabel="ε, nats", ylim=(0, 1.09), ylabel="accuracy")
        axes.set_title(f"{each.panel.where[-1]}: {each.panel.title}", fontsize=10)
    handles: dict[str, Any] = {}
    for axes in all_axes[: len(all_scored)]:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    for axes in all_axes[len(all_scored) :]:
        axes.axis("off")
    all_axes[len(all_scored)].legend(handles.values(), handles, loc="center", frameon=False, fontsize=10)
    save("dependent_figure_9", figure)


def _line(axes: Any, each: Scored, which: Mechanism) -> None:
    colour, dashes, mark = which.look
    own = [each.scores[which, epsilon] for epsilon in EPSILONS]
    axes.plot(EPSILONS, [score.mean for score in own], color=colour, linestyle=dashes, marker=mark, markersize=5)
    axes.plot([], [], color=colour, linestyle=dashes, marker=mark, markersize=5, label=which.label)
    axes.fill_between(
        EPSILONS, [score.low for score in own], [score.high for score in own], color=colour, alpha=0.15, linewidth=0
    )
