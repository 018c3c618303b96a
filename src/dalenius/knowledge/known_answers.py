"""The laws of the released answer given answers that are known exactly.

Groups of records that do not move the released answer may still add to the known ones; what they add is summed out. A
total that was published before makes people dependent who were not. Take eight independent bits with a total of 3: each
is 1 with probability 3/8, whatever it was. All eight together leave no secret where the total is 0 or 8.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, prod
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.adversary import KnownCoordinates
from dalenius.channel.answer_laws import AnswerComponent, AnswerPart, components_of
from dalenius.channel.choice_of_engine import Plan
from dalenius.channel.copies import ProportionalAnswers, distinct, of_those_here, values_at
from dalenius.channel.marginals import Marginal, marginals_of
from dalenius.channel.sensitivity import touched
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Joint, Subject, factor_strata
from dalenius.knowledge.limits import MOST_KNOWN_POINTS
from dalenius.laws.generating_function_algebra import Extents
from dalenius.laws.law import Law, log_mix
from dalenius.memory_budget import allowed, enough, or_more
from dalenius.queries import Scores


@final
@dataclass(frozen=True)
class Logs:
    """Likelihoods of cells: log Pr[cell | s] = base (cells,) + relative (secrets, cells), up to `error` nats."""

    base: Array
    relative: Array
    error: float

    def mixture(self, log_prior: Array) -> "Logs":
        """Returns the likelihoods whatever the secret is, as one row; log_prior (secrets,): the prior's logs."""
        mixed = log_mix(log_prior, self.relative)
        depth = float(np.max(np.abs(mixed), where=np.isfinite(mixed), initial=0.0))
        rounding = (2 * len(log_prior) + 4 * depth + 8) * UNIT
        return Logs(self.base, mixed[None], self.error + rounding)

    def times(self, other: "Logs") -> "Logs":
        """Returns the likelihoods of independent records together; the `other` has one row."""
        return Logs(self.base + other.base, self.relative + other.relative, self.error + other.error + 4 * UNIT)


class Conditioned(NamedTuple):
    """A subject given known values: its possible secrets' places, the logs of their prior, and the answer's law."""

    kept: list[int]
    log_prior: Array
    law: Law


def given_known_values(logs: Logs, log_prior: Array, start: Sequence[int], box: Sequence[int]) -> Conditioned | None:
    """Returns secrets, prior and law given the known values; None where no cell can occur.

    Args:
        logs: The likelihoods of cells (*box, further) in which the known values hold.
        log_prior: The logs of the secrets' prior (secrets,).
        start: The box's first point, by coordinate.
        box: The box's lengths, by coordinate.
    """
    base, relative, rounding = _summed(logs, prod(box))
    masses = base + relative
    tops = np.max(masses, axis=1)
    kept = [secret for secret, top in enumerate(tops) if top > -inf]
    # The known answers may contradict the model, as a total of 9 of eight people.
    if not kept:
        return None
    relative, tops = relative[kept], tops[kept]
    shares = tops + np.log(np.sum(np.exp(masses[kept] - tops[:, None]), axis=1))
    joint = log_prior[kept] + (shares - np.max(shares))
    total = float(np.logaddexp.reduce(joint))
    shifts = (shares - np.max(shares)) - total
    level = float(np.max(shares)) + total
    depth = float(np.max(np.abs(relative), where=np.isfinite(relative), initial=0.0)) + float(np.max(np.abs(shifts)))
    # The error of the logs and of the known values' probability; half as much again is for the prior, which has it too.
    error = 1.5 * (2 * logs.error + (2 * rounding + 2 * len(base) + 8 * depth + 32) * UNIT)
    law = _trimmed(Law(tuple(start), base - level, relative - shifts[:, None], error), tuple(box))
    return Conditioned(kept, np.minimum(joint - total, 0.0), law)


def _summed(logs: Logs, points: int) -> tuple[Array, Array, float]:
    """Returns base (points,), relative (secrets, points), over each point's last cells, and the number of roundings."""
    further = len(logs.base) // points
    # If no other group adds to the known answers, or the answer tells them, each point has one cell.
    if further == 1:
        return _finite(logs.base, logs.relative), logs.relative, 0.0
    base, relative = logs.base.reshape(points, further), logs.relative.reshape(-1, points, further)
    masses = base + relative
    level = np.max(masses, axis=(0, 2))
    level = np.where(level > -inf, level, 0.0)
    with np.errstate(divide="ignore"):
        own = np.max(masses, axis=2)
        own = np.where(own > -inf, own, 0.0)
        summed = np.log(np.sum(np.exp(masses - own[..., None]), axis=2)) + (own - level)
    return level, summed, 2.0 * further + 8


