"""Bounds, from above, on what any pipeline leaks of records in a row, however many (Result 13.5).

Let h(λ) = max over b of H(b) − λb stand for an upper trade-off function H; here λ = e^ε, ε on a grid, and h is from
above. One after the other, H∘G, is the least over μ of h(μ) + μ g(λ/μ). If a record's law goes from P(t, ·) to P(t′, ·)
depending on a neighbour, and H(x, y) bounds what its values x, y can do, the neighbour's are bound by

    g(λ) = Σ a⁺(x) a⁻(y)/A⁻ · h(x, y)(A⁻/A⁺),    a = P(t, ·) − λP(t′, ·), A± = Σ a±.

Take days that are as the day before with chance 0.7, and a pipeline of ε = 1. A single day leaks 1 nat, one of two days
1.374, of three 1.748, of five 1.972 and of a thousand 2.052: days far away add next to nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import permutations
from typing import Final, final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.large.message_bounds import ranges
from dalenius.conversion.limits import MOST_MESSAGES
from dalenius.conversion.profile import PrivacyProfile
from dalenius.joints.clique_laws import Path

# Relatively, what a few operations on doubles may have lost: bounds are raised by it.
UP: Final = 1 + 8 * UNIT


@final
@dataclass(frozen=True, eq=False)
class RowBound:
    """The bound that a profile gives about the records of a row, on a grid of ε.

    Attributes:
        epsilons: The grid, in nats (points,).
        own: δ of changing the record itself (points,).
        left: δ of what stands on the left, by its number of records, the last for any more (m, k, k, points).
        right: δ of what stands on the right, likewise.
        places: A place of each kind, and its sides (c, 3).
    """

    epsilons: Array
    own: Array
    left: Array
    right: Array
    places: IntArray

    @cached_property
    def profiles(self) -> Array:
        """The profiles by kind of place and pair of values (c, k, k, points)."""
        k = self.left.shape[1]
        found = np.zeros((len(self.places), k, k, len(self.epsilons)))
        for place, (_, left, right) in enumerate(self.places.tolist()):
            for one, other in permutations(range(k), 2):
                inner = after(self.own, self.left[left, one, other], self.epsilons)
                found[place, one, other] = after(inner, self.right[right, one, other], self.epsilons)
        return found

    def deltas(self, fold: float, kinds: IntArray | None = None) -> Array:
        """Returns δ′ at e^ε′ = fold (c, k, k), for these kinds of place."""
        return deltas_at(self.profiles if kinds is None else self.profiles[kinds], fold, self.epsilons)


def deltas_at(profiles: Array, fold: float, epsilons: Array) -> Array:
    """Returns δ′ of profiles (.., points) on the grid `epsilons` (nats) at e^ε′ = fold, at most 1."""
    shape, flat = profiles.shape[:-1], profiles.reshape(-1, len(epsilons))
    at = np.array([fold * (1 - 8 * UNIT)])
    return np.minimum([_read(each, at, epsilons)[0] for each in flat], 1.0).reshape(shape)


def grid_of_nats(reach: float, half: int = 240) -> Array:
    """Returns ε in nats (2·half + 1,), evenly from −reach to reach: so many points on either side of 0.

    >>> grid_of_nats(1.0, 2).tolist()
    [-1.0, -0.5, 0.0, 0.5, 1.0]
    """
    return np.asarray(reach * np.arange(-half, half + 1) / half)


def one_change(profile: PrivacyProfile, steps: int, epsilons: Array) -> Array:
    """Returns δ, on the grid `epsilons` (nats), of changing a record, which is 1 or 2 `steps` of the `profile`."""
    # Because another value is two steps with add_remove: out, and in again.
    once = np.minimum(profile.delta_at(epsilons) * UP, 1.0)
    return once if steps == 1 else after(once, once, epsilons)


def after(one: Array, other: Array, epsilons: Array) -> Array:
    """Returns one∘other, each (.., points) on the grid `epsilons`: the best of all μ on it."""
    points, half = len(epsilons), len(epsilons) // 2
    # Off the grid a value is at most the last beyond it, and 1 below it.
    known = np.concatenate([np.ones(points), other, np.full(points, other[-1])])
    inner = sliding_window_view(known[half + 1 : half + 2 * points][::-1], points)[::-1]
    found = inner * (np.exp(epsilons) * UP)
    found += one
    return np.asarray(np.minimum(np.minimum.accumulate(found.min(axis=1) * UP), 1.0))


def _read(values: Array, folds: Array, epsilons: Array) -> Array:
    """Returns the values at any λ: on the chords, and 1 at λ = 0."""
    known = np.exp(epsilons)
    return np.asarray(np.interp(folds, np.append(0.0, known), np.append(1.0, values)) * (1 + 64 * UNIT))


def _message(kernel: Array, error: float, beyond: Array, epsilons: Array) -> Array:
    """Returns the neighbour's message (k, k, points), from those of the record's own values."""
    found = np.tile(np.maximum(1 - np.exp(epsilons), 0.0), (len(kernel), len(kernel), 1))
    for one, other in permutations(range(len(kernel)), 2):
        found[one, other] = _pair_message(kernel[one], kernel[other], error, beyond, epsilons)
    return found


def _pair_message(gain: Array, cost: Array, error: float, beyond: Array, epsilons: Array) -> Array:
    """Returns the message of one pair of the neighbour's values (points,), given each the record has a law (k,)."""
    k, folds = len(gain), np.exp(epsilons)
    rounding = (error + 8 * UNIT) * (gain[:, None] + folds * cost[:, None])
    weights = gain[:, None] - folds * cost[:, None] + rounding
    above, below = np.maximum(weights, 0.0), np.maximum(-weights, 0.0)
    more, less = above.sum(axis=0), below.sum(axis=0)
    both = (more > 0) & (less > 0)
    at = np.where(both, less, 0.0) / np.where(both, more, 1.0) * (1 - 32 * UNIT)
    total = np.zeros(len(folds))
    for x, y in permutations(range(k), 2):
        share = above[x] * below[y] / np.where(both, less, 1.0)
        total += share * _read(beyond[x, y], at, epsilons)
    value = np.where(both, total * (1 + 64 * k * UNIT), np.where(more > 0, more * UP, 0.0))
    return np.asarray(np.minimum(np.minimum.accumulate(np.minimum(value, 1.0)), 1.0))


