"""Convex, positively homogeneous functions of the likelihood vector W(y|·), to be summed over all outputs.

Mutual information and hockey-stick divergences are such sums: ∫ φ(W(y|·)) dy, φ convex and φ(cw) = cφ(w). Hence φ of
a sum is at most the sum of φ: merging outputs gives a lower bound, splitting them along segments an upper one.

A bit that is reported as it is with probability 3/4: at a report of 0 the hockey stick of ε = log 2 is 3/4 - 2 · 1/4.

>>> report = np.log([[0.75], [0.25]])
>>> round(float(HockeyStick(0, 1, math.log(2)).at(report)[0]), 6), HockeyStick(0, 1, math.log(3.1)).at(report).tolist()
(0.25, [0.0])
>>> round(2 * float(Information(np.log([0.5, 0.5])).at(report)[0]), 6)  # both reports: log 2 less h(1/4), in nats
0.130812
"""

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.crossed_boxes import Split, two_ahead
from dalenius.laws.integrals.gaussian_likelihood_enclosures import GaussianLine
from dalenius.laws.integrals.gaussian_rule import Integrand, ratio_integral
from dalenius.laws.integrals.laplace_cells import HEIGHT, between as between, gauss, largest_over_cell, over_pieces
from dalenius.laws.integrals.upper_envelope import largest_integral, lead_integral

_SERIES = [(k - 1) / math.factorial(k) for k in range(2, 12)]
_FAR = 300.0
"""Nats: a ratio beyond e^FAR, or of a secret rarer than e^-FAR, is taken together with the secret's probability."""
_MOST_LEAD = 650.0
"""Nats: beyond it e^epsilon times a density may overflow; the value at it bounds all larger epsilon from above."""
NARROW: Final = 1e-8
"""Relative width at which the bounds of a sum over outputs on several axes are near enough."""
_FAR_OFF: Final = 0.01
"""Width of bounds over their distance from a number they are only compared with: a search sees two digits of it."""


class Functional(abc.ABC):
    """A function φ of the likelihoods, evaluated pointwise on logs relative to a common scale."""

    @abc.abstractmethod
    def at(self, logs: Array) -> Array:
        """Returns φ(exp(logs)) for `logs` (secrets, ...), non-negative up to an additive part that integrates to 0."""

    def at_with_slack(self, logs: Array, error: float) -> tuple[Array, Array]:
        """Returns `at` of `logs` and `slack` for an `error` in nats at once, where that is less work."""
        return self.at(logs), self.slack(logs, error)

    @abc.abstractmethod
    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        """Returns ∫ φ between two neighbouring knots, per unit of 2b, with a bound on its error, (cells,) each.
        Inside a cell every W is the combination of e^{±y/b} that its values at the knots, `left` and `right`
        (secrets, cells) in logs, determine; `decay` is the cell's width over b."""

    @abc.abstractmethod
    def over_line(self, line: GaussianLine) -> Enclosure:
        """Encloses ∫ φ over all outputs of Gaussian noise, the `line`."""

    def largest_near(self, corners: Array, height: float = HEIGHT) -> Array | None:
        """Bounds |φ| where one coordinate is on the ellipse of that `height` over b, the others in a box, from log W at
        its `corners` (secrets, corners, boxes); None where φ is not analytic."""
        return None

    @property
    def heights(self) -> Sequence[float]:
        """The heights of ellipses, over b and at most HEIGHT. Each box takes the best."""
        return (HEIGHT,)

    def split(self, corners: Array) -> Split | None:
        """Returns φ where it is the larger of two, from log W at `corners` (secrets, corners, boxes); None if never."""
        return None

    @property
    @abc.abstractmethod
    def most(self) -> float:
        """An upper bound of the sum over all outputs."""

    @abc.abstractmethod
    def slack(self, logs: Array, error: float) -> Array:
        """Bounds how far φ may move when every entry of `logs` moves by at most `error` nats."""

    def settles(self, lower: float, upper: float) -> bool:
        """Says whether bounds `lower` and `upper` of the sum over all outputs are near enough: to a relative NARROW."""
        return _near(lower, upper)

    def without(self, lost: Array) -> tuple[float, float]:
        """Bounds how far the sum may be below, and above, that of likelihoods without at most `lost` (secrets,) of each
        secret's probability; rounded up (Result 20.13). By default nothing is known: 0 and infinity enclose it."""
        return math.inf, math.inf


