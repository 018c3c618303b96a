"""A chain: each record depends on the one before it, as days of one life do."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal, final

import numpy as np
from pydantic import Discriminator, Tag, model_validator

from dalenius import wings
from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.fields import Chance, Chances, Count, RecordValue, StageName, is_credal
from dalenius.joints.chain_joint_law import ChainLaw, check_length, stationary
from dalenius.joints.chain_over_time import OverTime, over_time
from dalenius.joints.joint import Belief
from dalenius.laws.box import Box
from dalenius.laws.extended_range import ZERO_EXPONENT, Masses
from dalenius.models.model import Model, rows, widened_row, widened_rows
from dalenius.process import Process
from dalenius.sentences.sentence import Phrase, counted, few_listed, said, semicolons, value_phrase

_CHAIN_IN_INTERVALS: Final = wings.Part[
    Callable[[Sequence[RecordValue], Array, Array, IntArray, Sequence[str] | None], Belief]
]("chain in intervals")


def depth(transition: Any) -> str:
    """Tells one matrix from one for each step of `transition`, so that pydantic's messages are about that shape only.

    Lists three deep are one matrix if it has numbers besides intervals. They are one matrix too if it is square, has
    pairs only, and some pair does not sum to 1. Else they are a matrix for each step.
    """
    deep = _nested(transition)
    # Because two deep is one matrix, and four deep a matrix of intervals for each step: only three can be both.
    if deep != 3 or not all(isinstance(row, list | tuple) for row in transition):
        return "steps" if deep > 3 else "matrix"
    inner = [entry for row in transition for entry in row]
    mixed = any(not isinstance(entry, list | tuple) for entry in inner)
    square = all(len(row) == len(transition) for row in transition)
    pairs = [entry for entry in inner if isinstance(entry, list | tuple) and len(entry) == 2]
    # Because [[[0.1, 0.2], [0.8, 0.9]], ...] may be a matrix of intervals, or two matrices: the sums of 1 decide.
    if mixed or (square and len(pairs) == len(inner) and not all(map(_sums_to_one, pairs))):
        return "matrix"
    return "steps"


def _nested(given: Any) -> int:
    """Returns how deep the lists are: 0 for a number, 2 for a matrix of numbers."""
    if not isinstance(given, list | tuple):
        return 0
    return 1 + max(map(_nested, given), default=0)


def _sums_to_one(pair: Any) -> bool:
    """Says whether the two could be the probabilities of two values."""
    return all(isinstance(each, int | float) for each in pair) and abs(sum(pair) - 1) <= 1e-9


TransitionMatrix = tuple[Chances, ...]
Transition = Annotated[
    Annotated[TransitionMatrix, Tag("matrix")] | Annotated[tuple[TransitionMatrix, ...], Tag("steps")],
    Discriminator(depth),
]
Initial = Annotated[
    Annotated[Literal["stationary"], Tag("word")] | Annotated[Chances, Tag("row")],
    Discriminator(lambda given: "word" if isinstance(given, str) else "row"),
]


@final
class Chain(Model):
    """Records in a row: each depends on the one before. Examples are one person's days, or people who sit side by side.

    Any probability may be an interval [lower, upper]: then every promise is for all laws inside, each step with rows of
    its own.

    Args:
        n: How many records there are, in order.
        transition: One matrix (k, k), a row per value with the probabilities of the next record's values; or n - 1 of
            them, one per step; or `period` of them, which repeat: the first leads from the first record to the second.
        period: After how many records the matrices repeat, as 24 for the hours of a day; below n. None
            (the default) for one matrix, or one per step.
        initial: The k probabilities of the first record; or "stationary", the law of the long run, for one matrix of
            numbers with one closed class.
        values: The universe of each record: k different numbers or texts; None (the default) for 0..k-1. For records of
            several members, such as a household's days, k different lists of one value per member.
        members: The names of the members, whose values each record lists; by default their numbers from 1.
        labels: Public labels for queries, one per record; None (the default) for no labels.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        A day after a 0 is 1 with 0.1, and after a 1 with 0.8. In the long run a day is 1 with 1/3.

        >>> import dalenius as dl
        >>> import numpy as np
        >>> days = dl.Chain(n=30, transition=[[0.9, 0.1], [0.2, 0.8]], initial="stationary")
        >>> np.exp(days.law().subject_of(30).log_prior).round(4).tolist()
        [0.6667, 0.3333]
    """

    kind: Literal["chain"] = "chain"
    n: Count
    transition: Transition
    values: tuple[RecordValue | tuple[RecordValue, ...], ...] | None = None
    members: tuple[StageName, ...] | None = None
    initial: Initial
    labels: tuple[str, ...] | None = None
    period: Count | None = None

    @model_validator(mode="after")
    def _check(self) -> "Chain":
        size = len(self._universe())
        steps = self._matrices()
        if self.period is not None:
            self._check_period(len(steps))
        # Because a week has six steps, not seven.
        elif len(steps) not in (1, self.n - 1):
            raise ValueError(f"one transition matrix or n - 1 = {self.n - 1} of them (there are {len(steps)})")
        for matrix in steps:
            if len(matrix) != size or any(len(row) != size for row in matrix):
                raise ValueError(f"transition matrices of {size} rows and columns, one per value")
        if self.labels is not None and len(self.labels) != self.n:
            raise ValueError(f"a label for each of the {self.n} records (there are {len(self.labels)})")
        if self.initial == "stationary":
            # Because there is no long-run law where every step is another one.
            if depth(self.transition) != "matrix":
                raise ValueError("initial probabilities, since with one transition per step no law is stationary")
            if not all(Box.of(row).is_point for row in steps[0]):
                raise ValueError("initial probabilities or intervals, since intervals have many stationary laws")
            # The case of two villages that nobody moves between: the long run depends on where somebody began.
            _closed_class(_points(steps[0]))
        elif len(self.initial) != size:
            raise ValueError(f"initial to have {size} probabilities, one per value (it has {len(self.initial)})")
        return self

    def _check_period(self, matrices: int) -> None:
        """Raises ValueError if there are not as many matrices as the period says, or they never repeat."""
        if depth(self.transition) == "matrix" or matrices != self.period:
            raise ValueError(
                f"a list of as many transition matrices as its period, {self.period} (there are {matrices})"
            )
        if matrices >= self.n:
            raise ValueError(f"a period below the {self.n} records (it is {self.period})")

    def _matrices(self) -> tuple[TransitionMatrix, ...]:
        """Returns the transition as a list of matrices: of one, or of one for each step."""
        return (self.transition,) if depth(self.transition) == "matrix" else self.transition  # type: ignore[return-value]

    def _universe(self) -> tuple[RecordValue, ...]:
        """Returns the values that were given, or 0..k-1; ValueError where two are equal."""
        if self.values is None:
            if self.members is not None:
                raise ValueError(f"values that list a value for each of the members {list(self.members)}")
            return tuple(range(len(self._matrices()[0])))
        if len(set(self.values)) != len(self.values):
            raise ValueError(f"distinct values (not {list(self.values)})")
        single = tuple(value for value in self.values if not isinstance(value, tuple))
        if len(single) == len(self.values):
            if self.members is not None:
                raise ValueError(f"values that list a value for each of the members {list(self.members)}")
            return single
        return self._joint_values([value if isinstance(value, tuple) else () for value in self.values])

    def _joint_values(self, values: Sequence[tuple[RecordValue, ...]]) -> tuple[Process, ...]:
        """Returns the values of records that list one value per member; ValueError where lists differ in length."""
        size = len(values[0]) if self.members is None else len(self.members)
        if size == 0 or any(len(value) != size for value in values):
            raise ValueError(f"values that each list one value per member, {size} in all")
        names = self.members or tuple(str(number) for number in range(1, size + 1))
        if len(set(names)) != size:
            raise ValueError(f"members with different names (not {list(names)})")
        return tuple(Process(names, value) for value in values)

    @property
    def words(self) -> str:
        steps, values = self._matrices(), self._universe()
        pairs = zip(values, steps[0], strict=True)
        each = (said("after_value", value=value_phrase(value), chances=rows(values, row)) for value, row in pairs)
        after: Phrase = few_listed(each, "between_clauses")
        if len(steps) > 1:
            after = said("own_steps" if self.period is None else "repeated_steps", steps=after, count=len(steps))
        if self.initial == "stationary":
            first = said("first_in_long_run")
        else:
            first = said("first_is", chances=rows(values, self.initial))
        return semicolons([counted("record_in_row", "records_in_row", self.n), after, first])

    @property
    def is_point(self) -> bool:
        """Whether the probabilities leave one law: all are numbers, or intervals that fix them."""
        own = [] if self.initial == "stationary" else [self.initial]
        rows = {*own, *(row for matrix in self._matrices() for row in matrix)}
        return all(Box.of(row).is_point for row in rows)

    def joints(self) -> tuple[Belief]:
        """Returns one law; with intervals, the set of all laws inside.

        Raises:
            TooLarge: If the chain does not fit memory.
        """
        check_length(self.n, len(self._universe()))
        return (self.law(),) if self.is_point else (self._set(),)

    def law(self) -> ChainLaw:
        """Returns the one law of the chain.

        Raises:
            InputError: If probabilities are intervals.
            TooLarge: If the chain does not fit memory.
        """
        if not self.is_point:
            raise InputError(
                "model.transition", "intervals", "probabilities without intervals here: intervals hold many laws"
            )
        check_length(self.n, len(self._universe()))
        matrices = np.array([_points(matrix) for matrix in self._matrices()])
        given = self.initial
        initial = _stationary(matrices[0]) if given == "stationary" else Masses.of(_points([given])[0])
        return ChainLaw(self._universe(), initial, Masses.of(matrices), self._which(), self.labels)

    def _set(self) -> Belief:
        """Returns the set of all laws inside the intervals, each step with rows of its own."""
        assert self.initial != "stationary"
        rows = np.array([[_ends(row) for row in matrix] for matrix in self._matrices()]).transpose(0, 2, 1, 3)
        return _CHAIN_IN_INTERVALS.function(self._universe(), _ends(self.initial), rows, self._which(), self.labels)

    def _which(self) -> IntArray:
        """Returns the number of each step's matrix (n - 1,)."""
        # The three cases are one matrix for all steps, a matrix for each hour of the day, or one for each step.
        return np.arange(self.n - 1) % len(self._matrices())

    def widened(self, log_factor: float) -> "Chain":
        # Because a long-run law under other matrices is another law, it is widened as it was.
        first = self.initial if self.initial != "stationary" else _first(self._matrices()[0])
        steps = tuple(widened_rows(matrix, log_factor) for matrix in self._matrices())
        transition = steps[0] if depth(self.transition) == "matrix" else steps
        return self.altered({"initial": widened_row(first, log_factor), "transition": transition})

    def over_time(self, steps: int | None = None) -> OverTime:
        # Because a stream goes on for longer than the spec's own n, or stops earlier.
        if steps not in (None, self.n):
            # Because no matrix was given for a step beyond the last one.
            if len(self._matrices()) > 1 and self.period is None:
                raise InputError("steps", steps, f"{self.n}, since the model has a transition for each of its steps")
            return self.altered({"n": steps, "labels": None}).over_time()
        return over_time(self._universe(), self.law().chain, self.initial == "stationary")


