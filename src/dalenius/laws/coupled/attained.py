"""What joint laws that exist leak, of all that have the given pair laws: how far the bound may be from the truth."""

from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.coupled.comonotone import comonotone, comonotone_bound, placed
from dalenius.laws.coupled.lattice import Grid, grid
from dalenius.laws.coupled.neighbourhood import Neighbour, Neighbourhood
from dalenius.laws.coupled.ratios import mean_falls, worst_of
from dalenius.laws.coupled.rotated import rotated
from dalenius.laws.coupled.sums import Sum
from dalenius.laws.law import Array

MOST_TERMS: Final = 4e9
LOST: Final = 1e-290
"""More than a convolution loses below the range of doubles."""
OUTPUTS: Final = 4096
MOST_PEOPLE: Final = 20_000


def enclosed(neighbourhood: Neighbourhood, scale: float) -> Enclosure:
    """The most that noise of that scale leaks over all joint laws with those pair laws."""
    return Enclosure(attained(neighbourhood, scale), comonotone_bound(neighbourhood, scale).upper)


def attained(neighbourhood: Neighbourhood, scale: float) -> float:
    """What some joint law with those pair laws leaks, in nats, rounding counted.

    The neighbours' laws given two values of a record are unrelated: of each the coupling is taken that serves the
    output best, all at the same quantile, independent of each other, or rotated (so that the sum varies little). Where
    each neighbour has two scores, equally far apart, the bound itself is attained (Result 15.3).
    """
    secrets = [int(place) for place in np.flatnonzero(neighbourhood.prior > 0)]
    if len(secrets) < 2:
        return 0.0
    on = grid(neighbourhood)
    scores = sum(each.times * len(each.points) for each in neighbourhood.neighbours)
    rounding = (64 + 64 * scores + 16 * on.width) * UNIT * (2 + on.width * on.step / scale) + 2 * on.error / scale
    if on.whole and _even(neighbourhood, on):
        return max(comonotone_bound(neighbourhood, scale).upper - 2 * rounding, 0.0)
    outputs = np.arange(on.width + 1.0) if on.whole else np.linspace(0.0, on.width, OUTPUTS)
    above, below = [], []
    for secret in secrets:
        laws = _couplings(neighbourhood, on, secret)
        means = np.array([mean_falls(law, outputs, on.step / scale) for law, _ in laws])
        off = np.array([[lost] for _, lost in laws])
        with np.errstate(divide="ignore"):
            above.append(np.where(off > 0, np.log(np.maximum(np.exp(means) - off, 0.0)), means).max(axis=0))
            below.append(np.logaddexp(means, np.log(off)).min(axis=0))
    return max(worst_of(np.array(above), -np.array(below), outputs).ratio - rounding, 0.0)


def _couplings(neighbourhood: Neighbourhood, on: Grid, secret: int) -> list[tuple[Sum, float]]:
    """Laws of the sum given a secret, in steps, and the mass that each may lack or have in the wrong place."""
    found = [(comonotone(neighbourhood, on, secret), 0.0)]
    people = sum(each.times for each in neighbourhood.neighbours)
    if on.whole and _terms(neighbourhood, on) <= MOST_TERMS:
        found.append((_independent(neighbourhood, on, secret), LOST * people))
    if people <= MOST_PEOPLE:
        own = float(placed(neighbourhood.own, on)[secret])
        places = tuple(placed(each.points, on) for each in neighbourhood.neighbours)
        found.append(rotated(neighbourhood.neighbours, places, secret, own, on.whole))
    return found


def _even(neighbourhood: Neighbourhood, on: Grid) -> bool:
    """Whether each neighbour has one score, or two that are one step apart."""
    return all(round(float(np.ptp(each.points)) / on.step) <= 1 for each in neighbourhood.neighbours)


def _terms(neighbourhood: Neighbourhood, on: Grid) -> float:
    widths = [float(np.ptp(each.points)) / on.step + 1 for each in neighbourhood.neighbours]
    return sum(
        width * (on.width + 1) * (1 if each.times == 1 else each.times * (on.width + 1) / width)
        for each, width in zip(neighbourhood.neighbours, widths, strict=True)
    )


def _independent(neighbourhood: Neighbourhood, on: Grid, secret: int) -> Sum:
    """The sum's law given a secret, in steps, the neighbours being independent given it."""
    own = round(float(neighbourhood.own[secret] - neighbourhood.own.min()) / on.step)
    law = np.ones(1)
    for each in sorted(neighbourhood.neighbours, key=lambda one: one.times):
        law = np.convolve(law, _power(_placed(each, on, secret), each.times))
    places = np.flatnonzero(law > 0)
    return Sum(np.asarray(places + float(own), dtype=np.float64), np.asarray(law[places], dtype=np.float64))


def _placed(neighbour: Neighbour, on: Grid, secret: int) -> Array:
    places = np.rint((neighbour.points - neighbour.points.min()) / on.step).astype(np.int64)
    weights = neighbour.laws[secret]
    return np.asarray(np.bincount(places, weights / weights.sum()), dtype=np.float64)


def _power(law: Array, times: int) -> Array:
    found = np.ones(1)
    while times:
        if times % 2:
            found = np.convolve(found, law)
        times //= 2
        law = np.convolve(law, law) if times else law
    return found
