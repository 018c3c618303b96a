"""The family of ten of IDP and IP Example 1, for any strength of contagion."""

from functools import lru_cache
from typing import Final

import dalenius as dl
from dalenius.models import Model

PEOPLE: Final = 10
CHANCE: Final = 0.1
"""Anybody's probability of being ill: p(t1) of IDP Example 2."""
CONTAGIONS: Final = (
    *(0.0, 0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03),
    *(0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0),
)
HALVINGS: Final = 60


@lru_cache(maxsize=256)
def family(contagion: float) -> Model:
    """Whoever is ill infects each other member with probability `contagion`; each is infected from outside with such a
    probability (`community`) that anybody is ill with probability CHANCE (Longini & Koopman 1982). At 0 the members are
    independent, at 1 all are ill or nobody."""
    if contagion == 0:
        return dl.Independent(n=PEOPLE, probabilities=[CHANCE])
    epidemic = dl.Epidemic(community=community(contagion), household=contagion)
    return dl.Households(count=1, infected=epidemic.infected(PEOPLE))


@lru_cache(maxsize=256)
def community(contagion: float) -> float:
    """The probability of infection from outside, by bisection: anybody's chance of being ill rises with it."""
    low, high = 0.0, CHANCE
    if contagion == 0:
        return CHANCE
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _chance(middle, contagion) < CHANCE else (low, middle)
    return high


def all_or_nobody(people: int, chance: float) -> dl.Households:
    """Full contagion: with that chance all of them are ill, else nobody is."""
    return dl.Households(count=1, infected=[1 - chance, *[0.0] * (people - 1), chance])


def release_of(contagion: float, scale: float | None = None) -> dl.Release:
    """The count of the ill under Laplace noise."""
    return dl.Release(family(contagion), dl.Count(), dl.Laplace(scale=scale))


def _chance(community: float, contagion: float) -> float:
    law = dl.Epidemic(community=community, household=contagion).infected(PEOPLE)
    return sum(k * mass for k, mass in enumerate(law)) / PEOPLE
