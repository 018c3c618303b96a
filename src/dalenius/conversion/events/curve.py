"""What one answer of a pipeline can do: δ at every ε, with the record or without it first."""

import abc
from dataclasses import dataclass
from math import exp, expm1, frexp, log1p
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.conversion.events.losses import Losses, dotted
from dalenius.conversion.profile import PrivacyProfile
from dalenius.laws.law import Array

FAINTEST: Final = 1e-18
"""The δ beyond which one answer's losses count as infinite, over the number of answers."""
FINE: Final = 64.0
"""Losses within one deviation, roughly."""
MOST: Final = 32_000
"""Losses on the grid of one answer."""
FARTHEST: Final = 500.0


class Curve(abc.ABC):
    """δ(ε) of one answer between two neighbours, in both orders."""

    pure: float | None
    """The ε from which on δ is 0 in both orders, from above; None where there is none."""
    one: bool
    """Whether both orders have the same δ."""

    @abc.abstractmethod
    def deltas(self, epsilons: Array, removed: bool) -> Array:
        """From above at ε >= 0. removed: the law with the record over that without it; else the other way round."""

    def known(self) -> PrivacyProfile | None:
        """Its profile, where that is one by itself."""
        return None

    def losses(self, removed: bool, count: int) -> Losses:
        """On a grid that suits so many of these answers."""
        top = max(self._reach(True, count), self._reach(False, count))
        variation = float(self.deltas(np.zeros(1), removed)[0])
        wanted = max(2.5 * variation / FINE, 2.2 * top / MOST, 1e-7)
        exponent = frexp(wanted)[1] - 1
        low, high = (int(self._reach(way, count) / 2.0**exponent) + 2 for way in (not removed, removed))
        return dotted(
            lambda at: self.deltas(at, removed), lambda at: self.deltas(at, not removed), exponent, -low, high
        )

    def _reach(self, removed: bool, count: int) -> float:
        """An ε beyond which δ is next to what it is of an infinite loss: that is no part of the grid."""
        if self.pure is not None:
            return self.pure
        ladder = FARTHEST * np.linspace(0.0, 1.0, 4000)[1:] ** 2.5
        found = self.deltas(ladder, removed)
        return float(ladder[min(int(np.count_nonzero(found - found[-1] > FAINTEST / count)), len(ladder) - 1)])


@final
@dataclass(frozen=True)
class Known(Curve):
    """A privacy profile, the same in both orders."""

    profile: PrivacyProfile

    @property
    def pure(self) -> float | None:  # type: ignore[override]
        return self.profile.pure

    one = True

    def known(self) -> PrivacyProfile:
        return self.profile

    def deltas(self, epsilons: Array, removed: bool) -> Array:
        return self.profile.delta_at(epsilons)


@final
@dataclass(frozen=True)
class LaplaceCurve(Curve):
    """Laplace noise whose centres are c scales apart: δ(ε) = 1 − e^{(ε−c)/2} up to c."""

    apart: float
    one = True

    @property
    def pure(self) -> float:  # type: ignore[override]
        return self.apart

    def deltas(self, epsilons: Array, removed: bool) -> Array:
        return np.asarray(-np.expm1(np.minimum(epsilons - self.apart, 0.0) / 2) * (1 + 8 * UNIT))


@final
@dataclass(frozen=True)
class DiscreteLaplaceCurve(Curve):
    """Geometric noise, mass ∝ e^{−a|z|}, of centres k integers apart.

    The law at centre k over that at 0 rises with z. Of the losses a(2z−k) between −ak and ak, those above ε have the
    probabilities below; δ is what they have under one law, less e^ε times what they have under the other.
    """

    noise: float
    sensitivity: int
    one = True

    @property
    def pure(self) -> float:  # type: ignore[override]
        return self.noise * self.sensitivity * (1 + 4 * UNIT)

    def deltas(self, epsilons: Array, removed: bool) -> Array:
        a, k = self.noise, self.sensitivity
        # The least z whose loss is above ε; z may be one off where they are equal: its part of δ is 0.
        least = np.clip(np.floor((epsilons / a + k) / 2) + 1, 1, k)
        # Pr[noise >= z − k] and Pr[noise >= z], of 1/(1+e^{−a}) at 0 and e^{−az}/(1+e^{−a}) above.
        near = 1 - np.exp(-a * (k - least + 1)) / (1 + exp(-a))
        far = np.exp(-a * least) / (1 + exp(-a))
        parts = near - np.exp(np.minimum(epsilons, 700.0)) * far
        size = 1 + np.exp(np.minimum(epsilons - a * least, 700.0))
        found = np.maximum(parts, 0.0) + UNIT * (16 + 8 * a * k) * np.minimum(size, 4.0)
        return np.asarray(np.where(epsilons >= self.pure, 0.0, found))


@final
@dataclass(frozen=True)
class Sampled(Curve):
    """An answer about a sample in which each record is with probability q (Zhu, Dong and Wang 2022, Thm 11).

    With the record the law is (1−q)·Q + q·P, without it Q: forwards δ′(ε) = q δ(log(1 + (e^ε−1)/q)), and backwards
    δ′(ε) = (1 − (1−q)e^ε) δ(ε − log(1 − (1−q)e^ε) + log q).
    """

    inner: Curve
    probability: float
    one = False

    @property
    def pure(self) -> float | None:  # type: ignore[override]
        inner = self.inner.pure
        if inner is None:
            return None
        # Backwards the loss is at most −log(1−q+q e^{−ε}), which is less.
        return log1p(self.probability * expm1(inner)) * (1 + 16 * UNIT) if inner < 600 else inner

    def deltas(self, epsilons: Array, removed: bool) -> Array:
        q = self.probability
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            if removed:
                share = np.full(len(epsilons), q)
                at = np.log1p(np.expm1(np.minimum(epsilons, 700.0)) / q)
            else:
                # 1 − (1−q)e^ε is q − (1−q)(e^ε−1).
                share = q - (1 - q) * np.expm1(np.minimum(epsilons, 700.0)) * (1 - 8 * UNIT)
                at = epsilons + np.log(q / np.where(share > 0, share, 1.0))
            given = np.maximum(np.where(share > 0, at * (1 - 32 * UNIT) - 32 * UNIT, 0.0), 0.0)
        return np.asarray(np.where(share > 0, share * self.inner.deltas(given, removed) * (1 + 8 * UNIT), 0.0))
