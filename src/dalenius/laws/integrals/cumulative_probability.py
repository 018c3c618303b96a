"""The share of all outputs that is at most, or at least, a given one.

It is linear in the likelihoods on the box (Result 3.4). A fair bit under geometric noise that falls by a factor e a
step: half of the outputs are 1 or more. Up to 1 there are the other half and the outputs that are 1, (e - 1)/(e + 1)
· (1 + 1/e)/2 = .3161 of all.

>>> from fractions import Fraction
>>> from dalenius.laws.laplace_smoothing import smoothed
>>> bit = Law((0,), np.zeros(2), np.array([[0.0, -np.inf], [-np.inf, 0.0]]), error=0.0)
>>> (found,) = sides(smoothed(bit, [Fraction(1)]), np.log([0.5, 0.5]), [of_lattice(2, 1.0, 1)])
>>> round(found.at_least.upper, 4), round(found.at_most.upper, 4)
(0.5, 0.8161)
"""

from collections.abc import Sequence
from math import exp, expm1, inf, tanh
from typing import NamedTuple

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.law import Law, log_mix


class Sides(NamedTuple):
    """The probabilities Pr[Y <= y] and Pr[Y >= y] of one coordinate."""

    at_most: Enclosure
    at_least: Enclosure


class TailWeights(NamedTuple):
    """The weight of each point of an axis of the box: of all outputs, of those at most y, of those at least y."""

    all: Array
    at_most: Array
    at_least: Array


def sides(
    law: Law, log_prior: Array, weights: Sequence[TailWeights | None], depth: float = 0.0
) -> tuple[Sides | None, ...]:
    """Encloses both probabilities of the mixture of the secrets, by coordinate; None where an axis has no order.

    Args:
        law: The likelihoods on the box.
        log_prior: Log-probabilities of the secrets (secrets,).
        weights: By axis, the weights of its points; None where it has no order.
        depth: The depth of the weights, in nats, for roundings.
    """
    logs = law.base + log_mix(log_prior, law.relative)
    masses = np.exp(np.minimum(logs, 700.0))
    missing = 0.0 if law.floor is None else float(np.sum(np.exp(law.base + law.floor)))
    doubt = (512 + masses.size + 4 * (depth + float(np.max(np.abs(law.base))))) * UNIT
    doubt += expm1(law.error) if law.error < 700 else inf
    # Because an output without order, a category of a table, has no tails.
    found: list[Sides | None] = []
    for axis, own in enumerate(weights):
        if own is None:
            found.append(None)
            continue
        along = _marginal(masses, axis, weights)
        found.append(Sides(*(_enclosed(float(along @ side), doubt, missing) for side in (own.at_most, own.at_least))))
    return tuple(found)


def _marginal(masses: Array, axis: int, weights: Sequence[TailWeights | None]) -> Array:
    """Returns the mass of every point of one axis, over all outputs of the others."""
    for other in reversed(range(masses.ndim)):
        if other != axis:
            each = weights[other]
            every = np.ones(masses.shape[other]) if each is None else each.all
            masses = np.tensordot(masses, every, axes=([other], [0]))
            axis -= other < axis
    return masses


def _enclosed(value: float, doubt: float, missing: float) -> Enclosure:
    # The case of likelihoods that are not known at all.
    if doubt == inf:
        return Enclosure(0.0, 1.0)
    return Enclosure(min(max(value * (1 - doubt), 0.0), 1.0), min(value * (1 + doubt) + missing, 1.0))


def of_points(places: Array, place: float) -> TailWeights:
    """Returns the weights of outputs that are the points `places` (length,) themselves, split at `place`."""
    return TailWeights(np.ones(len(places)), (places <= place).astype(float), (places >= place).astype(float))


def of_box(length: int, place: int) -> TailWeights:
    """Returns the weights of outputs that are the `length` points of an axis of the box, split at the point `place`."""
    return of_points(np.arange(length, dtype=np.float64), place)


def of_lattice(length: int, decay: float, place: int) -> TailWeights:
    """Returns the weights of geometric noise, not normalised: beyond the box the mass falls by e^{-decay} a step.

    Args:
        length: How many points the axis has.
        decay: The step over the noise's scale.
        place: The point at which outputs are split, from the box's start; it may lie beyond an end.
    """
    every = _lattice_above(length, decay, -(2**62))
    return TailWeights(
        every, _lattice_above(length, decay, length - 1 - place)[::-1], _lattice_above(length, decay, place)
    )


def _lattice_above(length: int, decay: float, place: int) -> Array:
    """Returns each point's share of the outputs from `place` on; an end point also has those beyond it."""
    share, ratio = tanh(decay / 2), 1 / -expm1(-decay)
    weights = np.where(np.arange(length) >= place, share, 0.0)
    weights[0] += share * ratio * exp(-decay) * -expm1(-decay * max(-place, 0))
    weights[-1] += share * ratio * exp(-decay * max(place - (length - 1), 1))
    return weights


def of_reals(length: int, decay: float, place: float) -> TailWeights:
    """Returns the weights of Laplace noise per unit of 2b: between two knots the likelihood combines their e^{±y/b}.

    Args:
        length: How many points the axis has.
        decay: The step over the noise's scale.
        place: Where outputs are split, in steps from the box's start; it may lie between points or beyond an end.
    """
    return TailWeights(
        _reals_above(length, decay, -inf),
        _reals_above(length, decay, length - 1 - place)[::-1],
        _reals_above(length, decay, place),
    )


def _reals_above(length: int, decay: float, place: float) -> Array:
    """Returns each point's share of the real outputs from `place` on: cells, both tails, part of a cell."""
    half_cell = tanh(decay / 2) / 2
    weights = np.zeros(length)
    first = min(max(int(np.ceil(max(place, 0.0))), 0), length - 1)
    weights[first:-1] += half_cell
    weights[first + 1 :] += half_cell
    weights[-1] += exp(-decay * max(place - (length - 1), 0.0)) / 2
    weights[0] += -expm1(decay * min(place, 0.0)) / 2
    if place < first and first > 0:
        far, near = _part_of_cell(decay, (first - place) * decay)
        weights[first - 1] += float(far)
        weights[first] += float(near)
    return weights


def _part_of_cell(decay: float, reach: Array | float) -> tuple[Array, Array]:
    """Returns ∫ per unit of 2b over the part of a cell within `reach` (in units of b) of one knot.

    It is two factors: of the other knot's value, and of that knot's own.
    """
    width = -expm1(-2 * decay)
    reach = np.asarray(reach)
    grown = -np.expm1(-reach)
    far = np.exp(reach - decay) * grown**2 / width / 2
    near = grown * -np.expm1(-(2 * decay - reach)) / width / 2
    return far, near
