"""The model of one person absent from a known table, where the secret is who (DI §3), and the belief it makes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import Annotated, Any, ClassVar, Final, Literal, final

import numpy as np
from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from dalenius.absent.limits import MOST_FRACTIONS
from dalenius.absent.prior_on_absent_person import (
    BoundedPrior,
    KnownPrior,
    Prior,
    bounded_prior,
    prior_of_list,
    uniform_prior,
)
from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.fields import Finite, Probability, RecordValue, distribution
from dalenius.frozen_section import Frozen
from dalenius.households_left_out import Candidates, HouseholdsLeftOut
from dalenius.joints.joint import Belief, Nature, Subject
from dalenius.laws.lattice import Lattice, lattice_of
from dalenius.laws.limits import LARGEST_INDEX
from dalenius.left_out import LeftOut, left_out_of
from dalenius.models.model import Given, Model, Readable, percent
from dalenius.sentences.sentence import Phrase, said, semicolons

_PRIORS: Final = '"uniform", a probability per person, or {min = , max = }'


@final
class PriorRange(Frozen):
    """A set of priors on who is absent: all that give everybody a probability between two bounds.

    Args:
        min: The least probability of anybody; 0 by default.
        max: The greatest probability of anybody.

    Example:
        >>> import dalenius as dl
        >>> weak = dl.Absent(answers=(0, 1, 2), prior=dl.PriorRange(max=0.5))
        >>> weak.words.split("; ")[1]
        'each may be it with 0 % to 50 %'
    """

    min: Finite = 0.0
    max: Finite

    @model_validator(mode="after")
    def _check(self) -> "PriorRange":
        if not 0 <= self.min <= self.max <= 1:
            raise ValueError(f"0 <= min <= max <= 1 (they are {self.min} and {self.max})")
        return self


def _prior(given: Any) -> Any:
    """Reads a spec's prior: bounds, a list that sums to 1, or "uniform"; ValueError for anything else."""
    # Because pydantic would report the union member that was not meant, the forms are told apart here.
    if isinstance(given, Mapping):
        try:
            return PriorRange(**given)
        except InputError as error:
            raise ValueError(f"{error.wanted} ({error.key.replace('PriorRange', 'prior')})") from None
    if isinstance(given, list | tuple | np.ndarray):
        return distribution(tuple(float(each) for each in _numbers(given)))
    # For "unifrom", or a single number, the message names all three forms.
    if given != "uniform" and not isinstance(given, PriorRange):
        raise ValueError(_PRIORS)
    return given


def _numbers(given: Any) -> Any:
    """Reads a tuple of finite numbers; ValueError names the first entry that is none, counted from 1."""
    if not isinstance(given, list | tuple | np.ndarray):
        return given
    values = tuple(given.tolist()) if isinstance(given, np.ndarray) else tuple(given)
    for number, value in enumerate(values, 1):
        # A missing cell of a table is NaN; True is a number to Python, and none here.
        if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
            raise ValueError(f"finite numbers (number {number} is {value!r})")
    return values


