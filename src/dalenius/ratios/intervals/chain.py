"""A chain whose probabilities are known to lie in intervals: a set of laws, and no one law of it.

Laws at corners of the boxes of a chain, and what outputs far above or below all answers say of a record under them.

No bound may fall below what they leak; how much that is decides nothing but how narrow an enclosure is.

Along a whole chain: bounds of both sides' messages at every record, computed once where they have settled.

What both sides of a record of a chain say about it, over all laws whose probabilities lie in intervals.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.chain_law import ChainLaw
from dalenius.joints.joint import Stratum, Subject
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses
from dalenius.ratios.bounded import BoundedBelief
from dalenius.ratios.intervals.boxes import Boxes, after_step, before_step, best_row, closed
from dalenius.ratios.intervals.regions import Quantity, Regions, patterns
from dalenius.ratios.large.ranges import Swept, swept
from dalenius.schema import RecordValue


@final
class CredalChain(BoundedBelief):
    """Every law of n records under which the first record's law and each row of each transition lie in their boxes,
    whatever the other rows are. values: every record's universe; labels: one public label per record."""

    nature: ClassVar[str] = "chain with intervals"
    unconditioned: ClassVar[str] = "no known records beside intervals: they are conditioned on under one law"

    def __init__(self, values: Sequence[RecordValue], boxes: Boxes, labels: Sequence[str] | None = None) -> None:
        self.values = tuple(values)
        self.boxes = boxes
        self._labels = tuple(labels) if labels is not None else ("",) * len(boxes)
        self._kinds = list(dict.fromkeys(self._labels))
        number = {label: kind for kind, label in enumerate(self._kinds)}
        self.stratum = np.array([number[label] for label in self._labels], dtype=np.int64)

    @property
    def people(self) -> int:
        return len(self.boxes)

    @property
    def is_set(self) -> bool:
        return True

    def strata(self) -> tuple[Stratum, ...]:
        return tuple(Stratum(label, self.values, self._labels.count(label)) for label in self._kinds)

    def subject_of(self, person: int) -> Subject:
        self.check_person(person)
        count = self.people
        possible = self.possible(person)
        secrets = tuple(self.values[i] for i in possible)
        unknown = np.full(len(secrets), np.nan)
        who = f"record {person} of a chain of {count}"
        return Subject(person, 1, int(self.stratum[person - 1]), secrets, unknown, count, who)

    def possible(self, person: int) -> list[int]:
        """Which values that person's record has under some law, by their indices."""
        return [int(i) for i in np.flatnonzero(self.boxes.priors[person - 1, 1] > 0)]

    def law(self, first: Array, rows: Array) -> ChainLaw:
        """One law of the set: the first record's (k,), and the distinct transitions (m, k, k)."""
        return ChainLaw(self.values, Masses.of(first), Masses.of(rows), self.boxes.which, self._labels)


def chain_in_intervals(
    values: Sequence[RecordValue], first: Array, rows: Array, which: IntArray, labels: Sequence[str] | None
) -> CredalChain:
    """The set of laws of a chain as a model gives it: see `Boxes`."""
    return CredalChain(values, Boxes(first, rows, which), labels)


LEANINGS: Final = 8
"""Records keep their values as often as they can, rise, fall, or change as often as they can; or in turn."""