def _finite(base: Array, relative: Array) -> Array:
    """Returns the base, 0 where no cell can occur."""
    return np.where(np.max(relative, axis=0) > -inf, base, np.where(np.isfinite(base), base, 0.0))


def _trimmed(law: Law, box: tuple[int, ...]) -> Law:
    """Returns a law of flat points, on the smallest box that holds what can occur."""
    occupied = np.nonzero((np.max(law.relative, axis=0) > -inf).reshape(box))
    low, high = [int(each.min()) for each in occupied], [int(each.max()) for each in occupied]
    place = tuple(slice(first, last + 1) for first, last in zip(low, high, strict=True))
    start = tuple(first + shift for first, shift in zip(law.start, low, strict=True))
    relative = law.relative.reshape(-1, *box)[(slice(None), *place)]
    return Law(start, law.base.reshape(box)[place], relative, law.error)


_SMALLER: Final = "ask fewer people, or answers of what the known ones leave open"


@final
class OtherGroups:
    """The known coordinates on groups that do not move the answer; joint: None for no groups."""

    def __init__(self, joint: Joint | None, scores: Scores, engine: str | None) -> None:
        self._scores, self._joint = scores, joint
        if joint is not None:
            self._chosen, self._implied = distinct(joint, scores)
            # Because two coordinates that ask nobody here are no copies of each other.
            own = of_those_here(joint, scores)
            self._component = _component(joint, own.restricted(self._chosen), engine, self._chosen)

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Returns the least and the greatest value of each coordinate, in lattice steps."""
        # If all groups move the answer, no others add anything.
        if self._joint is None:
            return [(0, 0)] * self._scores.lattice.axes
        extent = self._joint.total(Extents(self._scores.indices, self._scores.combine))
        return list(zip(extent.low, extent.high, strict=True))

    def mixture(self, targets: IntArray) -> Logs:
        """Returns the probability of each row of `targets` (cells, coordinates), in lattice steps, as one row."""
        if self._joint is None:
            # Without records nothing but 0 is added, for certain.
            relative = np.where(np.all(targets == 0, axis=1), 0.0, -np.inf)
            return Logs(np.zeros(len(targets)), relative[None], 0.0)
        subject, law = self._laws[0]
        return self._at(targets, law).mixture(subject.log_prior)

    def likelihoods(self, targets: IntArray) -> Iterator[tuple[Subject, Logs]]:
        """Yields each subject of the groups, with the likelihoods of `targets` (cells, coordinates) by secret."""
        for subject, law in self._laws if self._joint is not None else ():
            yield subject, self._at(targets, law)

    @cached_property
    def _laws(self) -> list[tuple[Subject, Law]]:
        _no_bounds(self._component)
        return list(self._component.laws())

    def _at(self, targets: IntArray, law: Law) -> Logs:
        own = targets[:, self._chosen]
        values, there = values_at(own, targets.shape[1], self._chosen, self._implied)
        there &= np.all(values == targets, axis=1)
        places = own - np.array(law.start, dtype=np.int64)
        there &= np.all((places >= 0) & (places < np.array(law.box)), axis=1)
        flat = np.ravel_multi_index(tuple(np.where(there, column, 0) for column in places.T), law.box)
        return _logs_of(law, flat, there)


def _component(joint: Joint, scores: Scores, engine: str | None, axes: Sequence[int]) -> AnswerComponent:
    """Returns the part of the answer, convolved where its law is computed by transforms.

    InputError where it is to be tilted.
    """
    # Because tilted transforms do not resolve cells far from where sums usually lie: a total of 10 % where 7 % are
    # expected.
    if engine == "tilting":
        raise InputError("engine", engine, "convolution where answers are known")
    found = AnswerComponent(joint, scores, engine, axes)
    tilted = found.plan.engine == "tilting"
    return AnswerComponent(joint, scores, "convolution", axes) if tilted else found


def _logs_of(law: Law, flat: IntArray, there: NDArray[np.bool_]) -> Logs:
    """Returns the law's cells at these flat indices, impossible where they are not there.

    The error includes that of what all secrets have in common.
    """
    base = law.base.ravel()[flat]
    relative = np.where(there, law.relative.reshape(law.secrets, -1)[:, flat], -np.inf)
    base = np.where(np.max(relative, axis=0) > -np.inf, base, 0.0)
    return Logs(base, relative, law.error + 8 * UNIT * (1 + float(np.max(np.abs(base), initial=0.0))))


def _no_bounds(component: AnswerComponent) -> None:
    """Raises TooLarge where the law is not computed: what one person's group adds says nothing given a known answer."""
    if component.plan.engine == "bounds":
        size = f"a box of {float(component.plan.extent.points):.2g} points"
        raise TooLarge("the law given adversary.answers", size, _SMALLER, component.plan.exceeded)


