"""The privacy profile of pure losses and Gaussian noise together, exact but for rounding (Result 9.3).

A pure loss ε is dominated by randomised response, whose log-ratio is ε with probability e^ε/(1 + e^ε) and -ε else
(Kairouz, Oh and Viswanath 2015); dominating pairs compose, adaptively too (Zhu, Dong and Wang 2022). So the profile of
all is the mean over the sums L of these log-ratios of δ_μ(ε - L), δ_μ the profile of the Gaussian noise, and without
any of max(0, 1 - e^{ε-L}).
"""

from collections import Counter
from collections.abc import Sequence
from math import ceil, exp, fsum, inf, lgamma, log1p, nextafter, prod
from typing import Final

import numpy as np

from dalenius.composition.losses import RecordLoss
from dalenius.conversion import GaussianProfile, PrivacyProfile, PureProfile, TabulatedProfile
from dalenius.errors import InputError
from dalenius.laws.law import Array

VALUES: Final = 400
"""Of ε, at which the profile is written down: any number of them is sound."""
MOST_SUMS: Final = 4096
"""Of log-ratios that are kept apart; beyond, losses are rounded up to a lattice."""
ROUNDING: Final = 1e-9
"""Relatively, on δ: its terms are exponentials of sums."""
FAINTEST: Final = 1e-15
"""The δ at the last ε, where Gaussian noise allows none to be 0."""


def profile_of(losses: Sequence[RecordLoss], delta: float) -> PrivacyProfile:
    """A profile that all of these keep. delta: what it will be asked for; at 0 the sum of pure losses is all there is.

    InputError where there is none: a loss is infinite, or Gaussian noise is asked for a delta of 0.
    """
    total = max((loss.total for loss in losses), default=0.0)
    if delta == 0 or not any(loss.mu or len(loss.pure) > 1 for loss in losses):
        if total == inf:
            wanted = "noise with a finite loss between data sets that differ in one record (or, if Gaussian, a delta)"
            raise InputError("releases", "an infinite differential loss", wanted)
        return PureProfile(total)
    if any(loss == inf for each in losses for loss in each.pure):
        wanted = "noise with a finite loss between data sets that differ in one record"
        raise InputError("releases", "an infinite differential loss", wanted)
    alone = [loss.mu for loss in losses]
    if not any(loss.pure for loss in losses):
        return GaussianProfile(max(alone))
    return _tabulated(losses, total)


def least_epsilon(profile: PrivacyProfile, delta: float) -> float:
    """The least ε with δ(ε) <= delta, from above to 1e-9."""
    if profile.delta(0.0) <= delta:
        return 0.0
    low, high = 0.0, 1.0
    while profile.delta(high) > delta:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if profile.delta(middle) <= delta else (middle, high)
    return high


def _tabulated(losses: Sequence[RecordLoss], total: float) -> TabulatedProfile:
    most = total if total < inf else max(_reach(loss) for loss in losses)
    epsilons = most * np.linspace(0.0, 1.0, VALUES) ** 1.5
    deltas = np.max([_deltas(loss, epsilons) for loss in losses], axis=0)
    deltas = np.minimum.accumulate(np.minimum(deltas * (1 + ROUNDING) + FAINTEST, 1.0))
    if total < inf:
        deltas[-1] = 0.0
    return TabulatedProfile(tuple(np.unique(epsilons).tolist()), tuple(deltas.tolist()))


def _reach(loss: RecordLoss) -> float:
    """An ε with hardly any δ."""
    return fsum(loss.pure) + loss.mu * (loss.mu / 2 + 8.5)


def _deltas(loss: RecordLoss, epsilons: Array) -> Array:
    sums, chances = _sums(loss.pure)
    beyond = epsilons[:, None] - sums
    each = GaussianProfile(loss.mu).delta_at(beyond) if loss.mu else -np.expm1(np.minimum(beyond, 0.0))
    return np.asarray(each @ chances)


def _sums(losses: Sequence[float]) -> tuple[Array, Array]:
    """The sums of log-ratios of randomised responses and their chances under the likelier law."""
    counted = Counter(losses)
    if prod(times + 1 for times in counted.values()) > MOST_SUMS:
        step = fsum(losses) / (MOST_SUMS // 4)
        counted = Counter(ceil(loss / step) * step for loss in losses)
        return _on_lattice({round(loss / step): times for loss, times in counted.items()}, step)
    sums: Array = np.zeros(1)
    chances: Array = np.ones(1)
    for loss, times in counted.items():
        own, with_chance = _binomial(loss, times)
        sums = np.add.outer(sums, own).ravel()
        chances = np.multiply.outer(chances, with_chance).ravel()
    return sums * (1 + 8 * 2.0**-53), chances


def _on_lattice(counted: dict[int, int], step: float) -> tuple[Array, Array]:
    chances: Array = np.ones(1)
    for steps, times in counted.items():
        own: Array = np.zeros(2 * steps * times + 1)
        own[:: 2 * steps] = _binomial(steps * step, times)[1]
        chances = np.asarray(np.convolve(chances, own), dtype=np.float64)
    reach = (len(chances) - 1) // 2
    sums: Array = np.arange(-reach, reach + 1, dtype=np.float64) * nextafter(step, inf)
    return sums, chances


def _binomial(loss: float, times: int) -> tuple[Array, Array]:
    """Of so many randomised responses of one loss: the sums, from the least, and their chances."""
    ups: Array = np.arange(times + 1, dtype=np.float64)
    ways = [lgamma(times + 1) - lgamma(up + 1) - lgamma(times - up + 1) for up in ups.tolist()]
    common = log1p(exp(-loss))
    chances: Array = np.exp(np.array(ways) - (times - ups) * loss - times * common)
    return np.asarray((2.0 * ups - times) * loss), chances
