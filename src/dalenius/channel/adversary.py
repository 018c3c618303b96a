"""The adversary's certain knowledge besides the law: records, and answers about them.

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
from dalenius.joints.known_records import ImpossibleTogether
from dalenius.laws.lattice import index_of
from dalenius.queries import AnyQuery, Scores
from dalenius.sentences.sentence import commas, phrase, said, value_phrase


def _numbers(given: Any) -> Any:
    """Checks a finite number, or several; ValueError for true, a text or an infinity."""
    # Because pydantic would name the union's members in the path, this is read here and not left to the union.
    listed = list(given) if isinstance(given, list | tuple) else [given]
    for each in listed:
        if isinstance(each, bool) or not isinstance(each, Real) or not isfinite(each):
            raise ValueError("a finite number, or a list of one for each answer")
    return tuple(listed) if isinstance(given, list | tuple) else given


def _by_name(given: Any) -> Any:
    """Writes persons' numbers as the names that they have in a spec."""
    if not isinstance(given, Mapping):
        return given
    return {str(name) if isinstance(name, Integral) else name: value for name, value in given.items()}


@final
@dataclass(frozen=True)
class KnownCoordinates:
    """Coordinates of the answer that are known.

    Attributes:
        scores: The scores of the records on these coordinates.
        values: Their values, in lattice steps.
        rows: The number, from 1, of the known answer that each is part of.
        given: The value of each known answer as it was given.
    """

    scores: Scores
    values: tuple[int, ...]
    rows: tuple[int, ...]
    given: tuple[object, ...]

    def restricted(self, axes: Sequence[int]) -> "KnownCoordinates":
        """Returns the known coordinates at the places `axes`."""
        values, rows = (tuple(each[axis] for axis in axes) for each in (self.values, self.rows))
        return KnownCoordinates(self.scores.restricted(axes), values, rows, self.given)

    @property
    def count(self) -> int:
        """The number of known answers that they are part of."""
        return len(set(self.rows))

    def idle(self, axis: int) -> int:
        """Returns the value of the coordinate `axis`, in lattice steps, if no record moves it."""
        # Because a sum begins with 0, and a maximum that nobody moves is the score that all have.
        return 0 if self.scores.combine[axis] == "sum" else int(self.scores.indices[0, axis])


@final
class KnownAnswer(Frozen):
    """An exact answer that the adversary knows, such as a published total.

    Args:
        query: The query about the same people.
        value: Its exact answer, in the query's unit; a list, one for each, where the query has several answers.

    Example:
        >>> import dalenius as dl
        >>> dl.KnownAnswer(query=dl.Count(), value=7).words
        'how many records are 1 = 7'
    """

    query: AnyQuery
    value: Annotated[int | float | tuple[int | float, ...], BeforeValidator(_numbers)]

    @property
    def values(self) -> tuple[int | float, ...]:
        """The values, one for each answer."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    @property
    def words(self) -> str:
        """The known answer, in words."""
        values = commas(map(value_phrase, self.values))
        return said("answer_is", question=phrase(self.query.words), values=values)


@final
class Adversary(Frozen):
    """The adversary's certain knowledge besides the model: the model is conditioned on it.

    Args:
        known: Known records: the value by the person's number, from 1, or name; empty by default.
        answers: Known exact answers, as of published totals; none by default.

    Example:
        If the second of two days that are alike with .9 is known, the output says 0.5 nats of the first, and not 0.897:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, "count", dl.Laplace(scale=2.0), adversary=dl.Adversary(known={2: 1}))
        >>> round(dl.InferentialPrivacy().leakage(release).epsilon, 6)
        0.5
    """

    known: Annotated[Mapping[str, RecordValue], BeforeValidator(_by_name)] = {}
    answers: tuple[KnownAnswer, ...] = ()

    def conditioned(self, belief: Belief) -> Belief:
        """Returns the law given the known records.

        Args:
            belief: The law of everybody's records.

        Raises:
            InputError: A person is unknown or named twice, or the known values have probability 0.
        """
        if not self.known:
            return belief
        numbers: dict[int, RecordValue] = {}
        names: dict[str, str] = {}
        for name, value in self.known.items():
            number = person_number(belief, name, f"adversary.known.{name}")
            # The case of one person named both by number and by name.
            if number in numbers:
                raise InputError(f"adversary.known.{name}", value, f"person {number} once")
            numbers[number], names[f"adversary.known.{number}"] = value, name
        try:
            return belief.given(numbers)
        except InputError as error:
            raise self._as_named(error, names) from None

    def _as_named(self, error: InputError, names: Mapping[str, str]) -> InputError:
        """Returns the `error` with people called as they are in `known`; names: by the key of each one's number."""
        if error.key in names:
            return InputError(f"adversary.known.{names[error.key]}", error.value, error.wanted)
        # Because records that cannot be together are listed by number, and by one of several independent laws.
        if isinstance(error, ImpossibleTogether):
            return ImpossibleTogether(self.known)
        return error

    def answers_of(self, joint: Joint) -> KnownCoordinates | None:
        """Returns the known answers on a law's strata; None where there are none.

        Args:
            joint: The law of everybody's records.

        Raises:
            InputError: A query makes no sense of these people, has another number of answers than values, or a value is
                no sum of its scores.
        """
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
    """Returns the scores, and the values in lattice steps."""
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
        # The case of a total of 7.5 people: a typing error, which would otherwise have probability 0.
        if index is None:
            of = f" for {name}" if name else ""
            raise InputError(f"{key}.value", value, f"a multiple of {step}{of}, as every answer is")
        found.append(index)
    return scores, found