def _points(rows: Sequence[Sequence[Chance]]) -> Array:
    """Returns rows as numbers (rows, k); each of them leaves one law."""
    return np.array([row if not is_credal(row) else Box.of(row).point for row in rows], dtype=np.float64)


def _ends(row: Sequence[Chance]) -> Array:
    """Returns the lower and the upper ends (2, k). Some law inside attains each of them."""
    box = Box.of(row)
    return np.stack([box.lower, box.upper])


def _first(step: TransitionMatrix) -> tuple[float, ...]:
    """Returns the long-run law as numbers, which a spec may give instead of "stationary"."""
    return tuple(map(float, _stationary(_points(step)).doubles()))


def _stationary(step: Array) -> Masses:
    """Returns the stationary law (k,), 0 outside the only closed class; ValueError where there are several."""
    closed = _closed_class(step)
    law = stationary(Masses.of(step[np.ix_(closed, closed)]))
    mantissa, exponent = np.zeros(len(step)), np.full(len(step), ZERO_EXPONENT)
    mantissa[closed], exponent[closed] = law.mantissa, law.exponent
    return Masses(mantissa, exponent)


def _closed_class(step: Array) -> IntArray:
    """Returns the states of the only closed class; ValueError where there are several closed classes."""
    reach = np.eye(len(step), dtype=bool) | (step > 0)
    # Because after so many squarings steps of every length are in it.
    for _ in range(len(step).bit_length()):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    closed = [state for state in range(len(step)) if all(reach[other, state] for other in np.flatnonzero(reach[state]))]
    if not all(reach[closed[0], state] for state in closed):
        raise ValueError(
            "initial probabilities, since the chain has several closed classes, and so several stationary laws"
        )
    return np.array(closed)
