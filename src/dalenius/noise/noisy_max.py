"""Report noisy max: which answers are the largest after noise, and not how large (Dwork and Roth 2014, §3.3).

Exponential noise makes permute-and-flip (McKenna and Sheldon 2020; Ding et al. 2021), Gumbel noise the exponential
mechanism (McSherry and Talwar 2007). With x_j the answers over the scale, x* the largest of them and q_j = e^{x_j-x*},

    exponential:  Pr[j] = q_j ∫₀¹ Π_{l≠j} (1 - t q_l) dt,      Gumbel:  Pr[j] = q_j / Σ_l q_l.

The integrand is a polynomial of factors between 0 and 1, so that Gauss's rule is exact and nothing cancels. The k
largest under Gumbel noise, in order, are drawn one after the other, each from what is left.

A home is visited once more than work. Permute-and-flip names it more often:

>>> for added in ("exponential", "gumbel"):
...     print(np.exp(log_chances(np.array([[1.0, 0.0]]), [(0,), (1,)], added)).round(6).tolist())
[[0.81606, 0.18394]]
[[0.731059, 0.268941]]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, permutations
from math import gcd, inf, lcm, log2, perm
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure, around, float_up
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue, Whole
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law, without_floor
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums
from dalenius.noise.error_law import ErrorLaw
from dalenius.noise.finite_mechanism_base import FiniteMechanism
from dalenius.noise.limits import LARGEST_DRAW, MOST_CHOICES, MOST_COMPARED_ANSWERS
from dalenius.noise.noise import Noise
from dalenius.noise.place_of_given_output import Answer, at_index, cannot_occur, is_possible, number_of
from dalenius.noise.shape import Shape
from dalenius.sentences.sentence import Figure, kind_name, said

Added: TypeAlias = Literal["exponential", "gumbel"]


@final
@dataclass(frozen=True)
class NoisyMaxMechanism(FiniteMechanism):
    """Mechanism that reads all coordinates of the answer at once: a coordinate's output is its rank among the largest.

    InputError (noise.candidates) where there are not as many answers as candidates that one group of records moves.

    Attributes:
        candidates: The number of answers.
        k: How many of the largest are published.
        scale: The scale of the noise, in the query's unit.
        added: The noise.
    """

    candidates: int
    k: int
    scale: float
    added: Added

    @cached_property
    def choices(self) -> tuple[tuple[int, ...], ...]:
        """The candidates of each output, the largest first; TooLarge where there are too many outputs."""
        # The case of the three most visited of a hundred places: a theorem chooses the scale, without this law.
        if (outputs := perm(self.candidates, self.k)) > MOST_CHOICES:
            instead = "use method group, which needs no law"
            raise TooLarge("the law of the largest", f"{outputs:,} outputs", instead, MOST_CHOICES)
        return tuple(permutations(range(self.candidates), self.k))

    def likelihood(self, law: Law) -> Law:
        # The case of one count, or of counts of people who do not depend on each other: each has a law of its own.
        if len(law.box) == 1:
            raise _too_few(self.noise, 1)
        logs = law.log_mass().reshape(law.secrets, -1)
        if law.floor is not None:
            logs = np.concatenate([logs, (law.base + law.floor).reshape(1, -1)])
        there = np.flatnonzero(np.max(logs, axis=0) > -inf)
        places = np.stack(np.unravel_index(there, law.box), axis=1) + np.array(law.start)
        values = places * np.array([float(step) for step in self.lattice.steps]) / self.scale
        chances = log_chances(values, self.choices, self.added)
        found, depth = np.empty((len(logs), len(self.choices))), float(np.max(np.abs(values), initial=0.0))
        with np.errstate(divide="ignore"):
            for choice in range(len(self.choices)):
                joint = logs[:, there] + chances[:, choice]
                top = np.max(joint, axis=1)
                ground = np.where(top > -inf, top, 0.0)
                found[:, choice] = ground + np.log(np.sum(np.exp(joint - ground[:, None]), axis=1))
        deepest = float(np.max(np.abs(found), where=np.isfinite(found), initial=0.0))
        # Because numpy adds up in pairs, a sum has as many roundings as the number of terms has binary digits.
        roundings = 256 + 4 * log2(max(len(there), 2)) + 16 * depth * self.k + 8 * deepest
        roundings += _roundings(len(law.box))
        floor = None if law.floor is None else found[-1]
        rows = found[: law.secrets]
        base = np.zeros(len(self.choices))
        return without_floor(Law((0,), base, rows, law.error + roundings * UNIT, floor))

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        there = at_index(likelihood, [self._place(output)])
        if is_possible(there):
            return there
        raise cannot_occur(output, self.output([int(np.argmax(np.max(likelihood.relative, axis=0)))]))

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        # Because a rank is neither above nor below another as a number is.
        return (None,) * len(output)

    def output(self, index: Sequence[int]) -> tuple[RecordValue, ...]:
        return ranks(self.choices[index[0]], self.lattice.axes)

    def index(self, output: Sequence[RecordValue]) -> tuple[float, ...]:
        return (float(self._place(output)),)

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Encloses the worst log-ratio; it is exact where all answers of the others are few enough to be compared.

        Args:
            neighbours: The changes of one record, and the scores of the others.
        """
        most = self.noise.privacy_loss(neighbours.reach)
        # The case of one coordinate of a vector, of extremes, or of too many outputs: only the distance is known.
        sums = all(how == "sum" for how in neighbours.combine)
        if self.lattice.axes == 1 or not sums or perm(self.candidates, self.k) > MOST_CHOICES:
            return Enclosure(0.0, most)
        others, whole = _answers_of(neighbours.others, self.lattice.axes)
        scaled = np.array([float(step) for step in self.lattice.steps]) / self.scale
        logs = [log_chances((others + own) * scaled, self.choices, self.added) for own in neighbours.own]
        worst = max((float(np.max(np.abs(one - other))) for one, other in combinations(logs, 2)), default=0.0)
        deepest = max(float(np.max(np.abs(each))) for each in logs)
        found = around(worst, (_roundings(self.lattice.axes) + 16 * deepest) * UNIT).clipped(0.0)
        return Enclosure(min(found.lower, most), min(found.upper, most) if whole else most)

    def leaves_exact(self, answers: Sums | None) -> bool:
        """Says no, whatever the `answers`: every candidate may be the largest after noise."""
        return False

    def _place(self, output: Sequence[Answer | RecordValue]) -> int:
        given = tuple(map(number_of, output))
        for place, choice in enumerate(self.choices):
            if given == ranks(choice, self.lattice.axes):
                return place
        said = ", ".join(str(each) for each in range(1, self.k + 1))
        raise InputError("answers", ", ".join(map(str, output)), f"rank {said} once each, and 0 elsewhere")


