"""What outputs tell of anybody, by enumeration: of sums of scores under Laplace, geometric or no noise."""

from dataclasses import dataclass
from math import exp
from typing import Literal, TypeAlias

import numpy as np

from dalenius.arrays import Array, IntArray

Name: TypeAlias = Literal["ratio", "raised", "divergence", "delta", "raised delta"]


@dataclass(frozen=True, eq=False)
class Seen:
    """values (assignments, people); scores (assignments,): whole numbers from 0 on; rate: nats by which a step of the
    answer changes likelihoods, ∞ without noise; real: whether outputs are real numbers; epsilon: where deltas
    are taken."""

    values: IntArray
    scores: IntArray
    rate: float
    real: bool
    epsilon: float

    def leaked(self, chance: Array, name: Name) -> Array:
        """The most of anybody (laws,), under chances (laws, assignments)."""
        found = np.zeros(len(chance))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            for own in self.values.T:
                laws = np.stack([self._law(chance, own == value) for value in np.unique(own)])
                found = np.fmax(found, self._of_person(laws, name))
        return found

    def _law(self, chance: Array, there: Array) -> Array:
        """(laws, answers): Pr[value and answer]."""
        answers = np.eye(int(self.scores.max()) + 1)[self.scores[there]]
        return np.asarray(chance[:, there] @ answers)

    def _of_person(self, laws: Array, name: Name) -> Array:
        prior = laws.sum(axis=-1)
        if name == "delta":
            given = laws / prior[..., None]
            pairs = [(a, b) for a in given for b in given if a is not b]
            return _most([self._stick(a, b) for a, b in pairs], prior[0])
        if name == "raised delta":
            whole = laws.sum(axis=0) / prior.sum(axis=0)[..., None]
            each = [self._stick(law / own[..., None], whole) for law, own in zip(laws, prior, strict=True)]
            return _most(each, prior[0])
        return _moved(prior / prior.sum(axis=0), self._logs(laws / prior.sum(axis=0)[..., None]), name)

    def _logs(self, laws: Array) -> Array:
        """(k, laws, outputs): of Pr[value and output], up to a factor of the output: at all answers, and beyond."""
        if self.rate == np.inf:
            return np.asarray(np.log(laws))
        answers = np.arange(laws.shape[-1])
        away = np.abs(answers[:, None] - answers)
        return np.asarray(np.logaddexp.reduce(np.log(laws)[..., None, :] - self.rate * away, axis=-1))

    def _stick(self, one: Array, other: Array) -> Array:
        """(laws,): how much of one law of outputs is above e^ε of the other; NaN where one of them is."""
        apart = one - exp(self.epsilon) * other
        if self.rate == np.inf:
            return np.asarray(_positive(apart).sum(axis=-1))
        fade, length = exp(-self.rate), apart.shape[-1]
        left, right = apart.copy(), apart.copy()
        for k in range(1, length):
            left[..., k] += fade * left[..., k - 1]
            right[..., length - 1 - k] += fade * right[..., length - k]
        if not self.real:
            inside = _positive(left + right - apart).sum(axis=-1)
            ends = (_positive(right[..., 0]) + _positive(left[..., -1])) * fade / (1 - fade)
            return np.asarray((inside + ends) * (1 - fade) / (1 + fade))
        ends = (_positive(right[..., 0]) + _positive(left[..., -1])) / 2
        return np.asarray(ends + _between(left[..., :-1], right[..., 1:], self.rate).sum(axis=-1))


def _most(each: list[Array], like: Array) -> Array:
    """Of those that are numbers, and 0."""
    return np.asarray(np.nanmax([*each, np.zeros_like(like)], axis=0))


def _positive(each: Array) -> Array:
    return np.asarray(np.where(np.isnan(each), np.nan, np.maximum(each, 0.0)))


def _between(a: Array, b: Array, rate: float) -> Array:
    """Of (r/2)(a e^{-ru} + b e^{-r(1-u)}) over u in [0, 1] what is above 0: it changes its sign at most once."""
    turn = np.clip(0.5 - np.log(np.abs(b / a)) / (2 * rate), 0.0, 1.0)
    fade = np.exp(-rate)
    first = (a * -np.expm1(-rate * turn) + b * (np.exp(-rate * (1 - turn)) - fade)) / 2
    last = (a * (np.exp(-rate * turn) - fade) + b * -np.expm1(-rate * (1 - turn))) / 2
    all_of_it = (a + b) * (1 - fade) / 2
    mixed = np.where(a > 0, first, last)
    found = np.where((a >= 0) & (b >= 0), all_of_it, np.where((a <= 0) & (b <= 0), 0.0, mixed))
    return np.asarray(np.where(np.isnan(a + b), np.nan, found))


def _moved(prior: Array, seen: Array, name: Name) -> Array:
    """prior (k, laws); seen (k, laws, outputs): logs of Pr[value and output]."""
    given = np.where(prior[..., None] > 0, seen - np.log(prior)[..., None], np.nan)
    if name == "ratio":
        most = np.nanmax(np.where(np.isnan(given), -np.inf, given), axis=0)
        least = np.nanmin(np.where(np.isnan(given), np.inf, given), axis=0)
        return np.asarray(np.where(np.isneginf(most), 0.0, most - least).max(axis=1))
    whole = np.logaddexp.reduce(seen, axis=0)
    moved = np.where(np.isneginf(whole), 0.0, given - whole)
    if name == "raised":
        return np.asarray(np.where(np.isnan(moved), 0.0, moved).max(axis=(0, 2)))
    posterior = np.exp(seen - whole)
    each = np.where(posterior > 0, posterior * moved, 0.0).sum(axis=0)
    return np.asarray(np.where(np.isneginf(whole) | np.isnan(each), 0.0, each).max(axis=1))
