"""Events: what a pipeline does, in the terms of dp-accounting's `DpEvent`, as a file says it; and its privacy profile
(Result 13.4). A new event is a class here.

Two answers with Laplace noise of multiplier 2 (each pure with ε = 0.5) are pure with ε = 1, and have δ(0) = 0.2418 and
δ(0.5) = 0.1239: less than the 0.4621 and 0.2876 that pure ε = 1 alone would allow. The same answer about a sample in
which each record is with probability 0.1 is pure with ε = 0.0629.
"""

import abc
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from importlib import import_module
from math import fsum, sqrt
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, final

import numpy as np
from pydantic import Field, ValidationError, field_validator, model_validator

from dalenius.bounds import UNIT
from dalenius.conversion.gaussian import GaussianProfile, ZeroConcentrated
from dalenius.conversion.privacy_losses import (
    AnswerCurve,
    DiscreteLaplaceCurve,
    KnownCurve,
    LaplaceCurve,
    LossMasses,
    Sampled,
    profile_rows,
)
from dalenius.conversion.profile import ApproximateProfile, PrivacyProfile, PureProfile, TabulatedProfile
from dalenius.errors import InputError
from dalenius.schema import Frozen, first_problem
from dalenius.spec.spec import sections_of

Above: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Whole: TypeAlias = Annotated[int, Field(ge=1, le=10**9, strict=True)]

# Rows of a table: between two of them δ is on the chord, a little more than it is.
_ROWS: Final = 300
_LEAST: Final = 1e-14
"""The δ at which a table ends."""
_RELATIONS: Final = {"replace": "REPLACE_ONE", "add_remove": "ADD_OR_REMOVE_ONE"}
# Values of ε at which another package's accountant is asked for its δ.
_VALUES: Final = 400
_LAST: Final = 1e-12
"""The δ at the last ε."""


class Event(Frozen, abc.ABC):
    """Something a pipeline does to the records, once."""

    kind: str
    alone: ClassVar[bool] = False
    """Whether it is one answer, about whatever records there are: it can be one about a sample of them."""

    @abc.abstractmethod
    def answers(self, count: int) -> Iterator[tuple["Event", int]]:
        """The single answers of so many of these, and how often each is given."""

    def curve(self) -> AnswerCurve:
        """Of one answer. InputError for an event that is none."""
        raise InputError("event.kind", self.kind, "an event that is a single answer")

    def adds(self) -> tuple[Callable[[float], PrivacyProfile], float] | None:
        """Where amounts of answers of this kind add up: the profile of an amount, and this one's, from above."""
        return None


class _Answer(Event):
    """An event that is a single answer; each but a sample itself may be about a sample."""

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

    def curve(self) -> AnswerCurve:
        return LaplaceCurve(1 / self.noise_multiplier * (1 + 2 * UNIT))


@final
class DiscreteLaplaceEvent(_Answer):
    """Two-sided geometric noise, mass ∝ e^{−noise_parameter·|z|}, on an integer answer of that sensitivity."""

    kind: Literal["discrete_laplace"]
    noise_parameter: Above
    sensitivity: Annotated[int, Field(ge=1, le=10**6, strict=True)] = 1

    def curve(self) -> AnswerCurve:
        return DiscreteLaplaceCurve(self.noise_parameter, self.sensitivity)


@final
class GaussianEvent(_Answer):
    """Gaussian noise. noise_multiplier: its deviation over the answer's L2-sensitivity between neighbours."""

    kind: Literal["gaussian"]
    noise_multiplier: Above

    def curve(self) -> AnswerCurve:
        made, amount = self.adds()
        return KnownCurve(made(amount))

    def adds(self) -> tuple[Callable[[float], PrivacyProfile], float]:
        return _gaussian, self.noise_multiplier**-2 * (1 + 8 * UNIT)


@final
class ZeroConcentratedEvent(_Answer):
    """rho-zero-concentrated differential privacy, whatever has it."""

    kind: Literal["zcdp"]
    rho: Above

    def curve(self) -> AnswerCurve:
        return KnownCurve(ZeroConcentrated(self.rho))

    def adds(self) -> tuple[Callable[[float], PrivacyProfile], float]:
        return ZeroConcentrated, self.rho


@final
class EpsilonDeltaEvent(_Answer):
    """(epsilon, delta)-differential privacy, whatever has it."""

    kind: Literal["epsilon_delta"]
    epsilon: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    delta: Annotated[float, Field(ge=0, lt=1)] = 0.0

    def curve(self) -> AnswerCurve:
        return KnownCurve(ApproximateProfile(self.epsilon, self.delta) if self.delta else PureProfile(self.epsilon))


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

    def curve(self) -> AnswerCurve:
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
    count: _Whole

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


