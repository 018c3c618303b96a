"""One person's process over the data sets: a Markov chain of their own from one value to the next.

Take a person who is 1 with probability 1/4 and keeps their value with 1/2, else draws it anew. They are 1 after a 0
with 1/2 · 1/4 = 0.125 and 1 after a 1 with 0.625, so that they are 1 with 1/4 again at every stage.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.laws.extended_range import Masses
from dalenius.linked.limits import MOST_PROCESSES
from dalenius.process import Process


@final
@dataclass(frozen=True, eq=False)
class Step:
    """One step of a person's own chain, from a data set to the next.

    The value stays with probability `stay`, else it is drawn anew: from the row of `anew` (values, values) of the value
    before. If `anew` is None, it is drawn from the law that the person's value has at the first stage.

    >>> Step(0.5).matrix(Masses.of(np.array([0.75, 0.25]))).doubles().tolist()
    [[0.875, 0.125], [0.375, 0.625]]
    """

    stay: float
    anew: Array | None = None

    def matrix(self, own: Masses) -> Masses:
        """Returns Pr[next value | value] (values, values), by rows; own (values,): the law at the first stage."""
        size = (len(own), len(own))
        rows = own if self.anew is None else Masses.of(self.anew)
        drawn = Masses.of(np.full(size, 1 - self.stay)).times(rows)
        stays = Masses.of(self.stay * np.eye(len(own)))
        return Masses.joined([drawn[None], stays[None]]).summed((0,))

    def possible(self, size: int) -> NDArray[np.bool_]:
        """Returns which of `size` values may follow which, for anybody (size, size)."""
        # Copies: nothing is ever drawn.
        if self.stay == 1:
            return np.eye(size, dtype=np.bool_)
        # Somebody may have any value, and a person who cannot have one draws it with chance 0.
        if self.anew is None:
            return np.ones((size, size), dtype=np.bool_)
        return np.asarray(self.anew > 0) | (self.stay * np.eye(size) > 0)


@final
@dataclass(frozen=True, eq=False)
class Steps:
    """The law of everybody's process given their first value. All else is independent of that value.

    Where the data sets are independent of each other, everybody's values at a later stage have the law of the first.

    Attributes:
        stages: The names of the data sets (T,).
        each: The step from each of them to the next (T - 1,).
        apart: Whether the data sets are independent of each other; the steps are then not read.
    """

    stages: tuple[str, ...]
    each: tuple[Step, ...] = ()
    apart: bool = False

    @classmethod
    def alone(cls, stages: tuple[str, ...]) -> "Steps":
        """Returns the steps of data sets, named `stages`, that are independent of each other."""
        return cls(stages, (Step(0.0),) * (len(stages) - 1), True)

    def processes(self, values: Sequence[RecordValue]) -> "Processes":
        """Returns all processes that a record of these `values` can have.

        Raises:
            TooLarge: If there are too many.
            InputError: If a step is over another number of values.
        """
        # A matrix of three rows beside yes or no: it belongs to other records.
        for rows in (step.anew for step in self.each):
            if rows is not None and len(rows) != len(values):
                shown = f"{len(rows)} rows"
                raise InputError("model.transition", shown, f"a row and a column for each of {list(values)[:20]}")
        links = [step.possible(len(values)) for step in self.each]
        # Counted before any is listed: sixty stages would never end.
        ways = np.ones(len(values))
        for link in reversed(links):
            ways = link.astype(np.float64) @ ways
        if ways.sum() > MOST_PROCESSES:
            instead = "link fewer stages, or records of fewer values"
            raise TooLarge("the processes of one record", f"{ways.sum():.3g} of them", instead, MOST_PROCESSES)
        paths = np.arange(len(values), dtype=np.int64)[:, None]
        for link in links:
            before, value = np.nonzero(link[paths[:, -1]])
            paths = np.concatenate([paths[before], value[:, None]], axis=1)
        return Processes(self, tuple(values), paths)

    @property
    def later(self) -> int:
        """How many data sets come after the first."""
        return len(self.stages) - 1

    @property
    def alike(self) -> bool:
        """Whether everybody's steps are the same, whatever the law of their first value."""
        return all(step.anew is not None or step.stay == 1 for step in self.each)

    @property
    def exact(self) -> bool:
        """Whether the first value determines all others."""
        return not self.apart and all(step.stay == 1 for step in self.each)

    def error(self, log_own: Array) -> float:
        """Bounds, in nats, how far the computed probability of a process given its first value may be off.

        Args:
            log_own: The logs of the person's law at the first stage (values,).
        """
        # Copies: nothing is multiplied.
        if self.exact:
            return 0.0
        deepest = float(np.max(-log_own, where=np.isfinite(log_own), initial=0.0))
        return self.later * (12 + 4 * deepest + 2 * len(log_own)) * UNIT


@final
@dataclass(frozen=True, eq=False)
class Processes:
    """All processes that one record can be over the data sets.

    Attributes:
        steps: The data sets, and how a value goes on.
        values: The values of a record at the first stage.
        paths: The processes, by the places of their values among these (processes, T).
    """

    steps: Steps
    values: tuple[RecordValue, ...]
    paths: IntArray

    @cached_property
    def universe(self) -> tuple[Process, ...]:
        """The processes as values; InputError where two have one text."""
        found = tuple(
            Process(self.steps.stages, tuple(self.values[place] for place in path)) for path in self.paths.tolist()
        )
        # The values 1 and "1" of one table: lists of them have one text.
        if len(set(found)) < len(found):
            raise InputError("model.within", list(self.values), "values that differ when they are written in a list")
        return found

    @property
    def first(self) -> IntArray:
        """The place of each process's first value (processes,)."""
        return np.asarray(self.paths[:, 0])

    def chances(self, own: Masses) -> Masses:
        """Returns Pr[process | its first value] (processes,), for a person with the law `own` (values,) at first."""
        found = Masses.of(np.ones(len(self.paths)))
        for stage, step in enumerate(self.steps.each):
            found = found.times(step.matrix(own)[self.paths[:, stage], self.paths[:, stage + 1]])
        return found

    def places(self, values: IntArray) -> IntArray:
        """Returns the place of each process (rows,) that has these values (rows, T), where any may follow any."""
        # Because paths are listed in the order of their values: the place is the number with these digits.
        found = np.zeros(len(values), dtype=np.int64)
        for stage in range(values.shape[1]):
            found = found * len(self.values) + values[:, stage]
        return found
