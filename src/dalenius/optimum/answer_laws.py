"""The laws of one answer given every secret, side by side on one axis."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.calibration.method_base import promised
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import both_ways, log_mix
from dalenius.notions import Notion
from dalenius.notions.notion import Linear

ON_LAWS: Final = ("pairs", "average", "average both ways")
"""How a promise is `linear` that constrains the laws of the output given the secret alone."""
_NEVER: Final = -640.0
"""The log-probability below which answers are merged into the last likelier one in a search."""
RARER: Final = 1e15
"""A search on a window does not look at answers that are less likely than this, times what laws have lost."""


@final
@dataclass(frozen=True)
class PersonLaws:
    """The laws about one class of people, by its first person.

    Attributes:
        person: The first person's number.
        logs: log Pr[answer | s] (secrets, answers).
        log_prior: log Pr[s].
        pairs: The pairs that must not be distinguished; None for all.
    """

    person: int
    logs: Array
    log_prior: Array
    pairs: tuple[tuple[int, int], ...] | None

    @property
    def mixture(self) -> Array:
        """Returns log Pr[answer]."""
        return log_mix(self.log_prior, self.logs)

    def against(self, linear: Linear) -> list[tuple[Array, Array]]:
        """Returns the pairs of laws of the answer, as logs, whose first may not exceed the second by much.

        Those are each secret's and the average, or each secret's and that of each secret to hide it from, by how a
        promise is `linear`.
        """
        # Because information compares with what the record may be; inferential privacy with each other value.
        if linear in ("average", "average both ways"):
            mixture = self.mixture
            raised = [(own, mixture) for own in self.logs]
            return raised if linear == "average" else raised + [(mixture, own) for own in self.logs]
        return [(self.logs[one], self.logs[other]) for one, other in both_ways(self.pairs, len(self.logs))]


@final
@dataclass(frozen=True)
class AnswerLaws:
    """All laws of one answer on the same lattice points, as a linear program or a search reads them.

    Attributes:
        start: The lattice index of the first answer.
        lattice: The lattice.
        each: The laws by class of people.
        models: log Pr[answer] under each different law (models, answers).
        error: The error of every log given a secret, in nats.
        missing: The log of the most any secret's law may leave unresolved (answers,).
        lost: The most of any law that is on answers beyond these.
        reach: The most steps by which one of those is beyond.
        complete: Whether no answer is beyond, and none was merged.
    """

    start: int
    lattice: Lattice
    each: tuple[PersonLaws, ...]
    models: Array
    error: float
    missing: Array
    lost: float = 0.0
    reach: int = 0
    complete: bool = True

    @property
    def count(self) -> int:
        """The number of lattice points that the range of the answers has."""
        return int(self.models.shape[1])

    @property
    def unconditional(self) -> "AnswerLaws":
        """The laws without those given anybody's secret."""
        return replace(self, each=())

    @property
    def likely(self) -> "AnswerLaws":
        """The laws that a search reads, and not an audit.

        Answers beyond the outermost likely ones (under any model) are merged into these; but for a rounding their mass
        is there, and it is counted in `missing`.
        """
        low, high = (end - self.start for end in self.likely_ends)

        def narrowed(logs: Array) -> Array:
            inside = logs[..., low : high + 1].copy()
            inside[..., 0] = np.logaddexp.reduce(logs[..., : low + 1], axis=-1)
            inside[..., -1] = np.logaddexp.reduce(logs[..., high:], axis=-1)
            return inside

        # Records that are nearly always 0: were all merged into the one likely answer, no two laws would differ.
        if high == low:
            return self
        missing = narrowed(self.missing)
        for logs in (self.models, *(one.logs for one in self.each)):
            for end, tail in ((0, logs[:, :low]), (-1, logs[:, high + 1 :])):
                lost = np.logaddexp.reduce(tail, axis=-1, initial=-inf)
                missing[end] = np.logaddexp(missing[end], np.max(lost))
        each = tuple(replace(one, logs=narrowed(one.logs)) for one in self.each)
        models = narrowed(self.models)
        found = replace(self, start=self.start + low, each=each, models=models, missing=missing)
        return replace(found, complete=self.complete and found.count == self.count)

    @property
    def likely_ends(self) -> tuple[int, int]:
        """The ends of `likely`, which takes as much room as these."""
        least = max(_NEVER, log(RARER * self.lost)) if self.lost else _NEVER
        kept = np.flatnonzero(np.max(self.models, axis=0) >= least)
        return self.start + int(kept[0]), self.start + int(kept[-1])

    def affordable(self, margins: Sequence[float], notions: Sequence[Notion]) -> list[float]:
        """Returns the relative `margins` below each epsilon of `notions` that the laws' error does not break."""
        least = min(promised(notion) for notion in notions)
        kept = [margin for margin in margins if self.complete or margin * least > 2 * self.error]
        return kept or list(margins[-1:])

    def beyond(self, power: int) -> float:
        """Returns the most that answers beyond these add to an expected error to this `power`, in lattice steps."""
        return 2 * self.lost * float(self.count + self.reach) ** power if self.lost else 0.0

    @property
    def step(self) -> float:
        """The distance from one lattice point to the next, in the query's unit."""
        return float(self.lattice.steps[0])