def _near(lower: float, upper: float) -> bool:
    return upper - lower <= NARROW * upper


@final
class Information(Functional):
    """The mutual information sum_s π_s w_s log(w_s / w̄), as w̄ · sum_s π_s (r log r - r + 1), r = w_s / w̄."""

    def __init__(self, log_prior: Array) -> None:
        self.log_prior = log_prior

    def at(self, logs: Array) -> Array:
        log_ratio, mixture = self._ratios(logs)
        return mean_excess(self.log_prior, log_ratio)[0] * mixture

    @property
    def most(self) -> float:
        """The entropy of the secret, from above. That of a secret which is all but certain depends on the rest of its
        probability: the logarithm of a number next to 1 has few digits."""
        # The case of a disease of one in a billion: the entropy is nearly all in the rare value, not in 1 - 1e-9.
        likeliest = int(np.argmax(self.log_prior))
        others = np.delete(self.log_prior, likeliest)
        rest = min(float(np.sum(np.exp(others))), 1.0)
        own = -math.log1p(-rest) if rest < 0.5 else float(-self.log_prior[likeliest])
        found = float(-np.sum(np.exp(others) * others)) + math.exp(self.log_prior[likeliest]) * own
        return found * (1 + 16 * UNIT * (len(others) + 2 - float(np.min(self.log_prior))))

    def slack(self, logs: Array, error: float | Array) -> Array:
        return self.at_with_slack(logs, error)[1]

    def at_with_slack(self, logs: Array, error: float | Array) -> tuple[Array, Array]:
        # Because d(r log r - r + 1) = r log r · d(log r), log r moves by at most 2·error and the scale w̄ by error.
        # The case of a channel matrix with hundreds of inputs and more.
        if len(logs) >= 64:
            return self._of_many(logs, error)
        log_ratio, mixture = self._ratios(logs)
        over, size = mean_excess(self.log_prior, log_ratio)
        # Because the ratios' own mean is 1.
        moved = 2 * size + over + 9 * error
        return over * mixture, 1.01 * error * moved * mixture

    def _of_many(self, logs: Array, error: float | Array) -> tuple[Array, Array]:
        """Returns the value and slack as sum_s π_s r log r, whose terms cancel: the cost is counted. Among so many
        secrets some ratio is far from 1, and it takes a third of the time."""
        top = np.max(logs, axis=0)
        top = np.where(top > -np.inf, top, 0.0)
        above = logs - top
        weights = np.exp(above)
        mixed = self._mean(weights)
        there = np.where(mixed > 0, mixed, 1.0)
        above -= np.log(there)
        with np.errstate(invalid="ignore"):
            product = weights * above
        product[weights == 0] = 0.0
        over = np.maximum(self._mean(product), 0.0) / there
        size = self._mean(np.abs(product, out=product)) / there
        rounded = (2 * len(logs) + 64) * UNIT * (size + 1)
        scale = mixed * np.exp(top)
        return over * scale, (1.01 * error * (2 * size + over + 9 * error) + rounded) * scale

    def without(self, lost: Array) -> tuple[float, float]:
        """Bounds the effect of `lost`: being left out has an entropy of at most h(d), and says log 1/π_s."""
        left = float(np.exp(self.log_prior) @ lost)
        unsure = left * (1 - math.log(left)) if 0 < left < 1 else left
        return 2 * unsure, 2 * float(np.exp(self.log_prior) @ (lost * -self.log_prior))

    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        return over_pieces(left, right, decay, self.at, self._gauss)

    def over_line(self, line: GaussianLine) -> Enclosure:
        rarest = float(np.max(-self.log_prior))
        return ratio_integral(
            line.normal, Integrand(self.log_prior, self.at, self.slack, rarest, self.most, self._on_ellipse)
        )

    def _on_ellipse(self, tallest: Array, ratio: Array) -> Array:
        return np.asarray(np.tensordot(np.exp(self.log_prior), tallest[:-1] * ratio, axes=1))

    def _gauss(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        """Integrates a piece, decay <= 1. On the ellipse |W_s| <= e^{1.2} max(left, right), and the logarithms of
        ratios, of which those at the ends are known, are at most |log r| + 2.4 + log sec 1.2 + 2.4."""
        return gauss(left, right, decay, self._rounded, self.largest_near(np.stack([left, right], axis=1)))

    def largest_near(self, corners: Array, height: float = HEIGHT) -> Array:
        """Bounds |φ| within `height` of boxes: all W are at most the largest of `corners` (secrets, corners, boxes)."""
        highest = np.max(corners, axis=1)
        log_ratio, mixture = self._ratios(highest)
        with np.errstate(invalid="ignore"):
            fall = np.max(np.where(highest > -np.inf, highest - np.min(corners, axis=1), 0.0), axis=0)
        spread = fall + np.max(np.where(np.isfinite(log_ratio), np.abs(log_ratio), 0), 0)
        return np.asarray(math.exp(height) * mixture * (spread + 4 * height + 1.1))

    def _rounded(self, logs: Array) -> tuple[Array, Array]:
        value = self.at(logs)
        return value, 64 * UNIT * value

    def _mean(self, values: Array) -> Array:
        mean: Array = np.tensordot(np.exp(self.log_prior), values, axes=1)
        return mean

    def _ratios(self, logs: Array) -> tuple[Array, Array]:
        """Returns the log of each w over the mixture, and the mixture."""
        top = np.max(logs, axis=0)
        top = np.where(top > -np.inf, top, 0.0)
        above = logs - top
        mixed = self._mean(np.exp(above))
        with np.errstate(divide="ignore"):
            above -= np.where(mixed > 0, np.log(mixed), 0.0)
        return above, mixed * np.exp(top)


@final
@dataclass(frozen=True)
class Threshold:
    """Numbers that a sum is compared with, so that it need not be known closely where it is far from them.

    least: a larger sum is known, so that any sum of at most this may stay as it is. bound: the caller asks whether
    the sum is above it, and roughly how far it is from it; None where the caller asks for the sum itself.

    >>> compared = Threshold(least=0.1, bound=0.5)
    >>> compared.settles(0.0, 0.05), compared.settles(0.4, 0.41), compared.settles(0.4, 0.4001)
    (True, False, True)
    """

    least: float = 0.0
    bound: float | None = None

    def settles(self, lower: float, upper: float) -> bool:
        """Says whether `lower` and `upper` bounds of the sum are near enough."""
        if upper <= self.least:
            return True
        distance = 0.0 if self.bound is None else max(lower - self.bound, self.bound - upper)
        return upper - lower <= _FAR_OFF * distance


@final
class HockeyStick(Functional):
    """The functional max(w_s - e^ε w_t, 0) for one ordered pair of secrets."""

    def __init__(self, secret: int, against: int, epsilon: float, compared: Threshold | None = None) -> None:
        """Takes ε in nats; compared: the numbers its sum is compared with, None where the sum itself is wanted."""
        self.secret, self.against, self.epsilon = secret, against, epsilon
        self._compared = compared

    def at(self, logs: Array) -> Array:
        return np.maximum(self.difference(logs), 0.0)

    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        """Integrates in closed form (Result 3.4) by the sign change; `left`, `right`, `decay` as in `Functional`."""
        # Because w_s - e^ε w_t = βe^{-u} - αe^{u} on a cell: one sign change at most, and the area on the positive side
        # is (√β - √α)² = f0² / (√β + √α)². e^ε may be no double: the negative end is taken by its log, with e^{-decay}.
        first, last = self.difference(left), self.difference(right)
        all_of_cell = np.tanh(decay / 2) / 2 * (first + last)
        high, low = np.maximum(first, last), np.minimum(first, last)
        shrunk = math.exp(-decay)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            faint = np.exp(self._depth(np.where(first < last, left, right)) - decay)
            roots = np.sqrt(high + faint) + np.sqrt(high * shrunk**2 + faint)
            part = high**2 / roots**2 / 2 * (1 - shrunk**2)
        area = np.where(low >= 0, all_of_cell, np.where(high > 0, part, 0.0))
        return area, (64 + 4 * (self.epsilon + decay)) * UNIT * area

    def split(self, corners: Array) -> Split:
        return Split.of(self.difference(corners))

    def settles(self, lower: float, upper: float) -> bool:
        return _near(lower, upper) or (self._compared is not None and self._compared.settles(lower, upper))

    def without(self, lost: Array) -> tuple[float, float]:
        """Bounds the effect of `lost` (secrets,): P's part outside leads by at most itself, Q's counts e^ε times."""
        less = math.exp(min(self.epsilon, _MOST_LEAD)) * lost[self.against]
        return 2 * float(less), float(lost[self.secret])

    def over_line(self, line: GaussianLine) -> Enclosure:
        """Integrates over `line` in closed form between crossings; past MOST_LEAD e^ε overflows: from above only."""
        used = min(self.epsilon, _MOST_LEAD)
        found = lead_integral(line.normal, line.reading, self.secret, self.against, used)
        return found if used == self.epsilon else Enclosure(0.0, found.upper)

    def _depth(self, logs: Array) -> Array:
        """Returns the log of e^ε w_t - w_s; -∞ where that is not positive."""
        secret, against = logs[self.secret], logs[self.against] + self.epsilon
        with np.errstate(invalid="ignore", divide="ignore"):
            found = against + np.log(-np.expm1(np.minimum(secret - against, 0.0)))
        return np.where(against > secret, found, -np.inf)

    def difference(self, logs: Array) -> Array:
        """Returns w_s - e^ε w_t, whatever its sign, from `logs` (secrets, ..)."""
        secret, against = self._sides(logs)
        top = np.maximum(secret, against)
        gap = np.where(top > -np.inf, np.minimum(secret, against) - np.where(top > -np.inf, top, 0.0), 0.0)
        return np.where(secret > against, -1.0, 1.0) * np.exp(top) * np.expm1(gap)

    @property
    def most(self) -> float:
        return 1.0

    def slack(self, logs: Array, error: float) -> Array:
        return self.at_with_slack(logs, error)[1]

    def at_with_slack(self, logs: Array, error: float) -> tuple[Array, Array]:
        (secret, against), difference = self._sides(logs), self.difference(logs)
        with np.errstate(over="ignore"):  # unknown likelihoods may be off by any amount
            moved = np.minimum(np.expm1(error) * (np.exp(secret) + np.exp(against)), 1e300)
        return np.maximum(difference, 0.0), np.where(difference + moved > 0, moved, 0.0)

    def _sides(self, logs: Array) -> tuple[Array, Array]:
        # Because past e^700 only the sign of the difference matters.
        return logs[self.secret], np.minimum(logs[self.against] + self.epsilon, 700.0)


@final
class Vulnerability(Functional):
    """The probability that the best guess of the secret is right, max_s π_s w_s (Smith 2009)."""

    def __init__(self, log_prior: Array) -> None:
        self.log_prior = log_prior

    def at(self, logs: Array) -> Array:
        # The case of equally likely secrets: one addition at the end instead of one per likelihood, maybe millions.
        if np.ptp(self.log_prior) == 0:
            return np.asarray(np.exp(np.max(logs, axis=0) + self.log_prior[0]))
        shaped = self.log_prior.reshape((-1,) + (1,) * (logs.ndim - 1))
        return np.asarray(np.exp(np.max(shaped + logs, axis=0)))

    def at_with_slack(self, logs: Array, error: float) -> tuple[Array, Array]:
        values = self.at(logs)
        return values, _moved_by(error) * values

    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        area = largest_over_cell(left + self.log_prior[:, None], right + self.log_prior[:, None], decay)
        return area, 256 * UNIT * area

    def without(self, lost: Array) -> tuple[float, float]:
        return 0.0, 2 * float(np.exp(self.log_prior) @ lost)

    def split(self, corners: Array) -> Split:
        return two_ahead(corners + self.log_prior[:, None, None])

    def over_line(self, line: GaussianLine) -> Enclosure:
        return largest_integral(line.normal, line.middle, self.log_prior.tolist())

    @property
    def most(self) -> float:
        return 1.0

    def slack(self, logs: Array, error: float) -> Array:
        return _moved_by(error) * self.at(logs)


def _moved_by(error: float) -> float:
    """Returns the relative error of a likelihood whose log is off by `error`; any, for logs that are unknown."""
    return math.expm1(error) if error < 700 else 1e300


def mean_excess(log_prior: Array, log_ratio: Array) -> tuple[Array, Array]:
    """Returns sum_s π_s (r log r - r + 1) and sum_s π_s |r log r| for r = e^{log_ratio} (secrets, ..) of mean 1. The
    ratio of a rare secret may overflow, and its π = e^{log_prior} underflow; the posterior π r is at most 1."""
    near, posterior, weights = weighted_parts(log_prior, log_ratio)
    product = _with_its_log(near)
    over = np.tensordot(weights, _excess(near, product), axes=1)
    size = np.tensordot(weights, np.abs(product), axes=1)
    if posterior.any():
        logs = np.where(posterior > 0, log_ratio, 0.0)
        over = over + (posterior * (logs - 1)).sum(axis=0) + np.tensordot(weights, posterior > 0, axes=1)
        size = size + (posterior * np.abs(logs)).sum(axis=0)
    return np.asarray(over), np.asarray(size)


def weighted_parts(log_prior: Array, log_ratio: Array) -> tuple[Array, Array, Array]:
    """Splits weighted ratios: the log-ratios `log_ratio` (secrets, ..) to be weighted by e^{log_prior}, 0 where a
    posterior stands for them; those posteriors π r, 0 elsewhere; and e^{log_prior}."""
    rarity = log_prior.reshape(-1, *[1] * (log_ratio.ndim - 1))
    far = (log_ratio > _FAR) | ((rarity < -_FAR) & (log_ratio > 1))
    # The usual case: no output raises a secret's probability by e^300.
    if not far.any():
        return log_ratio, np.zeros_like(log_ratio), np.exp(log_prior)
    with np.errstate(over="ignore"):
        posterior = np.where(far, np.exp(rarity + np.where(far, log_ratio, 0.0)), 0.0)
    return np.where(posterior > 0, 0.0, np.minimum(log_ratio, _FAR)), posterior, np.exp(log_prior)


def _with_its_log(log_ratio: Array) -> Array:
    """Returns r log r; 0 at r = 0."""
    with np.errstate(invalid="ignore", over="ignore"):
        product = np.asarray(np.exp(log_ratio) * log_ratio)
    product[log_ratio == -np.inf] = 0.0
    return product


def _excess(log_ratio: Array, product: Array) -> Array:
    """Returns r log r - r + 1 for r = e^{log_ratio}, to a relative 256 · 2^-53; 1 at r = 0. product: r log r."""
    with np.errstate(over="ignore"):
        found = np.asarray(product - np.expm1(log_ratio))
    # Because most outputs leak little under much noise: r log r and r - 1 agree to nearly all digits, and the series
    # keeps those of their difference.
    small = np.abs(log_ratio) < (2.0**-5)
    x = log_ratio[small]
    # Because e^x (x - 1) + 1 = sum_{k>=2} x^k (k-1)/k!
    series = np.full_like(x, _SERIES[-1])
    for coefficient in _SERIES[-2::-1]:  # in place: there may be millions
        series *= x
        series += coefficient
    found[small] = x**2 * series
    return found