def _roundings(candidates: int) -> float:
    """Bounds the roundings behind a log-chance, besides those of the answers over the scale."""
    # Because a factor 1 - t q is off by a rounding over 1 - t, which for the rule's places is at least 1/candidates².
    return 64.0 * candidates**3


def _answers_of(others: Sequence[tuple[IntArray, int]], axes: int) -> tuple[IntArray, bool]:
    """Returns answers of the other records (answers, axes), in lattice steps, and whether these are all.

    Where all are too many, they are those of some of the others, and the rest have their first values.
    """
    found, whole = np.zeros((1, axes), dtype=np.int64), True
    for rows, people in others:
        for counted in range(people):
            more = np.unique((found[:, None] + rows).reshape(-1, axes), axis=0)
            if len(more) > MOST_COMPARED_ANSWERS:
                found, whole = found + rows[0] * (people - counted), False
                break
            found = more
    return found, whole


def ranks(choice: Sequence[int], candidates: int) -> tuple[int, ...]:
    """Returns the rank of each of so many `candidates` from a `choice`: 1 for the largest, 0 for those not chosen.

    >>> ranks((2, 0), 4)
    (2, 0, 1, 0)
    """
    found = [0] * candidates
    for rank, each in enumerate(choice, 1):
        found[each] = rank
    return tuple(found)


