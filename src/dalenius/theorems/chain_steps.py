"""How far one step of a chain, in either direction, tells two values of a record apart.

>>> from dalenius.models import Chain
>>> chain = Chain(n=3, transition=((0.8, 0.2), (0.2, 0.8)), initial=(0.5, 0.5)).joints()[0].chain
>>> steps = log_steps(chain)
>>> [round(float(found), 6) for found in (np.exp(widest_ratio(steps)), np.exp(widest_odds(steps[0])))]
[4.0, 16.0]
"""

from itertools import permutations
from math import log
from typing import Final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.joints import chain_of
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.laws.extended_range import Masses
from dalenius.theorems.limits import MOST_CHAIN_RECORDS

_ROUNDED: Final = 64 * UNIT
"""Nats by which a few operations on chances may be off, per nat of their logs and at least once."""


def chains_in(release: Release, method: str) -> list[MarkovChain]:
    """Returns the chains of all laws of the `release`. InputError for `method` where one is no chain."""
    found = [chain for joint in release.worlds.joints if (chain := chain_of(joint)) is not None]
    if len(found) < len(release.worlds.joints):
        raise InputError("method", method, "a model that is a chain")
    # Because every step is looked at on its own: the laws of records far from the end may still differ.
    if (longest := max(map(len, found))) > MOST_CHAIN_RECORDS:
        raise TooLarge(method, f"{longest:,} records in a row", "use method influence_curve", MOST_CHAIN_RECORDS)
    return found


def log_steps(chain: MarkovChain) -> list[Array]:
    """Returns log Pr(X_{i+1} = y | X_i = x) of each step of a `chain`, by rows x, among values that can occur."""
    return _restricted(chain, chain.steps, 0, 1)


def log_steps_back(chain: MarkovChain) -> list[Array]:
    """Returns log Pr(X_i = x | X_{i+1} = y) of each step of a `chain`, by rows y, the last step first."""
    return _restricted(chain, chain.backward, 1, 0)[::-1]


def _restricted(chain: MarkovChain, laws: Masses, given: int, told: int) -> list[Array]:
    logs = np.where(laws.solid, np.log(np.where(laws.solid, laws.mantissa, 1.0)) + log(2.0) * laws.exponent, -np.inf)
    places = range(len(chain.possible) - 1)
    return [logs[i][np.ix_(chain.possible[i + given], chain.possible[i + told])] for i in places]


def widest_ratio(steps: list[Array]) -> float:
    """Returns max over steps, values x, x' and y of log P(x, y)/P(x', y), in nats, rounded up."""
    worst = 0.0
    for logs in steps:
        # The case of a value that one record can have after x and never after x'.
        if np.isneginf(logs).any():
            return np.inf
        worst = max(worst, float(np.max(np.ptp(logs, axis=0))) + _off(logs))
    return worst


def widest_odds(logs: Array) -> float:
    """Returns max over x, x', y, y' of log P(x, y)P(x', y')/(P(x, y')P(x', y)), in nats, rounded up.

    Args:
        logs: log P(x, y) of one step, by rows x.
    """
    if np.isneginf(logs).any():
        return np.inf
    return max(
        (float(np.ptp(logs[x] - logs[other])) for x, other in permutations(range(len(logs)), 2)), default=0.0
    ) + (_off(logs) if len(logs) > 1 else 0.0)


def spread_before(logs: Array, spread: float) -> float:
    """Returns the widest log-ratio of Σ_y P(x, y)w(y) between two values x, for w with ratios up to e^spread.

    The largest is attained where w is largest on the values y that x makes likeliest against x', up to some place.

    Args:
        logs: log P(x, y) of one step, by rows x.
        spread: The largest log-ratio of w between two values, in nats.

    >>> round(spread_before(np.log([[0.8, 0.2], [0.2, 0.8]]), 1.0), 6)
    0.569445
    """
    laws, grown, worst = np.exp(logs), float(np.expm1(spread)), 0.0
    for x, other in permutations(range(len(logs)), 2):
        with np.errstate(invalid="ignore"):
            order = np.argsort(-(np.where(np.isneginf(logs[x]), -np.inf, logs[x] - logs[other])))
        more, less = np.cumsum(laws[x][order]), np.cumsum(laws[other][order])
        worst = max(worst, float(np.max(np.log1p(grown * more) - np.log1p(grown * less))))
    return min(worst + _off(logs) + _ROUNDED * (1 + spread), spread) if worst else 0.0


def _off(logs: Array) -> float:
    finite = logs[np.isfinite(logs)]
    return _ROUNDED * (1 + float(np.max(np.abs(finite), initial=0.0)))
