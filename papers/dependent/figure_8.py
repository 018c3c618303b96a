"""DDP Figure 8: how likely a large error is at a promise, and what promise an error allows, by method."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Final, final

import numpy as np

from papers.dependent.gowalla import City, cities
from papers.dependent.mechanisms import (
    ALL,
    BASELINE,
    COMONOTONE,
    DPM,
    EXACT_PAIR,
    GROUP,
    LPM,
    ZHU,
    ZHU_FRIENDS,
    Dependence,
    Mechanism,
    alike,
    multiple,
)
from papers.dependent.pair_law import PairLaw, attained, correlation, positions
from papers.figure import GREY, panels, save
from papers.numbers import Number, data_folder, main, write_csv

EPSILONS: Final = (0.1, 0.5, 1.0)
ERRORS: Final = np.geomspace(10, 100_000, 81)
"""α, in ΔQ."""
NAMED: Final = (1000.0, 1.0)
"""α and ε of the text."""
BETA: Final = 0.05
"""Of the second picture."""
PROMISES: Final = (0.01, 0.1, 0.5, 1.0, 5.0, 20.0, 100.0)
"""ε of the second picture."""
THEIR_PEOPLE: Final = 6969


@final
@dataclass(frozen=True)
class Accuracy:
    """multiples: by method and ε, of ΔQ/ε; reached: nats that the noisy sum leaks of the person with most friends,
    under a joint law with those pair laws (`attained`), at the same."""

    dependence: Dependence
    multiples: Mapping[tuple[Mechanism, float], float]
    reached: Mapping[tuple[Mechanism, float], float]


def figure_8(quick: bool = False) -> Iterator[Number]:
    """ρ by Eq 18 of the friend–distance law (Eq 26) with the paper's constants, over a city's 400 cells, for the person
    with most friends.

    Sound if only friends depend: all others are independent of the vector of a person and their friends. The pairs
    themselves contradict that where friends of friends are no friends, as here: nothing is promised then but by the
    baseline, with everybody as one group.
    """
    found = accuracy(cities(data_folder()))
    draw(found)
    write_csv("dependent_figure_8a", rows(found), rounded=True)
    write_csv("dependent_figure_8b", privacy_rows(found), rounded=True)
    yield from numbers(found)


@cache
def known_dependence(data: Path) -> Dependence:
    return dependence_of(cities(data))


def dependence_of(cities: Sequence[City]) -> Dependence:
    """Of the person with most friends in any of the cities; the noise of every method rises with their number."""
    most = [int(np.bincount(city.friends.ravel(), minlength=1).max()) for city in cities]
    chosen = int(np.argmax(most))
    grid = cities[chosen].grid
    law = PairLaw.of_grid(grid)
    patterns = np.vstack([city.patterns for city in cities])
    return Dependence(len(patterns), most[chosen], law, correlation(law, positions(grid)), alike(patterns))


def accuracy(cities: Sequence[City]) -> Accuracy:
    found = dependence_of(cities)
    where = positions(cities[0].grid)
    multiples = {(which, epsilon): multiple(which, found, epsilon) for which in ALL for epsilon in PROMISES}
    reached = {
        (which, epsilon): attained(found.law, where, found.friends, times / epsilon)
        for (which, epsilon), times in multiples.items()
    }
    return Accuracy(found, multiples, reached)


def within(error: float, times: float, epsilon: float) -> float:
    """1 - β = Pr[|Laplace(times/ε)| < error] (DDP Thm 10), in ΔQ."""
    return -float(np.expm1(-error * epsilon / times))


def rows(found: Accuracy) -> Iterator[tuple[object, ...]]:
    yield "method", "sound", "epsilon", "multiple_of_sensitivity", "error", "probability_of_less"
    for which in ALL:
        for epsilon in EPSILONS:
            times = found.multiples[which, epsilon]
            for error in ERRORS[::4]:
                yield which.key, which.sound, epsilon, times, f"{error:.6g}", within(error, times, epsilon)


def privacy_rows(found: Accuracy) -> Iterator[tuple[object, ...]]:
    """The error that stays below α with probability 1 - β at the promise ε."""
    yield "method", "sound", "epsilon", "multiple_of_sensitivity", "beta", "error"
    for which in ALL:
        for epsilon, error in zip(PROMISES, _errors(found, which), strict=True):
            yield which.key, which.sound, epsilon, found.multiples[which, epsilon], BETA, error


def numbers(found: Accuracy) -> Iterator[Number]:
    error, epsilon = NAMED
    people = found.dependence.people
    theirs = 1 - exp(-error * epsilon / THEIR_PEOPLE)
    why = {
        DPM: "the text: nearly 1",
        BASELINE: f"the text: about 0; L = {people:,} here. With their {THEIR_PEOPLE:,} Thm 10 gives {theirs:.3f}",
        ZHU: "the text: about 0; |Pearson| of two people's patterns, over all pairs: our reading",
        ZHU_FRIENDS: "the same with δ of the friends' pair law: less noise than DPM",
        COMONOTONE: "sound if only friends depend on a person",
        GROUP: f"sound as before: {found.dependence.friends + 1} people",
        EXACT_PAIR: "Eq 14, which Eq 18 bounds",
        LPM: "as if people were independent",
    }
    printed = {DPM: 1.0, BASELINE: 0.0, ZHU: 0.0}
    for which in (DPM, BASELINE, ZHU, ZHU_FRIENDS, COMONOTONE, GROUP, EXACT_PAIR):
        what = f"Pr[error < {error:g} ΔQ] at ε = {epsilon:g}: {which.label}"
        ours = within(error, found.multiples[which, epsilon], epsilon)
        yield Number("Fig 8a", what, printed.get(which), ours, why[which])
    for which in (DPM, BASELINE, ZHU, COMONOTONE):
        what = f"ε for error < {error:g} ΔQ, β = {BETA:g}: {which.label}"
        yield Number("Fig 8b", what, None, _epsilon(found, which, error), which.sound_in_words)
    for which in (LPM, EXACT_PAIR, DPM, COMONOTONE):
        what = f"ε′ that a joint law with those pairs reaches, ε = {epsilon:g}: {which.label}"
        yield Number("Thm 9", what, epsilon, found.reached[which, epsilon], _why_reached(which), "<")


def draw(found: Accuracy) -> None:
    figure, all_axes = panels(2, 2, (9.4, 7.0))
    for axes, epsilon in zip(all_axes, EPSILONS, strict=False):
        for which in ALL:
            colour, dashes, mark = which.look
            heights = [within(error, found.multiples[which, epsilon], epsilon) for error in ERRORS]
            axes.plot(ERRORS, heights, color=colour, linestyle=dashes, marker=mark, markersize=4, markevery=8)
        axes.set(xscale="log", xlabel="α, in ΔQ", ylim=(-0.02, 1.02))
        axes.set_title(f"(a) ε = {epsilon:g}", fontsize=10)
        axes.set_ylabel("1 - β, chance of an error below α")
        axes.axvline(NAMED[0], color=GREY, linewidth=0.8, linestyle=":")
    last = all_axes[-1]
    for which in ALL:
        colour, dashes, mark = which.look
        label = f"{which.label}: {which.sound_in_words}"
        style = {"color": colour, "linestyle": dashes, "marker": mark, "markersize": 4}
        last.plot(_errors(found, which), PROMISES, label=label, **style)
    last.set(xscale="log", yscale="log", xlabel="α, in ΔQ", ylabel=f"ε, at β = {BETA:g}", xlim=(1, 1e6))
    last.set_title("(b) privacy at a given error", fontsize=10)
    handles, labels = last.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    save("dependent_figure_8", figure)


def _errors(found: Accuracy, which: Mechanism) -> list[float]:
    """α, in ΔQ, at each of the promises: DS log(1/β)/ε."""
    return [found.multiples[which, epsilon] * log(1 / BETA) / epsilon for epsilon in PROMISES]


def _epsilon(found: Accuracy, which: Mechanism, error: float) -> float:
    """Between the promises along the line of their logs."""
    errors = np.log(_errors(found, which))
    return exp(float(np.interp(log(error), errors[::-1], np.log(PROMISES)[::-1])))


def _why_reached(which: Mechanism) -> str:
    return {
        LPM: "its promise is about independent people",
        EXACT_PAIR: "more than ε: pair laws do not bound what leaks (erratum E2)",
        DPM: "kept by this joint law; no theorem says so (errata E2, E3)",
        COMONOTONE: "kept by every joint law of the friends",
    }[which]


if __name__ == "__main__":
    main(figure_8)
