"""The leakage of one record of a group by every bound that is known: its linear program, and closed forms beside it.

The program's numbers are doubles: where ε′ is hundreds of nats, or δ′ next to nothing, it proves little. Five more
bounds stand beside it: a test that looks at nobody else (from below), all records changed at once (from above), the ε
from which on a guarantee's δ falls no more, tests in logs if noise is Gaussian, and the fact that no chance grows
beyond certainty.

In all functions, `each` is the question, `profile` the pipeline's privacy profile, and `steps` how many neighbours
further a record with another value is.
"""

from collections.abc import Callable
from math import exp, inf, log
from typing import Final

import numpy as np

from dalenius.bisection import bisected
from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.conditional_law_of_others import Dependence
from dalenius.conversion.limits import MOST_STATES_IN_LOGS
from dalenius.conversion.normal_tests import NormalTests
from dalenius.conversion.one_record import OneRecord
from dalenius.conversion.profile import PrivacyProfile

_CLOSE: Final = 1e-5
"""The relative distance at which ends are near enough: nothing more is tried."""


def is_single(each: Dependence) -> bool:
    """Says whether nobody else's record says anything about that of `each` question: a closed form has its answer."""
    return len(each.gain) == 1


def own_record(each: Dependence, profile: PrivacyProfile, steps: int) -> OneRecord:
    """Returns the leakage of `each` question if no other record is looked at; profile, steps as in the module."""
    return OneRecord(profile, steps, each.share, each.error)


def all_changed(each: Dependence, profile: PrivacyProfile, steps: int) -> OneRecord:
    """Returns the leakage of `each` question if all records change at once; profile and steps as in the module."""
    return OneRecord(profile, steps * each.size, each.share, each.error)


def narrowed_delta(
    each: Dependence, profile: PrivacyProfile, steps: int, epsilon: float, found: Enclosure
) -> Enclosure:
    """Returns δ′ at ε′ = epsilon, where `found` holds it already; each, profile and steps as in the module."""
    low = max(found.lower, own_record(each, profile, steps).delta(epsilon).lower)
    high = min(found.upper, all_changed(each, profile, steps).delta(epsilon).upper)
    if high - low <= _CLOSE * high:
        return Enclosure(min(low, high), high)
    for mu, side in _normal(each, profile):
        tests = NormalTests(each, mu * steps)
        if side <= 0:
            low = max(low, exp(tests.lower(epsilon)) * (1 - 8 * UNIT))
        if side >= 0:
            high = min(high, exp(tests.upper(epsilon)) * (1 + 8 * UNIT) + 5e-324)
    return Enclosure(min(low, high), high)


def narrowed_epsilon(
    each: Dependence, profile: PrivacyProfile, steps: int, delta: float, found: Enclosure
) -> Enclosure:
    """Returns the least ε′ at δ′ = delta above 0, where `found` holds it; each, profile, steps as in the module."""
    low = max(found.lower, own_record(each, profile, steps).epsilon(delta).lower)
    high = min(
        found.upper, all_changed(each, profile, steps).epsilon(delta).upper, _at_plateau(each, profile, steps, delta)
    )
    if high - low <= _CLOSE * high:
        return Enclosure(min(low, high), high)
    for mu, side in _normal(each, profile):
        tests, wanted = NormalTests(each, mu * steps), log(delta)
        if side <= 0:
            low = max(low, _first(_below(tests.lower, wanted), low, high)[0])
        if side >= 0:
            high = min(high, _first(_below(tests.upper, wanted), low, high)[1])
    return Enclosure(min(low, high), high)


def keeps_for_certain(
    each: Dependence, profile: PrivacyProfile, steps: int, epsilon: float, delta: float
) -> bool | None:
    """Says whether δ′ at ε′ = epsilon is at most delta for certain, by closed forms; None where these do not say.

    Args:
        each: The question.
        profile: The pipeline's privacy profile.
        steps: How many neighbours further a record with another value is.
        epsilon: ε′, in nats.
        delta: δ′, a probability.
    """
    if all_changed(each, profile, steps).delta(epsilon).upper <= delta:
        return True
    if is_single(each) or own_record(each, profile, steps).delta(epsilon).lower > delta:
        return False
    return None


def _below(curve: Callable[[float], float], most: float) -> Callable[[float], bool]:
    return lambda epsilon: curve(epsilon) <= most


def _first(holds: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Returns the last ε′ without a condition and the first with it, between these."""
    if high == inf or holds(low):
        return low, low if high < inf else inf
    high, low = bisected(holds, high, low, relative=1e-7)
    return low, high


def _normal(each: Dependence, profile: PrivacyProfile) -> list[tuple[float, int]]:
    """Returns the μ of Gaussian noise that bounds what leaks, and on which side: -1 below, 0 both."""
    if len(each.gain) > MOST_STATES_IN_LOGS:
        return []
    if profile.normal is not None:
        return [(profile.normal, 0)]
    inner = None if profile.within is None else profile.within.normal
    return [] if inner is None else [(inner, -1)]


def _at_plateau(each: Dependence, profile: PrivacyProfile, steps: int, delta: float) -> float:
    """Returns an ε′ that is enough where δ falls no more from some ε on, and delta is what remains.

    f(0) is gained without a flag in vain, and no more from ε + the largest log of gain/cost on. Infinite where that
    does not say anything.
    """
    if not profile.corners or steps > 1 or profile.delta_at(np.array([inf]))[0] > delta:
        return inf
    if not each.cost.all():
        return inf
    with np.errstate(divide="ignore"):
        most = float(np.max(np.log(each.gain) - np.log(each.cost)))
    last = min(e for e in profile.corners if profile.delta(e) <= delta)
    nats = last + most + 2 * each.error + 8 * UNIT * (1 + last + abs(most))
    return max(nats, last)
