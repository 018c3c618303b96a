"""Bounds of averages over outputs of all classes of a network's nodes at once, under exponential noise (Result 20.49).

All but next to nothing of the sum's law lies about its mean. So one product of the transform there with the noise says,
for every class, what the likelihoods are at the sums that count. An average is the sum over outputs of a convex,
homogeneous function of the likelihoods: between two sums it is at most what these two say.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, expm1, tanh
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.channel import RatioName, TailName
from dalenius.joints.network_window import NetworkWindows, TiltGroup
from dalenius.joints.sum_window import is_rare

Bools = NDArray[np.bool_]
_TOGETHER: Final = 1 << 19
"""Likelihoods that are there at once: 4 MB an array."""
_ROUNDED: Final = 1e-11
"""Relative error of sums over outputs, and of logs, beside that of the likelihoods."""
_KNOWN: Final = 1e-6
"""Largest relative doubt of a likelihood from which the leakage of an output is read."""


@final
@dataclass(frozen=True, eq=False)
class NodeAverages:
    """Likelihoods of all classes at the sums about the mean.

    Attributes:
        log_prior: Log-probabilities of the values, -inf where impossible (classes, k).
        waves: Real and imaginary parts of the transform given each value (classes, k, 2 · frequencies).
        kernel: What these add to the likelihood at each sum (2 · frequencies, outputs).
        off: How far each likelihood may be off (classes, k).
        outside: How much of all outputs' probability is not at these sums (classes, k).
        lost: That, and by how much all likelihoods together may be off (classes, k).
        weights: How often each output counts, those beyond the last sums with these (outputs,).
        rate: Nats by which the noise's log falls for each step, where outputs are real numbers; 0 on a lattice.
    """

    log_prior: Array
    waves: Array
    kernel: Array
    off: Array
    outside: Array
    lost: Array
    weights: Array
    rate: float

    @classmethod
    def of(cls, windows: NetworkWindows, rate: float, real: bool) -> "NodeAverages | None":
        """Reads the transform about the mean.

        Args:
            windows: The windows of the network's sum.
            rate: Nats by which the noise's log falls for each step of the sum.
            real: Whether outputs are real numbers; on a lattice otherwise.

        Returns:
            The likelihoods; None where the transform takes too much memory.
        """
        about = windows.about_mean()
        if about is None:
            return None
        group, outside = about
        at, loud = group.at[0], group.loud
        sums = np.arange(at.first, at.end)
        angles = 2 * np.pi / loud.points * (loud.places[:, None] * (sums - at.centre) % loud.points)
        circle = np.concatenate([np.cos(angles), np.sin(angles)])
        kernel = circle @ np.exp(-rate * np.abs(sums[:, None] - sums))
        weights = np.full(len(sums), tanh(rate / 2))
        weights[[0, -1]] += tanh(rate / 2) / expm1(rate)
        waves, off = _waves(windows, group)
        chance = np.exp(np.where(windows.possible, windows.log_prior, 0.0))
        # Because a mass that is off moves all outputs together by as much.
        beyond = exp(min(outside, 0.0)) / chance
        lost = off * (len(sums) + 2 / expm1(rate) + 2) + beyond
        gathered = 1 / tanh(rate / 2)
        log_prior = np.where(windows.possible, windows.log_prior, -np.inf)
        return cls(log_prior, waves, kernel, off * gathered, beyond, lost, weights, rate if real else 0.0)

    def leads(self, classes: IntArray, of: RatioName, epsilon: float) -> Array:
        """Bounds the δ of each of some `classes` from above (classes,): a probability.

        Args:
            classes: The classes, by number.
            of: The likelihoods that are compared, as in `Channel.least_delta`.
            epsilon: The ε, in nats.
        """
        found = np.zeros(len(classes))
        factor = exp(min(epsilon, 700.0))
        for some, likely in self._likelihoods(classes):
            own = classes[some]
            off, lost = self.off[own], self.lost[own]
            possible = self.log_prior[own] > -np.inf
            prior = np.exp(self.log_prior[own])
            mixed = np.einsum("ck,ckl->cl", prior, likely)
            for one in range(likely.shape[1]):
                others = [(mixed, (prior * off).sum(axis=1), (prior * lost).sum(axis=1), possible[:, one])]
                if of == "ratio":
                    others = [
                        (likely[:, other], off[:, other], lost[:, other], possible[:, one] & possible[:, other])
                        for other in range(likely.shape[1])
                        if other != one
                    ]
                for other, doubt, gone, shown in others:
                    if of == "lowered":
                        lead = other - factor * likely[:, one] + (doubt + factor * off[:, one])[:, None]
                        left = gone
                    else:
                        lead = likely[:, one] - factor * other + (off[:, one] + factor * doubt)[:, None]
                        left = lost[:, one]
                    value = np.where(shown, self._positive(lead) + left, 0.0)
                    found[some] = np.maximum(found[some], value)
        return np.minimum(found, 1.0)

    def gains(self, classes: IntArray, forms: Array) -> Array:
        """Bounds the sum over outputs of the largest of some linear forms of the likelihoods, and 0 (classes,).

        Args:
            classes: The classes, by number.
            forms: The coefficients of the forms, for each of these classes (classes, forms, k).
        """
        found = np.zeros(len(classes))
        sizes = np.abs(forms)
        doubt = np.einsum("cjk,ck->cj", sizes, self.off[classes]).max(axis=1)
        left = np.einsum("cjk,ck->cj", sizes, self.lost[classes]).max(axis=1)
        for some, likely in self._likelihoods(classes):
            values = np.einsum("cjk,ckl->cjl", forms[some], likely)
            lead = values.max(axis=1) + doubt[some, None]
            # Only one form changes its sign between two sums as it is known to.
            bound = self._positive(lead) if forms.shape[1] == 1 else np.maximum(lead, 0.0) @ self.weights
            found[some] = bound * (1 + _ROUNDED) + left[some]
        return found

    def quantiles(self, classes: IntArray, of: TailName, delta: float) -> Array:
        """Bounds the least leakage that outputs exceed with a probability of at most `delta`, in nats (classes,).

        Args:
            classes: The classes, by number.
            of: The leakage of one output, as in `Channel.tail`.
            delta: The probability.
        """
        found = np.zeros(len(classes))
        for some, losses, masses, left in self._tails(classes, of):
            order = np.argsort(-losses, axis=1, kind="stable")
            sums = np.cumsum(np.take_along_axis(masses, order, axis=1), axis=1) * (1 + _ROUNDED) + left[:, None]
            over = sums > delta
            place = np.where(over.any(axis=1), np.argmax(over, axis=1), losses.shape[1] - 1)
            picked = np.take_along_axis(losses, np.take_along_axis(order, place[:, None], axis=1), axis=1)[:, 0]
            found[some] = np.where(left > delta, np.inf, picked)
        return found

    def chances(self, classes: IntArray, of: TailName, level: float) -> Array:
        """Bounds the probability of outputs that leak more than `level`, in nats (classes,).

        Args:
            classes: The classes, by number.
            of: The leakage of one output, as in `Channel.tail`.
            level: The leakage, in nats.
        """
        found = np.zeros(len(classes))
        for some, losses, masses, left in self._tails(classes, of):
            found[some] = np.where(losses > level, masses, 0.0).sum(axis=1) * (1 + _ROUNDED) + left
        return np.minimum(found, 1.0)

    def _likelihoods(self, classes: IntArray) -> Iterator[tuple[slice, Array]]:
        """Yields the likelihoods of some of the classes (classes, k, outputs), with where these are."""
        size = max(1, _TOGETHER // (self.waves.shape[1] * self.kernel.shape[1]))
        for start in range(0, len(classes), size):
            some = slice(start, min(start + size, len(classes)))
            yield some, self.waves[classes[some]] @ self.kernel

    def _positive(self, lead: Array) -> Array:
        """The sum over outputs of a linear form where it is positive, no less than the truth (..).

        lead (.., outputs): the form at each sum.
        """
        found = np.maximum(lead, 0.0) @ self.weights
        if self.rate:
            # Between two sums a form is βe^{-u} - αe^{u}: so the part on its positive side is known (Result 3.4).
            first, last = lead[..., :-1], lead[..., 1:]
            where = np.nonzero((first > 0) != (last > 0))
            high, low = np.maximum(first[where], last[where]), np.minimum(first[where], last[where])
            shrunk = exp(-self.rate)
            faint = -np.minimum(low, 0.0) * shrunk
            roots = np.sqrt(high + faint) + np.sqrt(high * shrunk**2 + faint)
            part = high**2 / np.maximum(roots, 1e-300) ** 2 / 2 * (1 - shrunk**2)
            less = np.maximum(tanh(self.rate / 2) / 2 * high - part, 0.0)
            np.subtract.at(found, where[0], less)
        return np.asarray(found * (1 + _ROUNDED))

    def _tails(self, classes: IntArray, of: TailName) -> Iterator[tuple[slice, Array, Array, Array]]:
        """Yields, of some of the classes, upper bounds of the leakage and the probability of sets of outputs, and how
        much of the probability is in none of them (classes,)."""
        for some, likely in self._likelihoods(classes):
            own = classes[some]
            log_prior, off = self.log_prior[own], self.off[own]
            possible = log_prior > -np.inf
            prior = np.exp(log_prior)
            likely = np.maximum(likely, 1e-300)
            # Because mass that is not at these sums may lie anywhere.
            doubt = np.where(possible, off + self.outside[own], 0.0)[..., None] / likely
            mixed = np.einsum("ck,ckl->cl", prior, likely)
            with np.errstate(divide="ignore", invalid="ignore"):
                gains = np.where(possible[..., None], np.log(likely / mixed[:, None]), -np.inf)
            if of == "gain":
                losses = gains.max(axis=1)
            else:
                shares = np.where(possible[..., None], likely / mixed[:, None], 0.0)
                losses = np.einsum("ck,ckl,ckl->cl", prior, shares, np.where(possible[..., None], gains, 0.0))
            most = -np.min(np.where(possible, log_prior, 0.0), axis=1)[:, None]
            far = doubt.max(axis=1)
            # Because posteriors move by at most twice what likelihoods do, and their entropy by no more than logs.
            losses = losses * (1 + _ROUNDED) + 8 * far * (1 + most) + _ROUNDED
            losses = np.where(far < _KNOWN, np.minimum(losses, most * (1 + _ROUNDED)), most * (1 + _ROUNDED))
            left = (prior * self.lost[own]).sum(axis=1)
            yield some, *self._sets(np.maximum(losses, 0.0), mixed), left

    def _sets(self, losses: Array, mixed: Array) -> tuple[Array, Array]:
        """The outputs between two sums, which leak no more than the more of them, and those beyond the ends."""
        if not self.rate:
            return losses, mixed * self.weights
        cells = np.maximum(losses[:, :-1], losses[:, 1:])
        masses = tanh(self.rate / 2) / 2 * (mixed[:, :-1] + mixed[:, 1:])
        ends = mixed[:, [0, -1]] / 2
        return np.concatenate([cells, losses[:, [0, -1]]], axis=1), np.concatenate([masses, ends], axis=1)


def _waves(windows: NetworkWindows, group: TiltGroup) -> tuple[Array, Array]:
    """The transform given each value, in parts and weighed, and by how much a mass may be off (classes, k)."""
    loud, (at,) = group.loud, group.at
    shape = (*windows.possible.shape, 2 * len(loud.places))
    found, off = np.zeros(shape), np.zeros(shape[:2])
    phases = loud.weights * np.exp(-2j * np.pi / loud.points * (loud.places * at.centre % loud.points))
    for _, classes, waves in group.waves(None):
        k = waves.shape[1]
        logs, possible = group.logs[classes, 0, :k], windows.possible[classes, :k]
        # Because a value that is nearly impossible is not resolved, nothing is known of its likelihoods.
        rare = possible & is_rare(logs)
        scale = np.where(possible & ~rare, np.exp(-np.maximum(logs, -700.0)), 0.0)
        shown = (waves[:, :, 0] * scale[..., None]).astype(np.complex128) * phases
        found[classes, :k] = np.concatenate([shown.real, shown.imag], axis=-1)
        doubt = float(group.loud.missing[0]) * scale + 2 * windows.total.rounded * float(loud.weights.sum())
        doubt = doubt + np.abs(shown).sum(axis=-1) * (4 * len(loud.places) + 4 * loud.points + 64) * UNIT
        off[classes, :k] = np.where(possible, np.where(rare, 1.0, doubt), 0.0)
    return found, off
