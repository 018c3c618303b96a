"""Many answers under one (α,β): how much noise the next one needs, by the belief after those before (E5; Result 6.3).

What is spent and refused depends on the first prior, the table of all people and the released outputs only. The
adversary has all of them: a refusal reveals nothing.

DI's own accounting is Theorem 1, which multiplies, with Theorem 3's noise for P_min of the current belief (not of the
first, which does not compose): each answer's (α_k, β_k) costs more noise than the least scale found here.
"""

from dataclasses import dataclass, replace
from math import exp, expm1, inf, log, log1p
from typing import Final, final

import numpy as np

from dalenius.absent.exponential_sums import check_beta, class_extremes, identifiable_scale
from dalenius.bounds import UNIT
from dalenius.composition.posterior import Answer, Belief, class_of_each
from dalenius.errors import InputError, Refused
from dalenius.laws.law import Array
from dalenius.special_functions import brentq
from dalenius.tallies import LeftOut

_TOLERANCE: Final = 1e-12
"""How near the least scale is found, relatively."""
_SPENT: Final = 1e-9
"""A remaining share of the promise that counts as none."""


@final
@dataclass(frozen=True)
class Accountant:
    """Keeps (1-alpha)·prior <= posterior <= (1+beta)·prior for everybody, over all answers, whatever comes out.

    The prior is that before the first answer. The *share* t of the promise that is used is the least with all of
    posterior/prior within [(1-alpha)^t, (1+beta)^t]; it can fall again, as answers contradict each other. Least scales
    are exact: the current belief is known, so nobody's bound is spent on what did not come out. They are never above
    those of DI Thm 1 with Thm 3 for the same promise so far.
    """

    alpha: float
    beta: float
    belief: Belief

    def __post_init__(self) -> None:
        """InputError for an α outside (0, 1), a β of 0 or less, or one that would let somebody's posterior reach 1."""
        if not 0 < self.alpha < 1:
            raise InputError("notion.alpha", self.alpha, "a number above 0, below 1")
        if not 0 < self.beta < inf:
            raise InputError("notion.beta", self.beta, "a finite number above 0")
        check_beta(self.beta, exp(float(self.belief.log_prior.max())))

    @property
    def used(self) -> float:
        """The share of the promise that the answers so far have used, rounded up."""
        if not self.belief.answers:
            return 0.0
        return max(0.0, self.belief.raised.upper / self._up, self.belief.lowered.upper / self._down)

    def share_for(self, answers: int) -> float:
        """What may be used after the next answer, if that many equal steps are to take the rest of the promise."""
        if answers < 1:
            raise InputError("answers", answers, "1 or more")
        return self.used + max(0.0, 1 - self.used) / answers

    def share_after(self, left_out: LeftOut, scale: float) -> float:
        """The largest share that an answer with noise of that scale may leave used, rounded up."""
        return self._worst(_classes(left_out, self.belief), scale)

    def least_scale(self, left_out: LeftOut, share: float = 1.0) -> float:
        """The least Laplace or geometric scale after which at most that share of the promise is used, from above and
        to 1e-12; 0 where nobody's answer differs and no noise is needed.

        It is found by bisection: more noise is a post-processing of less, which mixes posteriors, and the posteriors
        that keep a share are a convex set. Refused where no scale will do: any answer that reveals anything raises
        everybody at some output and lowers everybody at another.
        """
        self._check_share(share)
        classes = _classes(left_out, self.belief)
        if classes.reveal_nothing:
            return 0.0
        low, high = self._too_little(classes, share), self._enough(classes, share)

        def beyond(scale: float) -> float:
            return self._worst(classes, scale) - share

        near = float(brentq(beyond, low, high, xtol=_TOLERANCE * low, rtol=_TOLERANCE))
        return self._first(classes, share, near)

    def after(self, left_out: LeftOut, output: Answer, scale: float, share: float = 1.0) -> "Accountant":
        """Once `output` was released. Refused where another output of the same noise could have used more than that
        share: `admit` says so before anything is drawn. An answer that is the same for all is not counted."""
        self.admit(left_out, scale, share)
        if _classes(left_out, self.belief).reveal_nothing:
            return self
        return replace(self, belief=self.belief.after(left_out, output, scale))

    def admit(self, left_out: LeftOut, scale: float, share: float = 1.0) -> None:
        """Refused where an answer with noise of that scale could use more than that share of the promise."""
        self._check_share(share)
        classes = _classes(left_out, self.belief)
        if not classes.reveal_nothing and (worst := self._worst(classes, scale)) > share:
            raise Refused(
                f"noise of scale {scale:g} could use {worst:.6g} of the promised ({self.alpha:g}, {self.beta:g}), "
                f"{share:g} of it is allowed"
            )

    @property
    def _up(self) -> float:
        return log1p(self.beta) * (1 - 4 * UNIT)

    @property
    def _down(self) -> float:
        return -log1p(-self.alpha) * (1 - 4 * UNIT)

    def _worst(self, classes: "_Classes", scale: float) -> float:
        found = class_extremes(classes.offsets, classes.masses, scale, classes.doubt)
        error = found.error + self.belief.error
        raised, lowered = (classes.highest + found.raised).max(), (found.lowered - classes.lowest).max()
        return max(float(raised + error) / self._up, float(lowered + error) / self._down, 0.0)

    def _too_little(self, classes: "_Classes", share: float) -> float:
        """A scale that does not keep the share: the last class is too likely against the first. e^{span/scale} times
        its mass is more than the first can have been raised and may still be lowered."""
        lowered = float(classes.highest.max()) + share * self._down
        return classes.span / (lowered - log(float(classes.masses[-1])) + 1)

    def _enough(self, classes: "_Classes", share: float) -> float:
        """A scale that keeps the share: Theorem 3 from the current belief, with the least that is left to anybody."""
        up = share * self._up - float(classes.highest.max()) - 4 * self.belief.error
        down = share * self._down + float(classes.lowest.min()) - 4 * self.belief.error
        if min(up / self._up, down / self._down) <= _SPENT:
            raise Refused(
                f"the answers so far have used {self.used:.6g} of the promised ({self.alpha:g}, {self.beta:g}), "
                f"and {share:g} of it is allowed: no noise makes another answer safe"
            )
        return self._first(classes, share, identifiable_scale(classes.span, -expm1(-down), expm1(up), self._floor))

    @property
    def _floor(self) -> float:
        return max(self.belief.least.lower, 0.0)

    def _first(self, classes: "_Classes", share: float, near: float) -> float:
        """Upwards from a scale in growing steps, to the first that is verified to keep the share."""
        step = _TOLERANCE / 4
        for _ in range(60):
            if self._worst(classes, near) <= share:
                return near
            near *= 1 + step
            step *= 2
        raise Refused(f"what is left of the promised ({self.alpha:g}, {self.beta:g}) is lost in rounding")

    def _check_share(self, share: float) -> None:
        if not 0 < share <= 1:
            raise InputError("share", share, "a number above 0, at most 1")


