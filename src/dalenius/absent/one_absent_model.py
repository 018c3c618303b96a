"""One person of a known table is absent, and the secret is who (DI §3).

Of four people without whom the answer is 0, 4, 4 or 7 the last is known to be there. Two of the others give the same
answer and are one class, of which person 2 is the first; Θ = 4.

>>> missing = Absent(answers=(0, 4, 4, 7), prior=(0.4, 0.3, 0.3, 0.0)).joints()[0]
>>> missing.offsets.tolist(), missing.people.tolist(), missing.firsts.tolist(), missing.span
([0.0, 4.0], [1, 2], [1, 2], 4.0)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import Annotated, Any, ClassVar, Final, Literal, final

import numpy as np
from pydantic import BeforeValidator, PrivateAttr, model_validator

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
from dalenius.fields import Probability, RecordValue, distribution
from dalenius.frozen_section import Frozen
from dalenius.joints.joint import Belief, Nature, Subject
from dalenius.laws.lattice import LARGEST_INDEX, Lattice, lattice_of
from dalenius.left_out import LeftOut, left_out_of
from dalenius.models.model import Given, Model, Readable, percent

_PRIORS: Final = '"uniform", a probability per person, or {min = , max = }'


@final
class PriorRange(Frozen):
    """min, max: bounds on every person's probability of being absent; nothing else is known of the prior."""

    min: Probability = 0.0
    max: Probability

    @model_validator(mode="after")
    def _check(self) -> "PriorRange":
        if not 0 <= self.min <= self.max <= 1:
            raise ValueError(f"0 <= min <= max <= 1 (they are {self.min} and {self.max})")
        return self


def _prior(given: Any) -> Any:
    """A spec's prior: bounds, a list that sums to 1, or "uniform". ValueError for anything else."""
    # Read here, not left to the union: pydantic would report the union member that was not meant.
    if isinstance(given, Mapping):
        try:
            return PriorRange(**given)
        except InputError as error:
            raise ValueError(f"{error.wanted} ({error.key.replace('PriorRange', 'prior')})") from None
    if isinstance(given, list | tuple | np.ndarray):
        return distribution(tuple(float(each) for each in _numbers(given)))
    # "unifrom", or a single number: the message names all three forms.
    if given != "uniform" and not isinstance(given, PriorRange):
        raise ValueError(_PRIORS)
    return given


