"""Intervals of probabilities that hold together, at a level the user states.

With α = 1 - confidence, the probabilities fitted share α evenly (Bonferroni): a row of k > 2 probabilities makes k
claims, a row of two makes one, since either is 1 minus the other, and a row of one makes none.

* Clopper and Pearson (Biometrika 26, 1934): [lo, hi] with Pr[Bin(m, lo) >= count] = α'/2 = Pr[Bin(m, hi) <= count],
  for counts of m independent observations, m chosen without looking at them.
* Robbins (Ann. Math. Stat. 41, 1970): the p at which the mixture of likelihoods under Beta(1/2, 1/2) is at most 1/α'
  times the likelihood of p; by Ville's inequality this holds after every number of observations at once, so also after
  a number that the observations themselves decide.
* Dirichlet: quantiles of the posterior's Beta marginals. A credible level: it is the posterior that gives the box at
  least that probability, and the prior is the user's.

Every interval is rounded outwards, and its tails are then checked."""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, xlog1py, xlogy

from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray

Row: TypeAlias = tuple[tuple[float, float], ...]
"""An interval for each probability of a row."""

_MARGIN: Final = 1e-9  # an end moves outwards by this much of its distance from 0 and 1, until its tail is small enough
_CERTAIN: Final = 1 - 1e-12  # the tail is computed to less than this


def check_confidence(confidence: float) -> None:
    """InputError unless 0 < confidence < 1."""
    if not 0 < confidence < 1:
        raise InputError("confidence", confidence, "a number above 0 and below 1")


def claims(widths: Sequence[int]) -> int:
    """How many statements rows of so many probabilities make."""
    return sum(0 if width < 2 else 1 if width == 2 else width for width in widths)


class Region(abc.ABC):
    """Rows of counts → rows of intervals."""

    kind: str

    @abc.abstractmethod
    def ends(self, count: int, trials: int, width: int, alpha: float) -> tuple[float, float]:
        """The interval of one of `width` probabilities, not held with chance alpha at most."""

    def rows(self, counts: IntArray, alpha: float) -> tuple[Row, ...]:
        """counts: (rows, k); alpha: of each claim. [0, 1] throughout a row without observations: nothing is learned."""
        return tuple(self._row([int(count) for count in row], alpha) for row in np.atleast_2d(counts))

    def _row(self, counts: Sequence[int], alpha: float) -> Row:
        trials, width = sum(counts), len(counts)
        if width < 2:
            return ((1.0, 1.0),)
        if not trials:
            return ((0.0, 1.0),) * width
        return tuple(self.ends(count, trials, width, alpha) for count in counts)


@final
@dataclass(frozen=True)
class ClopperPearson(Region):
    """Exact for counts of independent observations whose number the counts do not decide."""

    kind = "clopper_pearson"

    def ends(self, count: int, trials: int, width: int, alpha: float) -> tuple[float, float]:
        low, high = (count, trials - count + 1), (count + 1, trials - count)
        return _quantile(*low, alpha / 2) if count else 0.0, _quantile(*high, alpha / 2, 1) if high[1] else 1.0


@final
@dataclass(frozen=True)
class Robbins(Region):
    """For counts that decide themselves how many there are, as visits to a state of a chain do."""

    kind = "robbins"

    def ends(self, count: int, trials: int, width: int, alpha: float) -> tuple[float, float]:
        other, share = trials - count, count / trials
        # The log-likelihood is at least `floor` inside; a little below it, so that both ends lie outside.
        floor = float(betaln(count + 0.5, other + 0.5) - betaln(0.5, 0.5)) + float(np.log(alpha))
        floor -= _MARGIN * max(1.0, -floor)

        def above(p: float) -> float:
            return float(xlogy(count, p) + xlog1py(other, -p)) - floor

        low = _edge(above, share, 0.0) if count else 0.0
        return low, _edge(above, share, 1.0) if other else 1.0