@final
@dataclass(frozen=True)
class _Classes:
    """Of people who may be absent: offsets from the first, current masses, the highest and lowest ln(posterior/first
    prior) of each class; doubt: the relative error of the masses."""

    offsets: Array
    masses: Array
    highest: Array
    lowest: Array
    doubt: float

    @property
    def reveal_nothing(self) -> bool:
        return self.offsets.size == 1

    @property
    def span(self) -> float:
        return float(self.offsets[-1] - self.offsets[0])


def _classes(left_out: LeftOut, belief: Belief) -> _Classes:
    whose, ratio, possible = class_of_each(left_out, belief.people), belief.log_ratio, belief.possible
    size = left_out.offsets.size
    masses = np.bincount(whose, weights=belief.posterior, minlength=size)
    highest, lowest = np.full(size, -inf), np.full(size, inf)
    np.maximum.at(highest, whose[possible], ratio[possible])
    np.minimum.at(lowest, whose[possible], ratio[possible])
    here = np.isfinite(highest)
    offsets = left_out.offsets[here]
    seen = np.maximum(masses[here], np.finfo(np.float64).tiny)
    added = float(left_out.people.max()) + 64  # of the sums behind the masses, one addition after another
    return _Classes(offsets, seen, highest[here], lowest[here], belief.error + added * UNIT)