@final
class Absent(Model):
    """One of n people is absent from the queried table, and the secret is who; the adversary knows everything else.

    Args:
        answers: q(D∖i), the exact answer without person i, one per person, in the query's unit; at least two. None
            (the default) where a [data] table and a query give them.
        prior: The adversary's prior on who is absent: "uniform" (the default), a probability per person, or a
            `PriorRange`, for the worst of many priors. A person with 0 is known to be present. With `by`, "uniform" or
            a probability per household, that somebody of it is absent.
        by: The column of households of the [data] table, where people of one household are absent together, or one of
            them. None (the default): exactly one person is absent.
        whole: With `by`, the probability that then the whole household is absent, and not one member, all alike. At 1
            (the default) only whole households may be absent, at 0 only one member.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        The last of four people is known to be present. Two of the others give the same answer and are one class, whose
        first is person 2; Θ = 4.

        >>> import dalenius as dl
        >>> (missing,) = dl.Absent(answers=(0, 4, 4, 7), prior=(0.4, 0.3, 0.3, 0.0)).joints()
        >>> missing.offsets.tolist(), missing.people.tolist(), missing.firsts.tolist(), missing.span
        ([0.0, 4.0], [1, 2], [1, 2], 4.0)

    Notes:
        DI §3.
    """

    kind: Literal["absent"] = "absent"
    answers: Annotated[tuple[int | float, ...] | None, BeforeValidator(_numbers)] = None
    prior: Annotated[Literal["uniform"] | tuple[float, ...] | PriorRange, BeforeValidator(_prior)] = "uniform"

    by: str | None = None
    whole: Annotated[Probability, Field(ge=0, le=1)] | None = None

    _read: LeftOut | None = PrivateAttr(default=None)
    _homes: HouseholdsLeftOut | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _check(self) -> "Absent":
        if self.answers is not None and len(self.answers) < 2:
            raise ValueError(f"the answers without each of 2 people or more (there are {len(self.answers)})")
        if self.by is None and self.whole is not None:
            raise ValueError("by, the column of households, beside whole")
        if self.by is not None and self.answers is not None:
            raise ValueError("no answers beside by: a [data] table and a query give them for each household")
        if self.by is not None and isinstance(self.prior, PriorRange):
            raise ValueError("a prior that is uniform or a probability per household beside by")
        return self

    @property
    def share_of_whole(self) -> float:
        """The probability that a whole household is absent, if somebody of it is; without households 0."""
        return 0.0 if self.by is None else 1.0 if self.whole is None else self.whole

    @property
    def household_columns(self) -> frozenset[str]:
        return frozenset() if self.by is None else frozenset({self.by})

    @property
    def words(self) -> str:
        if isinstance(self.prior, PriorRange):
            who = said("absent_between", low=percent(self.prior.min), high=percent(self.prior.max))
        elif self.prior == "uniform":
            who = said("absent_alike")
        else:
            who = said("absent_own_chances", most=percent(max(self.prior)))
        if self.by is not None:
            return semicolons([self._households_in_words, said("others_are_known"), who])
        return semicolons([said("one_absent"), who])

    @property
    def _households_in_words(self) -> Phrase:
        """The set of people who are absent, where households are."""
        whole = self.share_of_whole
        if whole == 1:
            return said("household_absent")
        if whole == 0:
            return said("member_absent")
        return said("household_or_member_absent", chance=percent(whole))

    def with_households_left_out(self, found: HouseholdsLeftOut) -> "Absent":
        """Returns the model with the answers of a table of households.

        Args:
            found: The answers without each household, or without each member.

        Returns:
            The model with its prior over these households.
        """
        other = self.model_copy()
        other.__dict__.pop("belief", None)
        other._homes = found
        return other

    def with_left_out(self, left_out: LeftOut) -> "Absent":
        """Returns the model with the answers of a table.

        Args:
            left_out: The answers without each person of the table.

        Returns:
            The model with its prior over these people.
        """
        other = self.model_copy()
        other.__dict__.pop("belief", None)
        other._read = left_out
        return other

    @property
    def gives(self) -> Given:
        return "answers"

    def bound(self, table: Readable) -> "Absent":
        # Because the spec's answers may be those of another table, or of another query.
        if self.answers is not None:
            raise InputError("model.answers", "given", "no answers beside [data], whose table and query give them")
        if self.by is not None:
            return self.with_households_left_out(table.households_left_out(self.share_of_whole))
        return self.with_left_out(table.left_out(self.one_by_one))

    @property
    def one_by_one(self) -> bool:
        """Whether the prior is a probability per person, in the table's order."""
        return isinstance(self.prior, tuple)

    @property
    def waits(self) -> bool:
        """Whether the answers are still to be read from a table."""
        return self.answers is None and self._read is None and self._homes is None

    def prior_of_each(self, people: int) -> Array:
        """Returns the prior of each candidate, in the order of the table (candidates,).

        Args:
            people: The number of people, or of households and members, who may be absent.

        Returns:
            The probabilities, which sum to 1.

        Raises:
            InputError: If only bounds on them are known.
        """
        if self._homes is not None:
            return candidate_prior(self.prior, self._homes.candidates)
        if isinstance(self.prior, PriorRange):
            raise InputError("model.prior", "min and max", "uniform or a list for the joint law of several answers")
        return np.array(self.prior) if isinstance(self.prior, tuple) else np.full(people, 1 / people)

    def joints(self) -> tuple["Missing"]:
        return (self.belief,)

    @cached_property
    def belief(self) -> "Missing":
        """The belief about who is absent, computed once.

        A search for a scale needs it at every step, and a million answers take seconds to be read.

        Raises:
            InputError: If there are no answers yet, or no such table can have the prior.
        """
        if self._homes is not None:
            left_out = self._homes.left_out
            prior = candidate_prior(self.prior, self._homes.candidates)
            found = _of_list(left_out, prior, _integers(left_out))
            # Because a candidate's number is no row of the table, none is named.
            return replace(found, firsts=np.zeros_like(found.firsts))
        # The answers come from a table that was bound, or else from the spec itself.
        if self._read is not None:
            return _missing(self._read, self.prior, _integers(self._read))
        if self.answers is None:
            raise InputError(
                "model.answers", "missing", "the answer without each person, or a [data] table and a query"
            )
        left_out = left_out_of(self.answers)
        return _missing(left_out, self.prior, _lattice(self.answers))