def _impossible(joint: Joint, known: KnownCoordinates) -> InputError:
    """Returns the error for known answers of probability 0; it names the first that cannot occur by itself, if any."""
    for row in dict.fromkeys(known.rows):
        single = known.restricted([axis for axis, of in enumerate(known.rows) if of == row])
        if known.count == 1 or not _possible(joint, single):
            wanted = "a value the answer can have under the model"
            return InputError(f"adversary.answers row {row}", known.given[row - 1], wanted)
    shown = ", ".join(f"row {row} = {known.given[row - 1]}" for row in dict.fromkeys(known.rows))
    return InputError("adversary.answers", shown, "values that can occur together under the model")


def _possible(joint: Joint, known: KnownCoordinates) -> bool:
    """Says whether the known answers can occur, or that is too much to compute."""
    try:
        logs = OtherGroups(joint, known.scores, None).mixture(np.array([known.values], dtype=np.int64))
    # Known totals too many for a law are taken to be possible, and refused where a law is needed.
    except TooLarge:
        return True
    return bool(np.max(logs.base + np.max(logs.relative, axis=0)) > -np.inf)


@final
class GivenAnswers(AnswerPart):
    """Coordinates of the answer that share groups of records with each other and with known ones, given those.

    Given a total every record of the groups may depend on every other. joint: the law of all these groups; all_scores,
    axes: the coordinates' scores and their places in the whole answer; folding, scores: how distinct coordinates stand
    for all, and their scores, which laws are about.
    """

    def __init__(
        self, joint: Joint, scores: Scores, axes: Sequence[int], known: KnownCoordinates, engine: str | None
    ) -> None:
        self.joint = joint
        self.all_scores = scores
        self.axes = tuple(axes)
        self._known, self._engine = known, engine
        # Because a group that the answer does not ask, as other wards of a published total, only adds to a sum.
        moving = list(range(len(joint.factors())))
        if scores.additive and known.scores.additive:
            moved = touched(joint, self.scores)
            moving = [place for place, group in enumerate(factor_strata(joint)) if moved[list(group)].any()]
        rest = [place for place in range(len(joint.factors())) if place not in moving]
        own, both = joint.part(moving), self.scores.with_coordinates(known.scores)
        self._other_groups = OtherGroups(joint.part(rest) if rest else None, known.scores, engine)
        self._chosen, self._implied = distinct(own, both, kept=self.scores.lattice.axes)
        here = of_those_here(own, both).restricted(self._chosen)
        self._joined = _component(own, here, engine, self._chosen)

    @cached_property
    def proportional(self) -> ProportionalAnswers | None:
        return AnswerComponent(self.joint, self.all_scores, self._engine, self.axes).proportional

    @cached_property
    def scores(self) -> Scores:
        copies = self.proportional
        return self.all_scores if copies is None else self.all_scores.restricted(copies.axes)

    @cached_property
    def plan(self) -> Plan:
        plan, count = self._joined.plan, len(set(self._known.rows))
        return replace(plan, why=f"{plan.why}; given {count} known answer{'' if count == 1 else 's'}")

    def laws(self) -> Iterator[tuple[Subject, Law]]:
        """Yields the subjects with their priors given the known answers; secrets that these rule out are left out.

        TooLarge where a law does not fit, or a value is too improbable to resolve. InputError where everything is ruled
        out.
        """
        cells, mixed = None, None
        _no_bounds(self._joined)
        for subject, law in self._joined.laws():
            if cells is None:
                cells = self._cells(law)
                rest = self._other_groups.mixture(cells.targets)
            own = cells.of(law)
            mixed = mixed or own.mixture(subject.log_prior)
            yield self._given(subject, own.times(rest), cells)
        assert cells is not None
        assert mixed is not None
        for other, logs in self._other_groups.likelihoods(cells.targets):
            yield self._given(other, logs.times(mixed), cells)

    def marginals(self, known: tuple[Subject, Law] | None, quickly: bool) -> list[Marginal]:
        """Returns the marginals as `Component` does; known: a subject and its law, or None; quickly: not used here."""
        subject, law = known or next(iter(self.laws()))
        return list(marginals_of(subject, law, self.scores.lattice, self.scores.names))

    def _given(self, subject: Subject, logs: Logs, cells: "_Cells") -> tuple[Subject, Law]:
        found = given_known_values(logs, subject.log_prior, cells.start, cells.box)
        if found is None:
            raise _impossible(self.joint, self._known)
        secrets = tuple(subject.secrets[place] for place in found.kept)
        # Because the error of the class moves the law of the answer and the known ones, and that of the known alone.
        given = replace(
            subject,
            secrets=secrets,
            log_prior=found.log_prior,
            dependents=sum(factor.count * factor.size for factor in self.joint.factors()),
            class_error=4 * subject.class_error,
        )
        return given, found.law

    def _cells(self, law: Law) -> "_Cells":
        """Returns the cells of the law's box where the known values can hold, and what other groups must add there."""
        width = self.scores.lattice.axes
        if (points := prod(law.box)) > allowed(MOST_KNOWN_POINTS):
            instead = or_more(_SMALLER, enough(points, MOST_KNOWN_POINTS))
            size = f"a box of {float(points):.2g} points"
            raise TooLarge("the law given adversary.answers", size, instead, MOST_KNOWN_POINTS)
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
        """Returns the part of a known coordinate's axis from which other groups can reach its value."""
        value, (low, high) = self._known.values[known], self._other_groups.ranges[known]
        first, last = max(value - high - start, 0), min(value - low - start, length - 1)
        # A published total may be 50 where eight bits and the other wards' 30 are all there is.
        if first > last:
            raise _impossible(self.joint, self._known)
        return slice(first, last + 1)


