"""Privacy loss distributions on a grid, from above, and their compositions (Result 13.4).

A measure p of losses stands for δ(ε) = ∫ (1 − e^{ε−x})⁺ dp(x). More mass, mass moved upwards, and mass split between
two losses without a change of its mean of e^{−x} only raise δ, at every ε; and where δ is nowhere lower, it is nowhere
lower after a convolution. So every rounding here is one of these.

What one answer of a pipeline can do is a curve: δ at every ε, with the record or without it first.

An answer with Laplace noise of ε = 1 has δ(0) = 0.3935 and δ(1) = 0; two of them have δ(0) = 0.4482, δ(1) = 0.2418 and
δ(1.99) = 0.0025: less than what pure ε = 2 would allow.
"""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, expm1, frexp, ldexp, log1p
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.conversion.profile import PrivacyProfile, lower_hull
from dalenius.laws.law import Array

_FAINT: Final = 1e-22
"""Mass that is moved at either end for one composition."""

_Deltas = Callable[[Array], Array]
"""δ at values of ε of at least 0, from above."""
# Nats: losses beyond them count as infinite, those of an answer that is not pure.
_FARTHEST: Final = 500.0


@final
@dataclass(frozen=True, eq=False)
class LossMasses:
    """Masses (n,) of the losses (first, first + 1, ..)·2^exponent nats, and of an infinite loss.

    A bit that goes out as it is with probability 0.7310586 has the loss 1 as often, and −1 else; one, and two of them:

    >>> bit = LossMasses(0, -1, np.array([0.2689414, 0.0, 0.7310586]), 0.0)
    >>> bit.deltas(np.array([0.0, 1.0])).round(4).tolist(), bit.times(2).deltas(np.array([0.0, 1.0])).round(4).tolist()
    ([0.4621, 0.0], [0.4621, 0.3378])
    """

    exponent: int
    first: int
    masses: Array
    infinite: float

    @property
    def nats(self) -> Array:
        """The losses (n,): exact doubles."""
        return np.ldexp((self.first + np.arange(len(self.masses))).astype(np.float64), self.exponent)

    def with_(self, other: "LossMasses") -> "LossMasses":
        """The losses of both, adaptively composed."""
        exponent = max(self.exponent, other.exponent)
        one, two = self._coarsened_to(exponent), other._coarsened_to(exponent)
        found = np.convolve(one.masses, two.masses) * (1 + 4 * UNIT * (2 + min(len(one.masses), len(two.masses))))
        totals = _above(one.masses.sum(), one.masses), _above(two.masses.sum(), two.masses)
        infinite = one.infinite * (totals[1] + two.infinite) + two.infinite * totals[0]
        made = LossMasses(exponent, one.first + two.first, found, infinite * (1 + 8 * UNIT))._trimmed()
        # How many losses a composition has; more are put together, two by two.
        # Thousands of answers, as of a training that looks at samples: the grid grows coarser, and δ larger.
        while len(made.masses) > 8192:
            made = made._coarsened()
        return made

    def times(self, count: int) -> "LossMasses":
        """The losses of so many such answers, 1 or more, adaptively composed: by squaring, so that a training of 10⁴
        steps takes fewer than twenty convolutions."""
        found, square = None, self
        while True:
            if count & 1:
                found = square if found is None else found.with_(square)
            count >>= 1
            if not count:
                assert found is not None
                return found
            square = square.with_(square)

    def deltas(self, epsilons: Array) -> Array:
        """δ at these values of ε, from above."""
        nats, masses = self.nats, self.masses
        place = np.searchsorted(nats, epsilons, side="right")
        shift = nats[-1]
        above = np.append(np.cumsum(masses[::-1])[::-1], 0.0)[place]
        # Σ p e^{−x} over the losses above ε, as multiples of e^{−shift}, which is the least of them.
        folded = np.append(np.cumsum((masses * np.exp(np.minimum(shift - nats, 600.0)))[::-1])[::-1], 0.0)[place]
        rounding = UNIT * (16 + 2 * len(masses) + 4 * np.abs(nats).max() + 4 * np.abs(epsilons))
        with np.errstate(over="ignore", invalid="ignore"):
            spent = np.where(folded > 0, np.exp(np.minimum(epsilons - shift, 700.0)) * folded, 0.0)
        # Where a factor was capped, less is subtracted: δ is larger.
        found = np.maximum(above - spent, 0.0) + rounding * above + self.infinite
        return np.asarray(np.minimum(found * (1 + 8 * UNIT), 1.0))

    def _coarsened_to(self, exponent: int) -> "LossMasses":
        """On the grid of steps of 2^exponent nats, or on its own where that is coarser."""
        found = self
        while found.exponent < exponent:
            found = found._coarsened()
        return found

    def _coarsened(self) -> "LossMasses":
        """On every second loss: those between are split, and e^{−x} keeps its mean."""
        masses, first = self.masses, self.first
        if first % 2:
            masses, first = np.append(0.0, masses), first - 1
        # The last loss has no next one to be split with: an empty one is added.
        if len(masses) % 2 == 0:
            masses = np.append(masses, 0.0)
        step = ldexp(1.0, self.exponent)
        up, down = (1 + 4 * UNIT) / (1 + np.exp(-step)), (1 + 4 * UNIT) / (1 + np.exp(step))
        found, between = masses[::2].copy(), masses[1::2]
        found[1:] += up * between
        found[:-1] += down * between
        return LossMasses(self.exponent + 1, first // 2, found * (1 + 4 * UNIT), self.infinite)

    def _trimmed(self) -> "LossMasses":
        """Faint upper ends are infinite losses, faint lower ends the least loss that is kept."""
        below, above = np.cumsum(self.masses), np.cumsum(self.masses[::-1])[::-1]
        low = min(int(np.searchsorted(below, _FAINT)), len(below) - 1)
        high = max(int(np.count_nonzero(above > _FAINT)), low + 1)
        kept = self.masses[low:high].copy()
        kept[0] += below[low - 1] * (1 + 4 * UNIT * len(below)) if low else 0.0
        lost = above[high] * (1 + 4 * UNIT * len(below)) if high < len(above) else 0.0
        return LossMasses(self.exponent, self.first + low, kept, (self.infinite + lost) * (1 + 4 * UNIT))


def _above(total: float, terms: Array) -> float:
    """A sum of terms >= 0 from above: each addition may round down."""
    return float(total) * (1 + 2 * UNIT * len(terms))


def _dotted(forward: _Deltas, backward: _Deltas, exponent: int, low: int, high: int) -> LossMasses:
    """Losses (low..high)·2^exponent whose δ is that of a pair of laws or more; low < 0 < high.

    forward: the pair's δ, backward: with the two laws exchanged. Between two of these ε the chord in e^ε is above δ,
    which is convex in it ("connect the dots", Doroshenko et al. 2022).
    """
    places = np.arange(low, high + 1)
    nats = np.ldexp(places.astype(np.float64), exponent)
    folds = np.exp(nats)
    # Over 1 − e^ε, where ε is below 0: e^ε times the other δ.
    heights = np.append(folds[:-low] * backward(-nats[:-low]), forward(nats[-low:])) * (1 + 8 * UNIT * (1 + nats[-1]))
    heights[:-low] = np.minimum(heights[:-low], folds[:-low])
    # Where δ turns upwards, and at ε = 0: which places they are decides how near the chords are, and never whether they
    # are above. Below 0 heights stand over 1 − e^ε, a line.
    turned = lower_hull(folds[: 1 - low], heights[: 1 - low])
    kept = np.array([*turned, *(place - low for place in lower_hull(folds[-low:], heights[-low:])[1:])])
    nats, folds, heights = nats[kept], folds[kept], np.minimum(heights[kept], 1.0)
    turn = int(np.searchsorted(kept, -low))
    widths = folds[:-1] * np.expm1(np.diff(nats))
    slopes = np.diff(heights) / widths
    errors = 8 * UNIT * (heights[1:] + heights[:-1]) / widths * (1 + np.abs(nats[1:])) + 8 * UNIT * np.abs(slopes)
    first = heights[0] / folds[0]
    before, after = np.append(first, slopes), np.append(slopes, 0.0)
    doubt = np.append(8 * UNIT * first, errors) + np.append(errors, 0.0)
    bend = after - before
    bend[turn] += 1.0
    # A mass from above: its δ is that of all chords, or more.
    found = np.maximum(bend + doubt + 4 * UNIT * (np.arange(len(kept)) == turn), 0.0) * folds
    masses = np.zeros(len(places))
    masses[kept] = found * (1 + 8 * UNIT * (1 + np.abs(nats)))
    return LossMasses(exponent, low, masses, float(heights[-1]))


def profile_rows(directions: Sequence[LossMasses], rows: int, least: float) -> tuple[Array, Array]:
    """ε from 0 on and the largest δ of all directions, until that of finite losses is below `least`."""
    last = max(float(each.nats[-1]) for each in directions)
    grid = max(last, 1e-9) * np.linspace(0.0, 1.0, 8 * rows) ** 1.5
    finite = np.max([each.deltas(grid) - each.infinite * (1 + 16 * UNIT) for each in directions], axis=0)
    end = float(grid[min(int(np.count_nonzero(finite > least)), len(grid) - 1)])
    epsilons = max(end, 1e-9) * np.linspace(0.0, 1.0, rows) ** 1.5
    found = np.max([each.deltas(epsilons) for each in directions], axis=0)
    return epsilons, np.minimum.accumulate(found)


class AnswerCurve(abc.ABC):
    """δ(ε) of one answer between two neighbours, in both orders."""

    pure: float | None
    """The ε from which on δ is 0 in both orders, from above; None where there is none."""
    one: bool = True
    """Whether both orders have the same δ."""

    @abc.abstractmethod
    def deltas(self, epsilons: Array, removed: bool) -> Array:
        """From above at ε >= 0. removed: the law with the record over that without it; else the other way round."""

    def known(self) -> PrivacyProfile | None:
        """Its profile, where that is one by itself."""
        return None

    def losses(self, removed: bool, count: int) -> LossMasses:
        """On a grid that suits so many of these answers."""
        top = max(self._reach(True, count), self._reach(False, count))
        variation = float(self.deltas(np.zeros(1), removed)[0])
        # Steps so small that some 64 lie within one deviation, but never more than tens of thousands on the grid.
        wanted = max(2.5 * variation / 64.0, 2.2 * top / 32_000, 1e-7)
        exponent = frexp(wanted)[1] - 1
        low, high = (int(self._reach(way, count) / 2.0**exponent) + 2 for way in (not removed, removed))
        return _dotted(
            lambda at: self.deltas(at, removed), lambda at: self.deltas(at, not removed), exponent, -low, high
        )

    def _reach(self, removed: bool, count: int) -> float:
        """An ε beyond which δ is next to what it is of an infinite loss: that is no part of the grid."""
        if self.pure is not None:
            return self.pure
        ladder = _FARTHEST * np.linspace(0.0, 1.0, 4000)[1:] ** 2.5
        found = self.deltas(ladder, removed)
        # The δ beyond which one answer's losses count as infinite, over the number of answers.
        return float(ladder[min(int(np.count_nonzero(found - found[-1] > 1e-18 / count)), len(ladder) - 1)])


@final
@dataclass(frozen=True)
class KnownCurve(AnswerCurve):
    """A privacy profile, the same in both orders: of Gaussian noise, or of a guarantee whatever has it."""

    profile: PrivacyProfile

    @property
    def pure(self) -> float | None:  # type: ignore[override]
        return self.profile.pure

    def known(self) -> PrivacyProfile:
        return self.profile

    def deltas(self, epsilons: Array, removed: bool) -> Array:
        return self.profile.delta_at(epsilons)


@final
@dataclass(frozen=True)
class LaplaceCurve(AnswerCurve):
    """Laplace noise whose centres are c scales apart: δ(ε) = 1 − e^{(ε−c)/2} up to c."""

    distance: float

    @property
    def pure(self) -> float:  # type: ignore[override]
        return self.distance

    def deltas(self, epsilons: Array, removed: bool) -> Array:
        return np.asarray(-np.expm1(np.minimum(epsilons - self.distance, 0.0) / 2) * (1 + 8 * UNIT))


@final
@dataclass(frozen=True)
class DiscreteLaplaceCurve(AnswerCurve):
    """Geometric noise, mass ∝ e^{−a|z|}, of centres k integers apart.

    The law at centre k over that at 0 rises with z. Of the losses a(2z−k) between −ak and ak, those above ε have the
    probabilities below; δ is what they have under one law, less e^ε times what they have under the other.
    """

    noise: float
    sensitivity: int

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
class Sampled(AnswerCurve):
    """An answer about a sample in which each record is with probability q (Zhu, Dong and Wang 2022, Thm 11).

    With the record the law is (1−q)·Q + q·P, without it Q: forwards δ′(ε) = q δ(log(1 + (e^ε−1)/q)), and backwards
    δ′(ε) = (1 − (1−q)e^ε) δ(ε − log(1 − (1−q)e^ε) + log q).
    """

    inner: AnswerCurve
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
        """By the two formulas above, with ε rounded so that the inner δ is from above; 0 where no share is left."""
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