@final
@dataclass(frozen=True, eq=False)
class Missing(Belief):
    """The belief about who is absent, by class of people who give the same answer and have a positive prior.

    Attributes:
        everybody: The answers without each person of the table.
        prior: The prior of the classes.
        offsets: The answer of each class, less the base of `everybody` (m,).
        people: How many people of each class can be absent (m,).
        firsts: The number, from 1, of the first of them (m,); 0 where the table gives counts only.
        lattice: A lattice that holds all the answers; None where none is known.
    """

    nature: ClassVar[Nature] = Nature(
        "absence",
        "absence",
        instead=(
            "model.kind",
            "absent",
            "a model of records here (for who is absent: prior_free, prior_dependent, lee_clifton, exact)",
        ),
    )

    everybody: LeftOut
    prior: Prior
    offsets: Array
    people: IntArray
    firsts: IntArray
    lattice: Lattice | None

    @property
    def span(self) -> float:
        """Θ over the people who can be absent, in the query's unit."""
        return float(self.offsets[-1] - self.offsets[0])

    def answer(self, place: int) -> float:
        """Returns the answer, in the query's unit, without a person of the class `place` (counted from 0)."""
        return float(self.everybody.base + Fraction(float(self.offsets[place])))

    def subject_of(self, person: int, single: bool = False) -> Subject:
        wanted = "nobody: the secret is who is absent, and a prior of 0 says who is known to be there"
        raise InputError("secrets.people", person, wanted)

    def given(self, known: Mapping[int, RecordValue]) -> "Missing":
        raise InputError("adversary.known", str(dict(known)), "no records: a prior of 0 says who is known to be there")

    def labelled(self) -> dict[str, int]:
        return {"": self.everybody.total}


def candidate_prior(prior: str | tuple[float, ...] | PriorRange, candidates: Candidates) -> Array:
    """Returns the prior of each candidate; InputError for a list of another number of households.

    Args:
        prior: The model's prior.
        candidates: The households, or their members, who may be absent.
    """
    households = candidates.households
    if not isinstance(prior, tuple):
        return candidates.prior(np.full(households, 1 / households))
    if len(prior) != households:
        wanted = f"a probability for each of the {households} households"
        raise InputError("model.prior", f"{len(prior)} probabilities", wanted)
    return candidates.prior(np.array(prior))


def _missing(left_out: LeftOut, prior: str | tuple[float, ...] | PriorRange, lattice: Lattice | None) -> Missing:
    """Returns the belief of a table and a prior; InputError for one row, or for a prior that the table cannot have."""
    offsets, people = left_out.offsets, left_out.people
    firsts = np.zeros(len(people), dtype=np.int64)
    if left_out.whose is not None:
        found, index = np.unique(left_out.whose, return_index=True)
        firsts[found] = index + 1
    # In a table of one row, who is absent would be known.
    if left_out.total < 2:
        raise InputError("model.answers", left_out.total, "the answers without each of 2 people or more")
    if isinstance(prior, tuple):
        return _of_list(left_out, np.array(prior), lattice)
    known = uniform_prior(people) if isinstance(prior, str) else _within(prior, offsets, people)
    return Missing(left_out, known, offsets, people, firsts, lattice)


def _within(prior: PriorRange, offsets: Array, people: IntArray) -> BoundedPrior:
    """Returns all priors within the bounds; InputError if there are none, or if one of them has somebody at 1."""
    shown = f"min {prior.min:g}, max {prior.max:g}"
    try:
        found = bounded_prior(offsets, people, Fraction(str(prior.min)), Fraction(str(prior.max)))
    except ValueError as error:
        raise InputError("model.prior", shown, str(error)) from None
    if found.greatest == 1:  # max = 1, or bounds that leave one person all of the mass
        raise InputError("model.prior", shown, "nobody at 1: who is absent would be known already")
    return found


def _of_list(left_out: LeftOut, prior: Array, lattice: Lattice | None) -> Missing:
    """Returns the belief of a prior with a probability per person (n,); people with 0 are left out.

    Raises:
        InputError: If the table has no people one by one, or another number of them, or if one person has all of the
            probability.
    """
    # A table of counts by value, as a database gives it: nobody has a number.
    if left_out.whose is None:
        raise InputError("model.prior", "a list", "uniform or {min = , max = } where the table gave only counts")
    if len(prior) != left_out.total:
        wanted = f"a probability for each of the {left_out.total} people"
        raise InputError("model.prior", f"{len(prior)} probabilities", wanted)
    can = np.flatnonzero(prior)
    if len(can) < 2:
        raise InputError("model.prior", f"person {int(can[0]) + 1} at 1", "nobody at 1: who is absent is known already")
    classes, first, whose = np.unique(left_out.whose[can], return_index=True, return_inverse=True)
    known: KnownPrior = prior_of_list(prior[can], whose, len(classes))
    offsets = left_out.offsets[classes]
    people = np.bincount(whose, minlength=len(classes)).astype(np.int64)
    return Missing(left_out, known, offsets, people, can[first] + 1, lattice)


def _lattice(answers: tuple[int | float, ...]) -> Lattice | None:
    """Returns the coarsest lattice through 0 that holds all answers; None where finding it would take too long."""
    distinct = set(answers)
    if all(isinstance(answer, int) or answer.is_integer() for answer in distinct):
        return Lattice((Fraction(1),))
    return lattice_of([[Fraction(str(each))] for each in distinct]) if len(distinct) <= MOST_FRACTIONS else None


def _integers(left_out: LeftOut) -> Lattice | None:
    """Returns the integer lattice if all answers are integers, else None."""
    integers = left_out.base.denominator == 1 and np.array_equal(left_out.offsets, np.rint(left_out.offsets))
    return Lattice((Fraction(1),)) if integers and left_out.sensitivity < LARGEST_INDEX else None