@final
class Pipeline(Frozen):
    """neighbours: what the events' guarantees compare; event: what is done. InputError for a sample whose neighbours
    differ in a value: sampling is understood where a record is there or is not.

    Four answers with Gaussian noise of multiplier 2 are one of multiplier 1:

    >>> four = {"kind": "self_composed", "count": 4, "event": {"kind": "gaussian", "noise_multiplier": 2.0}}
    >>> made = Pipeline.model_validate({"neighbours": "replace", "event": four}).profile()
    >>> round(made.mu, 6), round(made.delta(1.0), 6)
    (1.0, 0.126937)
    """

    neighbours: Literal["replace", "add_remove"]
    event: AnyEvent

    @model_validator(mode="after")
    def _sampled(self) -> "Pipeline":
        kinds = {answer.kind for answer in self.answers()}
        # A training on random samples: what sampling hides is whether a record is there, and not which value it has.
        if self.neighbours == "replace" and "poisson_sampled" in kinds:
            raise ValueError("neighbours add_remove, where a poisson_sampled event is")
        return self

    def answers(self) -> Mapping[Event, int]:
        """How often each answer is given."""
        found: dict[Event, int] = {}
        for answer, count in self.event.answers(1):
            found[answer] = found.get(answer, 0) + count
        return found

    def profile(self) -> PrivacyProfile:
        """From above; exact where all answers are of one kind that adds up, or there is but one."""
        curves = self._curves()
        # A pipeline of nothing but `no_op`, or of no event at all.
        if not curves:
            return PureProfile(0.0)
        # One answer, or many of Gaussian noise: their profile is known in closed form, and no grid rounds it.
        if len(curves) == 1:
            ((curve, count),) = curves
            if count == 1 and (known := curve.known()) is not None:
                return known
        # Noise has one δ in both orders; a sample has two, and the larger one counts.
        ways = (True,) if all(curve.one for curve, _ in curves) else (True, False)
        directions = [_composed(curves, removed) for removed in ways]
        return _table(directions, _pure(curves))

    def _curves(self) -> list[tuple[AnswerCurve, int]]:
        """A curve for each different answer, with how often it is given; answers whose amounts add up are one."""
        curves = list[tuple[AnswerCurve, int]]()
        amounts: dict[Callable[[float], PrivacyProfile], list[float]] = {}
        for answer, count in self.answers().items():
            # Laplace noise and samples are composed on a grid; amounts of Gaussian noise, and ρ, are added up.
            if (known := answer.adds()) is None:
                curves.append((answer.curve(), count))
            else:
                amounts.setdefault(known[0], []).append(known[1] * count)
        return [*curves, *((KnownCurve(made(fsum(parts) * (1 + 4 * UNIT))), 1) for made, parts in amounts.items())]


def _gaussian(amount: float) -> PrivacyProfile:
    """Of Gaussian noise of 1/σ² in all."""
    return GaussianProfile(sqrt(amount) * (1 + 4 * UNIT))


def _composed(curves: list[tuple[AnswerCurve, int]], removed: bool) -> LossMasses:
    """The losses of all answers together, in one order of the two neighbours; removed: with the record first."""
    total = sum(count for _, count in curves)
    return reduce(LossMasses.with_, (curve.losses(removed, total).times(count) for curve, count in curves))


def _pure(curves: list[tuple[AnswerCurve, int]]) -> float | None:
    """The sum of the answers' own ε in nats, from above; None where one of them is not pure."""
    nats = [(curve.pure, count) for curve, count in curves]
    return None if any(each is None for each, _ in nats) else fsum((e or 0.0) * n for e, n in nats) * (1 + 4 * UNIT)


def _table(directions: list[LossMasses], pure: float | None) -> TabulatedProfile:
    """Rows up to where δ is next to nothing; and the one from which on it is 0.

    directions: the losses in each order of the neighbours that differs from the other; pure: in nats, or None.
    """
    epsilons, deltas = (each.tolist() for each in profile_rows(directions, _ROWS, _LEAST))
    # All answers are pure: beyond the sum of their ε δ is 0, and not only faint.
    if pure is not None:
        kept = sum(each < pure for each in epsilons)
        epsilons, deltas = [*epsilons[:kept], pure], [*deltas[:kept], 0.0]
    return TabulatedProfile(tuple(epsilons), tuple(deltas))


def read_event(path: Path) -> Pipeline:
    """The pipeline in a JSON file. InputError, in one line, for what is none."""
    given = sections_of(path, "event")
    try:
        return Pipeline.model_validate(given)
    except ValidationError as error:
        raise first_problem(error, "", given) from None


def event_profile(event: Any, neighbours: str) -> TabulatedProfile:
    """What its accountant of privacy loss distributions says of a `dp_accounting.DpEvent`, composed as it is.

    That accountant's δ is from above by its own account; nothing here checks it. InputError where the package is
    absent, the event is none it knows for these neighbours, or is not private.
    """
    try:
        # The package is not installed with this one: only who has its events needs it.
        package, losses = import_module("dp_accounting"), import_module("dp_accounting.pld")
    except ImportError:
        raise InputError("event", "dp-accounting is not installed", "that package, or a CSV of the profile") from None
    if neighbours not in _RELATIONS:
        raise InputError("neighbours", neighbours, "'replace' or 'add_remove'")
    accountant = losses.PLDAccountant(getattr(package.NeighboringRelation, _RELATIONS[neighbours]))
    # Its accountant knows some events for neighbours of one kind alone, or not at all.
    if not accountant.supports(event):
        raise InputError("event", repr(event), f"one that dp-accounting knows for neighbours by {neighbours}")
    accountant.compose(event)
    last = float(accountant.get_epsilon(_LAST))
    # An event without noise, say: no ε is enough.
    if not np.isfinite(last):
        raise InputError("event", repr(event), "one with some privacy")
    epsilons = np.unique(np.append(0.0, last * np.linspace(0.0, 1.0, _VALUES) ** 1.5))
    deltas = np.minimum.accumulate([min(float(accountant.get_delta(each)), 1.0) for each in epsilons.tolist()])
    return TabulatedProfile(tuple(epsilons.tolist()), tuple(np.maximum(deltas, _LAST).tolist()))
