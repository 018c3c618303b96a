"""Questions about the records of a long row, between what it is bound by and what a short stretch of it attains."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import inf, log
from typing import final

import numpy as np

from dalenius.conversion.dependence import Person, is_long
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.rows import bound_of, pure_nats
from dalenius.conversion.unlisted import FARTHEST, STRETCH, Stretched, Worst, faint, worst_delta, worst_pure
from dalenius.joints import Joint
from dalenius.joints.factors import Path
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True, eq=False)
class LongRow(Stretched):
    """The records of a row, each of which may leak. person: the number of the first."""

    joint: Joint
    path: Path
    person: int
    information: bool

    @property
    def people(self) -> int:
        return len(self.path.chances)

    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float, reach: float) -> Worst:
        bound = _bound_of(self.path, profile, steps, min(max(2 * reach, faint(profile, steps)), FARTHEST))
        return worst_delta(bound.deltas, self._least(bound.places), bound.places[:, 0], self.information, epsilon)

    def pure_worst(self, nats: float) -> Worst:
        chances = self.path.chances * (1 - self.path.error - 1e-12)
        return worst_pure(pure_nats(self.path, nats), chances, self.information)

    def _least(self, places: IntArray) -> Array:
        return least_chances(self.path.chances, places) * (1 - self.path.error - 1e-12)

    def stretch(self, place: int) -> tuple[Person, float]:
        n, k = self.path.chances.shape
        width = min(n, 1 + int(log(STRETCH) / log(k)))
        start = min(max(place - width // 2, 0), n - width)
        person = _stretch_of(self.path, start, width, place, self.values(place))
        number = self.person + place
        return replace(person, person=number, who=self.joint.subject_of(number).who), 0.0

    def slots(self, place: int) -> IntArray:
        return np.asarray(self.path.slots[place])


def least_chances(chances: Array, places: IntArray) -> Array:
    """The least chances of values (c, k) where they are possible, over all places of each kind; chances (n, k)."""
    n, ends = len(chances), np.arange(len(chances))
    left, right = places[:, 1].max(), places[:, 2].max()
    code = np.minimum(ends, left) * (right + 1) + np.minimum(n - 1 - ends, right)
    order = np.searchsorted(known := np.sort(places[:, 1] * (right + 1) + places[:, 2]), code)
    found = np.full((len(places), chances.shape[1]), np.inf)
    np.minimum.at(found, order, np.where(chances > 0, chances, np.inf))
    found = np.where(np.isfinite(found), found, 0.0)
    return np.asarray(found[np.searchsorted(known, places[:, 1] * (right + 1) + places[:, 2])])


def long_rows(joint: Joint, information: bool) -> Iterator[LongRow]:
    """The rows of a law whose states are too many to list, and in which somebody has a secret."""
    for factor in joint.factors():
        if is_long(factor) and factor.path is not None and ((factor.path.chances > 0).sum(axis=1) > 1).any():
            yield LongRow(joint, factor.path, factor.people[0], information)


_bound_of = lru_cache(maxsize=64)(bound_of)


def _stretch_of(path: Path, start: int, width: int, place: int, universe: Sequence[RecordValue]) -> Person:
    """The others' states, and their chances, of so many records of a row; by values' slots."""
    k = path.chances.shape[1]
    rows = np.array(list(product(range(k), repeat=width)))
    with np.errstate(divide="ignore"):
        logs = np.log(path.chances[start])[rows[:, 0]]
        for step in range(width - 1):
            logs = logs + np.log(path.forward[path.onward[start + step]])[rows[:, step], rows[:, step + 1]]
    own = rows[:, place - start]
    others, given, prior, values = [], [], [], []
    for value in range(k):
        kept = np.flatnonzero((own == value) & (logs > -inf))
        if len(kept):
            mass = np.logaddexp.reduce(logs[kept])
            others.append(np.delete(rows[kept], place - start, axis=1))
            given.append(logs[kept] - mass)
            prior.append(float(mass))
            values.append(universe[value])
    return Person(0, "", tuple(values), np.array(prior), tuple(others), tuple(given), False, width)
