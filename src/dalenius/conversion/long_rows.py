"""Questions about the records of a long row, between what it is bound by and what a short stretch of it attains."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import exp, inf, log
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.dependence import Dependence, Person, is_long, questions
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.program import solve
from dalenius.conversion.pure import pure_leakage
from dalenius.conversion.rows import RowBound, bound_of, pure_nats
from dalenius.joints import Joint
from dalenius.joints.factors import Path
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue

STRETCH: Final = 64
"""States of the others of a stretch, at the most."""
NEGLIGIBLE: Final = 1e-7
"""The δ of a profile at the least ε that a grid reaches."""
FARTHEST: Final = 650.0
CLOSE: Final = 1e-6


@final
@dataclass(frozen=True, eq=False)
class LongRow:
    """The records of a row, each of which may leak. person: the number of the first."""

    joint: Joint
    path: Path
    person: int
    information: bool

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Dependence, Enclosure]:
        """δ′ from both sides; and the question about a stretch around the record of which it is the largest."""
        if profile.pure is not None and (found := self._pure(profile.pure * steps)).value <= epsilon:
            return self._stretch(found), Enclosure(0.0, 0.0)
        worst = self._worst(profile, steps, epsilon, epsilon)
        asked = self._stretch(worst)
        return asked, Enclosure(min(solve(asked, profile, epsilon, steps).delta.lower, worst.value), worst.value)

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Dependence, Enclosure]:
        """The least ε′ at δ′ = delta, or one that is enough."""
        if delta == 0 and profile.pure is not None:
            found = self._pure(profile.pure * steps)
            asked = self._stretch(found)
            return asked, Enclosure(min(pure_leakage(asked, profile.pure, steps).lower, found.value), found.value)
        asked = self._stretch(self._worst(profile, steps, 0.0, 0.0))
        if delta == 0:
            return asked, Enclosure(inf, inf)
        reach = 1.0
        while self._worst(profile, steps, reach, reach).value > delta:
            reach *= 2
            if 2 * reach > FARTHEST:
                return asked, Enclosure(0.0, inf)
        low, high = 0.0, reach
        while high - low > CLOSE * (high + 1e-3):
            middle = (low + high) / 2
            kept = self._worst(profile, steps, middle, reach).value <= delta
            low, high = (low, middle) if kept else (middle, high)
        asked = self._stretch(self._worst(profile, steps, high, reach))
        return asked, Enclosure(_from_below(asked, profile, steps, delta, high), high)

    def keeps(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        """Whether no record leaks more, for certain."""
        if profile.pure is not None and self._pure(profile.pure * steps).value <= epsilon:
            return True
        return delta > 0 and self._worst(profile, steps, epsilon, epsilon).value <= delta

    def _worst(self, profile: PrivacyProfile, steps: int, epsilon: float, reach: float) -> "_Worst":
        """The largest δ′ at ε′ = epsilon, on a grid that has all up to `reach`, or to where δ is next to nothing."""
        bound = _bound_of(self.path, profile, steps, min(max(2 * reach, _faint(profile, steps)), FARTHEST))
        found = self._leaks(bound, epsilon)
        kind, one, other = (int(each) for each in np.unravel_index(int(np.argmax(found)), found.shape))
        return _Worst(int(bound.places[kind, 0]), one, other, float(found[kind, one, other]))

    def _leaks(self, bound: RowBound, epsilon: float) -> Array:
        """By place and value, what is the largest over other values (c, k, k); information (c, k, 1)."""
        chances, k = self._least(bound.places), len(self.path.slots[0])
        possible = chances > 0
        if not self.information:
            both = possible[:, :, None] & possible[:, None, :] & ~np.eye(k, dtype=bool)
            return np.asarray(np.where(both, bound.deltas(exp(epsilon)), 0.0))
        found = np.zeros((*chances.shape, 1))
        for value in range(k):
            for share in np.unique(chances[possible[:, value], value]).tolist():
                spare = 1 - exp(epsilon) * share
                own = np.flatnonzero(chances[:, value] == share)
                if spare <= 32 * UNIT * exp(epsilon):
                    # No δ′ is above it, and it may be a rounding off 0.
                    found[own, value, 0] = max(spare + 32 * UNIT * exp(epsilon), 0.0)
                    continue
                inner = bound.deltas(exp(epsilon) * (1 - share) / spare * (1 - 8 * UNIT), own)[:, value]
                inner[~possible[own]] = 0.0
                inner[:, value] = 0.0
                found[own, value, 0] = np.maximum(spare + 8 * UNIT, 0.0) * inner.max(axis=1) * (1 + 8 * UNIT)
        return found

    def _pure(self, nats: float) -> "_Worst":
        found, possible = pure_nats(self.path, nats), self.path.chances > 0
        both = possible[:, :, None] & possible[:, None, :] & ~np.eye(found.shape[1], dtype=bool)
        found = np.where(both, found, 0.0)
        if self.information:
            share = np.where(possible, self.path.chances * (1 - self.path.error - 1e-12), 1.0)
            # The log of 1/(share + (1 − share)e^{−g}).
            found = -np.log1p((1 - share) * np.expm1(-found.max(axis=2)))[:, :, None] * (1 + 8 * UNIT)
        place, one, other = (int(each) for each in np.unravel_index(int(np.argmax(found)), found.shape))
        return _Worst(place, one, other, float(found[place, one, other]))

    def _least(self, places: IntArray) -> Array:
        """The least chances of values (c, k) where they are possible, over all places of each kind."""
        n, ends = len(self.path.chances), np.arange(len(self.path.chances))
        left, right = places[:, 1].max(), places[:, 2].max()
        code = np.minimum(ends, left) * (right + 1) + np.minimum(n - 1 - ends, right)
        order = np.searchsorted(known := np.sort(places[:, 1] * (right + 1) + places[:, 2]), code)
        found = np.full((len(places), self.path.chances.shape[1]), np.inf)
        np.minimum.at(found, order, np.where(self.path.chances > 0, self.path.chances, np.inf))
        found = np.where(np.isfinite(found), found * (1 - self.path.error - 1e-12), 0.0)
        mine = np.searchsorted(known, places[:, 1] * (right + 1) + places[:, 2])
        return np.asarray(found[mine])

    def _stretch(self, worst: "_Worst") -> Dependence:
        """The same record and values, where no records but those of a stretch around it are looked at."""
        n, k = self.path.chances.shape
        width = min(n, 1 + int(log(STRETCH) / log(k)))
        start = min(max(worst.place - width // 2, 0), n - width)
        person = _stretch_of(self.path, start, width, worst.place, self._values(worst.place))
        number = self.person + worst.place
        values = self._values(worst.place)
        who = self.joint.subject_of(number).who
        asked = list(questions(replace(person, person=number, who=who), self.information))
        secret, against = values[worst.one], None if self.information else values[worst.other]
        return next((each for each in asked if (each.secret, each.against) == (secret, against)), asked[0])

    def _values(self, place: int) -> list[RecordValue]:
        values = [value for stratum in self.joint.strata() for value in stratum.values]
        return [values[slot] for slot in self.path.slots[place].tolist()]


@final
@dataclass(frozen=True)
class _Worst:
    """A place, its value, what that is compared with, and what leaks."""

    place: int
    one: int
    other: int
    value: float


def long_rows(joint: Joint, information: bool) -> Iterator[LongRow]:
    """The rows of a law whose states are too many to list, and in which somebody has a secret."""
    for factor in joint.factors():
        if is_long(factor) and factor.path is not None and ((factor.path.chances > 0).sum(axis=1) > 1).any():
            yield LongRow(joint, factor.path, factor.people[0], information)


_bound_of = lru_cache(maxsize=64)(bound_of)


@lru_cache(maxsize=64)
def _faint(profile: PrivacyProfile, steps: int) -> float:
    """An ε at which δ is next to nothing, or at which no more is asked."""
    epsilons = np.geomspace(1e-3, 40.0, 400)
    small = np.flatnonzero(profile.delta_at(epsilons) <= NEGLIGIBLE)
    return 3 * steps * float(epsilons[small[0]] if len(small) else epsilons[-1])


def _from_below(asked: Dependence, profile: PrivacyProfile, steps: int, delta: float, high: float) -> float:
    """An ε′ at which the stretch leaks more than delta, near the largest."""
    low = 0.0
    for _ in range(12):
        middle = (low + high) / 2
        more = solve(asked, profile, middle, steps, target=delta).delta.lower > delta
        low, high = (middle, high) if more else (low, middle)
    return low


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
