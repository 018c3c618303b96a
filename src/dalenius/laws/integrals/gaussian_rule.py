"""Averages of a function of the posterior under Gaussian noise, by Gauss's rule with a rigorous error.

The mean of an output's gain, max_s log W(y|s)/W(y) (Theory §14), is found so too, one secret at a time.

A fair bit plus Gaussian noise of σ = 1: the output says 0.1114 nats about it, and its gain is 0.3092 in the mean.

>>> from dalenius.laws.integrals.convex_functionals import Information
>>> from dalenius.laws.law import Law
>>> bit, prior = np.array([[0.0, -inf], [-inf, 0.0]]), np.log([0.5, 0.5])
>>> line = GaussianLine(Law((0,), np.zeros(2), bit, error=0.0), step=1.0, scale=1.0)
>>> found = Information(prior).over_line(line), mean_gain(line, prior, 0.1114)
>>> [(round(each.lower, 6), round(each.upper, 6)) for each in found]
[(0.111421, 0.111421), (0.309218, 0.309218)]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, frexp, inf, ldexp, log, pi, sqrt
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.gaussian_likelihood_enclosures import GaussianLine
from dalenius.laws.integrals.gaussian_noise_likelihoods import LineReading, Normal
from dalenius.laws.integrals.upper_envelope import Envelope, contenders
from dalenius.laws.law import log_mix
from dalenius.special_functions import ndtr

_NODES: Final = 14
_ELLIPSE: Final = 3.73
"""ρ of Bernstein's ellipse: Gauss's rule errs by ρ^-28 of the largest value on it. A little below 2 + √3, at which it
reaches half a cell further on either side: the ends of the ellipses of neighbouring cells are the same few outputs."""
_HEIGHT: Final = (_ELLIPSE - 1 / _ELLIPSE) / 4
_FAINTEST: Final = 1e-25
"""Share of all mass in a cell below which it is passed over although the rule holds; also the mass of answers left out
at either end."""
_AWAY: Final = 11.0
"""Standard deviations past which less than 1e-27 of any law's mass lies."""

_Pointwise = Callable[[Array], Array]
Intervals = tuple[Array, Array]
"""Lower and upper ends of intervals, which may be infinite."""


@final
@dataclass(frozen=True)
class Integrand:
    """A convex and homogeneous function φ of the likelihoods, analytic where none of them vanishes.

    Args:
        log_prior: Log-probabilities of the secrets (secrets,).
        at: φ of likelihoods in logs.
        slack: How far φ moves when the logs do.
        per_mixture: φ is at most so many times the mixture over log_prior.
        most: An upper bound of ∫ φ.
        on_ellipse: A bound of |φ| on an ellipse, over e^{H²/2σ²}, from upper bounds of all W(x) for real x and, last,
            of the mixture's (secrets + 1, cells), and of |log W/mixture| (secrets, cells).
    """

    log_prior: Array
    at: _Pointwise
    slack: Callable[[Array, float | Array], Array]
    per_mixture: float
    most: float
    on_ellipse: Callable[[Array, Array], Array]


def ratio_integral(normal: Normal, integrand: Integrand, within: Intervals | None = None) -> Enclosure:
    """Encloses ∫ φ(W(y|·)) dy, over all outputs or those within disjoint intervals.

    Gauss's rule is used on cells in whose Bernstein ellipse no W vanishes. At x + iτ, W_s is e^{τ²/2σ²} W_s(x) in
    size times the characteristic function of v given x at τ/σ², which is within τ² Var_s(v|x)/2σ⁴ <= 1/2 of
    e^{iτm/σ²}, m being the mean.

    Args:
        normal: The law under the noise.
        integrand: The function φ of the likelihoods of one output.
        within: Disjoint intervals of outputs, in steps; None: all outputs.
    """
    rule = _Rule(normal.with_row(integrand.log_prior), integrand)
    first, last, beyond = _bulk(rule.mixed)
    away = _AWAY * normal.scale
    # Because nearly no cell of this width is cut, however wide the law is.
    left, right = _cells(first - away, last + away, normal.scale / 1.1, within)
    missing = float(np.sum(normal.masses[-1])) if normal.missing else 0.0
    total, error = 0.0, (4 * float(ndtr(-_AWAY)) + 2 * missing + beyond) * integrand.per_mixture
    for _ in range(40):
        if not len(left):
            return Enclosure(max(total - error, 0.0), total + error)
        done = rule.over(left, right)
        total, error = total + done.area, error + done.error
        left, right = left[done.left_over], right[done.left_over]
        middle = (left + right) / 2
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    # The case of cells that are left over after forty halvings: nothing is claimed.
    return Enclosure(0.0, integrand.most)


