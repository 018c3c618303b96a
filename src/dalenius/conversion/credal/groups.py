"""What any pipeline can leak of the members of groups whose law is known to lie in a box (Results 21.25 and 21.26)."""

from dataclasses import dataclass
from math import inf
from typing import Final, final

from dalenius.bounds import Enclosure
from dalenius.conversion.credal.asked import Asked, asked_of
from dalenius.conversion.credal.measures import DeltaAt, EpsilonAt, Measure, PureEpsilon
from dalenius.conversion.credal.worst import CLOSE, Worst, keeps, pure_worst, worst_of
from dalenius.conversion.dependence import Dependence
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.sets import SetOfLaws, Whose
from dalenius.joints import CredalGroups

ROUGH: Final = 1e-2
"""How close, relatively, a point of a curve is to the most that can leak."""
SETTLED: Final = 1 + 1e-6


@final
@dataclass(frozen=True, eq=False)
class AnyGroup(SetOfLaws):
    """The groups of all blocks; asked: their questions, no two with the same answer."""

    asked: tuple[Asked, ...]

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Whose, Enclosure]:
        found = self._delta(profile, steps, epsilon, CLOSE)
        return _whose(found), found.value

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Whose, Enclosure]:
        if delta:
            found = worst_of(self.asked, EpsilonAt(profile, steps, delta))
            return _whose(found), found.value
        if profile.pure is None:
            return _whose(self._first), Enclosure(inf, inf)
        found = self._pure(profile, steps)
        return _whose(found), found.value

    def keeps(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        if profile.pure is not None and self._pure(profile, steps).value.upper <= epsilon:
            return True
        return delta > 0 and keeps(self.asked, DeltaAt(profile, steps, epsilon), delta)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        return self._delta(profile, steps, epsilon, ROUGH).value.upper

    def attained(self, profile: PrivacyProfile, steps: int, epsilon: float) -> Dependence | None:
        found = self._delta(profile, steps, epsilon, CLOSE)
        return found.asked.at(found.law)

    @property
    def _first(self) -> Worst:
        return Worst(Enclosure(0.0, inf), self.asked[0], self.asked[0].box.point)

    def _delta(self, profile: PrivacyProfile, steps: int, epsilon: float, close: float) -> Worst:
        if profile.pure is not None:
            found = self._pure(profile, steps)
            if found.value.upper <= epsilon:
                return Worst(Enclosure(0.0, 0.0), found.asked, found.law)
        return worst_of(self.asked, DeltaAt(profile, steps, epsilon), close)

    def _pure(self, profile: PrivacyProfile, steps: int) -> Worst:
        assert profile.pure is not None
        found = [(each, pure_worst(each, profile.pure * steps)) for each in self.asked]
        known = [each for _, each in found if each is not None]
        left = [asked for asked, each in found if each is None]
        if left:
            measure: Measure = PureEpsilon(profile, steps)
            known.append(worst_of(left, measure))
        upper = max(each.value.upper for each in known)
        best = max(known, key=lambda each: each.value.lower)
        named = next(each for each in known if each.value.upper * SETTLED >= upper)
        value = Enclosure(best.value.lower, upper)
        return Worst(
            value, *((named.asked, named.law) if named.value.lower * SETTLED >= value.lower else (best.asked, best.law))
        )


def any_group(law: CredalGroups, information: bool) -> AnyGroup | None:
    """None where nobody has a secret. TooLarge where a group has too many states."""
    values = tuple(value for stratum in law.strata() for value in stratum.values)
    found: dict[tuple[bytes, ...], Asked] = {}
    for block, factor in zip(law.blocks, law.factors, strict=True):
        for each in asked_of(block, factor, values, information):
            found.setdefault(each.key, each)
    return AnyGroup(tuple(found.values())) if found else None


def _whose(found: Worst) -> Whose:
    asked = found.asked
    return Whose(asked.person, asked.who, asked.secret, asked.against)
