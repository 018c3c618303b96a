"""An accountant of many answers about who is missing, under one promise (α,β) (E5; Result 6.3).

The adversary's belief is updated answer by answer, in logs (DI Def 3); the belief after the answers before says how
much noise the next one needs. Spending and refusals depend on the first prior, the table of all people and the released
outputs only. The adversary has all of them: a refusal reveals nothing.

Take two people, promised α = β = ½. One answer of 0 or 1 may take all of the promise with noise of scale .910, or half
of it with 2.187. If 0 comes out then, the beliefs are .612 and .388, and the next answer needs 1.559 for the rest.

DI's own accounting is Theorem 1, which multiplies, with Theorem 3's noise for P_min of the current belief (not of the
first, which does not compose): each answer's (α_k, β_k) costs more noise than the least scale found here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import exp, expm1, fsum, inf, isfinite, log, log1p, nextafter
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.absent.odds_bounds import check_beta, identifiable_scale
from dalenius.absent.posterior_prior_ratios import lowerings, raises
from dalenius.absent.prior_on_absent_person import KnownPrior
from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure, around
from dalenius.calibration.scale_search import least_scale
from dalenius.errors import InputError, Refused
from dalenius.left_out import LeftOut

_BoolArray: TypeAlias = NDArray[np.bool_]
NumericAnswer: TypeAlias = int | float | Fraction
"""A released number; a float stands for the decimal it is written as."""


@final
@dataclass(frozen=True, eq=False)
class AbsenceBelief:
    """The belief Pr[person i is the absent one | the answers so far] = prior_i · e^{evidence_i - log_total}.

    Evidence and prior are stored separately so that posterior/first prior is accurate to the last digits whatever the
    prior.

    Attributes:
        log_prior: The logs of the first prior (n,), -inf where it is 0.
        evidence: The log-likelihood of all answers, up to a constant (n,).
        log_total: The log of the normaliser.
        drift: |computed - true| of every evidence, in nats.
        answers: How many answers there were.
    """

    log_prior: Array
    evidence: Array
    log_total: float
    drift: float = 0.0
    answers: int = 0

    @property
    def people(self) -> int:
        """The number of people, those with a prior of 0 included."""
        return int(self.log_prior.size)

    @property
    def log_ratio(self) -> Array:
        """The values ln(posterior/first prior) (n,), to within `error`."""
        ratio: Array = self.evidence - self.log_total
        return ratio

    @property
    def log_posterior(self) -> Array:
        """The natural logs of the posterior (n,)."""
        posterior: Array = self.log_prior + self.log_ratio
        return posterior

    @property
    def posterior(self) -> Array:
        """The posterior (n,), which sums to 1."""
        return np.exp(self.log_posterior)

    @cached_property
    def possible(self) -> _BoolArray:
        """The people with a prior above 0, as (n,) of bool: the others are not secrets."""
        return np.isfinite(self.log_prior)

    @cached_property
    def error(self) -> float:
        """The bound on |computed - true| of every log ratio, in nats: evidence's drift, the total's, and more."""
        spread = float(np.max(np.abs(self.log_prior), where=self.possible, initial=0.0))
        spread += float(self.evidence.max() - self.evidence.min()) + abs(self.log_total)
        return 2 * self.drift + (8 * spread + 64) * UNIT

    @property
    def least(self) -> Enclosure:
        """The least probability P_min of the current belief, over people who may be the absent one at all."""
        return self._probability(float(np.min(self.log_posterior, where=self.possible, initial=inf)))

    @property
    def greatest(self) -> Enclosure:
        """The greatest probability P_max of the current belief."""
        return self._probability(float(np.max(self.log_posterior)))

    @property
    def raised(self) -> Enclosure:
        """The largest ln(posterior/first prior) of anybody, in nats."""
        return around(float(np.max(self.log_ratio, where=self.possible, initial=-inf)), self.error)

    @property
    def lowered(self) -> Enclosure:
        """The largest ln(first prior/posterior) of anybody, in nats."""
        return around(-float(np.min(self.log_ratio, where=self.possible, initial=inf)), self.error)

    def after(self, left_out: LeftOut, output: NumericAnswer, scale: float) -> "AbsenceBelief":
        """Returns the belief once `output` was released with Laplace or geometric noise.

        All outputs beyond the answers have the nearest one's likelihoods.

        Args:
            left_out: The answers without each person.
            output: The released number.
            scale: The noise scale, in the answer's unit.

        Raises:
            InputError: For a table of other people.
        """
        whose = class_of_each(left_out, self.people)
        heights = _log_likelihoods(left_out, output, scale)
        evidence = self.evidence + heights[whose]
        deepest = float(np.abs(evidence).max())
        evidence -= evidence.max()  # so that the numbers stay small, and their roundings with them
        drift = self.drift + UNIT * (8 * left_out.sensitivity / scale + 2 * deepest)
        return AbsenceBelief(self.log_prior, evidence, log_total(self.log_prior, evidence), drift, self.answers + 1)

    def _probability(self, log_value: float) -> Enclosure:
        """Bounds a probability, in [0, 1], from its computed natural log."""
        value, error = exp(log_value), self.error + UNIT * abs(log_value)
        # Rounded outwards, because a long row of answers may have all but ruled somebody out: a probability that
        # underflows is known by its bounds only.
        lower, upper = nextafter(value * (1 - 2 * error), 0.0), nextafter(value * (1 + 2 * error), inf)
        return Enclosure(max(lower, 0.0), min(upper, 1.0))


def uniform_belief(people: int) -> AbsenceBelief:
    """Returns the belief that everybody is equally likely to be absent; InputError for fewer than two people."""
    if people < 2:
        raise InputError("prior", people, "two people or more")
    return AbsenceBelief(np.full(people, -log(people)), np.zeros(people), 0.0)


def prior_belief(prior: Sequence[float] | Array) -> AbsenceBelief:
    """Returns the belief with this `prior`: the probability of each person to be the absent one (n,).

    InputError for fewer than two people, a negative probability, a sum other than 1 (to 1e-9), or somebody at 1.
    """
    given = np.asarray(prior, dtype=np.float64)
    if given.ndim != 1 or given.size < 2:
        raise InputError("prior", list(prior), "a probability each of two people or more")
    # A typed prior may have a missing cell, which is NaN, or a slip of the keys that leaves the sum off 1.
    if not np.all((given >= 0) & np.isfinite(given)):
        raise InputError("prior", list(prior), "probabilities of at least 0")
    total = fsum(given)
    if abs(total - 1) > 1e-9:
        raise InputError("prior", f"sums to {total:.12g}", "probabilities that sum to 1")
    if np.count_nonzero(given) < 2:
        raise InputError("prior", list(prior), "nobody at 1: who is absent is known already")
    with np.errstate(divide="ignore"):
        logs = np.log(given) - log(total)
    return AbsenceBelief(logs, np.zeros(given.size), 0.0)


def _log_likelihoods(left_out: LeftOut, output: NumericAnswer, scale: float) -> Array:
    """Returns ln Pr[output | a person of that class is absent], up to a constant (m,), for noise e^{-|x|/scale}."""
    if not (isfinite(scale) and scale > 0):
        raise InputError("noise.scale", scale, "a finite number above 0")
    place = float(min(max(_exact(output) - left_out.base, Fraction(0)), Fraction(left_out.sensitivity)))
    heights: Array = -np.abs(place - left_out.offsets) / scale
    return heights


def log_total(log_prior: Array, evidence: Array) -> float:
    """Returns ln Σ prior · e^evidence, in which only negligible terms underflow; log_prior and evidence are (n,)."""
    logs = log_prior + evidence
    top = float(logs.max())
    logs -= top
    return top + log(float(np.exp(logs, out=logs).sum()))


def class_of_each(left_out: LeftOut, people: int) -> IntArray:
    """Returns the class of each of that many `people` (n,), as indices into `left_out`.

    InputError where the table does not say.
    """
    # If a database gave only how often each value occurs, it is not known who has which value.
    if left_out.whose is None:
        raise InputError("left_out.whose", "missing", "the class of each person (their rows, not counts of values)")
    if left_out.whose.size != people:
        raise InputError("left_out.whose", f"{left_out.whose.size} people", f"the same {people} people as the belief")
    return left_out.whose


def _exact(output: NumericAnswer) -> Fraction:
    """Returns the output as a fraction; InputError for NaN and infinity."""
    if isinstance(output, float):
        if not isfinite(output):
            raise InputError("output", output, "a finite number")
        return Fraction(str(output))
    return Fraction(output)


@final
@dataclass(frozen=True)
class Accountant:
    """The accountant of one promise: (1-alpha)·prior <= posterior <= (1+beta)·prior for everybody, over all answers.

    The prior is that before the first answer. The *share* t of the promise that is used is the least with all of
    posterior/prior within [(1-alpha)^t, (1+beta)^t]; it can fall again, as answers contradict each other. Least scales
    are exact: the current belief is known, so nobody's bound is spent on what did not come out. They are never above
    those of DI Thm 1 with Thm 3 for the same promise so far.

    Two people, without whom the answer is 0 or 1, use all of the promise, or half of it, for the first answer.

    >>> from dalenius.left_out import left_out_of
    >>> accountant, answer = Accountant(0.5, 0.5, uniform_belief(2)), left_out_of([0, 1])
    >>> [round(accountant.least_scale(answer, share), 3) for share in (1.0, 0.5)]
    [0.91, 2.187]
    """

    alpha: float
    beta: float
    belief: AbsenceBelief

    def __post_init__(self) -> None:
        """Raises InputError for an α outside (0, 1), a β of 0 or less, or one that lets a posterior reach 1."""
        if not 0 < self.alpha < 1:
            raise InputError("notion.alpha", self.alpha, "a number above 0, below 1")
        if not 0 < self.beta < inf:
            raise InputError("notion.beta", self.beta, "a finite number above 0")
        check_beta(self.beta, exp(float(self.belief.log_prior.max())))

    @property
    def used(self) -> float:
        """The share of the promise that the answers so far have used, rounded up."""
        # So that rounding does not say that anything is used before the first answer.
        if not self.belief.answers:
            return 0.0
        return max(0.0, self.belief.raised.upper / self._up, self.belief.lowered.upper / self._down)

    def share_for(self, answers: int) -> float:
        """Returns the share to use for the next answer, if `answers` equal steps are to take all that is left."""
        if answers < 1:
            raise InputError("answers", answers, "1 or more")
        return self.used + max(0.0, 1 - self.used) / answers

    def least_scale(self, left_out: LeftOut, share: float = 1.0) -> float:
        """Returns the least Laplace or geometric scale after which at most that share is used, to eleven digits.

        It is from above, and 0 where nobody's answer differs and no noise is needed. It is found by bisection: more
        noise is a post-processing of less, which mixes posteriors, and the posteriors that keep a share are a convex
        set.

        Args:
            left_out: The answers without each person.
            share: The share of the promise that may be used.

        Raises:
            Refused: If no scale will do: any answer that reveals anything raises everybody at some output and lowers
                everybody at another.
        """
        self._check_share(share)
        classes = _classes(left_out, self.belief)
        # The answer may not depend on who is absent, as the maximum of a table with two of the largest value.
        if classes.reveal_nothing:
            return 0.0
        return least_scale(lambda scale: self._worst(classes, scale), share, self._enough(classes, share))

    def after(self, left_out: LeftOut, output: NumericAnswer, scale: float, share: float = 1.0) -> "Accountant":
        """Returns the accountant once `output` was released; an answer that is the same for all is not counted.

        Args:
            left_out: The answers without each person.
            output: The released number.
            scale: The noise scale, in the answer's unit.
            share: The share of the promise that may be used.

        Raises:
            Refused: If another output of the same noise could have used more than that share; `admit` says so before
                anything is drawn.
        """
        self.admit(left_out, scale, share)
        if _classes(left_out, self.belief).reveal_nothing:
            return self
        return replace(self, belief=self.belief.after(left_out, output, scale))

    def admit(self, left_out: LeftOut, scale: float, share: float = 1.0) -> None:
        """Raises Refused where an answer with noise of that scale could use more than that share of the promise.

        Args:
            left_out: The answers without each person.
            scale: The noise scale, in the answer's unit.
            share: The share of the promise that may be used.
        """
        self._check_share(share)
        classes = _classes(left_out, self.belief)
        if not classes.reveal_nothing and (worst := self._worst(classes, scale)) > share:
            raise Refused(
                f"noise of scale {scale:g} could use {worst:.6g} of the promised ({self.alpha:g}, {self.beta:g}), "
                f"{share:g} of it is allowed"
            )

    @property
    def _up(self) -> float:
        """The value ln(1+β) in nats, the most that a posterior may rise above its first prior, rounded down."""
        return log1p(self.beta) * (1 - 4 * UNIT)

    @property
    def _down(self) -> float:
        """The value -ln(1-α) in nats, the most that it may fall below, rounded down."""
        return -log1p(-self.alpha) * (1 - 4 * UNIT)

    def _worst(self, classes: "_Classes", scale: float) -> float:
        """Returns the largest share used after an answer of that scale, over all its outputs, rounded up."""
        offsets, error = classes.offsets, self.belief.error
        _, raised = raises(classes.prior, offsets, scale)
        from_first, from_last, doubt = lowerings(classes.prior, offsets, scale)
        # Because everybody is lowered most at an end, and nothing changes beyond the ends.
        right, left = (offsets[-1] - offsets) / scale, (offsets - offsets[0]) / scale
        lowered = np.maximum(from_first - right, from_last - left) + doubt
        up, down = float((classes.highest + raised).max()), float((lowered - classes.lowest).max())
        return max((up + error) / self._up, (down + error) / self._down, 0.0)

    def _enough(self, classes: "_Classes", share: float) -> float:
        """Returns a scale that keeps the share: Theorem 3 from the current belief, with the least left to anybody."""
        up = share * self._up - float(classes.highest.max()) - 4 * self.belief.error
        down = share * self._down + float(classes.lowest.min()) - 4 * self.belief.error
        # If the promise is used up, but for a share that counts as none, a scale would be beyond all doubles.
        if min(up / self._up, down / self._down) <= 1e-9:
            raise Refused(
                f"the answers so far have used {self.used:.6g} of the promised ({self.alpha:g}, {self.beta:g}), "
                f"and {share:g} of it is allowed: no noise makes another answer safe"
            )
        least = max(self.belief.least.lower, 0.0)
        return identifiable_scale(classes.span, -expm1(-down), expm1(up), least)

    def _check_share(self, share: float) -> None:
        if not 0 < share <= 1:
            raise InputError("share", share, "a number above 0, at most 1")


@final
@dataclass(frozen=True)
class _Classes:
    """The classes of people who may be absent.

    offsets: from the first; prior: the current belief; highest, lowest: the ln(posterior/first prior) of each class.
    """

    offsets: Array
    prior: KnownPrior
    highest: Array
    lowest: Array

    @property
    def reveal_nothing(self) -> bool:
        return self.offsets.size == 1

    @property
    def span(self) -> float:
        return float(self.offsets[-1] - self.offsets[0])


def _classes(left_out: LeftOut, belief: AbsenceBelief) -> _Classes:
    """Returns the classes by answer, in the table's order, without answers that only people of prior 0 would give."""
    whose, ratio, possible = class_of_each(left_out, belief.people), belief.log_ratio, belief.possible
    size = left_out.offsets.size
    masses = np.bincount(whose, weights=belief.posterior, minlength=size)
    highest, lowest = np.full(size, -inf), np.full(size, inf)
    np.maximum.at(highest, whose[possible], ratio[possible])
    np.minimum.at(lowest, whose[possible], ratio[possible])
    # Because classes whose members all have a prior of 0 are no secrets.
    here = np.isfinite(highest)
    offsets = left_out.offsets[here]
    positive = np.maximum(masses[here], np.finfo(np.float64).tiny)
    added = float(left_out.people.max()) + 64  # of the sums behind the masses, one addition after another
    least, greatest = (Fraction(float(end)) for end in (positive.min(), positive.max()))
    prior = KnownPrior(
        positive, positive, np.zeros_like(positive), least, greatest, float(positive.sum()), belief.error + added * UNIT
    )
    return _Classes(offsets, prior, highest[here], lowest[here])