@final
@dataclass(frozen=True)
class _Cells:
    """Cells of a law's box, by flat index, and which of them can occur.

    targets (cells, known): what is left for other groups to add to the known answers, in lattice steps; start, box: of
    the answer's own coordinates.
    """

    flat: IntArray
    there: NDArray[np.bool_]
    targets: IntArray
    start: tuple[int, ...]
    box: tuple[int, ...]

    def of(self, law: Law) -> Logs:
        return _logs_of(law, self.flat, self.there)


def given_parts(joint: Joint, scores: Scores, known: KnownCoordinates, engine: str | None) -> list[AnswerPart]:
    """Returns the answer's independent parts, with `joint`, `scores` and `engine` as in `components_of_groups`.

    InputError where the `known` answers have probability 0.
    """
    width = scores.lattice.axes
    found: list[AnswerPart] = []
    for part, axes in components_of(joint, scores.with_coordinates(known.scores)):
        own_axes = [axis for axis in axes if axis < width]
        of = known.restricted([axis - width for axis in axes if axis >= width])
        if own_axes and of.values:
            found.append(GivenAnswers(part, scores.restricted(own_axes), own_axes, of, engine))
        # Because no known answer is about it, this part keeps its law.
        elif own_axes:
            found.append(AnswerComponent(part, scores.restricted(own_axes), engine, own_axes))
    return found


def check_possible(joint: Joint, scores: Scores, known: KnownCoordinates) -> None:
    """Raises InputError where `known` answers that share no group with the answer cannot occur.

    joint: the law of all records; scores: those of the released answer.
    """
    width = scores.lattice.axes
    touched_by = list(components_of(joint, scores.with_coordinates(known.scores)))
    moved = {axis - width for _, axes in touched_by for axis in axes}
    for axis in range(len(known.values)):
        if axis not in moved and known.values[axis] != known.idle(axis):
            raise _impossible(joint, known.restricted([axis]))
    for part, axes in touched_by:
        if min(axes) >= width:
            own = known.restricted([axis - width for axis in axes])
            if not _possible(part, own):
                raise _impossible(part, own)
