"""The event file, which says what a pipeline does as dp-accounting's `DpEvent` would; and the pipeline's profile.

Gaussian answers and zero-concentrated ones add up in closed form. The losses of other answers are composed on a grid,
from below and from above. If only Rényi divergences of an answer are known, it goes through dp-accounting, from above.

Two answers with Laplace noise of multiplier 2 (each pure with ε = 0.5) are pure with ε = 1. They have δ(0) = 0.2418 and
δ(0.5) = 0.1239, less than the 0.4621 and 0.2876 that pure ε = 1 alone would allow.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from math import ceil, expm1, fsum, hypot, log, log1p, log2, sqrt
from pathlib import Path
from typing import Any, Final, Literal, final

import numpy as np
from pydantic import ValidationError, model_validator

from dalenius.bounds import UNIT
from dalenius.conversion.answer_losses import (
    Ratios,
    discrete_laplace,
    gaussian,
    guarantee,
    laplace,
    losses_of,
    randomised,
    size_of,
    span_of,
)
from dalenius.conversion.composed_losses import ComposedLosses, interval_of
from dalenius.conversion.concentrated_profile import ZeroConcentrated
from dalenius.conversion.dp_accounting_package import dp_accounting
from dalenius.conversion.event_kinds import (
    AnyEvent,
    ComposedEvents,
    Concentrated,
    DiscreteLaplace,
    Gaussian,
    Guarantee,
    Laplace,
    MixtureOfGaussians,
    Noisy,
    NoOp,
    PoissonSampled,
    RandomizedResponse,
    SampledWithoutReplacement,
    SelfComposed,
    TreeAggregation,
)
from dalenius.conversion.gaussian_profile import GaussianProfile
from dalenius.conversion.guarantee_profiles import ApproximateProfile, PureProfile, TabulatedProfile, with_guarantee
from dalenius.conversion.limits import LARGEST_MOVE, LARGEST_PURE, LARGEST_SIZE, MOST_LOSSES
from dalenius.conversion.mixture_of_gaussians import mixture
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.renyi_profile import ORDERS, renyi_profile
from dalenius.errors import InputError
from dalenius.frozen_section import Frozen, first_problem
from dalenius.spec.spec import sections_of

_UP: Final = 1 + 8 * UNIT
_LEAST_MU: Final = 1e-12
_ROWS: Final = 1200
"""The rows of a table, where δ is enclosed; between two of them δ is on the chord."""
_FEW_ROWS: Final = 200
"""The rows farther out, where δ is bounded by moments."""
_FAINTEST: Final = 1e-300
"""The δ at which a table ends."""


def _answers(event: AnyEvent, count: int = 1) -> Iterator[tuple[Noisy | Guarantee, int]]:
    """Yields the single answers of so many of these events, and how often each is given."""
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


def _mu(event: AnyEvent) -> float | None:
    """Returns the μ of Gaussian answers together, from above; None where one of them has other noise."""
    found = 0.0
    for each, count in _answers(event):
        match each:
            case Gaussian(noise_multiplier=sigma):
                found = hypot(found, sqrt(count) / sigma)
            # Because a record is in as many sums as its tree has levels (Kairouz et al. 2021, appendix D).
            case TreeAggregation(noise_multiplier=sigma, step_counts=steps):
                depth = ceil(log2(max(steps if isinstance(steps, tuple) else (steps,)) + 1))
                found = hypot(found, sqrt(count * depth) / sigma)
            case _:
                return None
    return found * _UP


def _pure(event: Noisy | Guarantee) -> float | None:
    """Returns the ε in nats of one answer that is pure, from above; None for any other."""
    match event:
        case Laplace(noise_multiplier=scale):
            return _UP / scale
        case DiscreteLaplace(noise_parameter=rate, sensitivity=sensitivity):
            return rate * sensitivity * _UP
        case RandomizedResponse(noise_parameter=noise, num_buckets=buckets):
            return log1p(buckets * (1 - noise) / noise) * _UP
        case Guarantee(epsilon=epsilon, delta=0.0):
            return epsilon
        case PoissonSampled(sampling_probability=share, event=Laplace(noise_multiplier=scale)):
            nats = _UP / scale
            # Because no double holds e^ε beyond 600 nats.
            return (log1p(share * expm1(nats)) if nats < 600 else max(nats + log(share), 0.0) + 1e-9) * _UP
        case _:
            return None


def _ratios(event: Noisy | Guarantee) -> tuple[Ratios, float] | None:
    """Returns the losses of one answer, and the chance with which a record is in its sample; None where unknown."""
    match event:
        case Laplace(noise_multiplier=scale):
            return laplace(_UP / scale), 1.0
        case DiscreteLaplace(noise_parameter=rate, sensitivity=sensitivity):
            return discrete_laplace(rate, sensitivity), 1.0
        case RandomizedResponse(noise_parameter=noise, num_buckets=buckets):
            return randomised(noise, buckets), 1.0
        case Guarantee(epsilon=epsilon, delta=delta):
            return guarantee(epsilon, delta), 1.0
        case MixtureOfGaussians(standard_deviation=sigma, sensitivities=moves, sampling_probs=chances):
            return mixture(sigma / _UP, moves, chances), 1.0
        case PoissonSampled(sampling_probability=share, event=Laplace(noise_multiplier=scale)):
            return laplace(_UP / scale), share
        case PoissonSampled(sampling_probability=share, event=inner) if (mu := _mu(inner)) is not None:
            _check_mu(mu)
            return gaussian(mu), share
        case _:
            return None


def _check_mu(mu: float) -> None:
    """Raises InputError where no double holds what follows."""
    if not _LEAST_MU <= mu <= LARGEST_SIZE:
        wanted = f"Gaussian answers whose noise has together a mu from {_LEAST_MU:g} to {LARGEST_SIZE:g}"
        raise InputError("event", f"mu {mu:.3g}", wanted)


@final
class EventFile(Frozen):
    """A pipeline in the terms of dp-accounting's `DpEvent`: which data sets are neighbours, and what is done.

    Four answers with Gaussian noise of multiplier 2 are one of multiplier 1, as the example shows.

    Args:
        neighbours: What the events' numbers compare: `"replace"`, the value of one record, or `"add_remove"`, whether a
            record is there. `"add_remove"` is wanted for Poisson samples, `"replace"` for samples without replacement.
        event: What is done: one event, or several composed.

    Raises:
        InputError: For a sample with the other neighbours, and for a sampled event of a kind that is not understood.

    Example:
        >>> four = {"kind": "self_composed", "count": 4, "event": {"kind": "gaussian", "noise_multiplier": 2.0}}
        >>> made = EventFile.model_validate({"neighbours": "replace", "event": four}).profile()
        >>> round(made.mu, 6), round(made.delta(1.0), 6)
        (1.0, 0.126937)
    """

    neighbours: Literal["replace", "add_remove"]
    event: AnyEvent

    @model_validator(mode="after")
    def _sampled(self) -> "EventFile":
        for each, _ in _answers(self.event):
            match each:
                # Because sampling, as in a training, hides whether a record is there, not its value.
                case PoissonSampled(event=inner):
                    if self.neighbours == "replace":
                        raise ValueError("neighbours add_remove, where a poisson_sampled event is")
                    if not isinstance(inner, Laplace) and not _mu(inner):
                        raise ValueError("one laplace event, or gaussian ones, in a poisson_sampled event")
                case MixtureOfGaussians(standard_deviation=sigma, sensitivities=moves, sampling_probs=chances):
                    _check_mixture(sigma, moves, chances, self.neighbours)
                case SampledWithoutReplacement(event=inner, sample_size=size, source_dataset_size=people):
                    if self.neighbours == "add_remove":
                        raise ValueError("neighbours replace, where a sampled_without_replacement event is")
                    if not _mu(inner):
                        raise ValueError("gaussian events in a sampled_without_replacement event")
                    if size > people:
                        raise ValueError("a sample_size of at most source_dataset_size")
        return self

    @property
    def members(self) -> float:
        """The most records whose joining is one step here; 1 where it is a single record."""
        answers = (each for each, _ in _answers(self.event))
        return max((each.members for each in answers if isinstance(each, MixtureOfGaussians)), default=1.0)

    def profile(self) -> PrivacyProfile:
        """Compute the privacy profile of everything that is done.

        Returns:
            The profile. It is exact where all answers have Gaussian noise, or are zero-concentrated, or where there is
            one guarantee alone.

        Raises:
            InputError: Where dp-accounting is needed and is not installed, and for answers that it does not know
                beside each other.
        """
        answers = list(_answers(self.event))
        if not answers:
            return PureProfile(0.0)
        match answers:
            case [(Guarantee(epsilon=epsilon, delta=delta), 1)]:
                return ApproximateProfile(epsilon, delta) if delta else PureProfile(epsilon)
            case _:
                return _of_answers(answers)


def _check_mixture(sigma: float, moves: Sequence[float], chances: Sequence[float], neighbours: str) -> None:
    """Raises ValueError for a mixture that is none, or that hides the value of a record."""
    if neighbours == "replace":
        raise ValueError("neighbours add_remove, where a mixture_of_gaussians event is")
    if len(moves) != len(chances):
        raise ValueError(f"as many sampling_probs as sensitivities (there are {len(chances)} and {len(moves)})")
    if abs(fsum(chances) - 1) > 1e-9:
        raise ValueError(f"sampling_probs that sum to 1 (they sum to {fsum(chances):.9g})")
    largest = max((move for move, chance in zip(moves, chances, strict=True) if chance), default=0.0) / sigma
    if not _LEAST_MU <= largest <= LARGEST_MOVE:
        raise ValueError(f"a largest sensitivity from {_LEAST_MU:g} to {LARGEST_MOVE} deviations")


def _of_answers(answers: Sequence[tuple[Noisy | Guarantee, int]]) -> PrivacyProfile:
    """Returns the profile of the answers, in closed form or composed."""
    normal = [(each, count) for each, count in answers if isinstance(each, Gaussian | TreeAggregation)]
    others = [(each, count) for each, count in answers if not isinstance(each, Gaussian | TreeAggregation)]
    mu = hypot(*(sqrt(count) * (_mu(each) or 0.0) for each, count in normal)) * _UP
    if normal:
        _check_mu(mu)
    if not others:
        return GaussianProfile(mu)
    rho = fsum(each.rho * count for each, count in others if isinstance(each, Concentrated)) * _UP
    if all(isinstance(each, Concentrated) and not each.xi for each, _ in others):
        return ZeroConcentrated((mu * mu / 2 + rho) * _UP)
    known = [(_ratios(each), count) for each, count in others]
    if all(found is not None for found, _ in known):
        return _composed([(each, count) for each, count in others], mu)
    return _by_divergences(answers)


def _composed(answers: Sequence[tuple[Noisy | Guarantee, int]], mu: float) -> PrivacyProfile:
    """Returns the profile by their losses on a grid; mu: that of Gaussian answers beside them, 0 without any."""
    parts = [(gaussian(mu), 1.0, 1, 0.0)] if mu else []
    plain, pure_sum, pure = 0.0, 0.0, not mu
    for each, count in answers:
        nats, found = _pure(each), _ratios(each)
        assert found is not None
        pure_sum += (nats or 0.0) * count
        pure = pure and nats is not None
        # Because it hides next to nothing, its ε is added, and takes no grid.
        if nats is not None and nats > LARGEST_PURE:
            plain += nats * count
            continue
        step = nats if nats is not None and found[1] == 1 else 0.0
        parts.append((*found, count, each.noise_parameter if isinstance(each, DiscreteLaplace) else step))
    # Because one value out of one, or a guarantee of nothing, says nothing.
    parts = [part for part in parts if part[0].faint or size_of(part[0], part[1]) > 0]
    if not parts:
        return _nothing_below(pure_sum * _UP)
    return _tabulated(parts, pure_sum * _UP if pure else None, plain * _UP)


def _nothing_below(pure: float) -> PrivacyProfile:
    """Returns a pure profile from above, which claims nothing of how much is leaked."""
    return TabulatedProfile((pure,), (0.0,), PureProfile(0.0)) if pure else PureProfile(0.0)


def _tabulated(parts: Sequence[tuple[Ratios, float, int, float]], pure: float | None, plain: float) -> TabulatedProfile:
    """Returns a table of both ends; pure: the ε from which on δ is 0; plain: an ε that is added to all."""
    sizes = [(size, count) for ratios, share, count, _ in parts if (size := size_of(ratios, share))]
    interval = interval_of(sizes, [step for *_, step in parts]) if sizes else max(pure or 0.0, 1.0) / 100
    interval = max(interval, *(span_of(ratios, share) / (MOST_LOSSES - 8) for ratios, share, *_ in parts), 0.0)
    orders = (False, True) if any(share < 1 or ratios.lopsided for ratios, share, *_ in parts) else (False,)
    made = [
        ComposedLosses(tuple((losses_of(ratios, share, order, interval), count) for ratios, share, count, _ in parts))
        for order in orders
    ]
    epsilons = _places(made)
    ends = [each.ends(epsilons) for each in made]
    low, high = (np.max([each[side] for each in ends], axis=0) for side in (0, 1))
    high, low = np.minimum.accumulate(high), np.minimum(np.minimum.accumulate(low), high)
    last = len(high) - 1 if high[-1] > _FAINTEST else int(np.argmax(high <= _FAINTEST))
    rows = [(e, d) for e, d in zip(epsilons[: last + 1].tolist(), high.tolist(), strict=False)]
    if pure is not None:
        rows = [(e, d) for e, d in rows if e + plain < pure] + [(pure - plain, 0.0)]
    # So that no chord is above the truth, each row of the lower profile has the δ of the next one.
    least = TabulatedProfile(tuple(epsilons.tolist()), (*low[1:].tolist(), 0.0))
    if plain:
        rows = [((e + plain) * _UP, d) for e, d in rows]
    return TabulatedProfile(tuple(e for e, _ in rows), tuple(d for _, d in rows), least)


def _places(made: Sequence[ComposedLosses]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Returns the ε of a table's rows."""
    start = max(min(each.near_one for each in made), 0.0)
    middle = max(start, max(each.enclosed_to for each in made))
    last = max(each.last for each in made)
    far = np.linspace(middle, max(min(last, max(each.faint for each in made)), middle), _FEW_ROWS)
    return np.unique(np.concatenate([[0.0], np.linspace(start, middle, _ROWS), far]))