def _bulk(mixed: Normal) -> tuple[int, int, float]:
    """Returns the first and last answer of all of the mixture but a small mass, and a bound of that mass."""
    mass = mixed.masses[-1]
    below, above = np.cumsum(mass), np.cumsum(mass[::-1])[::-1]
    first, last = int(np.argmax(below > _FAINTEST)), len(mass) - 1 - int(np.argmax(above[::-1] > _FAINTEST))
    beyond = (below[first - 1] if first else 0.0) + (above[last + 1] if last < len(mass) - 1 else 0.0)
    return first, last, float(beyond) * (1 + 2 * len(mass) * UNIT)


def _cells(first: float, last: float, widest: float, within: Intervals | None) -> Intervals:
    """Returns cells of one width, except where an interval ends.

    The width has so few digits that the cells' ends are exact: then all cells are alike.
    """
    digits, exponent = frexp(widest)
    width = ldexp(floor(digits * 128), exponent - 7)
    nodes = np.arange(floor(first / width), ceil(last / width) + 1, dtype=np.float64) * np.float64(width)
    if within is None:
        return nodes[:-1], nodes[1:]
    low, high = (np.clip(each, first, last) for each in within)
    nodes = np.unique(np.concatenate([nodes, low, high]))
    left, right = nodes[:-1], nodes[1:]
    order = np.argsort(low, kind="stable")
    place = np.searchsorted(low[order], left, side="right") - 1
    inside = (place >= 0) & (right <= high[order][place])
    return left[inside], right[inside]


@final
@dataclass(frozen=True)
class _Done:
    """The integral over the cells where the rule's bound holds, its error, and which cells are left over."""

    area: float
    error: float
    left_over: np.ndarray


@final
class _Rule:
    """Gauss's rule on cells; mixed: the law, with the mixture of its secrets as the last row."""

    def __init__(self, mixed: Normal, integrand: Integrand) -> None:
        self.mixed, self.integrand = mixed, integrand
        self.nodes, self.weights = np.polynomial.legendre.leggauss(_NODES)
        self.factor = log(mixed.scale * sqrt(2 * pi))
        self.outermost = ldexp(1.0, frexp(mixed.length + 2 * _AWAY * mixed.scale)[1])

    def over(self, left: Array, right: Array) -> _Done:
        """Integrates over cells from `left` to `right` (cells,), in steps.

        Both ends of the ellipses and their middles are read first: they say which cells are left over, and which are
        empty.
        """
        width, scale = right - left, self.mixed.scale
        height = width * _HEIGHT
        points = np.stack([left - width / 2, (left + right) / 2, right + width / 2], axis=1)
        few, places = np.unique(points, return_inverse=True)
        ends = self.mixed.read(few).at(places.reshape(-1, 3))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            second = _second_moments(ends.mean, ends.variance, width[:, None], scale)
            good = np.max(second, axis=(0, 2)) * height**2 <= 1.0
            tallest = np.exp(np.max(ends.logs + ends.common, axis=2) - self.factor + width**2 / (8 * scale**2))
            idle = tallest[-1] * width * self.integrand.per_mixture
        holds = good & (idle >= _FAINTEST)
        # Because a cell may be passed over without the rule if it holds a negligible share of all mass.
        passed = np.where(good, idle < _FAINTEST, idle < 1e-17)
        error = float(np.sum(idle[passed]))
        if not np.any(holds):
            return _Done(0.0, error, ~good & ~passed)
        area, bound = self._areas(left[holds], width[holds], ends.at(holds), tallest[:, holds])
        return _Done(float(np.sum(area)), error + float(np.sum(bound)), ~good & ~passed)

    def _areas(self, left: Array, width: Array, ends: LineReading, tallest: Array) -> tuple[Array, Array]:
        """Returns Gauss's rule, and how far it is off at most."""
        around, height = 2 * width, width * _HEIGHT
        # So that sums with a cell's end are exact and cells alike: rounded as these sums would be.
        nodes = width[:, None] * (self.nodes + 1) / 2 + self.outermost - self.outermost
        inner = self.mixed.read(left[:, None] + nodes)
        # Because the rule is about nodes that are not rounded, where a log differs by its slope, (mean - y)/σ².
        off = np.spacing(self.outermost) * np.max(np.abs(inner.mean - inner.y), axis=0) / self.mixed.scale**2
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            largest = self._largest(tallest, ends, around, height)
            shared = np.exp(inner.common - self.factor) * self.weights * (width / 2)[:, None]
            plain = inner.logs[:-1]
            area = np.sum(self.integrand.at(plain) * shared, axis=1)
            off += inner.error + 1.1 * self.mixed.law.error
            moved = np.sum(self.integrand.slack(plain, off) * shared, axis=1)
        bound = 64 / 15 * _ELLIPSE ** (-2 * _NODES) / (1 - _ELLIPSE**-2) * largest * width / 2
        depth = np.maximum(np.max(np.abs(inner.common), axis=1), np.max(np.abs(ends.common), axis=1))
        return area, bound + moved + area * (1024 + 4 * (depth + abs(self.factor))) * UNIT

    def _largest(self, tallest: Array, ends: LineReading, around: Array, height: Array) -> Array:
        """Returns the integrand's largest size on the ellipse: W e^{H²/2σ²} times the log's real part and phase."""
        logs = ends.logs
        first, last = ends.mean[..., 0], ends.mean[..., -1]
        distance = np.maximum(np.abs(last[:-1] - first[-1]), np.abs(last[-1] - first[:-1])) / self.mixed.scale**2
        ratio = np.abs(logs[:-1] - logs[-1])
        ratio = np.maximum(ratio[..., 0], ratio[..., -1]) + (around + height) * distance + 1.5
        return self.integrand.on_ellipse(tallest, ratio) * np.exp(height**2 / (2 * self.mixed.scale**2))


