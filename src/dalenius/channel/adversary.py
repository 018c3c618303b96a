"""What the adversary knows for certain besides the law: records, and answers about them.

The adversary may know the second of a chain's two days, or the published total of a count. The model is conditioned on
both before anything is asked of the noise.

>>> import dalenius as dl
>>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]]).joints()[0]
>>> first, second = Adversary(known={2: 1}).conditioned(days).subjects()
>>> round(float(first.log_prior[1]), 6), second.secrets  # the log of .9; the second is certain
(-0.105361, (1,))
>>> KnownAnswer(query=dl.Count(), value=7).words
'how many records are 1 = 7'
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Annotated, Any, final

from pydantic import BeforeValidator

from dalenius.channel.answer_laws import kinds_of
from dalenius.channel.person import person_number
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.frozen_section import Frozen
from dalenius.joints import Belief, Joint
from dalenius.laws.lattice import index_of
from dalenius.queries import AnyQuery, Scores


def _numbers(given: Any) -> Any:
    """A finite number, or several, as they are given; ValueError for true, a text or an infinity."""
    # Read here, not left to the union: pydantic would name its members in the path.
    listed = list(given) if isinstance(given, list | tuple) else [given]
    for each in listed:
        if isinstance(each, bool) or not isinstance(each, Real) or not isfinite(each):
            raise ValueError("a finite number, or a list of one for each answer")
    return tuple(listed) if isinstance(given, list | tuple) else given


def _by_name(given: Any) -> Any:
    """Persons' numbers as the names that they have in a spec."""
    if not isinstance(given, Mapping):
        return given
    return {str(name) if isinstance(name, Integral) else name: value for name, value in given.items()}


@final
@dataclass(frozen=True)
class KnownCoordinates:
    """Coordinates that are known: their scores; values, in lattice steps; rows: the number, from 1, of the known answer
    each is of; given: of each of these the value as it was given."""

    scores: Scores
    values: tuple[int, ...]
    rows: tuple[int, ...]
    given: tuple[object, ...]

    def restricted(self, axes: Sequence[int]) -> "KnownCoordinates":
        """Some of them."""
        values, rows = (tuple(each[axis] for axis in axes) for each in (self.values, self.rows))
        return KnownCoordinates(self.scores.restricted(axes), values, rows, self.given)

    @property
    def count(self) -> int:
        """How many known answers they are of."""
        return len(set(self.rows))

    def idle(self, axis: int) -> int:
        """The value of a coordinate that no record moves."""
        # A sum begins with 0; a maximum that nobody moves is the score that all have.
        return 0 if self.scores.combine[axis] == "sum" else int(self.scores.indices[0, axis])


@final
class KnownAnswer(Frozen):
    """query, value: the exact answer, as of a published total; several where the query has several answers."""

    query: AnyQuery
    value: Annotated[int | float | tuple[int | float, ...], BeforeValidator(_numbers)]

    @property
    def values(self) -> tuple[int | float, ...]:
        """One per answer."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    @property
    def words(self) -> str:
        """What is known."""
        return f"{self.query.words} = {', '.join(map(str, self.values))}"


@final
class Adversary(Frozen):
    """known: records by their person's number, from 1, or name. answers: exact answers, as of published totals. The
    model is conditioned on both."""

    known: Annotated[Mapping[str, RecordValue], BeforeValidator(_by_name)] = {}
    answers: tuple[KnownAnswer, ...] = ()

    def conditioned(self, belief: Belief) -> Belief:
        """The law given the known records. InputError for an unknown person, or values of probability 0."""
        if not self.known:
            return belief
        numbers: dict[int, RecordValue] = {}
        for name, value in self.known.items():
            number = person_number(belief, name, f"adversary.known.{name}")
            # The same person by number and by name.
            if number in numbers:
                raise InputError(f"adversary.known.{name}", value, f"person {number} once")
            numbers[number] = value
        return belief.given(numbers)

    def answers_of(self, joint: Joint) -> KnownCoordinates | None:
        """The known answers on a law's strata; None of none. InputError for a query that makes no sense of its people,
        another number of values than it has answers, and a value that no sum of its scores is."""
        all_scores: Scores | None = None
        values: list[int] = []
        rows: list[int] = []
        for number, answer in enumerate(self.answers, 1):
            scores, own = _placed(answer, joint, f"adversary.answers row {number}")
            all_scores = scores if all_scores is None else all_scores.with_coordinates(scores)
            values += own
            rows += [number] * len(own)
        given = tuple(answer.value for answer in self.answers)
        return None if all_scores is None else KnownCoordinates(all_scores, tuple(values), tuple(rows), given)


def _placed(answer: KnownAnswer, joint: Joint, key: str) -> tuple[Scores, list[int]]:
    """The scores, and the values in lattice steps."""
    try:
        scores = answer.query.scores(kinds_of(joint))
    except InputError as error:
        raise InputError(f"{key}.{error.key}", error.value, error.wanted) from None
    if len(answer.values) != len(scores.names):
        named = ", ".join(name for name in scores.names if name)
        wanted = "1, for its only answer" if len(scores.names) == 1 else f"{len(scores.names)}, one for each answer"
        raise InputError(f"{key}.value", f"{len(answer.values)} of them", f"{wanted}{f' ({named})' if named else ''}")
    found = []
    for name, value, step in zip(scores.names, answer.values, scores.lattice.steps, strict=True):
        index = index_of(value, step)
        # A total of 7.5 people: a typing error, which would otherwise have probability 0.
        if index is None:
            of = f" for {name}" if name else ""
            raise InputError(f"{key}.value", value, f"a multiple of {step}{of}, as every answer is")
        found.append(index)
    return scores, found