def _by_divergences(answers: Sequence[tuple[Noisy | Guarantee, int]]) -> PrivacyProfile:
    """Returns the profile by Rényi divergences, which dp-accounting adds up, from above; guarantees add ε and δ."""
    noisy = [(each, count) for each, count in answers if not isinstance(each, Guarantee)]
    given = [(each, count) for each, count in answers if isinstance(each, Guarantee)]
    package = dp_accounting()
    accountant = _accountant(package, noisy)
    if accountant is None:
        kinds = ", ".join(sorted({each.kind for each, _ in noisy}))
        raise InputError("event.kind", kinds, "events whose Rényi divergences dp-accounting can add up")
    found = renyi_profile(accountant.orders, accountant.rdp)
    epsilon = fsum(each.epsilon * count for each, count in given) * _UP
    delta = fsum(each.delta * count for each, count in given) * _UP
    if not given:
        return found
    both = with_guarantee(found, epsilon, delta)
    return TabulatedProfile(both.epsilons, both.deltas, PureProfile(0.0))


def _accountant(package: Any, answers: Sequence[tuple[Noisy | Guarantee, int]]) -> Any:
    """Returns its accountant of Rényi divergences after all of them; None where it does not know one."""
    rdp = import_module("dp_accounting.rdp")
    every = package.NeighboringRelation
    total = np.zeros(len(ORDERS))
    accountant = None
    for each, count in answers:
        # Because multipliers are over the sensitivity between the file's neighbours, whatever these are.
        kind = {"sampled_without_replacement": "REPLACE_ONE", "randomized_response": "REPLACE_ONE"}.get(each.kind)
        accountant = rdp.RdpAccountant(ORDERS, getattr(every, kind or "REPLACE_SPECIAL"))
        event = package.SelfComposedDpEvent(_translated(each, package.dp_event), count)
        if not accountant.supports(event):
            return None
        accountant.compose(event)
        total = total + accountant.rdp
    return _Divergences(total)