def _numbers(given: Any) -> Any:
    """As a tuple of finite numbers. ValueError names the first entry that is none, counted from 1."""
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
    """One of n people is absent from the queried table; the adversary knows everything else.

    answers: q(D∖i), the exact answer without person i, one per person; or those of a [data] table and a query.
    prior: the adversary's prior on who is absent.
    """

    kind: Literal["absent"] = "absent"
    answers: Annotated[tuple[int | float, ...] | None, BeforeValidator(_numbers)] = None
    prior: Annotated[Literal["uniform"] | tuple[float, ...] | PriorRange, BeforeValidator(_prior)] = "uniform"

    _read: LeftOut | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _check(self) -> "Absent":
        if self.answers is not None and len(self.answers) < 2:
            raise ValueError(f"the answers without each of 2 people or more (there are {len(self.answers)})")
        return self

    @property
    def words(self) -> str:
        if isinstance(self.prior, PriorRange):
            who = f"each may be it with {percent(self.prior.min)} to {percent(self.prior.max)}"
        elif self.prior == "uniform":
            who = "each is as likely as any other"
        else:
            who = f"each with a chance of their own, of {percent(max(self.prior))} at most"
        return f"one person is absent from the table, and everybody else's record is known; {who}"

    def with_left_out(self, left_out: LeftOut) -> "Absent":
        """The same prior over the people of a table."""
        other = self.model_copy()
        other.__dict__.pop("belief", None)
        other._read = left_out
        return other

    @property
    def gives(self) -> Given:
        return "answers"

    def bound(self, table: Readable) -> "Absent":
        # A spec with both: the answers may be of another table, or of another query.
        if self.answers is not None:
            raise InputError("model.answers", "given", "no answers beside [data], whose table and query give them")
        return self.with_left_out(table.left_out(self.one_by_one))

    @property
    def one_by_one(self) -> bool:
        """Whether the prior is a probability per person, in the table's order."""
        return isinstance(self.prior, tuple)

    @property
    def waits(self) -> bool:
        """Whether its answers are still to be read from a table."""
        return self.answers is None and self._read is None

    def joints(self) -> tuple["Missing"]:
        return (self.belief,)

    @cached_property
    def belief(self) -> "Missing":
        """Found once: a search for a scale asks at every step, and a million answers take seconds to be read."""
        # The answers come of a table that was bound, or else of the spec itself.
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
    """Who is absent, by class of people whose absence gives the same answer and has positive prior.

    everybody: the whole table's answers; offsets (m,): of these classes, from its base; people, firsts (m,): how many
    can be absent, and the number, from 1, of the first of them, 0 where the table gives counts only; lattice: one that
    holds all the answers, where one is known.
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
        """Θ, over the people who can be absent."""
        return float(self.offsets[-1] - self.offsets[0])

    def answer(self, place: int) -> float:
        """The answer without a person of that class."""
        return float(self.everybody.base + Fraction(float(self.offsets[place])))

    def subject_of(self, person: int, single: bool = False) -> Subject:
        wanted = "nobody: the secret is who is absent, and a prior of 0 says who is known to be there"
        raise InputError("secrets.people", person, wanted)

    def given(self, known: Mapping[int, RecordValue]) -> "Missing":
        raise InputError("adversary.known", str(dict(known)), "no records: a prior of 0 says who is known to be there")

    def labelled(self) -> dict[str, int]:
        return {"": self.everybody.total}


def _missing(left_out: LeftOut, prior: str | tuple[float, ...] | PriorRange, lattice: Lattice | None) -> Missing:
    """The belief of a table and a prior. InputError for one row, and for a prior that no such table can have."""
    offsets, people = left_out.offsets, left_out.people
    firsts = np.zeros(len(people), dtype=np.int64)
    if left_out.whose is not None:
        found, index = np.unique(left_out.whose, return_index=True)
        firsts[found] = index + 1
    # A table of one row: who is absent would be known.
    if left_out.total < 2:
        raise InputError("model.answers", left_out.total, "the answers without each of 2 people or more")
    if isinstance(prior, tuple):
        return _of_list(left_out, np.array(prior), lattice)
    known = uniform_prior(people) if isinstance(prior, str) else _within(prior, offsets, people)
    return Missing(left_out, known, offsets, people, firsts, lattice)


def _within(prior: PriorRange, offsets: Array, people: IntArray) -> BoundedPrior:
    """All priors within the bounds. InputError where there are none, or where one of them has somebody at 1."""
    shown = f"min {prior.min:g}, max {prior.max:g}"
    try:
        found = bounded_prior(offsets, people, Fraction(str(prior.min)), Fraction(str(prior.max)))
    except ValueError as error:
        raise InputError("model.prior", shown, str(error)) from None
    if found.greatest == 1:  # max = 1, or bounds that leave one person all of the mass
        raise InputError("model.prior", shown, "nobody at 1: who is absent would be known already")
    return found


def _of_list(left_out: LeftOut, prior: Array, lattice: Lattice | None) -> Missing:
    """The belief of a prior with a probability per person (n,); whoever has 0 is left out. InputError where the table
    has no people one by one, or another number of them, or one person has all of the probability."""
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
    """The coarsest lattice through 0 that holds all answers; None where finding it would take too long."""
    distinct = set(answers)
    if all(isinstance(answer, int) or answer.is_integer() for answer in distinct):
        return Lattice((Fraction(1),))
    return lattice_of([[Fraction(str(each))] for each in distinct]) if len(distinct) <= 100_000 else None


def _integers(left_out: LeftOut) -> Lattice | None:
    """The integer lattice, where all answers are integers."""
    integers = left_out.base.denominator == 1 and np.array_equal(left_out.offsets, np.rint(left_out.offsets))
    return Lattice((Fraction(1),)) if integers and left_out.sensitivity < LARGEST_INDEX else None
