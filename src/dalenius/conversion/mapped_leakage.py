"""The least ε′ of a group at δ′ = 0 where a pipeline's loss is known at every distance (Result 13.8).

Variables are how often a test that hardly ever flags does so, by state c of the others: v(c) if the record has the
other value, u(c) if it has the secret. ε′ is the log of

    max Σ gain·u / Σ cost·v   with   v(c) <= e^{L(d)} v(c′),   u(c) <= e^{L(1+d)} v(c′)

where d records differ between c and c′, and L(d) is the loss at that distance. L is the least sum over smaller steps,
so any u and v that keep these rows are those of a mechanism that keeps the whole map.
"""

from functools import lru_cache, partial
from math import fsum

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.conditional_law_of_others import Dependence
from dalenius.conversion.group_linear_program import Cuts, maximised
from dalenius.conversion.leaked_epsilon import SLACK, STEEPEST, RatioProgram, leakage_within
from dalenius.conversion.limits import MOST_MAP_STATES
from dalenius.conversion.profile import PrivacyProfile
from dalenius.errors import DaleniusError, TooLarge


@lru_cache(maxsize=4096)
def mapped_leakage(dependence: Dependence, profile: PrivacyProfile) -> Enclosure:
    """Returns the least ε′ at δ′ = 0 under a pure map, in nats.

    Args:
        dependence: The question.
        profile: The pipeline's losses at each distance, pure between neighbours.

    Raises:
        TooLarge: If the others have more than MOST_MAP_STATES states.
    """
    check_states(dependence)
    losses = np.array([profile.pure_of(distance) for distance in range(dependence.size + 1)], dtype=np.float64)
    return leakage_within(dependence, float(losses[1]), float(losses[-1]), partial(mapped_ratio, losses=losses))


def check_states(dependence: Dependence) -> None:
    """Raises TooLarge where the others of a `dependence` have more than MOST_MAP_STATES states."""
    if len(dependence.gain) > MOST_MAP_STATES:
        size = f"a group of {dependence.size} records, with {len(dependence.gain)} states of the others,"
        instead = "use the loss between neighbours alone, as pure, (ε, δ) or a CSV"
        raise TooLarge("conversion by a map of losses", size, instead, MOST_MAP_STATES)


def mapped_ratio(dependence: Dependence, losses: Array) -> Enclosure:
    """Returns max Σ gain·u / Σ cost·v, less the factor e^L(1), but for roundings of the given chances.

    Args:
        dependence: The question, with gain and cost.
        losses: L(d) in nats for d = 0, 1, …, and at least the most records that differ, the record itself included.

    Raises:
        DaleniusError: If no solver has an answer.
    """
    n, distance = len(dependence.gain), dependence.distance
    nats = np.concatenate([losses[distance], losses[distance + 1] - losses[1]])
    with np.errstate(divide="ignore"):
        # Because no v or u exceeds these where Σ cost·v = 1.
        tops = -np.logaddexp.reduce(np.log(dependence.cost)[None] - nats, axis=1)
    of, by = np.nonzero(_needed(losses, distance))
    steep = nats[of, by] + tops[by] - tops[of]
    of, by, steep = (each[steep < STEEPEST] for each in (of, by, steep))
    nothing, shares = np.zeros(n), np.exp(tops)
    program = RatioProgram(
        np.append(nothing, dependence.gain * shares[n:]),
        np.append(dependence.cost * shares[:n], nothing),
        of,
        by,
        np.exp(steep) * (1 + SLACK),
    )
    found = maximised(program.gains, Cuts(of, by, program.slopes, np.zeros(len(of))), None, program.costs)
    if found is None:
        raise DaleniusError("the conversion's linear program was not solved, wanted a smaller epsilon")
    with np.errstate(divide="ignore"):
        logs = np.log(shares[:n] * found.values[:n])
    return Enclosure(_attained(dependence, logs, nats), program.proved(found.prices, found.level))


def _attained(dependence: Dependence, logs: Array, nats: Array) -> float:
    """Returns the ratio at v, lowered until every row holds, and the largest u beside it; logs: of v (n,)."""
    n = len(logs)
    # If the solver said 0 everywhere, a constant v has the ratio 1, since gain and cost have the same sum.
    if not np.isfinite(logs).any():
        return 1.0
    known = np.where(np.isfinite(logs), logs, np.max(logs[None] - nats[:n], axis=1))
    lowered = np.min(known[None] + nats[:n], axis=1)
    lowered -= lowered.max()
    raised = np.min(lowered[None] + nats[n:], axis=1)
    below = fsum(dependence.cost * np.exp(lowered))
    return fsum(dependence.gain * np.exp(raised)) / below * (1 - 32 * UNIT) if below else 1.0


def _needed(losses: Array, distance: IntArray) -> NDArray[np.bool_]:
    """Returns which rows no two others imply (2n, n): those of v first, then those of u."""
    n = len(distance)
    found = np.ones((2 * n, n), dtype=bool)
    found[:n][np.eye(n, dtype=bool)] = False
    between = losses[distance]
    for place in range(2 * n):
        own = losses[distance[place % n] + place // n]
        # Because a sum of two losses that is no larger says as much, through a state that is neither end.
        through = own[:, None] + between <= own[None] * (1 + 1e-15)
        through[np.arange(n), np.arange(n)] = False
        if place < n:
            through[place] = False
        found[place] &= ~through.any(axis=0)
    return found
