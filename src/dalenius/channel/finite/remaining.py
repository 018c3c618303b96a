"""What groups of records that do not move the answer add to known ones."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.channel.finite.answers import Component, restricted
from dalenius.channel.finite.conditioned import Logs, certain
from dalenius.channel.finite.implied import distinct, values_at
from dalenius.errors import TooLarge
from dalenius.joints import Joint, Subject
from dalenius.laws.law import IntArray, Law
from dalenius.laws.transforms.ranges import Extents
from dalenius.queries import Scores

SMALLER: Final = "ask fewer people, or answers of what the known ones leave open"


@final
class Remaining:
    """The known coordinates on these groups; joint: None for no groups."""

    def __init__(self, joint: Joint | None, scores: Scores, engine: str | None) -> None:
        self._scores, self._joint = scores, joint
        if joint is not None:
            self._chosen, self._implied = distinct(joint, scores)
            self._component = Component(joint, restricted(scores, self._chosen), engine, self._chosen)

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The least and the greatest value of each coordinate, in lattice steps."""
        if self._joint is None:
            return [(0, 0)] * self._scores.lattice.axes
        extent = self._joint.total(Extents(self._scores.indices, self._scores.combine))
        return list(zip(extent.low, extent.high, strict=True))

    def mixture(self, targets: IntArray) -> Logs:
        """The probability of each row of values (cells, coordinates), as one row."""
        if self._joint is None:
            found = certain(len(targets))
            found.relative[0, ~np.all(targets == 0, axis=1)] = -np.inf
            return found
        subject, law = self._laws[0]
        return self._at(targets, law).mixture(subject.log_prior)

    def likelihoods(self, targets: IntArray) -> Iterator[tuple[Subject, Logs]]:
        """The same given each secret, of every subject of the groups."""
        for subject, law in self._laws if self._joint is not None else ():
            yield subject, self._at(targets, law)

    @cached_property
    def _laws(self) -> list[tuple[Subject, Law]]:
        return list(resolved_laws(self._component))

    def _at(self, targets: IntArray, law: Law) -> Logs:
        own = targets[:, self._chosen]
        values, there = values_at(own, targets.shape[1], self._chosen, self._implied)
        there &= np.all(values == targets, axis=1)
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
