"""Questions of a spec that are answered together, each with a noise of its own."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, final

from pydantic import Field

from dalenius.calibration import default_noise
from dalenius.channel import Adversary, Release, Secrets
from dalenius.errors import InputError
from dalenius.fields import AtMost, Positive
from dalenius.frozen_section import Frozen
from dalenius.models import Model
from dalenius.noise import AnyNoise, Geometric, Noise, is_complete, separate
from dalenius.queries import AnyQuery, Query, Several
from dalenius.spec.limits import MOST_ANSWERS


@final
class Question(Frozen):
    """One of several questions that are asked together of the same people.

    Args:
        query: The query that is asked.
        noise: The noise added to each of its answers. None, the default, leaves it to a calibration; an audit needs
            it, with its scale.
        share: The weight of the question in a calibration, above 0 and relative to the other questions'; 1 by default.
            Its noise has a scale in proportion to the query's L1-sensitivity, over all times, divided by `share`.
        times: How often it is asked, each answer with new noise: from 1, the default, to 1000.
        name: The name of the question. None, the default, means the query's kind and the question's number.

    Example:
        >>> from dalenius import Count, Laplace, Spec, Table
        >>> pair = Table(records=((0, 0), (0, 1), (1, 0), (1, 1)), probabilities=(0.45, 0.05, 0.05, 0.45))
        >>> twice = Question(query=Count(), noise=Laplace(scale=4), times=2, name="ill")
        >>> Spec(model=pair, questions=[twice]).audited().names
        ('ill (1)', 'ill (2)')
    """

    query: AnyQuery
    noise: AnyNoise | None = None
    share: Positive = 1.0
    times: Annotated[int, Field(gt=0, strict=True), AtMost(MOST_ANSWERS)] = 1
    name: Annotated[str, Field(min_length=1)] | None = None


@final
class Workload:
    """Several questions under one model.

    Args:
        questions: The questions, at most 1000 answers together.
        model: What the adversary believes about the records.
        secrets: What is secret: each person's record, or a function of several.
        adversary: The records and exact answers that the adversary knows for certain.

    Raises:
        InputError: For more than 1000 answers together, and for two questions of one name.
    """

    def __init__(self, questions: Sequence[Question], model: Model, secrets: Secrets, adversary: Adversary) -> None:
        self.questions = tuple(questions)
        self.names = names_of(questions)
        self._rest = model, secrets, adversary
        # Because these are units only, whatever is secret.
        several = [Several(queries=(each.query,)) for each in questions]
        self._bare = [Release(model, query, Geometric(), adversary=adversary) for query in several]
        if (count := sum(self._widths)) > MOST_ANSWERS:
            raise InputError(
                "questions", f"{count} answers", f"at most {MOST_ANSWERS} together (limit {MOST_ANSWERS.name})"
            )

    @property
    def _widths(self) -> list[int]:
        """The number of answers to each question, over all its times."""
        return [len(bare.names) * each.times for bare, each in zip(self._bare, self.questions, strict=True)]

    def audited(self, engine: str | None = None) -> Release:
        """Makes one release of all questions: their noises are independent, and all answers are of the same records.

        Args:
            engine: The name of the engine that is to compute the channel. None, the default, chooses one.

        Returns:
            The release of all answers together.

        Raises:
            InputError: For a question whose noise, or its scale, is missing.
        """
        return self._release(_several(self.questions, self.names), separate(self._noises(self._given())), engine)

    def one_by_one(self, engine: str | None = None) -> list[tuple[str, Release]]:
        """Makes a release of each question, all its times, as if the others were not asked.

        Args:
            engine: The name of the engine that is to compute the channels. None, the default, chooses one.

        Returns:
            Pairs of a question's name and its release.
        """
        return [
            (name, self._release(_several([each], [name]), noise, engine))
            for name, each, noise in zip(self.names, self.questions, self._given(), strict=True)
        ]

    def calibrated(self) -> Release:
        """Makes one release of all questions whose noises have one common scale t, which is to be found.

        At t, question i has scale t·Δ_i/share_i, where Δ_i is how far one record moves all its answers (L1).
        """
        noises = [
            each.noise if each.noise is not None else default_noise(bare.lattice)
            for each, bare in zip(self.questions, self._bare, strict=True)
        ]
        # Because a question that nobody moves has no range: any unit will do.
        units = [
            float(bare.sensitivity * each.times / Fraction(each.share)) or 1.0
            for each, bare in zip(self.questions, self._bare, strict=True)
        ]
        wide = [unit for unit, width in zip(units, self._widths, strict=True) for _ in range(width)]
        return self._release(_several(self.questions, self.names), separate(self._noises(noises), wide))

    def _given(self) -> list[Noise]:
        """Collects each question's noise. InputError names a question without one, or without a scale."""
        found: list[Noise] = []
        for number, each in enumerate(self.questions, 1):
            if each.noise is None:
                raise InputError(f"questions row {number}.noise", "missing", "a noise with kind and scale")
            if not is_complete(each.noise):
                wanted = "a finite number above 0 (dalenius calibrate finds it)"
                raise InputError(f"questions row {number}.noise.scale", "missing", wanted)
            found.append(each.noise)
        return found

    def _noises(self, noises: Sequence[Noise]) -> list[Noise]:
        """Repeats each question's noise for every coordinate of its answers."""
        return [noise for noise, width in zip(noises, self._widths, strict=True) for _ in range(width)]

    def _release(self, query: Query, noise: Noise, engine: str | None = None) -> Release:
        model, secrets, adversary = self._rest
        return Release(model, query, noise, secrets, engine, adversary)


def names_of(questions: Sequence[Question]) -> list[str]:
    """Names each question; InputError where two questions have one name."""
    names = [each.name or f"{each.query.kind} {number}" for number, each in enumerate(questions, 1)]
    for number, name in enumerate(names, 1):
        # Because a name given twice would hide a column: two counts without names are "count 1" and "count 2".
        if name in names[: number - 1]:
            raise InputError(f"questions row {number}.name", name, "a name that no other question has")
    return names


def _several(questions: Sequence[Question], names: Sequence[str]) -> Several:
    """Combines the questions, each as often as it is asked, numbered where that is more than once."""
    found = [
        (name if each.times == 1 else f"{name} ({time})", each.query)
        for name, each in zip(names, questions, strict=True)
        for time in range(1, each.times + 1)
    ]
    return Several(queries=tuple(query for _, query in found), names=tuple(name for name, _ in found))
