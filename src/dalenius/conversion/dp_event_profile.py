"""A file that says what a pipeline does, in the terms of dp-accounting's `DpEvent`, and the pipeline's privacy profile.

Gaussian answers, zero-concentrated ones and guarantees add up in closed form. Laplace noise and samples are what
dp-accounting is for: its δ is from above by that package's own account, and nothing here checks it.

Two answers with Laplace noise of multiplier 2 (each pure with ε = 0.5) are pure with ε = 1, and have δ(0) = 0.2418 and
δ(0.5) = 0.1239: less than the 0.4621 and 0.2876 that pure ε = 1 alone would allow.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from math import ceil, expm1, fsum, ldexp, log1p, log2, sqrt
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, final

import numpy as np
from pydantic import Field, ValidationError, model_validator

from dalenius.bounds import UNIT
from dalenius.conversion.gaussian_and_concentrated_profiles import GaussianProfile, ZeroConcentrated
from dalenius.conversion.guarantee_profiles import (
    ApproximateProfile,
    PureProfile,
    TabulatedProfile,
    with_guarantee,
)
from dalenius.conversion.profile import PrivacyProfile
from dalenius.errors import InputError
from dalenius.frozen_section import Frozen, first_problem
from dalenius.spec.spec import sections_of

_Above: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_UP: Final = 1 + 8 * UNIT

_RELATIONS: Final = {"replace": "REPLACE_ONE", "add_remove": "ADD_OR_REMOVE_ONE"}


@final
class NoOp(Frozen):
    """Nothing that depends on the records."""

    kind: Literal["no_op"]


@final
class Laplace(Frozen):
    """Laplace noise; its scale over the answer's L1-sensitivity between neighbours."""

    kind: Literal["laplace"]
    noise_multiplier: _Above


@final
class DiscreteLaplace(Frozen):
    """Two-sided geometric noise, mass ∝ e^{−noise_parameter·|z|}, on an integer answer of that sensitivity."""

    kind: Literal["discrete_laplace"]
    noise_parameter: _Above
    sensitivity: Annotated[int, Field(ge=1, le=10**6, strict=True)] = 1


@final
class Gaussian(Frozen):
    """Gaussian noise; its deviation over the answer's L2-sensitivity between neighbours."""

    kind: Literal["gaussian"]
    noise_multiplier: _Above


@final
class Concentrated(Frozen):
    """Anything that is rho-zero-concentrated."""

    kind: Literal["zcdp"]
    rho: _Above


@final
class Guarantee(Frozen):
    """Anything that is (epsilon, delta)-differentially private."""

    kind: Literal["epsilon_delta"]
    epsilon: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    delta: Annotated[float, Field(ge=0, lt=1)] = 0.0


@final
class PoissonSampled(Frozen):
    """One answer about a sample in which each record is, independently, with that probability."""

    kind: Literal["poisson_sampled"]
    sampling_probability: Annotated[float, Field(gt=0, le=1)]
    event: Annotated[Laplace | Gaussian, Field(discriminator="kind")]


@final
class ComposedEvents(Frozen):
    """All of these, each chosen in the knowledge of the outcomes before."""

    kind: Literal["composed"]
    events: tuple["AnyEvent", ...]


@final
class SelfComposed(Frozen):
    """The same so many times, each chosen in the knowledge of the outcomes before."""

    kind: Literal["self_composed"]
    event: "AnyEvent"
    count: Annotated[int, Field(ge=1, le=10**9, strict=True)]


_Noisy: TypeAlias = Laplace | DiscreteLaplace | Gaussian | Concentrated | PoissonSampled
AnyEvent: TypeAlias = Annotated[_Noisy | NoOp | Guarantee | ComposedEvents | SelfComposed, Field(discriminator="kind")]


def _answers(event: AnyEvent, count: int = 1) -> Iterator[tuple[_Noisy | Guarantee, int]]:
    """The single answers of so many of these, and how often each is given."""
    match event:
        case ComposedEvents(events=events):
            for each in events:
                yield from _answers(each, count)
        case SelfComposed(event=inner, count=times):
            yield from _answers(inner, count * times)
        case NoOp():
            return
        case _:
            yield event, count


