"""The laws of the exact answer given every secret, side by side on one axis.

Take the number of ill people in two households of four, ill as [0.9, 0.04, 0, 0, 0.06]. These are the chances of the
counts 0 to 4, given that one member is well, and given that they are ill.

    >>> from dalenius import Count, Households, NoNoise, Release
    >>> laws = laws_of(Release(Households(count=2, infected=[0.9, 0.04, 0.0, 0.0, 0.06]), Count(), NoNoise()))
    >>> np.exp(laws.each[0].logs[:, :5]).round(4).tolist()
    [[0.871, 0.0677, 0.0013, 0.0, 0.0581], [0.0, 0.1286, 0.0057, 0.0, 0.7714]]
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, log
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.calibration.method_base import promised
from dalenius.channel import RecordChannel, Release
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.joints.joint import WITHIN
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Window, both_ways, log_mix
from dalenius.laws.leakage_tail import WIDENED
from dalenius.notions import Notion
from dalenius.notions.notion import Linear
from dalenius.optimum.limits import MOST_NUMBERS

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


def check_law(release: Release) -> None:
    """Raises Meaningless where probabilities of `release` are intervals: a set of laws has no expected error."""
    if WITHIN in release.worlds.over:
        wanted = "one law for this method: numbers for all probabilities, or method exact"
        raise Meaningless("model", "probabilities that are intervals", wanted)


def laws_of(release: Release) -> AnswerLaws | None:
    """Returns the laws of the answer of `release`; None where no secret touches it.

    Raises:
        InputError: For several answers, or one on a line.
        TooLarge: If the laws are, or models of which only windows are known put the answer too far apart.
    """
    if release.lattice.axes > 1:
        raise InputError(
            "query", f"{release.lattice.axes} answers", "a single answer (each on its own, or method exact)"
        )
    # Because the secret who is absent decides the answer, its laws are points.
    if release.secret == "absence":
        from dalenius.optimum.absence_laws import laws_of_absence

        return laws_of_absence(release)
    classes = _few_enough(release.worlds.exact_answers())
    # Nobody has a secret that the query reads: the exact answer says nothing of anybody.
    if not classes:
        return None
    laws = _side_by_side(classes, release.lattice)
    ends = laws.likely_ends
    if max(window.doubt(*ends) for _, window in classes) <= WIDENED:
        return laws
    # Several models, `any`, of very many people: what is likely under one is in no window of another.
    complete = [channel.complete for channel in release.worlds.exact_answers()]
    if any(channel.likelihood.line is not None for channel in complete):
        raise TooLarge("the laws of the answer", f"{release.model.kind}: models that lie far apart", "use method exact")
    return _side_by_side(_few_enough(complete), release.lattice)


def _few_enough(each: Iterable[RecordChannel]) -> list[tuple[RecordChannel, Window]]:
    """Returns the channels of exact answers, each with its law on a window.

    InputError for answers on a line; TooLarge where the laws are more than _MOST numbers, or no window of them is
    known.
    """
    found, points = [], 0
    for channel in each:
        law = channel.inside.law
        # Sums of real numbers, such as incomes, that lie on no lattice.
        if law.points is not None:
            raise InputError("model", "answers on a line", "answers on a lattice (or method exact)")
        if law.line is not None:  # a group's part alone
            raise TooLarge("the laws of the answer", "even a window of them", "use method exact")
        found.append((channel, channel.inside))
        points += law.relative.size
        if points > MOST_NUMBERS:
            raise TooLarge("the laws of the answer", f"{points:,} numbers or more", "use method exact", MOST_NUMBERS)
    return found


def _side_by_side(classes: Sequence[tuple[RecordChannel, Window]], lattice: Lattice) -> AnswerLaws:
    """Returns all laws on one range of lattice points; what a window has lost is missing at its ends."""
    windows = [window for _, window in classes]
    start, stop = min(window.ends[0] for window in windows), max(window.ends[1] for window in windows) + 1
    reach = max(max(start - window.extent[0], window.extent[1] - stop + 1) for window in windows)
    missing = np.full(stop - start, -inf)
    each: list[PersonLaws] = []
    models: list[Array] = []
    for channel, window in classes:
        law = window.law
        place = slice(law.start[0] - start, law.start[0] - start + law.box[0])
        logs = np.full((law.secrets, stop - start), -inf)
        logs[:, place] = law.log_mass()
        if law.floor is not None:
            missing[place] = np.maximum(missing[place], law.base + law.floor)
        if (most := max(window.lost)) > 0:
            ends = [place.start, place.stop - 1]
            missing[ends] = np.maximum(missing[ends], log(most))
        subject = PersonLaws(channel.subject.person, logs, channel.log_prior, channel.pairs)
        # All classes of people see one law of the answer, unless there are several models.
        # Two models whose probabilities of all answers differ by less in sum count as one.
        if not any(np.sum(np.abs(np.exp(subject.mixture) - np.exp(other))) < 1e-9 for other in models):
            models.append(subject.mixture)
        if law.secrets > 1:
            each.append(subject)
    error, lost = max(window.law.error for window in windows), max(max(window.lost) for window in windows)
    found = AnswerLaws(start, lattice, tuple(each), np.array(models), error, missing)
    return replace(found, lost=lost, reach=max(reach, 0), complete=lost == 0)
