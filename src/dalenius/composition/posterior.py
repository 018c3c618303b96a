"""What an adversary believes about who is missing, updated answer by answer, in logs (DI Def 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, fsum, inf, isfinite, log, nextafter
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.tallies import LeftOut

_BoolArray: TypeAlias = NDArray[np.bool_]
Answer: TypeAlias = int | float | Fraction
"""A released number; a float stands for the decimal it is written as."""


@final
@dataclass(frozen=True, eq=False)
class Belief:
    """Pr[person i is the absent one | the answers so far] = prior_i · e^{evidence_i - log_total}.

    log_prior (n,): of the first prior, -inf where it is 0. evidence (n,): log-likelihood of all answers, up to a
    constant. The two are stored separately so that posterior/first prior is accurate to the last digits whatever the
    prior. drift: |computed - true| of every evidence, in nats; answers: how many there were.
    """

    log_prior: Array
    evidence: Array
    log_total: float
    drift: float = 0.0
    answers: int = 0

    @property
    def people(self) -> int:
        return int(self.log_prior.size)

    @property
    def log_ratio(self) -> Array:
        """ln(posterior/first prior), (n,), to within `error`."""
        ratio: Array = self.evidence - self.log_total
        return ratio

    @property
    def log_posterior(self) -> Array:
        """(n,), natural logs."""
        posterior: Array = self.log_prior + self.log_ratio
        return posterior

    @property
    def posterior(self) -> Array:
        """(n,), summing to 1."""
        return np.exp(self.log_posterior)

    @cached_property
    def possible(self) -> _BoolArray:
        """Which people have a prior above 0, (n,) of bool: the others are not secrets."""
        return np.isfinite(self.log_prior)

    @cached_property
    def error(self) -> float:
        """|computed - true| of every log ratio, in nats: the evidence's drift, the total's, and what the total adds."""
        spread = float(np.max(np.abs(self.log_prior), where=self.possible, initial=0.0))
        spread += float(self.evidence.max() - self.evidence.min()) + abs(self.log_total)
        return 2 * self.drift + (8 * spread + 64) * UNIT

    @property
    def least(self) -> Enclosure:
        """P_min of the current belief, over people who may be the absent one at all."""
        return self._probability(float(np.min(self.log_posterior, where=self.possible, initial=inf)))

    @property
    def greatest(self) -> Enclosure:
        """P_max of the current belief."""
        return self._probability(float(np.max(self.log_posterior)))

    @property
    def raised(self) -> Enclosure:
        """The largest ln(posterior/first prior) of anybody."""
        return around(float(np.max(self.log_ratio, where=self.possible, initial=-inf)), self.error)

    @property
    def lowered(self) -> Enclosure:
        """The largest ln(first prior/posterior) of anybody."""
        return around(-float(np.min(self.log_ratio, where=self.possible, initial=inf)), self.error)

    def after(self, left_out: LeftOut, output: Answer, scale: float) -> "Belief":
        """The belief once `output` was released with Laplace or geometric noise of that scale, in the answer's unit.

        All outputs beyond the answers have the nearest one's likelihoods. InputError for a table of other people.
        """
        whose = class_of_each(left_out, self.people)
        heights = _log_likelihoods(left_out, output, scale)
        evidence = self.evidence + heights[whose]
        deepest = float(np.abs(evidence).max())
        evidence -= evidence.max()  # so that the numbers stay small, and their roundings with them
        drift = self.drift + UNIT * (8 * left_out.sensitivity / scale + 2 * deepest)
        return Belief(self.log_prior, evidence, log_total(self.log_prior, evidence), drift, self.answers + 1)

    def _probability(self, log_value: float) -> Enclosure:
        value, error = exp(log_value), self.error + UNIT * abs(log_value)
        # Rounded outwards: a probability that underflows is known by its bounds only.
        lower, upper = nextafter(value * (1 - 2 * error), 0.0), nextafter(value * (1 + 2 * error), inf)
        return Enclosure(max(lower, 0.0), min(upper, 1.0))


def uniform_belief(people: int) -> Belief:
    """Everybody equally likely to be the absent one. InputError for fewer than two people."""
    if people < 2:
        raise InputError("prior", people, "two people or more")
    return Belief(np.full(people, -log(people)), np.zeros(people), 0.0)


def prior_belief(prior: Sequence[float] | Array) -> Belief:
    """From the probability of each person to be the absent one, (n,).

    InputError for fewer than two people, a negative probability, a sum other than 1 (to 1e-9), or somebody at 1.
    """
    given = np.asarray(prior, dtype=np.float64)
    if given.ndim != 1 or given.size < 2:
        raise InputError("prior", list(prior), "a probability each of two people or more")
    if not np.all((given >= 0) & np.isfinite(given)):
        raise InputError("prior", list(prior), "probabilities of at least 0")
    total = fsum(given)
    if abs(total - 1) > 1e-9:
        raise InputError("prior", f"sums to {total:.12g}", "probabilities that sum to 1")
    if np.count_nonzero(given) < 2:
        raise InputError("prior", list(prior), "nobody at 1: who is absent is known already")
    with np.errstate(divide="ignore"):
        logs = np.log(given) - log(total)
    return Belief(logs, np.zeros(given.size), 0.0)


def _log_likelihoods(left_out: LeftOut, output: Answer, scale: float) -> Array:
    """ln Pr[output | a person of that class is absent], up to a constant, (m,); the density or mass e^{-|x|/scale}."""
    if not (isfinite(scale) and scale > 0):
        raise InputError("noise.scale", scale, "a finite number above 0")
    place = float(min(max(_exact(output) - left_out.base, Fraction(0)), Fraction(left_out.sensitivity)))
    heights: Array = -np.abs(place - left_out.offsets) / scale
    return heights


def log_total(log_prior: Array, evidence: Array) -> float:
    """ln Σ prior · e^evidence, in which only negligible terms underflow."""
    logs = log_prior + evidence
    top = float(logs.max())
    logs -= top
    return top + log(float(np.exp(logs, out=logs).sum()))


def class_of_each(left_out: LeftOut, people: int) -> IntArray:
    """The class of each of that many people, (n,) of indices. InputError where the table does not say."""
    if left_out.whose is None:
        raise InputError("left_out.whose", "missing", "the class of each person (their rows, not counts of values)")
    if left_out.whose.size != people:
        raise InputError("left_out.whose", f"{left_out.whose.size} people", f"the same {people} people as the belief")
    return left_out.whose


def _exact(output: Answer) -> Fraction:
    if isinstance(output, float):
        if not isfinite(output):
            raise InputError("output", output, "a finite number")
        return Fraction(str(output))
    return Fraction(output)