def _pure(event: _Noisy) -> float | None:
    """The ε in nats of one answer with Laplace or geometric noise, or of a sample of it; None of any other."""
    match event:
        case Laplace(noise_multiplier=scale):
            return _UP / scale
        case DiscreteLaplace(noise_parameter=rate, sensitivity=sensitivity):
            return rate * sensitivity * _UP
        case PoissonSampled(sampling_probability=share, event=inner) if (nats := _pure(inner)) is not None:
            # Beyond 600 nats no double holds e^ε, and sampling hides next to nothing.
            return log1p(share * expm1(nats)) * _UP if nats < 600 else nats
        case _:
            return None


def _translated(event: _Noisy, classes: Any) -> Any:
    """dp-accounting's event of that kind, whose fields have the names of our keys; classes: the module that has it."""
    values = {key: getattr(event, key) for key in type(event).model_fields if key != "kind"}
    made = {
        key: _translated(each, classes) if isinstance(each, Laplace | Gaussian) else each
        for key, each in values.items()
    }
    return getattr(classes, f"{event.kind.title().replace('_', '')}DpEvent")(**made)


@final
class EventFile(Frozen):
    """neighbours: what the events' numbers compare; event: what is done. InputError for a sample whose neighbours
    differ in a value: sampling is understood where a record is there or is not.

    Four answers with Gaussian noise of multiplier 2 are one of multiplier 1:

    >>> four = {"kind": "self_composed", "count": 4, "event": {"kind": "gaussian", "noise_multiplier": 2.0}}
    >>> made = EventFile.model_validate({"neighbours": "replace", "event": four}).profile()
    >>> round(made.mu, 6), round(made.delta(1.0), 6)
    (1.0, 0.126937)
    """

    neighbours: Literal["replace", "add_remove"]
    event: AnyEvent

    @model_validator(mode="after")
    def _sampled(self) -> "EventFile":
        # A training on random samples: what sampling hides is whether a record is there, and not which value it has.
        if self.neighbours == "replace" and any(isinstance(each, PoissonSampled) for each, _ in _answers(self.event)):
            raise ValueError("neighbours add_remove, where a poisson_sampled event is")
        return self

    def profile(self) -> PrivacyProfile:
        """Exact where all answers have Gaussian noise, or are zero-concentrated, or there is but one guarantee.

        InputError where dp-accounting is needed and is not installed, and for zero-concentrated answers beside any but
        Gaussian ones. Guarantees beside anything add their ε and their δ.
        """
        noisy, given = list[tuple[_Noisy, int]](), list[tuple[Guarantee, int]]()
        for each, count in _answers(self.event):
            if isinstance(each, Guarantee):
                given.append((each, count))
            else:
                noisy.append((each, count))
        # A sum is rounded, and a single guarantee is what it says.
        up = _UP if sum(count for _, count in given) > 1 else 1.0
        epsilon = fsum(each.epsilon * count for each, count in given) * up
        delta = fsum(each.delta * count for each, count in given) * up
        if not noisy:
            return ApproximateProfile(epsilon, delta) if delta else PureProfile(epsilon)
        found = _of_noise(noisy)
        return with_guarantee(found, epsilon, delta) if given else found


