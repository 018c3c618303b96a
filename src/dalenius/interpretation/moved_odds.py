"""How far an output of a count moves the odds that a record is 1, and how likely such outputs are.

At an output the odds of being ill move by a factor of W(y|1)/W(y|0). Its log is the movement, in nats. Half of all
outputs move the odds by at most the median of its absolute value, with the output distributed as it is before anything
is known of the person.

One person under geometric noise of scale 1: every output moves the odds by one nat, up or down.

>>> import dalenius as dl
>>> one = dl.Release(dl.Households(count=1, infected=[0.9, 0.1]), dl.Count(), dl.Geometric(scale=1.0))
>>> [(each.outputs, round(each.odds.middle, 6), round(each.highest.upper, 6)) for each in moved_odds(one, 0.1)]
[('median', 1.0, 0.231969), ('q99', 1.0, 0.231969), ('worst', 1.0, 0.231969)]
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import exp, inf, isinf, log
from typing import Final, Literal, TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT, ZERO, Enclosure, around, largest
from dalenius.channel import Release
from dalenius.channel.likelihoods import Likelihoods
from dalenius.laws.leakage_of_one_output import LogRatio
from dalenius.laws.leakage_tail import Tail
from dalenius.notions import InferentialPrivacy

Outputs: TypeAlias = Literal["median", "q99", "all_but_delta", "worst"]
_SHARES: Final[Sequence[tuple[Outputs, float]]] = (("median", 0.5), ("q99", 0.01))
"""The share of the outputs that may move the odds further."""
_OVERFLOWS: Final = 700.0
"""Nats at which e^x is still a double."""


@final
@dataclass(frozen=True)
class Moved:
    """How far a set of outputs moves the odds, and between which chances it leaves the person.

    Attributes:
        outputs: The set: half of all outputs, 99 %, all but a share of δ, or all of them.
        share: The share of the outputs that are not in the set.
        odds: By how many nats the odds move at most, up or down.
        lowest: The chance below which no output of the set leaves a person; for all outputs, the lowest chance itself.
        highest: The chance above which no output of the set leaves a person; for all outputs, the highest one itself.
    """

    outputs: Outputs
    share: float
    odds: Enclosure
    lowest: Enclosure
    highest: Enclosure


def moved_odds(release: Release, chance: float, delta: float = 0.0) -> list[Moved]:
    """Returns how far outputs of `release` move the odds, from the usual output to the worst.

    Each number is about the record for which it is largest.

    Args:
        release: A count of records of 0 and 1.
        chance: The chance of each record to be 1 before the release.
        delta: A share of the outputs that may be left out; 0 for none.
    """
    known = [each.finite("how far odds move") for each in release.all_channels()]
    leakage = InferentialPrivacy().leakage(release)
    worst = Enclosure(leakage.lower, leakage.upper)
    up, down = (
        (worst, worst) if isinf(worst.upper) else (_most(_farthest(each, way) for each in known) for way in (1, -1))
    )
    tails = [_tail(each) for each in known]
    shares = [*_SHARES, *_delta_share(delta)]
    moved = [(outputs, share, _largest_quantile(tails, share)) for outputs, share in shares]
    found = []
    for outputs, share, odds in [*moved, _worst(worst)]:
        # Because odds that move by so much in one direction may not do so in the other.
        lowest, highest = (chance_after(chance, _least(odds, most), way) for most, way in ((down, -1), (up, 1)))
        found.append(Moved(outputs, share, odds, lowest, highest))
    return found


def _largest_quantile(tails: Sequence[Tail], share: float) -> Enclosure:
    """Returns the largest movement of any record that outputs of at most that share exceed."""
    found = ZERO
    # Because days in the middle of a chain, which come last, depend on others the most, the search begins with them.
    for tail in reversed(tails):
        # So that a chain takes seconds, no quantile is sought that is below another for certain.
        if found.lower > 0 and tail.log_chance(found.lower).upper <= log(share):
            continue
        found = largest(found, tail.quantile(share))
    return found


def _delta_share(delta: float) -> list[tuple[Outputs, float]]:
    return [("all_but_delta", delta)] if delta else []


def _worst(odds: Enclosure) -> tuple[Outputs, float, Enclosure]:
    return "worst", 0.0, odds


def _least(first: Enclosure, second: Enclosure) -> Enclosure:
    return Enclosure(min(first.lower, second.lower), min(first.upper, second.upper))


def _most(values: Iterable[Enclosure]) -> Enclosure:
    return reduce(largest, values, ZERO)


def _tail(known: Likelihoods) -> Tail:
    """Returns the law of the movement at an output, in absolute value."""
    return known.tail_of(LogRatio(known.log_prior))


def _farthest(known: Likelihoods, way: int) -> Enclosure:
    """Encloses the largest movement upwards (way 1) or downwards (way -1), in nats."""
    ill, well = (known.relative[known.secrets.index(value)] for value in (1, 0))
    ratios = way * (ill - well)[known.possible]
    return around(float(np.max(ratios)), 2 * known.error + 4 * UNIT * float(np.max(np.abs(ratios))))


def chance_after(chance: float, moved: Enclosure, way: int) -> Enclosure:
    """Encloses a `chance` after its odds have `moved` by so many nats.

    way: 1 for up, -1 for down.

    >>> [round(end, 6) for end in chance_after(0.1, Enclosure(1.0, 1.0), 1)]
    [0.231969, 0.231969]
    """
    # Because the odds may move without bound in one direction only, the chance before is all that is known then.
    if isinf(moved.upper):
        return Enclosure(0.0, chance) if way < 0 else Enclosure(chance, 1.0)
    against = (1 - chance) / chance
    near, far = (1 / (1 + against * _power(-way * end)) for end in moved)
    wider = 64 * UNIT
    low, high = min(near, far) * (1 - wider), max(near, far) * (1 + wider)
    return Enclosure(low, min(high, 1.0))


def _power(nats: float) -> float:
    """Returns e^nats, infinite where no double holds it."""
    return exp(nats) if nats < _OVERFLOWS else inf