def log_chances(values: Array, choices: Sequence[tuple[int, ...]], added: Added) -> Array:
    """Returns log Pr[choice | answers], (points, choices).

    Args:
        values: The exact answers over the scale (points, candidates).
        choices: The candidates of each output, the largest first; one each for exponential noise.
        added: The noise.
    """
    relative = values - np.max(values, axis=1, keepdims=True)
    if added == "exponential":
        found = _permute_and_flip(relative)
        return found[:, [first for (first,) in choices]]
    return np.stack([_one_by_one(relative, choice) for choice in choices], axis=1)


def _permute_and_flip(relative: Array) -> Array:
    """Returns log q_j + log ∫₀¹ Π_{l≠j} (1 - t q_l) dt, from log q (points, candidates)."""
    places, shares = np.polynomial.legendre.leggauss((relative.shape[1] + 1) // 2)
    # By node: the logs of the factors (nodes, points, candidates).
    factors = np.log1p(-(1 + places[:, None, None]) / 2 * np.exp(relative))
    others = np.sum(factors, axis=2, keepdims=True) - factors
    return np.asarray(relative + np.logaddexp.reduce(others + np.log(shares / 2)[:, None, None], axis=0))


def _one_by_one(relative: Array, choice: Sequence[int]) -> Array:
    """Returns the log of Π_i q_{j_i} / Σ of q over what is left before the i-th (points,)."""
    total, left = np.zeros(len(relative)), list(range(relative.shape[1]))
    for each in choice:
        total += relative[:, each] - np.logaddexp.reduce(relative[:, left], axis=1)
        left.remove(each)
    return total


@final
@dataclass(frozen=True)
class ChoiceError(ErrorLaw):
    """The error of a rank, which is near to no answer."""

    def mean_moves(self, indices: IntArray) -> Array:
        return np.full(len(indices), np.nan)


@final
class NoisyMax(Noise):
    """Report noisy max: publishes which of several answers are the largest after noise, and no number.

    Args:
        candidates: The number of answers, at least 2: as many as a histogram has cells.
        added: The noise that is added to each answer. `exponential` (the default) makes permute-and-flip, which errs
            least; `gumbel` makes the exponential mechanism.
        k: How many of the largest are published; 1 by default. More than one needs `gumbel`.
        scale: The scale of the noise, a finite number above 0 in the query's unit. None (the default) leaves it open,
            for `calibrate` and `compare`.

    Example:
        A record moves one of three counts up and another down, at scale 4:

        >>> import dalenius as dl
        >>> noise = dl.NoisyMax(candidates=3, scale=4.0)
        >>> noise.privacy_loss([Fraction(1), Fraction(1), Fraction(0)])
        0.5

    Notes:
        Dwork and Roth 2014, §3.3; McKenna and Sheldon 2020. The output is 1 for the largest answer, 2 for the second
        and so on, and 0 for answers that are not among the k largest. It has no error in the query's unit. More noise
        may leak more about people who depend on each other: exact calibration keeps the promise, and another scale
        below it may keep it too.
    """

    answers_exactly: ClassVar[bool] = False
    # Because exact counts answer another question than which is the largest.

    kind: Literal["noisy_max"] = "noisy_max"
    candidates: Annotated[int, Field(ge=2, strict=True)]
    added: Added = "exponential"
    k: Annotated[Whole, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _check(self) -> "NoisyMax":
        if self.k >= self.candidates:
            raise ValueError(f"k below the number of candidates, {self.candidates}")
        # Because the second largest under exponential noise is not drawn as the largest of what is left.
        if self.k > 1 and self.added != "gumbel":
            raise ValueError('added = "gumbel" where k is above 1')
        return self

    @property
    def shape(self) -> Shape:
        outcome = "rank of the largest" if self.k == 1 else f"ranks of the {self.k} largest"
        return Shape(hides_neighbours=True, outcome=outcome)

    def mechanism(self, lattice: Lattice) -> NoisyMaxMechanism:
        # Because single coordinates are asked whether they go out exactly: there, none does.
        if lattice.axes not in (1, self.candidates):
            raise _too_few(self, lattice.axes)
        return NoisyMaxMechanism(self, lattice, self.candidates, self.k, self.known_scale(), self.added)

    def error(self, step: Fraction) -> ChoiceError:
        return ChoiceError()

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Bounds the worst log-ratio: one answer may rise by the largest distance, and another fall by the second.

        Args:
            distances: The most that each coordinate moves, in the query's unit, one number for each coordinate.

        Returns:
            Nats, rounded up; k times as many for the k largest, one after the other.
        """
        widest = sum(sorted(distances, reverse=True)[:2], Fraction(0))
        return float_up(self.k * widest / Fraction(self.known_scale()))

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """Bounds the worst log-ratio between two answers by their L1 distance, which two coordinates may share.

        Args:
            distance: The L1 distance over all coordinates at most, in the query's unit.
            axes: The number of coordinates, on which it does not depend.
        """
        return float_up(self.k * distance / Fraction(self.known_scale()))

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        return float_up(self.k * distance / Fraction(epsilon))

    def with_scale(self, scale: float) -> "NoisyMax":
        return self.altered({"scale": scale})

    @property
    def words(self) -> str:
        added = kind_name("noise", self.added)
        most = said("noisy_max", noise=added) if self.k == 1 else said("noisy_largest", noise=added, count=self.k)
        return most if self.scale is None else said("with_scale", noise=most, scale=Figure(f"{self.scale:.6g}"))

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        """Draws one release by opendp's own measurement.

        Args:
            answer: The exact answer, one whole number of lattice steps for each coordinate.
            lattice: The lattice of the answers.

        Returns:
            The rank of each coordinate: 1 for the largest, 0 for those not among the k largest.

        Raises:
            InputError: There are not as many answers as candidates, or these are too large for 64-bit integers.
        """
        if len(answer) != self.candidates:
            raise InputError("noise.candidates", self.candidates, f"one for each of the {len(answer)} answers")
        unit = Fraction(
            gcd(*(step.numerator for step in lattice.steps)), lcm(*(step.denominator for step in lattice.steps))
        )
        whole = [index * int(step / unit) for index, step in zip(answer, lattice.steps, strict=True)]
        if max(map(abs, whole)) >= LARGEST_DRAW:
            raise InputError("noise.scale", str(self.scale), f"answers below 2^62 steps (limit {LARGEST_DRAW.name})")
        drawn = _measurement(self.added, self.k, float_up(Fraction(self.known_scale()) / unit))(whole)
        return tuple(map(Fraction, ranks(drawn, self.candidates)))


def _too_few(noise: Noise, axes: int) -> InputError:
    """Makes the error for a noise whose candidates are not the coordinates of one law, which are so many."""
    wanted = f"{axes} answers that the same groups of records move" if axes > 1 else "several counts of the same people"
    return InputError("noise.candidates", dict(noise).get("candidates"), wanted)


@cache
def _measurement(added: Added, k: int, scale: float) -> Any:
    """Makes opendp's measurement from a list of integers to the places of the k largest."""
    # Because only a release needs it: all of opendp takes seconds.
    from opendp import measurements, measures, metrics
    from opendp.domains import atom_domain, vector_domain
    from opendp.mod import enable_features

    enable_features("contrib")
    # opendp draws exponential noise for pure, and Gumbel noise for zero-concentrated differential privacy.
    measure = measures.max_divergence() if added == "exponential" else measures.zero_concentrated_divergence()
    space = vector_domain(atom_domain(T="i64")), metrics.linf_distance(T="i64")
    return measurements.make_noisy_top_k(*space, measure, k=k, scale=scale)