def _second_moments(mean: Array, variance: Array, width: Array, scale: float) -> Array:
    """Bounds E[(v-v0)²|x]/σ⁴ between neighbouring points of cells, `width` apart.

    v0 is amid the means there, so that it bounds the variance. It is a sum of exponentials, convex and so below its
    chord, over another whose log is convex, so that it falls from either end at most as fast as there. At a part t of
    the way that is at most the larger end's value times (1-t) e^{at} + t e^{a(1-t)}, a = reach · width/σ²: e^{a/2}
    for a <= 2, where this is concave in t, else e^a.
    """
    reach = np.maximum(np.diff(mean, axis=2), 0.0) / 2
    steep = width * reach / scale**2
    most = np.maximum(variance[..., :-1], variance[..., 1:]) + reach**2
    return np.asarray(most / scale**4 * np.exp(np.where(steep <= 2, steep / 2, steep)))


def mean_gain(line: GaussianLine, log_prior: Array, least: float) -> Enclosure | None:
    """Encloses ∫ W(y) max_s log W(y|s)/W(y) dy. None where the law leaves mass unresolved.

    The line is cut into intervals on each of which one secret is ahead, up to an excess that is bounded, and there
    the integrand is analytic. Where it is not integrated it lies between 0 and the rarest secret's -log π times W.

    Args:
        line: The outputs of the noise.
        log_prior: Log-probabilities of the secrets (secrets,).
        least: A lower bound of the integral, in nats.
    """
    normal = line.normal
    # Because mass that no tilt resolved may be of any secret: its largest ratio is anybody's guess.
    if normal.missing:
        return None
    # Because a mean below 1e-13 nats is not resolved further, this part of it may stay undecided.
    sharp = 1e-9 * max(least, 1e-13)
    kept = contenders(normal, [0.0] * len(log_prior), sharp)
    parts, excess = _parts(line, kept, sharp)
    lower, upper = 0.0, 1.01 * (excess + (sharp if len(kept) < len(log_prior) else 0.0))
    for secret, where in parts:
        area = ratio_integral(normal, _Ahead(log_prior, secret).integrand, where)
        lower, upper = lower + area.lower, upper + area.upper
    return Enclosure(max(lower, 0.0), upper)


def _parts(line: GaussianLine, kept: Sequence[int], sharp: float) -> tuple[list[tuple[int, Intervals | None]], float]:
    """Returns the intervals on which each secret is ahead of the others, and the excess of the largest over it."""
    # The case of one secret ahead at every exact answer, up to rounding: all hardly differ.
    if len(kept) == 1:
        return [(kept[0], None)], 0.0
    doubt = line.normal.law.error + 2 * line.reading.error
    envelope = Envelope(line.normal, kept, [0.0] * len(kept), doubt, fair=sharp, in_nats=True)
    found = envelope.partition(line.reading)
    wins = [(secret, found.winner == place) for place, secret in enumerate(kept)]
    return [(secret, (found.low[won], found.high[won])) for secret, won in wins if won.any()], found.excess


@final
class _Ahead:
    """The integrand W log W_s/W of one secret s."""

    def __init__(self, log_prior: Array, secret: int) -> None:
        self.log_prior, self.secret = log_prior, secret

    @property
    def integrand(self) -> Integrand:
        rarest = float(np.max(-self.log_prior)) * (1 + 4 * UNIT)
        return Integrand(self.log_prior, self.at, self.slack, rarest, inf, self._on_ellipse)

    def at(self, logs: Array) -> Array:
        mixed = log_mix(self.log_prior, logs)
        return np.asarray(np.exp(mixed) * (logs[self.secret] - mixed))

    def slack(self, logs: Array, error: float | Array) -> Array:
        """Bounds how far it moves with `logs` off by `error` nats: the ratio's log by twice that, W by e^error."""
        mixed = log_mix(self.log_prior, logs)
        deep = np.max(np.abs(logs), axis=0)
        off = error + (2 * len(logs) + 16 + 8 * deep) * UNIT
        moved = 2 * off + np.expm1(np.minimum(off, 1.0)) * np.abs(logs[self.secret] - mixed)
        return np.asarray(np.exp(mixed + np.minimum(error, 1.0)) * moved)

    def _on_ellipse(self, tallest: Array, ratio: Array) -> Array:
        return np.asarray(tallest[-1] * ratio[self.secret])