def corner_laws(boxes: Boxes, tilts: Array, place: int) -> tuple[Array, Array]:
    """Of a record, from 0: its law, and the log-likelihoods of the output up to a constant, under some laws of the set
    (laws, k). tilts (n, k): the logs by which each record's values weigh at the output.

    All rows before the record lean one way, all from it on one way, and the first record's law to the same side, to the
    other, or to neither.
    """
    weights = np.exp(tilts - tilts.max(axis=1, keepdims=True))
    rows = list(_rows(boxes, tilts))
    order = _order(tilts[0])
    first = np.stack(
        [boxes.middle_first, *(best_row(boxes.first[0], boxes.first[1], each) for each in (order, -order))]
    )
    law = tilted = np.repeat(first[None, :, None], LEANINGS, axis=0)
    for step, each in enumerate(rows[:place]):
        law, tilted = law @ each[:, None], (tilted * weights[step]) @ each[:, None]
        tilted = tilted / tilted.sum(axis=-1, keepdims=True)
    message = np.ones((LEANINGS, boxes.size, 1))
    for step in range(len(rows) - 1, place - 1, -1):
        message = rows[step] @ (weights[step + 1][:, None] * message)
        message = message / message.max(axis=1, keepdims=True)
    law, tilted = law.reshape(-1, 1, boxes.size), tilted.reshape(-1, 1, boxes.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(tilted) - np.log(law) + np.log(message[None, ..., 0]) + tilts[place]
        logs = np.where(law > 0, logs, -np.inf)
    prior = np.broadcast_to(law / law.sum(axis=-1, keepdims=True), logs.shape)
    return prior.reshape(-1, boxes.size), logs.reshape(-1, boxes.size)


def rounding(boxes: Boxes) -> float:
    """By how much the log-likelihoods of `corner_laws` may be off."""
    return 8 * (len(boxes) + 4) * (boxes.size + 2) * UNIT


def _rows(boxes: Boxes, tilts: Array) -> Iterator[Array]:
    """By step (LEANINGS, k, k)."""
    known: dict[tuple[int, bytes], list[Array]] = {}
    for step, (which, tilt) in enumerate(zip(boxes.which.tolist(), tilts[1:], strict=True)):
        key = which, tilt.tobytes()
        if key not in known:
            (low, high), k = boxes.rows[which], boxes.size
            rising = np.broadcast_to(_order(tilt), (k, k))
            leaning = np.stack([best_row(low, high, each) for each in (np.eye(k), rising, -rising, -np.eye(k))])
            known[key] = [np.concatenate([leaning, each]) for each in (leaning, leaning[::-1])]
        yield known[key][step % 2]


def _order(tilt: Array) -> Array:
    return np.argsort(tilt).argsort().astype(np.float64)


def ahead(boxes: Boxes, own: Sequence[Array], stratum: IntArray) -> Swept:
    """Bounds of log f(x) - log f(x') (k, k) for f the message of all records after each: own, by stratum, is how far
    the record's own score moves the log-density of the noise, between two values."""
    steps = list(range(len(boxes) - 2, -1, -1))
    keys = [(int(boxes.which[i]), int(stratum[i + 1])) for i in steps]

    def step(far: Array, i: int) -> Array:
        which, place = keys[i]
        low, high = boxes.rows[which]
        return before_step(low, high, far + own[place])

    found = swept(boxes.size, keys, step)
    return Swept(found.states, found.at[::-1].copy())


def behind(boxes: Boxes, own: Sequence[Array], stratum: IntArray) -> Swept:
    """The same of all records before each, given it: for any number of values."""
    keys = [(int(which), int(stratum[i]), boxes.priors[i].tobytes()) for i, which in enumerate(boxes.which)]

    def step(far: Array, i: int) -> Array:
        which, place, _ = keys[i]
        low, high = boxes.priors[i]
        least, most = boxes.rows[which]
        return after_step((low, high), least, most, far + own[place])

    return swept(boxes.size, keys, step)


def places_of(sides: Sequence[IntArray]) -> list[int]:
    """The first of every class of records with the same bounds, of each side."""
    rows = np.stack(sides, axis=1)
    return sorted(np.unique(rows, axis=0, return_index=True)[1].tolist())


@final
class ChainMessages:
    """Of one chain, by the rate at which the log-density of the noise changes: of outputs of a noised sum of scores, or
    of whatever changes no faster with any record than it does."""

    def __init__(self, law: CredalChain, scores: Sequence[Array], rate: float) -> None:
        self.law, self._rate = law, rate
        self._scores = scores
        self.own = [rate * np.abs(each[:, None] - each[None]).sum(axis=2) for each in scores]

    @cached_property
    def ahead(self) -> Swept:
        """Of the records after each."""
        return ahead(self.law.boxes, self.own, self.law.stratum)

    @cached_property
    def behind(self) -> Swept:
        """Of those before."""
        return behind(self.law.boxes, self.own, self.law.stratum)

    @cached_property
    def places(self) -> list[int]:
        """A record of every class of records with the same bounds."""
        priors = np.unique(self.law.boxes.priors, axis=0, return_inverse=True)[1].ravel()
        return places_of([self.ahead.at, self.behind.at, self.law.stratum, priors])

    def regions(self, place: int, values: Sequence[int]) -> Regions:
        """Of one record, from 0, and these of its values."""
        low, high = self.law.boxes.priors[place]
        far = self.ahead.states[self.ahead.at[place]] + self.own[self.law.stratum[place]]
        kept = np.ix_(values, values)
        above = closed(far + self.behind.states[self.behind.at[place]])
        return Regions(low[None, values], high[None, values], above[kept][None])

    def attained(self, place: int, values: Sequence[int], quantity: Quantity) -> float:
        """The most that laws at corners of the boxes attain, for any signs of an output far away; from below."""
        found = 0.0
        for signs in patterns(self._scores[0].shape[1]):
            prior, logs = self._corner_laws(place, signs)
            value = float(quantity(prior[:, values], logs[:, values]).max())
            found = max(found, value - 2 * rounding(self.law.boxes) * (1 + abs(value)))
        return found

    @lru_cache(maxsize=64)  # noqa: B019 (of one noise, of which an audit asks several quantities)
    def _corner_laws(self, place: int, signs: tuple[float, ...]) -> tuple[Array, Array]:
        by_stratum = [self._rate * (each @ np.array(signs)) for each in self._scores]
        return corner_laws(self.law.boxes, np.stack([by_stratum[i] for i in self.law.stratum]), place)