def bound_of_row(path: Path, profile: PrivacyProfile, steps: int, reach: float) -> RowBound:
    """Returns the bound of a row.

    Args:
        path: The law of the row.
        profile: The pipeline's privacy profile.
        steps: How many neighbours further a record with another value is.
        reach: The largest ε of the grid, in nats.
    """
    epsilons = grid_of_nats(reach)
    own = one_change(profile, steps, epsilons)
    left = _side(path.backward, path.before, path.error, own, epsilons)
    right = _side(path.forward, path.onward[::-1], path.error, own, epsilons)
    return RowBound(epsilons, own, left, right, _kinds_of_place(len(path.chances), len(left) - 1, len(right) - 1))


def _kinds_of_place(people: int, left: int, right: int) -> IntArray:
    """Returns a place for every pair of sides, where sides of `left`, `right` and more records are all the same."""
    # A short row has a kind for each of its places; among 10⁵ days only those near an end differ.
    ends = (
        np.arange(people)
        if people <= left + right + 2
        else np.append(np.arange(left + 1), np.arange(people - right - 1, people))
    )
    sides = np.stack([ends, np.minimum(ends, left), np.minimum(people - 1 - ends, right)], axis=1)
    _, first = np.unique(sides[:, 1:], axis=0, return_index=True)
    return np.asarray(sides[np.sort(first)])


def _side(kernels: Array, which: IntArray, error: float, own: Array, epsilons: Array) -> Array:
    """Returns the messages of 0, 1, .. records; which: the kernel that leads to the last of them, the end's first."""
    k, folds = kernels.shape[-1], np.exp(epsilons)
    # The message where nothing that depends on a record is looked at.
    here = np.tile(np.maximum(1 - folds, 0.0), (k, k, 1))
    # From this step on the kernel is always the same: 0 where it never changes.
    found, last = [here], int(np.append(-1, np.flatnonzero(np.diff(which)))[-1]) + 1

    def after_one(kernel: int, before: Array) -> Array:
        beyond = np.zeros(before.shape)
        for one, other in permutations(range(len(before)), 2):
            beyond[one, other] = after(own, before[one, other], epsilons)
        return _message(kernels[kernel], error, beyond, epsilons)

    for number, kernel in enumerate(which.tolist()):
        found.append(after_one(kernel, found[-1]))
        # Because all steps are alike from the last change of kernel on, a stationary chain of 10⁵ days ends here, long
        # before its own end.
        if number >= last and number % 4 == 3:
            end = _settled(found[-2], found[-1], partial(after_one, kernel))
            if end is not None:
                return np.array([*found[:-1], end])
        # Because the far ends of a chain that hardly ever changes still say something: a side that has not settled
        # after
        # so many messages counts as whatever it may be, and a bound of 1 is never wrong.
        if len(found) > MOST_MESSAGES:
            return np.array([*found, np.ones_like(here)])
    return np.array(found)


def _settled(before: Array, here: Array, step: Callable[[Array], Array]) -> Array | None:
    """Returns a message that one more record does not raise, and so no number of them; None where none is found."""
    # A settled message stands so much above the last one, relatively, that roundings do not keep it from settling; and
    # a δ this small counts as nothing where two messages are compared.
    close, tiny = 1e-7, 1e-9
    # Because a message whose rises shrink with each record ends a few of them above the last, more for slow chains.
    for more in (1.0, 4.0, 16.0):
        end = np.minimum((here + more * np.maximum(here - before, 0.0)) * (1 + close) + close * tiny, 1.0)
        # So that a settled message is at most this much above the last one, relatively.
        if (end > here * (1 + 1e-3) + tiny).any():
            return None
        if (step(end) <= end).all():
            return end
    return None


def pure_nats_of_row(path: Path, nats: float) -> Array:
    """Returns the most nats that ε-privacy leaks about a place's pairs of values (n, k, k).

    It is what others can say at a rate of as many nats, about values that are all one apart (Result 20.23).

    Args:
        path: The law of the row.
        nats: What changing a record is worth.
    """
    n, k = path.chances.shape
    own = (nats + 2 * path.error) * (1 - np.eye(k))
    log_ratios = np.broadcast_to(own, (n - 1, k, k))
    left, right = (
        ranges(path.backward, path.before, log_ratios),
        ranges(path.forward, path.onward[::-1], log_ratios)[::-1],
    )
    return np.asarray(np.minimum(left + right + own + 4 * path.error, n * nats) * UP)
