"""What groups of records that do not move the answer add to known ones."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.channel.finite.answers import Component, components, restricted
from dalenius.channel.finite.conditioned import Logs, certain
from dalenius.channel.finite.determined import independent
from dalenius.errors import TooLarge
from dalenius.joints import Joint, Subject
from dalenius.laws.law import IntArray, Law
from dalenius.laws.transforms.ranges import Extents
from dalenius.queries import Scores

SMALLER: Final = "give fewer known answers, coarser ones, or ask of fewer people"


@final
class Remaining:
    """The known coordinates on these groups; joint: None for no groups. Coordinates that share no group are parts."""

    def __init__(self, joint: Joint | None, scores: Scores, engine: str | None) -> None:
        self._scores = scores
        self._nobody = joint is None
        found = [] if joint is None else components(joint, scores, engine)
        self._parts = [_Part(each, engine) for each in found]
        moved = {axis for each in found for axis in each.axes}
        self._still = [axis for axis in range(scores.lattice.axes) if axis not in moved]

    @cached_property
    def ranges(self) -> list[tuple[int, int]]:
        """The least and the greatest value of each coordinate, in lattice steps."""
        found = [(0, 0)] * self._scores.lattice.axes
        for part in self._parts:
            for axis, low, high in part.extents():
                found[axis] = low, high
        return found

    def mixture(self, targets: IntArray) -> Logs:
        """The probability of each row of values (cells, coordinates), as one row."""
        return self._all(targets, [part.mixture(targets) for part in self._parts])

    def likelihoods(self, targets: IntArray) -> Iterator[tuple[Subject, Logs]]:
        """The same given each secret, of every subject of the groups."""
        mixtures = [part.mixture(targets) for part in self._parts]
        for place, part in enumerate(self._parts):
            others = self._all(targets, mixtures[:place] + mixtures[place + 1 :])
            for subject, logs in part.likelihoods(targets):
                yield subject, logs.times(others)

    def _all(self, targets: IntArray, parts: list[Logs]) -> Logs:
        found = certain(len(targets))
        still = np.all(targets[:, self._still] == self._idle[self._still], axis=1)
        found.relative[0, ~still] = -np.inf
        for part in parts:
            found = part.times(found)
        return found

    @cached_property
    def _idle(self) -> IntArray:
        """The values of coordinates that no record moves."""
        if self._nobody:
            return np.zeros(self._scores.lattice.axes, dtype=np.int64)
        columns = self._scores.indices.T
        idle = [0 if how == "sum" else int(own[0]) for own, how in zip(columns, self._scores.combine, strict=True)]
        return np.array(idle, dtype=np.int64)


@final
class _Part:
    """Coordinates that share groups; laws are of those that do not determine each other."""

    def __init__(self, component: Component, engine: str | None) -> None:
        self._whole = component
        scores = component.whole
        chosen, self._relations = independent(component.joint, scores, [], range(scores.lattice.axes))
        self._chosen = chosen
        self._component = Component(component.joint, restricted(scores, chosen), engine, range(len(chosen)))

    def extents(self) -> list[tuple[int, int, int]]:
        scores = self._whole.whole
        extent = self._whole.joint.total(Extents(scores.indices, scores.combine))
        return list(zip(self._whole.axes, extent.low, extent.high, strict=True))

    def mixture(self, targets: IntArray) -> Logs:
        if not self._chosen:
            return self._at(targets, None)
        subject, law = self._laws[0]
        return self._at(targets, law).mixture(subject.log_prior)

    def likelihoods(self, targets: IntArray) -> Iterator[tuple[Subject, Logs]]:
        for subject, law in self._laws if self._chosen else ():
            yield subject, self._at(targets, law)

    @cached_property
    def _laws(self) -> list[tuple[Subject, Law]]:
        return list(resolved_laws(self._component))

    def _at(self, targets: IntArray, law: Law | None) -> Logs:
        points = targets[:, list(self._whole.axes)]
        own = points[:, self._chosen]
        there = np.ones(len(points), dtype=np.bool_)
        for axis, relation in self._relations.items():
            value, whole = relation.at(own)
            there &= whole & (value == points[:, axis])
        if law is None:
            found = certain(len(points))
            found.relative[0, ~there] = -np.inf
            return found
        places = own - np.array(law.start, dtype=np.int64)
        there &= np.all((places >= 0) & (places < np.array(law.box)), axis=1)
        flat = np.ravel_multi_index(tuple(np.where(there, column, 0) for column in places.T), law.box)
        return logs_of(law, flat, there)


def resolved_laws(component: Component) -> Iterator[tuple[Subject, Law]]:
    """The laws with the error that single cells of theirs have. TooLarge where they are not computed."""
    no_bounds(component)
    for subject, law in component.laws():
        if component.plan.engine == "tilting":
            law = replace(law, error=law.error + 8 * UNIT * _tilts(law))
        yield subject, law


def logs_of(law: Law, flat: IntArray, there: NDArray[np.bool_]) -> Logs:
    """The law's cells at these flat indices, impossible where they are not there; with the error of what all secrets
    have in common."""
    base, relative = law.base.ravel()[flat], law.relative.reshape(law.secrets, -1)[:, flat]
    relative = np.where(there, relative, -np.inf)
    base = np.where(np.max(relative, axis=0) > -np.inf, base, 0.0) if law.floor is None else np.where(there, base, 0.0)
    unresolved = None
    if law.floor is not None:
        unresolved = np.where(there, law.base.ravel()[flat] + law.floor.ravel()[flat], -np.inf)
        unresolved = unresolved if np.max(unresolved) > -np.inf else None
    error = law.error + 8 * UNIT * (1 + float(np.max(np.abs(base), initial=0.0)))
    return Logs(base, relative, unresolved, error)


def _tilts(law: Law) -> float:
    """How large, at most, the products of a tilt and an index are that a sweep's scales are differences of: a tilt is
    about the slope of the log-masses, where it is used."""
    masses = law.base + np.max(law.relative, axis=0)
    index = np.abs(np.arange(len(masses)) + law.start[0])
    there = np.isfinite(masses[1:]) & np.isfinite(masses[:-1])
    slopes = np.diff(np.where(np.isfinite(masses), masses, 0.0))
    return float(np.max((np.abs(slopes) + 1) * index[1:], where=there, initial=0.0))


def no_bounds(component: Component) -> None:
    """TooLarge where the law is not computed: what one person's group adds says nothing given a known answer."""
    if component.plan.engine == "bounds":
        size = f"a box of {float(component.plan.extent.points):.2g} points"
        raise TooLarge("the law given adversary.answers", size, SMALLER)