@final
@dataclass(frozen=True)
class Dirichlet(Region):
    """Credible, under a Dirichlet prior of `smoothing` pseudo-counts in all; one-sided where a count is none or all."""

    smoothing: float = 1.0
    kind = "dirichlet"

    def ends(self, count: int, trials: int, width: int, alpha: float) -> tuple[float, float]:
        law = count + self.smoothing / width, trials - count + self.smoothing * (width - 1) / width
        tail = alpha if count in (0, trials) else alpha / 2
        return _quantile(*law, tail) if count else 0.0, _quantile(*law, tail, 1) if count < trials else 1.0


def _quantile(a: float, b: float, share: float, sign: Literal[-1, 1] = -1) -> float:
    """Below which (sign -1), or above, Beta(a, b) has that share at most: rounded outwards until its tail has."""
    inverse, tail = (betaincinv, betainc) if sign < 0 else (betainccinv, betaincc)
    return _outwards(float(inverse(a, b, share)), sign, lambda p: tail(a, b, p), share)


def _outwards(end: float, sign: int, tail: Callable[[float], Any], most: float) -> float:
    """The end moved towards 0 (sign -1) or 1, until the tail beyond it is `most` at most."""
    step = _MARGIN
    while 0 < end < 1:
        end += sign * step * min(end, 1 - end)
        if float(tail(end)) <= most * _CERTAIN:
            break
        step *= 2
    return min(max(end, 0.0), 1.0)


def _edge(above: Callable[[float], float], inside: float, end: float) -> float:
    """Between a point inside and one end of [0, 1], a point outside that is as near as doubles come.

    The function has one sign change there; at the end it is -inf.
    """
    outside = end
    while True:
        middle = (inside + outside) / 2
        if middle in (inside, outside) or abs(outside - inside) <= 1e-12 * min(middle, 1 - middle):
            return outside
        if above(middle) > 0:
            inside = middle
        else:
            outside = middle


@final
@dataclass(frozen=True)
class Simultaneous:
    """Intervals that all hold together at that level; claims: how many statements share 1 - confidence."""

    region: Region
    confidence: float
    claims: int

    def rows(self, counts: IntArray) -> tuple[Row, ...]:
        """counts: (rows, k), one of the tables whose claims were counted."""
        return self.region.rows(counts, (1 - self.confidence) / max(self.claims, 1))

    def shown(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"confidence": self.confidence, "region": self.region.kind, "claims": self.claims}


def simultaneous(
    confidence: float | None, credible: float | None, widths: Sequence[int], plain: Region | None = None
) -> Simultaneous | None:
    """None where no confidence is asked for. credible: the prior's pseudo-counts of a Dirichlet set, or None.

    plain: the region where it is not credible, Clopper and Pearson's by default. InputError for a confidence that is
    none, or for a credible set without one.
    """
    if confidence is None:
        if credible is not None:
            raise InputError("confidence", "missing", "a number above 0 and below 1 beside credible")
        return None
    check_confidence(confidence)
    region = (plain or ClopperPearson()) if credible is None else Dirichlet(credible)
    return Simultaneous(region, confidence, claims(widths))


ROUNDS: Final = 200
_OUT: Final = 1e-12


def stationary_row(rows: tuple[Row, ...]) -> Row:
    """Holds every π = πP with P in these intervals.

    If π lies in a box, its mean of column j of P is at least the least mean, over laws in the box, of that column's
    lower ends, and likewise above: smaller boxes, round by round, each of which holds π.
    """
    ends = np.array(rows)
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    for _ in range(ROUNDS):
        least = [_least(low, high, column) for column in ends[:, :, 0].T]
        most = [-_least(low, high, -column) for column in ends[:, :, 1].T]
        low = np.maximum(low, np.array(least) - _OUT).clip(0, 1)
        high = np.minimum(high, np.array(most) + _OUT).clip(0, 1)
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def _least(low: Array, high: Array, weights: Array) -> float:
    """The least mean of the weights under a law in the box: what is free goes to the smallest."""
    order = np.argsort(weights, kind="stable")
    room = (high - low)[order]
    free = 1 - low.sum()
    given = low[order] + np.clip(free - (np.cumsum(room) - room), 0, room)
    return float(given @ weights[order])
