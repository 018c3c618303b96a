"""Song et al. 2017: Markov quilts, and Ghosh and Kleinberg 2016, on the chains of the authors' own experiment.

`run_synthetic.m` in the authors' repository (shs037/pufferfish) computes noise for a count of a stationary chain of a
hundred bits at ε = 1, for p = Pr(1→1) and q = Pr(0→1) from .1 to .9. It keeps no numbers. So both formulas are written
anew here, as that program has them: MQMExact, and Ghosh and Kleinberg's bound by a matrix of influences.
"""

from collections.abc import Iterator
from itertools import product
from math import inf, log
from typing import Final

import numpy as np

import dalenius as dl
from papers.numbers import Array, Number, main

BITS: Final = 100
EPSILON: Final = 1.0
CHAINS: Final = ((0.5, 0.5), (0.5, 0.4), (0.6, 0.4), (0.7, 0.5), (0.7, 0.3), (0.8, 0.2), (0.9, 0.1), (0.4, 0.6))
"""Pairs (p, q) of their grid."""
WHOLE_GRID: Final = tuple((one / 10, other / 10) for one, other in product(range(1, 10), repeat=2))


def quilts(quick: bool = False) -> Iterator[Number]:
    for p, q in CHAINS[:3] if quick else CHAINS:
        chain = f"p = {p:g}, q = {q:g}"
        yield Number("MQMExact", f"scale, {chain}", quilt_scale(p, q), scale_of("markov_quilt", p, q))
        theirs, ours = influence_scale(p, q), scale_of("influence_matrix", p, q)
        if theirs < inf:
            why = "theirs counts every influence twice"
            yield Number("Ghosh and Kleinberg", f"scale, {chain}", theirs, ours, why, relation="<")
        elif ours < inf:
            yield Number("Ghosh and Kleinberg", f"scale, {chain}", None, ours, "theirs does not apply")


def scale_of(method: str, p: float, q: float) -> float:
    """Laplace noise by a method of ours; inf where it does not apply."""
    release = dl.Release(stationary(p, q), dl.Count(), dl.Laplace())
    try:
        return dl.calibrate(release, dl.InferentialPrivacy(epsilon=EPSILON), method).noise.known_scale()
    except dl.InputError:
        return inf


def stationary(p: float, q: float) -> dl.Chain:
    return dl.Chain(n=BITS, initial="stationary", transition=[[1 - q, q], [1 - p, p]])


def quilt_scale(p: float, q: float) -> float:
    """The largest over nodes 2 to T - 1 of the least (a + b - 1)/(ε - e), e the influence of a quilt a before, b after.

    A missing side counts nothing, and its near records reach the end of the chain.
    """
    steps = np.array([[1 - q, q], [1 - p, p]])
    powers = np.array([np.linalg.matrix_power(steps, far) for far in range(1, BITS)])
    odds = np.array([log(q / (1 - p)), log((1 - p) / q)])
    # Of 0 against 1, and of 1 against 0: what a record far after it, or far before it, says (distances, 2).
    logs = np.log(powers)
    after = np.stack([(logs[:, 0] - logs[:, 1]).max(-1), (logs[:, 1] - logs[:, 0]).max(-1)], -1)
    before = np.stack([(logs[:, :, 0] - logs[:, :, 1]).max(-1), (logs[:, :, 1] - logs[:, :, 0]).max(-1)], -1) + odds
    return max(_of_node(node, before, after) for node in range(2, BITS))


def _of_node(node: int, before: Array, after: Array) -> float:
    left, right = np.zeros((node, 2)), np.zeros((BITS - node + 1, 2))
    left[:-1], right[:-1] = before[: node - 1], after[: BITS - node]
    influence = (left[:, None] + right[None]).max(-1)
    near = np.arange(1, node + 1)[:, None] + np.arange(1, BITS - node + 2)[None] - 1
    allowed = influence < EPSILON
    return float((near[allowed] / (EPSILON - influence[allowed])).min())


def influence_scale(p: float, q: float) -> float:
    """2·max_i Σ_j [(I - Γ)⁻¹]_ij / ε; inf where the spectral norm of Γ is not below 1.

    Γ has γ between neighbours: half the largest log-ratio of two chances of a bit, given its two neighbours, where one
    of these changes.
    """
    steps = np.array([[1 - q, q], [1 - p, p]])
    joint = steps[:, :, None] * steps[None]  # (before, own, after)
    logs = np.log(joint / joint.sum(1, keepdims=True))
    gamma = max(float(np.ptp(logs, axis=0).max()), float(np.ptp(logs, axis=2).max())) / 2
    influences = gamma * (np.eye(BITS, k=1) + np.eye(BITS, k=-1))
    if float(np.abs(np.linalg.eigvalsh(influences)).max()) >= 1:
        return inf
    return 2 * float(np.linalg.inv(np.eye(BITS) - influences).sum(1).max()) / EPSILON


if __name__ == "__main__":
    main(quilts)