def _of_noise(answers: Sequence[tuple[_Noisy, int]]) -> PrivacyProfile:
    """Of one answer or more: in closed form, or what dp-accounting says."""
    # Of Gaussian noise 1/σ² adds up, which is twice its ρ; of what is zero-concentrated ρ does.
    halves = fsum(count / (2 * each.noise_multiplier**2) for each, count in answers if isinstance(each, Gaussian))
    rho = fsum(each.rho * count for each, count in answers if isinstance(each, Concentrated))
    if all(isinstance(each, Gaussian | Concentrated) for each, _ in answers):
        amount = (halves + rho) * _UP
        return ZeroConcentrated(amount) if rho else GaussianProfile(sqrt(2 * amount) * _UP)
    if rho:
        kinds = ", ".join(sorted({each.kind for each, _ in answers}))
        wanted = "no answers beside zero-concentrated ones but gaussian and epsilon_delta"
        raise InputError("event.kind", kinds, wanted)
    package = _package()
    events = [package.SelfComposedDpEvent(_translated(each, package.dp_event), count) for each, count in answers]
    pure = [_pure(each) for each, _ in answers]
    last = fsum((nats or 0.0) * count for nats, (_, count) in zip(pure, answers, strict=True)) * _UP
    # Pure answers of hundreds of nats in all, which hide next to nothing: on the usual grid they would take minutes.
    interval = max(last / 2e4, 1e-4)
    # The losses of geometric noise are multiples of its parameter: on a grid that has these none is rounded.
    steps = {each.noise_parameter for each, _ in answers if isinstance(each, DiscreteLaplace)}
    if len(steps) == 1:
        (step,) = steps
        interval = ldexp(step, -max(ceil(log2(step / interval)), 0))
    # Multipliers are over the sensitivity between the file's neighbours: one law beside another at that distance.
    found = event_profile(package.ComposedDpEvent(events), "add_remove", interval)
    if None in pure:
        return found
    # All answers are pure: beyond the sum of their ε δ is 0, and not only faint.
    kept = [(e, d) for e, d in found.guarantees if e < last]
    return TabulatedProfile((*(e for e, _ in kept), last), (*(d for _, d in kept), 0.0))


def read_event(path: Path) -> EventFile:
    """What a JSON file says. InputError, in one line, for what is no such file."""
    given = sections_of(path, "event")
    try:
        return EventFile.model_validate(given)
    except ValidationError as error:
        raise first_problem(error, "", given) from None


def _package() -> Any:
    """dp-accounting, which is not installed with this package: only who has its events needs it."""
    try:
        import_module("dp_accounting.pld")
        return import_module("dp_accounting")
    except ImportError:
        wanted = "that package (pip install 'dalenius[accounting]'), or a CSV of the profile"
        raise InputError("event", "dp-accounting is not installed", wanted) from None


def event_profile(event: Any, neighbours: str, interval: float = 1e-4) -> TabulatedProfile:
    """What its accountant of privacy loss distributions says of a `dp_accounting.DpEvent`, composed as it is.

    That accountant's δ is from above by its own account; nothing here checks it. interval: of its grid, in nats.
    InputError where the package is absent, the event is none it knows for these neighbours, or is not private.
    """
    package = _package()
    if neighbours not in _RELATIONS:
        raise InputError("neighbours", neighbours, "'replace' or 'add_remove'")
    relation = getattr(package.NeighboringRelation, _RELATIONS[neighbours])
    accountant = package.pld.PLDAccountant(relation, interval)
    # Its accountant knows some events for neighbours of one kind alone, or not at all.
    if not accountant.supports(event):
        raise InputError("event", repr(event), f"one that dp-accounting knows for neighbours by {neighbours}")
    accountant.compose(event)
    least = 1e-12  # the δ at which the table ends: below, the package's own truncations count
    last = float(accountant.get_epsilon(least))
    # An event without noise, say: no ε is enough.
    if not np.isfinite(last):
        raise InputError("event", repr(event), "one with some privacy")
    # Between two of the rows δ is on the chord, a little more than it is.
    epsilons = np.unique(np.append(0.0, last * np.linspace(0.0, 1.0, 300) ** 1.5))
    # The package's sums may be some 1e-11 off, relatively.
    deltas = [min(float(accountant.get_delta(each)) * (1 + 1e-9), 1.0) for each in epsilons.tolist()]
    deltas = np.maximum(np.minimum.accumulate(deltas), least).tolist()
    return TabulatedProfile(tuple(epsilons.tolist()), tuple(deltas))
