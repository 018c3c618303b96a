"""Where the δ′ of a group comes down to the one that is given (Result 13.2)."""

from math import exp, fsum, inf, log, nextafter
from typing import Final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.conversion.dependence import Dependence
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.program import CLOSE, Solution, attained, solve

FARTHEST: Final = 650.0
"""Nats beyond which no ε′ is looked for."""
NEAR: Final = 1e-9
STEPS: Final = 40
LOOSE: Final = 0.02
"""As a share of how far log δ′ is off, the gap up to which it is solved there."""
FINE: Final = 1e-6
"""How far log δ′ may be off: what the solver's tolerance hides is about as much."""
FAR: Final = 5.0
"""Where log δ′ is further below, its slope says little of where it should be."""


def above(
    each: Dependence, profile: PrivacyProfile, delta: float, steps: int, start: float, solution: Solution
) -> float:
    """An ε′ at which the profile's bounds allow delta at most, near the least there is, which is at least start.

    solution: at start, or near. Newton's steps in log δ′, which is concave more or less: they come from above. Whatever
    they do, what is returned was proved; infinite where nothing was.
    """
    epsilon, least, found, close = start, start, inf, LOOSE
    for _ in range(STEPS):
        solution = solve(each, profile, epsilon, steps, solution, alone=True, close=close)
        off = _log(solution.delta.upper) - _log(delta)
        if off <= 0:
            found = min(found, epsilon)
        elif solution.delta.lower > delta or close <= CLOSE:  # else it may be what the solver left open
            least = max(least, epsilon)
        if -FINE <= off <= 0 or found - least <= NEAR * (1 + least) or least >= FARTHEST:
            break
        close = max(CLOSE, min(LOOSE, LOOSE * abs(off)))
        step = off / (_falls(each, profile, epsilon, steps, solution) or inf)
        # So near, what a solver cannot tell apart is passed by a little, not approached.
        further = epsilon + step if abs(off) > FINE else epsilon + 2 * step + NEAR * (1 + epsilon)
        if not least < further < found or off < -FAR:
            further = (least + found) / 2 if found < inf else 2 * epsilon + 1
        epsilon = min(further, FARTHEST)
    return found


def _falls(each: Dependence, profile: PrivacyProfile, epsilon: float, steps: int, solution: Solution) -> float:
    """By how much log δ′ falls with ε′, about."""
    gained = each.gain * attained(profile, solution.flagged, np.full(len(solution.flagged), steps))
    paid = fsum(each.cost * solution.flagged) + each.share * fsum(gained)
    return exp(epsilon) * paid / max(solution.delta.lower, 1e-290)


def _log(delta: float) -> float:
    return log(max(delta, 1e-300))


def crossing(each: Dependence, profile: PrivacyProfile, delta: float, steps: int, start: float) -> Enclosure:
    """The least ε′ >= start at which the profile's bounds allow delta at most: what they allow is convex in e^{ε′}, so
    that Newton's steps stay below."""
    epsilon, close, solution = start, LOOSE, solve(each, profile, start, steps, None, delta, True)
    if solution.delta.upper <= delta:
        return Enclosure(0.0, start)
    for _ in range(60):
        further = _newton(each, profile, delta, steps, solution)
        if further > FARTHEST:
            return Enclosure(min(further, FARTHEST), inf)
        is_near = further <= epsilon + NEAR * (1 + epsilon)
        epsilon = max(epsilon, further)
        if is_near and close <= CLOSE:
            break
        close = CLOSE if is_near else max(CLOSE, LOOSE * min(abs(_log(solution.delta.upper) - _log(delta)), 1.0))
        solution = solve(each, profile, epsilon, steps, solution, alone=True, close=close)
    above, step = epsilon, NEAR * (1 + epsilon)
    while (solution := solve(each, profile, above, steps, solution, delta, True)).delta.upper > delta:
        above, step = epsilon + step, step * 8
        if above > FARTHEST:
            return Enclosure(epsilon, inf)
    return Enclosure(epsilon, above)


def _newton(each: Dependence, profile: PrivacyProfile, delta: float, steps: int, solution: Solution) -> float:
    """The ε′ at which the test that is optimal now gains delta, from below."""
    flagged = solution.flagged
    gained = each.gain * attained(profile, flagged, np.full(len(flagged), steps)) * (1 - each.error)
    paid = fsum(each.cost * flagged) * (1 + each.error) + each.share * (1 + each.error) * fsum(gained)
    above = fsum(gained) - delta
    if above <= 0:
        return -inf
    if paid <= above * exp(-FARTHEST):
        return inf
    return nextafter(log(above / paid) * (1 - 1e-15) - 1e-14, -inf)
