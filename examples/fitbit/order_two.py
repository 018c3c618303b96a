"""What a count tells of a chain with two steps of memory: its records are taken in overlapping pairs, a chain again."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from days import Day

import dalenius as dl

CLASSES = (0, 1, 2, 3)


def chain_of_pairs(days: Sequence[Day], smoothing: float = 1.0) -> dl.Chain:
    """Record t is the text ab: class a in quarter t - 1 and b in quarter t. Pseudo-counts as in `dalenius fit`."""
    counts = np.full((len(CLASSES),) * 3, smoothing / len(CLASSES))
    for day in days:
        for a, b, c in zip(day, day[1:], day[2:], strict=False):
            counts[a, b, c] += 1
    chances = counts / counts.sum(axis=2, keepdims=True)
    pairs = list(product(CLASSES, repeat=2))
    transition = [[float(chances[a, b, d]) if b == c else 0.0 for c, d in pairs] for a, b in pairs]
    return dl.Chain(n=len(days[0]), values=[f"{a}{b}" for a, b in pairs], initial="stationary", transition=transition)


def leakages(model: dl.Chain, active: Sequence[int], noise: dl.Geometric) -> dict[str, float]:
    """Inferential and information leakage of one quarter's class (not of a pair), in nats."""
    query = dl.Count(values=[f"{a}{b}" for a, b in product(CLASSES, active)])
    found = {"inferential": 0.0, "information": 0.0}
    for channel in dl.Release(model, query, noise).channels():
        last = np.array([int(str(pair)[-1]) for pair in channel.secrets])
        joint = channel.relative + channel.log_prior[:, None]
        # Given b: the average over what came before it.
        given = [
            np.logaddexp.reduce(joint[last == b]) - np.logaddexp.reduce(channel.log_prior[last == b]) for b in CLASSES
        ]
        found["inferential"] = max(found["inferential"], float(np.max(np.ptp(given, axis=0))))
        raised = np.max(given, axis=0) - np.logaddexp.reduce(joint)
        found["information"] = max(found["information"], float(np.max(raised)))
    return found
