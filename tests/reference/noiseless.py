"""Noiseless privacy by brute force: every person, every set of at most so many others, all they may be known to be."""

from collections.abc import Callable
from math import floor
from typing import TypeAlias

from tests.reference.bayesian import Knowing, known_sets
from tests.reference.channel import Channel, Real, mp
from tests.reference.leakages import Leakage

Measure: TypeAlias = Callable[[Channel], Leakage]


def worst_known(knowing: Knowing, known: int, measure: Measure) -> Real:
    """The largest that is read given X_K = x_K, over people, sets K of at most `known` others, and x_K (NP Def 2)."""
    found = [
        measure(knowing.channel(person, others)).value
        for person in knowing.people
        for others in known_sets(knowing.joint, person)
        if len(others) <= known
    ]
    return max([mp.zero, *found])


def binomial_delta(people: int, chance: Real, epsilon: Real) -> Real:
    """δ(ε) of how many of so many independent bits are 1: 1 + Bin(n-1, p) against Bin(n-1, p), both ways.

    Both log-ratios are monotone in the count, log y(1-p)/((n-y)p), so that what leads is a tail; its terms fall fast.
    """
    factor = mp.exp(epsilon)
    odds = chance / (1 - chance)
    above = floor(people * factor * odds / (1 + factor * odds)) + 1
    below = -floor(-people * odds / (odds + factor)) - 1
    one = _tail(people, chance, above, 1, lambda y: y / ((people - y) * odds) if y < people else mp.inf, factor)
    other = _tail(people, chance, below, -1, lambda y: (people - y) * odds / y if y else mp.inf, factor)
    return max(one, other)


def _tail(people: int, chance: Real, first: int, step: int, ratio: Callable[[int], Real], factor: Real) -> Real:
    """Σ P(y)(1 - factor/ratio(y)) from `first` outwards, P the law given the value that leads."""
    total, y = mp.zero, first
    while 0 <= y <= people:
        lead = _mass(people - 1, chance, y - 1 if step > 0 else y) * (1 - factor / ratio(y))
        total += lead
        if lead < total * mp.mpf(10) ** -30 and abs(y - first) > 3:
            break
        y += step
    return total


def _mass(trials: int, chance: Real, successes: int) -> Real:
    logs = mp.loggamma(trials + 1) - mp.loggamma(successes + 1) - mp.loggamma(trials - successes + 1)
    return mp.exp(logs + successes * mp.log(chance) + (trials - successes) * mp.log1p(-chance))
