"""The laws of an answer given the exact values of others: published totals that the adversary knows.

With S the answer, T what is known and v its value,

    W(a | s, T = v) = Pr[S = a, T = v | s] / Pr[T = v | s],        π(s | T = v) ∝ π(s) Pr[T = v | s].

Groups of records that move nothing of S are independent of those that do. So Pr[S = a, T = v | s] is a sum over what
the latter add to T, and where S says what that is, as of a count of all records or of all women, a single product: one
dimension, however many people.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.channel.finite.answers import Component, joined, linked, restricted, touched
from dalenius.channel.finite.conditioned import Logs, conditioned
from dalenius.channel.finite.implied import distinct, values_at
from dalenius.channel.finite.known import Known, check_alone, impossible
from dalenius.channel.finite.marginals import Marginal, marginals_of
from dalenius.channel.finite.plan import Plan
from dalenius.channel.finite.remaining import SMALLER, Remaining, logs_of, resolved_laws
from dalenius.errors import TooLarge
from dalenius.joints import Joint, Subject
from dalenius.laws.law import IntArray, Law
from dalenius.queries import Scores

MOST_CELLS: Final = 1 << 24


@final
class GivenAnswers:
    """Coordinates of the answer that share groups of records with each other and with known ones, given those.

    joint: of all these groups; whole: the coordinates' scores; axes: which they are, of the whole answer's; folding,
    scores: of the distinct ones, of which laws are, given what is known. Given a total every record of the groups may
    depend on every other.
    """

    ends: None = None
    """Of `Component`: laws are never of one group's part alone here."""
    of_groups: None = None
    """The same."""
    refused: None = None
    """The same: no other way is there where they are too large."""

    def __init__(self, joint: Joint, scores: Scores, axes: Sequence[int], known: Known, engine: str | None) -> None:
        self.joint = joint
        self.whole = scores
        self.axes = tuple(axes)
        self._known = known
        self.folding = Component(joint, scores, engine, axes).folding
        self.scores = restricted(scores, self.folding.axes)
        moving = list(range(len(joint.factors())))
        if scores.additive and known.scores.additive:
            moved = touched(joint, self.scores)
            moving = [place for place, group in enumerate(joint.groups()) if moved[list(group)].any()]
        rest = [place for place in range(len(joint.factors())) if place not in moving]
        own, both = joint.part(moving), joined(self.scores, known.scores)
        self._remaining = Remaining(joint.part(rest) if rest else None, known.scores, engine)
        self._chosen, self._implied = distinct(own, both, kept=self.scores.lattice.axes)
        self._joined = Component(own, restricted(both, self._chosen), engine, self._chosen)

    @cached_property
    def plan(self) -> Plan:
        plan, count = self._joined.plan, len(set(self._known.rows))
        return replace(plan, why=f"{plan.why}; given {count} known answer{'' if count == 1 else 's'}")

    def laws(self) -> Iterator[tuple[Subject, Law]]:
        """The subjects with their priors given the known answers: secrets that these rule out are left out. TooLarge
        where a law does not fit, or a value is too improbable to resolve. InputError where they rule out everything."""
        cells, mixed = None, None
        for subject, law in resolved_laws(self._joined):
            if cells is None:
                cells = self._cells(law)
                rest = self._remaining.mixture(cells.targets)
            own = cells.of(law)
            mixed = mixed or own.mixture(subject.log_prior)
            yield self._given(subject, own.times(rest), cells)
        assert cells is not None
        assert mixed is not None
        for other, logs in self._remaining.likelihoods(cells.targets):
            yield self._given(other, logs.times(mixed), cells)

    def seen_of(self, subject: Subject) -> None:
        """Of `Component`: None, since laws are complete here."""

    def marginals(self, known: tuple[Subject, Law] | None, quickly: bool) -> list[Marginal]:
        """As of `Component`."""
        subject, law = known or next(iter(self.laws()))
        return list(marginals_of(subject, law, self.scores.lattice, self.scores.names))

    def _given(self, subject: Subject, logs: Logs, cells: "_Cells") -> tuple[Subject, Law]:
        found = conditioned(logs, subject.log_prior, cells.start, cells.box)
        if found is None:
            raise impossible(self.joint, self._known)
        secrets = tuple(subject.secrets[place] for place in found.kept)
        # The law of the answer and the known ones moves by the error of the class, and so do those of the known alone.
        given = replace(
            subject,
            secrets=secrets,
            log_prior=found.log_prior,
            dependents=sum(factor.count * factor.size for factor in self.joint.factors()),
            class_error=4 * subject.class_error,
        )
        return given, found.law

    def _cells(self, law: Law) -> "_Cells":
        """Where in the law's box the known values can hold, and what all other groups must add to them there."""
        width = self.scores.lattice.axes
        if prod(law.box) > MOST_CELLS:
            raise TooLarge("the law given adversary.answers", f"a box of {float(prod(law.box)):.2g} points", SMALLER)
        place = [slice(None)] * width + [
            self._within(axis - width, start, length)
            for axis, start, length in zip(self._chosen[width:], law.start[width:], law.box[width:], strict=True)
        ]
        numbers = np.arange(prod(law.box)).reshape(law.box)[tuple(place)]
        start = [own + (each.start or 0) for own, each in zip(law.start, place, strict=True)]
        points = np.stack([each.ravel() for each in np.indices(numbers.shape)], axis=1) + np.array(start)
        values, there = values_at(points, width + len(self._known.values), self._chosen, self._implied)
        targets = np.array(self._known.values, dtype=np.int64) - values[:, width:]
        return _Cells(numbers.ravel(), there, targets, tuple(start[:width]), numbers.shape[:width])

    def _within(self, known: int, start: int, length: int) -> slice:
        """The part of a known coordinate's axis from which other groups can reach its value."""
        value, (low, high) = self._known.values[known], self._remaining.ranges[known]
        first, last = max(value - high - start, 0), min(value - low - start, length - 1)
        if first > last:
            raise impossible(self.joint, self._known)
        return slice(first, last + 1)


