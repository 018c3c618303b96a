"""What a stream of answers leaks of all of a person's values together (Result 9.11)."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT, Enclosure
from dalenius.joints.chain.over_time import OverTime
from dalenius.laws.law import Array

NEVER: Final = -np.inf


def process_loss(stream: OverTime, apart: Array, epsilons: Array) -> Enclosure:
    """The largest Σ_t ε_t·apart(x_t, x′_t) over two possible paths x, x′.

    apart (k, k): how much of ε_t the answers' likelihoods may differ between two values, 0 to 1.
    """
    kernels = stream.forward or stream.backward
    if kernels is None or (stream.possible.all() and not np.isneginf(kernels.logs).any()):
        longest = float((apart.max() * epsilons).sum())
    else:
        longest = _longest(stream, apart, epsilons)
    error = (len(epsilons) + 2) * UNIT * longest
    return Enclosure(longest, longest) if len(epsilons) == 1 else Enclosure(max(longest - error, 0.0), longest + error)


def _longest(stream: OverTime, apart: Array, epsilons: Array) -> float:
    """From step to step, by the two paths' values there."""
    time = stream if stream.forward is not None else stream.reversed()
    kernels = time.forward
    assert kernels is not None
    shares = epsilons if time is stream else epsilons[::-1]
    steps = np.where(np.isneginf(kernels.logs), NEVER, 0.0)
    both = _both(time, 0)
    found = np.where(both, apart * shares[0], NEVER)
    for step, which in enumerate(kernels.which.tolist(), 1):
        onwards = steps[which][:, :, None]
        one = (onwards + found[:, None, :]).max(axis=0)
        found = (onwards + one.T[:, None, :]).max(axis=0).T
        found = np.where(_both(time, step), found + apart * shares[step], NEVER)
    return float(found.max())


def _both(time: OverTime, step: int) -> NDArray[np.bool_]:
    possible = time.possible[step]
    return np.asarray(possible[:, None] & possible)
