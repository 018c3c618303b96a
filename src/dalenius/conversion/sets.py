"""Questions about everybody of a set of laws, where pipelines and laws are both chosen for the worst."""

import abc
from dataclasses import dataclass
from typing import final

from dalenius.bounds import Enclosure
from dalenius.conversion.dependence import Dependence
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.unlisted import Unlisted, Whose


class SetOfLaws(abc.ABC):
    """Records whose law is any of a set, of which the most leaks that any pipeline of a profile, where changing a
    record is so many steps, leaks under any of the laws."""

    @abc.abstractmethod
    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Whose | Dependence, Enclosure]:
        """δ′ at ε′ = epsilon; the lower end is attained by a law and a pipeline."""

    @abc.abstractmethod
    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Whose | Dependence, Enclosure]:
        """The least ε′ at δ′ = delta, or one that is enough."""

    @abc.abstractmethod
    def keeps(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        """Whether no more can leak, for certain."""

    @abc.abstractmethod
    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """δ′ from above."""

    def attained(self, profile: PrivacyProfile, steps: int, epsilon: float) -> Dependence | None:
        """A question about one law, which attains the lower end of `delta`; None, by default, where none is known."""
        return None


@final
@dataclass(frozen=True)
class Together(SetOfLaws):
    """Records that all depend on each other, bounded by messages."""

    records: Unlisted

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Whose | Dependence, Enclosure]:
        return self.records.delta(profile, steps, epsilon)

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Whose | Dependence, Enclosure]:
        return self.records.epsilon(profile, steps, delta)

    def keeps(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        return self.records.keeps(profile, steps, epsilon, delta)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        return self.records.above(profile, steps, epsilon).value