@final
@dataclass(frozen=True)
class _Cells:
    """Cells of the law's box, by flat index; there: which can occur; targets (cells, known): what is left for other
    groups to add to the known answers; start, box: of the answer's own coordinates."""

    flat: IntArray
    there: NDArray[np.bool_]
    targets: IntArray
    start: tuple[int, ...]
    box: tuple[int, ...]

    def of(self, law: Law) -> Logs:
        return logs_of(law, self.flat, self.there)


def given_parts(joint: Joint, scores: Scores, known: Known, engine: str | None) -> list[Component | GivenAnswers]:
    """The answer's independent parts, given known answers. InputError where these have probability 0."""
    width = scores.lattice.axes
    found: list[Component | GivenAnswers] = []
    for part, axes in linked(joint, joined(scores, known.scores)):
        asked = [axis for axis in axes if axis < width]
        of = known.restricted([axis - width for axis in axes if axis >= width])
        if asked and of.values:
            found.append(GivenAnswers(part, restricted(scores, asked), asked, of, engine))
        elif asked:
            found.append(Component(part, restricted(scores, asked), engine, asked))
    return found


def check_possible(joint: Joint, scores: Scores, known: Known) -> None:
    """InputError where known answers that share no group with the answer have probability 0."""
    width = scores.lattice.axes
    touched_by = list(linked(joint, joined(scores, known.scores)))
    moved = {axis - width for _, axes in touched_by for axis in axes}
    for axis in range(len(known.values)):
        if axis not in moved and known.values[axis] != known.idle(axis):
            raise impossible(joint, known.restricted([axis]))
    for part, axes in touched_by:
        if min(axes) >= width:
            check_alone(part, known.restricted([axis - width for axis in axes]))
