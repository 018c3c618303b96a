"""What is asked of a pipeline under every law of a set, as a number that a question about one law has."""

import abc
from dataclasses import dataclass
from typing import final

from dalenius.bounds import Enclosure
from dalenius.conversion.crossing import crossing
from dalenius.conversion.dependence import Dependence
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.program import solve
from dalenius.conversion.pure import pure_leakage


@dataclass(frozen=True)
class Measure(abc.ABC):
    """Of a profile, where changing a record is so many steps."""

    profile: PrivacyProfile
    steps: int

    @abc.abstractmethod
    def of(self, each: Dependence, best: float) -> Enclosure:
        """It, or where it is below `best`, that it is at most that."""

    @abc.abstractmethod
    def is_within(self, each: Dependence, most: float) -> bool:
        """Whether the question has no more, for certain."""


@final
@dataclass(frozen=True)
class DeltaAt(Measure):
    """The least δ′ at ε′ = epsilon."""

    epsilon: float

    def of(self, each: Dependence, best: float) -> Enclosure:
        return solve(each, self.profile, self.epsilon, self.steps).delta

    def is_within(self, each: Dependence, most: float) -> bool:
        return solve(each, self.profile, self.epsilon, self.steps, None, most, True).delta.upper <= most


@final
@dataclass(frozen=True)
class EpsilonAt(Measure):
    """The least ε′ at δ′ = delta, above 0."""

    delta: float

    def of(self, each: Dependence, best: float) -> Enclosure:
        if best and self.is_within(each, best):
            return Enclosure(0.0, best)
        found = crossing(each, self.profile, self.delta, self.steps, best)
        inner = self.profile.within
        if inner is None:
            return found
        return Enclosure(crossing(each, inner, self.delta, self.steps, best).lower, found.upper)

    def is_within(self, each: Dependence, most: float) -> bool:
        return solve(each, self.profile, most, self.steps, None, self.delta, True).delta.upper <= self.delta


@final
@dataclass(frozen=True)
class PureEpsilon(Measure):
    """The least ε′ at δ′ = 0, of a profile that is pure."""

    def of(self, each: Dependence, best: float) -> Enclosure:
        return pure_leakage(each, self._nats, self.steps)

    def is_within(self, each: Dependence, most: float) -> bool:
        return pure_leakage(each, self._nats, self.steps).upper <= most

    @property
    def _nats(self) -> float:
        assert self.profile.pure is not None
        return self.profile.pure
