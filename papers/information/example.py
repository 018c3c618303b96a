"""IP Examples 1 and 2: how far one output raises a probability, and what outputs say on average, beside the ε promised.

A probability p can grow at most to 1, 1/p-fold: at ε = ln(1/p) or more being ill is no secret that needs noise.
"""

from collections.abc import Iterator, Sequence
from math import exp, log
from typing import Any, Final, NamedTuple

import numpy as np

import dalenius as dl
from dalenius.models import Model
from papers.family import CHANCE, PEOPLE, all_or_nobody
from papers.figure import BLACK, BLUE, GREEN, ORANGE, panels, save
from papers.numbers import Number, main, write_csv

EPSILON: Final = 1.0
CHANCES: Final = (*(float(f"{digit}e-{power}") for power in range(12, 0, -1) for digit in (1, 3)), 0.5)
RATES: Final = (*(step / 20 for step in range(1, 20)), *(step / 10 for step in range(10, 31)))
TOGETHER: Final = (1, 2, 4, 10)
"""People who are ill together, of Example 2's mutual information."""
LOOKS: Final = {1: (BLACK, "-", ""), 2: (BLUE, "-", "o"), 4: (GREEN, "-.", "^"), 10: (ORANGE, "--", "s")}


class Raised(NamedTuple):
    """posterior/prior of being ill after an output: of people who are ill together, and of independent ones."""

    people: int
    output: float
    prior: float
    together: float
    independent: float

    @property
    def closed(self) -> float:
        """1/(p + (1-p)e^{-kε}): of people who are ill together, outputs of k or more."""
        return 1 / (self.prior + (1 - self.prior) * exp(-self.people * EPSILON))


class Average(NamedTuple):
    """I(X_1; Y) in nats of people who are ill together, under Laplace(1/ε) noise."""

    people: int
    epsilon: float
    information: float


def example(quick: bool = False) -> Iterator[Number]:
    every = 6 if quick else 1
    raised = [_raised(people, at, chance) for people, at in ((2, 2), (PEOPLE, 12)) for chance in CHANCES[::every]]
    # A chance of ½ is the most that full contagion can give, both states being alike.
    averages = [Average(k, rate, average(k, 0.5, rate)) for k in TOGETHER for rate in RATES[::every]]
    draw(raised, averages)
    write_csv("information_example", _rows_of_raised(raised))
    write_csv("information_average", _rows_of_averages(averages))
    yield from _of_example_1()
    yield from _of_example_2()


def change(model: Model, output: float) -> float:
    """Posterior over prior probability of being ill, after that output under Laplace(1/ε) noise."""
    (law,) = dl.posterior(dl.Release(model, dl.Count(), dl.Laplace(scale=1 / EPSILON)), [output]).laws
    ill = law.people[0].values[1]
    return ill.posterior.middle / ill.prior


def average(people: int, chance: float, epsilon: float) -> float:
    release = dl.Release(all_or_nobody(people, chance), dl.Count(), dl.Laplace(scale=1 / epsilon))
    return dl.MutualInformationPrivacy().leakage(release).epsilon


def draw(raised: Sequence[Raised], averages: Sequence[Average]) -> None:
    """On the left one output, on the right the average over outputs."""
    figure, (left, right) = panels(1, 2, (10.4, 4.4))
    _draw_raised(left, raised)
    _draw_averages(right, averages)
    for axes in (left, right):
        axes.legend(fontsize=8, framealpha=1, loc="upper right")
    save("information_example", figure)


def _draw_raised(axes: Any, points: Sequence[Raised]) -> None:
    for people in sorted({at.people for at in points}):
        own = [at for at in points if at.people == people]
        colour, dashes, mark = LOOKS[people]
        style = {"color": colour, "linestyle": dashes, "marker": mark, "markersize": 4}
        priors = [at.prior for at in own]
        label = f"{people} ill together, {own[0].output:g} published"
        axes.plot(priors, [at.together for at in own], label=label, **style)
        axes.axhline(exp(people), color=colour, linewidth=0.8, linestyle=":")
        axes.text(2e-12, exp(people) * 1.15, f"$e^{{{people}}}$" if people > 2 else "$e^2$", color=colour, fontsize=9)
        if people == 2:
            axes.plot(priors, [at.independent for at in own], color=BLACK, label="2 independent, 2 published")
    first = [at.prior for at in points if at.people == points[0].people]
    axes.plot(first, [1 / p for p in first], color="0.5", linestyle="--", linewidth=0.8, label="1/p, the most there is")
    axes.set(xscale="log", yscale="log", ylim=(0.7, 1e7), xlim=(1e-12, 0.5))
    axes.set(xlabel="chance p of being ill", ylabel="posterior / prior of being ill")
    axes.set_title("one output, Laplace(1) noise: ε = 1", fontsize=10)


def _draw_averages(axes: Any, points: Sequence[Average]) -> None:
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


def _raised(people: int, output: float, chance: float) -> Raised:
    together = change(all_or_nobody(people, chance), output)
    independent = change(dl.Independent(n=people, probabilities=[chance]), output)
    return Raised(people, output, chance, together, independent)


def _of_example_1() -> Iterator[Number]:
    what = f"factor by which 12 raises the probability {CHANCE:g} of Bob's being ill, ε = 1"
    why = "the text says so of the probability; it is true of the odds (errata)"
    yield Number("Example 1", what, exp(10.0), change(all_or_nobody(PEOPLE, CHANCE), 12), why)


def _of_example_2() -> Iterator[Number]:
    where = "Example 2"
    what = "log of posterior / prior at Y = 2, ε = 1, two who are ill together, p(t1) ="
    for chance, theirs in ((1e-12, 2.0), (CHANCE, None)):
        ours = log(change(all_or_nobody(2, chance), 2))
        yield Number(where, f"{what} {chance:g}", theirs, ours, "as p(t1) → 0" if theirs else "1/(p + (1-p)e^-2ε)")
    release = dl.Release(dl.Independent(n=2, probabilities=[1e-12]), dl.Count(), dl.Laplace(scale=1.0))
    independent = dl.InformationPrivacy().leakage(release).epsilon
    yield Number(where, "the same, independent, p(t1) = 1e-12", 1.0, independent, "at most", "<")
    shown = max(average(2, 0.5, epsilon) / epsilon for epsilon in np.arange(1.0, 2.0, 0.05).tolist())
    what = "I(X1;Y)/ε of two who are ill together: the most over ε and p(t1)"
    why = "the text: may be above 1; two records never are, with any noise: at most ln 2 (errata)"
    yield Number(where, what, 1.0, shown, why, ">")
    yield Number(where, "the same at ε = 1, p(t1) → 0: at 1e-12", None, average(2, 1e-12, 1.0), "vanishes with p(t1)")
    ten, why = average(PEOPLE, 0.5, 0.3) / 0.3, "above 1: with Laplace noise it takes eight people"
    yield Number(where, "I(X1;Y)/ε of ten who are ill together, ε = 0.3, p = ½", None, ten, why)


def _rows_of_raised(points: Sequence[Raised]) -> Iterator[tuple[object, ...]]:
    yield (
        *("people", "published", "prior", "posterior_over_prior_together", "closed_form"),
        "posterior_over_prior_independent",
    )
    for at in points:
        yield at.people, at.output, at.prior, at.together, at.closed, at.independent


def _rows_of_averages(points: Sequence[Average]) -> Iterator[tuple[object, ...]]:
    yield "people", "epsilon", "mutual_information", "over_epsilon"
    for at in points:
        yield at.people, at.epsilon, at.information, at.information / at.epsilon


if __name__ == "__main__":
    main(example)
