"""IP Example 2: how far one output raises a probability, and what outputs say on average, beside the ε promised."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any, final

from dalenius.drawing import save

# Okabe-Ito colours; every line also has its own dashes or marker.
BLUE, ORANGE, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
LOOKS = {1: (BLACK, "-", ""), 2: (BLUE, "-", "o"), 4: (GREEN, "-.", "^"), 10: (ORANGE, "--", "s")}


@final
@dataclass(frozen=True)
class Raised:
    """posterior/prior of being ill after an output: of people who are ill together, and of independent ones."""

    people: int
    output: float
    prior: float
    together: float
    apart: float

    def closed(self, epsilon: float) -> float:
        """1/(p + (1-p)e^{-kε}): of people who are ill together, outputs of k or more."""
        return 1 / (self.prior + (1 - self.prior) * exp(-self.people * epsilon))


@final
@dataclass(frozen=True)
class Average:
    """I(X_1; Y) in nats of people who are ill together, under Laplace(1/ε) noise."""

    people: int
    epsilon: float
    information: float


def draw_example(raised: Sequence[Raised], averages: Sequence[Average], path: Path) -> None:
    """On the left one output, on the right the average over outputs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.4, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _raised(left, raised)
    _averages(right, averages)
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, framealpha=1, loc="upper right")
    save(figure, path)


def _raised(axes: Any, points: Sequence[Raised]) -> None:
    for people in sorted({at.people for at in points}):
        own = [at for at in points if at.people == people]
        colour, dashes, mark = LOOKS[people]
        label = f"{people} ill together, {own[0].output:g} published"
        priors = [at.prior for at in own]
        axes.plot(
            priors, [at.together for at in own], color=colour, linestyle=dashes, marker=mark, markersize=4, label=label
        )
        axes.axhline(exp(people), color=colour, linewidth=0.8, linestyle=":")
        axes.text(2e-12, exp(people) * 1.15, f"$e^{{{people}}}$" if people > 2 else "$e^2$", color=colour, fontsize=9)
        if people == 2:
            axes.plot(priors, [at.apart for at in own], color=BLACK, label="2 independent, 2 published")
    first = [at.prior for at in points if at.people == points[0].people]
    axes.plot(first, [1 / p for p in first], color="0.5", linestyle="--", linewidth=0.8, label="1/p, the most there is")
    axes.set(xscale="log", yscale="log", ylim=(0.7, 1e7), xlim=(1e-12, 0.5))
    axes.set(xlabel="chance p of being ill", ylabel="posterior / prior of being ill")
    axes.set_title("one output, Laplace(1) noise: ε = 1", fontsize=10)


def _averages(axes: Any, points: Sequence[Average]) -> None:
    for people in sorted({at.people for at in points}):
        own = [at for at in points if at.people == people]
        colour, dashes, mark = LOOKS[people]
        label = f"{people} ill together" if people > 1 else "alone"
        heights = [at.information / at.epsilon for at in own]
        rates = [at.epsilon for at in own]
        axes.plot(rates, heights, color=colour, linestyle=dashes, marker=mark, markersize=4, markevery=3, label=label)
    axes.axhline(1.0, color="0.35", linewidth=1.2, linestyle=":")
    axes.text(2.98, 1.02, "I = ε, what is wanted", ha="right", fontsize=8, color="0.35")
    axes.set(xlabel="ε of the noise Laplace(1/ε), nats", ylabel="I(X₁;Y) / ε, at p = ½", xlim=(0, 3), ylim=(0, 1.7))
    axes.set_title("the average over outputs", fontsize=10)
