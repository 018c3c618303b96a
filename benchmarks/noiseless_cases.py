"""Curves δ(ε) of exact answers: the data are their own noise. Each returns its ends and how far apart they are."""

from typing import Final

import numpy as np

from dalenius import Chain, Count, Households, Independent, NoNoise, Release
from dalenius.knowledge.noiseless import delta_curve
from dalenius.models import Model

POINTS: Final = 50
FOURS: Final = (0.9, 0.04, 0.0, 0.0, 0.06)
STEP: Final = [[0.8, 0.2], [0.2, 0.8]]


def bits(people: int, known: float = 0.0) -> dict[str, float]:
    """Independent bits of chance .3."""
    return _curve(Independent(n=people, probabilities=[0.3]), 0.05, known)


def households(count: int) -> dict[str, float]:
    """Households of four: nobody, one or all of them infected."""
    return _curve(Households(count=count, infected=FOURS), 0.05, 0.0)


def chain(n: int) -> dict[str, float]:
    """A stationary chain that stays with probability .8."""
    return _curve(Chain(n=n, initial="stationary", transition=STEP), 0.5, 0.0)


def _curve(model: Model, most: float, known: float) -> dict[str, float]:
    epsilons = np.linspace(most / POINTS, most, POINTS).tolist()
    curve = delta_curve(Release(model, Count(), NoNoise()), epsilons, known)
    widest = max((each.upper - each.lower) / each.middle for each in curve)
    return {"first": curve[0].middle, "last": curve[-1].middle, "width": widest}
