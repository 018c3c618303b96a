"""Events: what a pipeline does, in the terms of dp-accounting's `DpEvent`. A new one is a class here."""

import abc
from collections.abc import Iterator
from math import sqrt
from typing import Annotated, ClassVar, Literal, TypeAlias, final

from pydantic import Field, field_validator

from dalenius.bounds import UNIT
from dalenius.conversion.concentrated import ZeroConcentrated
from dalenius.conversion.events.curve import Curve, DiscreteLaplaceCurve, Known, LaplaceCurve, Sampled
from dalenius.conversion.gaussian import GaussianProfile
from dalenius.conversion.profile import ApproximateProfile, PrivacyProfile, PureProfile
from dalenius.errors import InputError
from dalenius.schema import Frozen

Above: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Whole: TypeAlias = Annotated[int, Field(ge=1, le=10**9, strict=True)]


class Event(Frozen, abc.ABC):
    """Something a pipeline does to the records, once."""

    kind: str
    alone: ClassVar[bool] = False
    """Whether it is one answer, about whatever records there are: it can be one about a sample of them."""

    @abc.abstractmethod
    def answers(self, count: int) -> Iterator[tuple["Event", int]]:
        """The single answers of so many of these, and how often each is given."""

    def curve(self) -> Curve:
        """Of one answer. InputError for an event that is none."""
        raise InputError("event.kind", self.kind, "an event that is a single answer")

    def amount(self) -> float | None:
        """What adds up, from above, where so many answers of this kind are as one of another amount; else None."""
        return None

    @staticmethod
    def together(amount: float) -> PrivacyProfile:
        """The profile of all answers of this kind, of that amount in all. InputError for a kind that has no amount."""
        raise InputError("event.amount", amount, "events whose amounts add up")


class _Answer(Event):
    alone = True

    def answers(self, count: int) -> Iterator[tuple[Event, int]]:
        yield self, count


@final
class NoOp(Event):
    """Nothing that depends on the records."""

    kind: Literal["no_op"]

    def answers(self, count: int) -> Iterator[tuple[Event, int]]:
        return iter(())


@final
class LaplaceEvent(_Answer):
    """Laplace noise. noise_multiplier: its scale over the answer's L1-sensitivity between neighbours."""

    kind: Literal["laplace"]
    noise_multiplier: Above

    def curve(self) -> Curve:
        return LaplaceCurve(1 / self.noise_multiplier * (1 + 2 * UNIT))


@final
class DiscreteLaplaceEvent(_Answer):
    """Two-sided geometric noise, mass ∝ e^{−noise_parameter·|z|}, on an integer answer of that sensitivity."""

    kind: Literal["discrete_laplace"]
    noise_parameter: Above
    sensitivity: Annotated[int, Field(ge=1, le=10**6, strict=True)] = 1

    def curve(self) -> Curve:
        return DiscreteLaplaceCurve(self.noise_parameter, self.sensitivity)


@final
class GaussianEvent(_Answer):
    """Gaussian noise. noise_multiplier: its deviation over the answer's L2-sensitivity between neighbours."""

    kind: Literal["gaussian"]
    noise_multiplier: Above

    def curve(self) -> Curve:
        return Known(self.together(self.amount()))

    def amount(self) -> float:
        return self.noise_multiplier**-2 * (1 + 8 * UNIT)

    @staticmethod
    def together(amount: float) -> PrivacyProfile:
        return GaussianProfile(sqrt(amount) * (1 + 4 * UNIT))


@final
class ZeroConcentratedEvent(_Answer):
    """rho-zero-concentrated differential privacy, whatever has it."""

    kind: Literal["zcdp"]
    rho: Above

    def curve(self) -> Curve:
        return Known(self.together(self.rho))

    def amount(self) -> float:
        return self.rho

    @staticmethod
    def together(amount: float) -> PrivacyProfile:
        return ZeroConcentrated(amount)


@final
class EpsilonDeltaEvent(_Answer):
    """(epsilon, delta)-differential privacy, whatever has it."""

    kind: Literal["epsilon_delta"]
    epsilon: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    delta: Annotated[float, Field(ge=0, lt=1)] = 0.0

    def curve(self) -> Curve:
        return Known(ApproximateProfile(self.epsilon, self.delta) if self.delta else PureProfile(self.epsilon))


@final
class PoissonSampledEvent(_Answer):
    """An answer about a sample in which each record is, independently, with that probability."""

    kind: Literal["poisson_sampled"]
    alone = False
    sampling_probability: Annotated[float, Field(gt=0, le=1)]
    event: "AnyEvent"

    @field_validator("event")
    @classmethod
    def _single(cls, event: Event) -> Event:
        if not event.alone:
            raise ValueError("one answer, and neither several nor a sample of a sample")
        return event

    def curve(self) -> Curve:
        q, inner = self.sampling_probability, self.event.curve()
        return inner if q == 1 else Sampled(inner, q)


@final
class ComposedEvent(Event):
    """All of these, each chosen in the knowledge of the outcomes before."""

    kind: Literal["composed"]
    events: tuple["AnyEvent", ...]

    def answers(self, count: int) -> Iterator[tuple[Event, int]]:
        for event in self.events:
            yield from event.answers(count)


@final
class SelfComposedEvent(Event):
    """The same so many times, each chosen in the knowledge of the outcomes before."""

    kind: Literal["self_composed"]
    event: "AnyEvent"
    count: Whole

    def answers(self, count: int) -> Iterator[tuple[Event, int]]:
        yield from self.event.answers(count * self.count)


AnyEvent: TypeAlias = Annotated[
    NoOp
    | LaplaceEvent
    | DiscreteLaplaceEvent
    | GaussianEvent
    | ZeroConcentratedEvent
    | EpsilonDeltaEvent
    | PoissonSampledEvent
    | ComposedEvent
    | SelfComposedEvent,
    Field(discriminator="kind"),
]