@final
class _Divergences:
    """Rényi divergences: orders, and the divergence at each."""

    def __init__(self, rdp: Any) -> None:
        self.orders, self.rdp = ORDERS, rdp


_CLASSES: Final = {"zcdp": "ZCDpEvent"}


def _translated(event: Any, package: Any) -> Any:
    """Returns dp-accounting's event of that kind, whose fields have the names of our keys."""
    if isinstance(event, ComposedEvents):
        return package.ComposedDpEvent([_translated(each, package) for each in event.events])
    values = {key: getattr(event, key) for key in type(event).model_fields if key != "kind"}
    made = {key: _translated(each, package) if isinstance(each, Frozen) else each for key, each in values.items()}
    name = _CLASSES.get(event.kind, f"{event.kind.title().replace('_', '')}DpEvent")
    return getattr(package, name)(**made)


def read_event(path: Path | str) -> EventFile:
    """Read what a pipeline does from a JSON or TOML file.

    Args:
        path: A file with the keys `neighbours` and `event`, in the terms of dp-accounting's `DpEvent`.

    Returns:
        The event and its neighbours. `read_event(path).profile()` is the pipeline's privacy profile.

    Raises:
        InputError: For a file that cannot be read, or that says no event; in one line.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "event.json")
        ...     _ = path.write_text('{"neighbours": "replace", "event": {"kind": "gaussian", "noise_multiplier": 2}}')
        ...     round(read_event(path).profile().mu, 6)
        0.5
    """
    given = sections_of(Path(path), "event")
    try:
        return EventFile.model_validate(given)
    except ValidationError as error:
        raise first_problem(error, "", given, "event") from None
