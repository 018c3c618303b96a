"""The worst over what may be known of independent groups where noise depends on the answer: every law there is of the
output given known values, side by side (Result 7.12)."""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, inf
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.knowledge.groups.values import Given, given_values
from dalenius.knowledge.view import Curve, Profiles, Reading
from dalenius.knowledge.worst import NOBODY, Worst
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, IntArray, Law
from dalenius.noise import Noise

MOST_POINTS: Final = 4096
MOST_AT_ONCE: Final = 1 << 21
FIRST: Final = 512
"""Pairs that are evaluated before any is passed over."""
SAME: Final = 1e-9
FAR: Final = 1e300
WHOLE: Final = 1e-9
"""By how much the probabilities of all outputs may miss 1 where the box is taken to hold them."""


def worst_value(release: Release, world: RecordWorld, known: int, reading: Reading) -> Worst | None:
    """None where the records are no product of groups given as tables, the answer is no single sum, or the noise has
    outputs off its box. TooLarge where there are too many laws."""
    if not world.scores.additive or world.scores.indices.shape[1] != 1:
        return None
    every = given_values(release, world, known)
    if every is None:
        return None
    if not every:
        return NOBODY
    start = min(each.start for each in every)
    stop = max(each.start + each.masses.shape[1] for each in every)
    possible = np.zeros(stop - start, dtype=np.bool_)
    for each in every:
        possible[each.start - start :][: each.masses.shape[1]] |= (each.masses > 0).any(axis=0)
    matrix = _outputs(release.noise, world.scores.lattice, start, possible)
    if matrix is None:
        return None
    valued = _Valued(every, release, matrix, start)
    value = reading.at(valued)
    given, rest = valued.where(value.lower)
    others = known - given.own.pattern.cost
    said = f"; {others:,} records of other groups known" if others else ""
    view = replace(given.own.beside(release, world, given.rests[rest]), said=said)
    return Worst(value.lower, value.upper, view, "exact: every law given what may be known")


def _outputs(noise: Noise, lattice: Lattice, start: int, possible: NDArray[np.bool_]) -> tuple[Array, float] | None:
    """Pr[output | answer] (answers, outputs), 0 for answers that are not possible, and the relative error; None where
    not all outputs are there."""
    if len(possible) > MOST_POINTS:
        return None
    with np.errstate(divide="ignore"):
        points = np.log(np.eye(len(possible))[possible])
    law = noise.likelihood(Law((start,), np.zeros(len(possible)), points, 0.0), lattice)
    found = np.exp(law.log_mass())
    if law.floor is not None or law.line is not None or np.max(np.abs(found.sum(axis=1) - 1)) > WHOLE:
        return None
    matrix = np.zeros((len(possible), found.shape[1]))
    matrix[possible] = found
    return matrix, law.error


@final
class _Valued(Profiles):
    """The largest profile of all pairs of laws of the output, as one curve. Profiles fall in epsilon: what a pair has
    at one bounds it further on, and a pair so bounded below another is passed over."""

    def __init__(self, every: Sequence[Given], release: Release, matrix: tuple[Array, float], start: int) -> None:
        rows, error = matrix
        self._every, self._exact = every, release.noise.adds_nothing
        self._laws = np.concatenate(
            [each.masses @ rows[each.start - start :][: each.masses.shape[1]] for each in every]
        )
        self._firsts = np.cumsum([0, *(len(each.masses) for each in every)])
        pairs = [each.pairs(release.secrets.pairs) + first for each, first in zip(every, self._firsts, strict=False)]
        self._pairs: IntArray = np.concatenate(pairs)
        self._error = max(each.error for each in every) + error + (len(rows) + 16) * UNIT
        self._bounds: dict[float, Array] = {}
        self._worst: dict[float, int] = {}

    @property
    def curves(self) -> tuple[tuple[int, int, Curve], ...]:
        return ((0, 0, self._at),) if len(self._pairs) else ()

    @property
    def exact(self) -> bool:
        return self._exact

    def where(self, epsilon: float) -> tuple[Given, int]:
        """Whose laws, and beside which of the others', are the worst at the epsilon evaluated that is nearest."""
        if not self._worst:
            return self._every[0], 0
        nearest = min(self._worst, key=lambda each: (abs(min(each, FAR) - min(epsilon, FAR)), each))
        law = int(self._pairs[self._worst[nearest], 0])
        place = int(np.searchsorted(self._firsts, law, side="right")) - 1
        given = self._every[place]
        return given, (law - int(self._firsts[place])) // len(given.own.secrets)

    def _at(self, epsilon: float) -> Enclosure:
        before = max((each for each in self._bounds if each <= epsilon), default=None)
        most = np.full(len(self._pairs), inf) if before is None else self._bounds[before].copy()
        likely = np.argsort(-most, kind="stable")[:FIRST]
        most[likely] = self._of(likely, epsilon)
        rest = most >= np.max(most[likely]) * (1 - SAME)
        rest[likely] = False
        left = np.flatnonzero(rest)
        most[left] = self._of(left, epsilon)
        self._bounds[epsilon] = most
        seen = np.union1d(likely, left)
        found = float(np.max(most[seen]))
        self._worst[epsilon] = int(seen[np.argmax(most[seen] >= found * (1 - SAME))])
        return Enclosure(max(0.0, found - 8 * self._error), min(1.0, found))

    def _of(self, places: IntArray, epsilon: float) -> Array:
        """The hockey-stick divergences of these pairs, rounding added: where the first law is ahead, both terms are at
        most its mass."""
        found = [np.zeros(0)]
        for some in np.array_split(self._pairs[places], 1 + len(places) * self._laws.shape[1] // MOST_AT_ONCE):
            one, other = self._laws[some[:, 0]], self._laws[some[:, 1]]
            other = np.where(other > 0, inf, 0.0) if epsilon == inf else exp(min(epsilon, 700.0)) * other
            found.append(np.sum(np.where(one > other, one * (1 + 4 * self._error) - other, 0.0), axis=1))
        return np.concatenate(found)
