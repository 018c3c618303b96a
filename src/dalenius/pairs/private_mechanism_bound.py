"""The most that any mechanism leaks about a person if only pair laws are known, and each record moves the likelihood of
an output by so many nats at most (Result 15.4). It is the comonotone bound for answers of any kind: vectors, the steps
of a learner, histograms; and here is DDP's coefficient of them, which is no bound.

A person has two friends, each like the person with .9 (well) or .8 (ill), and a mechanism has 0.5 nats a record. All
three together are 1.5 nats, and no joint law with those pairs leaks more than 1.298 of them.

>>> friends = Related(2, np.array([[0.9, 0.1], [0.2, 0.8]]), moves_alike(2, 0.5))
>>> f"{mechanism_leakage(moves_alike(2, 0.5), (friends,)):.3f}"
'1.298'
>>> f"{coefficient(friends):.4f} {closed_coefficient(friends):.4f}"
'0.3552 0.4599'
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.pairs.neighbourhood_score_sums import Quantiles, quantiles

_OFF: Final = 1e-12
"""Relative: more than what a probability of a pair law may be off by, and the roundings of one bound."""


@final
@dataclass(frozen=True, eq=False)
class Related:
    """A record X_j that depends on the secret record X_i.

    Attributes:
        times: The number of records like this one.
        laws: The probabilities Pr[X_j = v | X_i = s] (s, v).
        apart: The nats (v, v) by which the likelihood of an output moves at most when X_j goes from one value to
            another; for additive noise on a vector, the L1 distance over the scale.
    """

    times: int
    laws: Array
    apart: Array


def moves_alike(values: int, nats: float) -> Array:
    """Returns distances (values, values) where one record moves the mechanism alike whichever way it changes.

    Args:
        values: How many values a record can have.
        nats: The most that one record moves the log-likelihood of an output.
    """
    return nats * (1.0 - np.eye(values))


def mechanism_leakage(own: Array, related: Sequence[Related], far: float = 0.0) -> float:
    """Returns the bound in nats, from above, over all joint laws with these pairs and all two values of the record.

    It is never more than all that may move, at once.

    Args:
        own: How many nats the record itself moves the likelihood of an output (s, s).
        related: The records that depend on it, by kind.
        far: How many nats records of which nothing is known move together.
    """
    related = [each for each in related if each.times and each.apart.size]
    at_once = float(own.max(initial=0.0)) + far + sum(each.times * float(each.apart.max()) for each in related)
    found = 0.0
    for s in range(len(own)):
        for other in (place for place in range(len(own)) if place != s):
            found = max(found, float(own[s, other]) + _of_others(related, s, other))
    # One rounding for each number added up, at most as large as all that moves.
    return min((found + far) + _OFF * (2 + at_once), at_once * (1 + 64 * UNIT))


def _of_others(related: Sequence[Related], s: int, other: int) -> float:
    """The log-ratio that the related records add, given two values of the record."""
    if not related:
        return 0.0
    alike = {float(value) for each in related for value in np.unique(each.apart[~np.eye(len(each.apart), dtype=bool)])}
    # A single neighbour's law is known: Result 15.4 has the largest ratio itself.
    if len(alike) == 1 and sum(each.times for each in related) == 1:
        return _ratio(related[0].laws[s], related[0].laws[other], next(iter(alike)))
    if len(alike) == 1:
        return _mean_log(related, s, other, next(iter(alike)))
    return _mean_log(related, s, other, None)


def _mean_log(related: Sequence[Related], s: int, other: int, alike: float | None) -> float:
    """log E[ψ(T*)], T* the comonotone sum of the q_j(X_j) given s; alike: ε₀, or None where distances differ."""
    parts, start = list[Quantiles](), 0.0
    for each in related:
        distances = each.apart if alike is None else 1.0 - np.eye(len(each.apart))
        moved = distances @ each.laws[other]
        start += each.times * float(moved.min())
        parts.append(quantiles(np.array([float(each.times)]), moved[None], each.laws[s][None]))
    total = Quantiles.together(parts).summed(start)
    exponents = total.points if alike is None else _log_psi(total.points, alike)
    return float(np.logaddexp.reduce(np.log(total.masses) + exponents))


def _log_psi(t: Array, nats: float) -> Array:
    """log ψ of Result 15.4: it is 1 at 0, e^{ε₀} at 1, and e^{ε₀t} from 2 on."""
    below = -np.log1p(np.minimum(t, 1.0) * np.expm1(-nats))
    between = nats + np.log1p(np.clip(t - 1.0, 0.0, 1.0) * np.expm1(nats))
    return np.where(t <= 1, below, np.where(t <= 2, between, nats * t))


def _ratio(one: Array, against: Array, nats: float) -> float:
    """The largest log of (1 + c Pr[A|s])/(1 + c Pr[A|s′]) over sets A of values, c = e^{ε₀} - 1: sets of the values
    whose probabilities s raises most are enough."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(one > 0, one / against, 0.0), kind="stable")
    grown = np.expm1(nats)
    ratios = np.log1p(grown * np.cumsum(one[order])) - np.log1p(grown * np.cumsum(against[order]))
    return max(float(ratios.max()), 0.0)


def coefficient(related: Related) -> float:
    """Returns ρ_ij ΔQ_j/σ of DDP Eq 14 in nats, for the record j that is `related`.

    The record is written as one number a value, of which one is 1 (L1). Outputs far out on the axes of a set A of
    values decide. Summed over all j it promises nothing (errata E2).
    """
    laws, nats = related.laws, float(related.apart.max(initial=0.0))
    pairs = ((s, t) for s in range(len(laws)) for t in range(len(laws)) if s != t)
    return max((_ratio(laws[s], laws[t], nats) for s, t in pairs), default=0.0)


def closed_coefficient(related: Related) -> float:
    """Returns the coefficient of DDP Eq 18 in nats, for the record j that is `related`.

    It is the maximum over s and d* of log Σ_v Pr[v|s] e^{‖v - d*‖₁/σ}, which is above 0 for independent records too
    (errata E3).
    """
    with np.errstate(divide="ignore"):
        elsewhere, there = np.log1p(-related.laws), np.log(related.laws)
    return float(np.logaddexp(elsewhere + float(related.apart.max(initial=0.0)), there).max(initial=0.0))
