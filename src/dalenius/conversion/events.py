"""A file that says what a pipeline does, in the terms of dp-accounting's `DpEvent`, and the pipeline's privacy profile.

Gaussian answers, zero-concentrated ones and guarantees add up in closed form. Laplace noise and samples are what
dp-accounting is for: its δ is from above by that package's own account, and nothing here checks it.

Two answers with Laplace noise of multiplier 2 (each pure with ε = 0.5) are pure with ε = 1, and have δ(0) = 0.2418 and
δ(0.5) = 0.1239: less than the 0.4621 and 0.2876 that pure ε = 1 alone would allow.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from math import expm1, fsum, log1p, sqrt
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, final

import numpy as np
from pydantic import Field, ValidationError, model_validator

from dalenius.bounds import UNIT
from dalenius.conversion.gaussian import GaussianProfile, ZeroConcentrated
from dalenius.conversion.profile import (
    ApproximateProfile,
    PrivacyProfile,
    PureProfile,
    TabulatedProfile,
    with_guarantee,
)
from dalenius.errors import InputError
from dalenius.schema import Frozen, first_problem
from dalenius.spec.spec import sections_of

_Above: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_UP: Final = 1 + 8 * UNIT

_CLASSES: Final[Mapping[str, str]] = {
    "laplace": "LaplaceDpEvent",
    "discrete_laplace": "DiscreteLaplaceDpEvent",
    "gaussian": "GaussianDpEvent",
    "poisson_sampled": "PoissonSampledDpEvent",
}
"""By kind, the name in `dp_accounting.dp_event`, whose fields have the names of the keys."""
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "no_op": (),
    "laplace": ("noise_multiplier",),
    "discrete_laplace": ("noise_parameter", "sensitivity"),
    "gaussian": ("noise_multiplier",),
    "zcdp": ("rho",),
    "epsilon_delta": ("epsilon", "delta"),
    "poisson_sampled": ("sampling_probability", "event"),
    "composed": ("events",),
    "self_composed": ("event", "count"),
}
_OPTIONAL: Final[Mapping[str, Any]] = {"sensitivity": 1, "delta": 0.0}
_RELATIONS: Final = {"replace": "REPLACE_ONE", "add_remove": "ADD_OR_REMOVE_ONE"}


@final
class Event(Frozen):
    """Something a pipeline does to the records, with the keys of its kind. noise_multiplier: the noise's scale or
    deviation over the answer's sensitivity between neighbours. InputError for a key too few or too many."""

    kind: Literal[
        "no_op",
        "laplace",
        "discrete_laplace",
        "gaussian",
        "zcdp",
        "epsilon_delta",
        "poisson_sampled",
        "composed",
        "self_composed",
    ]
    noise_multiplier: _Above | None = None
    noise_parameter: _Above | None = None
    sensitivity: Annotated[int, Field(ge=1, le=10**6, strict=True)] | None = None
    rho: _Above | None = None
    epsilon: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    delta: Annotated[float, Field(ge=0, lt=1)] | None = None
    sampling_probability: Annotated[float, Field(gt=0, le=1)] | None = None
    event: "Event | None" = None
    events: "tuple[Event, ...] | None" = None
    count: Annotated[int, Field(ge=1, le=10**9, strict=True)] | None = None

    @model_validator(mode="after")
    def _of_its_kind(self) -> "Event":
        keys = {key for key in self.model_fields_set if key != "kind"}
        needed = set(_KEYS[self.kind]) - set(_OPTIONAL)
        if not needed <= keys <= set(_KEYS[self.kind]):
            raise ValueError(f"of the kind {self.kind} the keys {', '.join(_KEYS[self.kind]) or 'kind alone'}")
        # What dp-accounting knows of samples.
        if self.kind == "poisson_sampled" and self.inner.kind not in ("laplace", "gaussian"):
            raise ValueError("a sample of one answer, laplace or gaussian")
        return self

    @property
    def inner(self) -> "Event":
        """The event within a sample, or of a repetition."""
        assert self.event is not None
        return self.event

    def value(self, key: str) -> Any:
        """What it has under this key, or the key's default."""
        found = getattr(self, key)
        return _OPTIONAL.get(key) if found is None else found

    def answers(self, count: int = 1) -> Iterator[tuple["Event", int]]:
        """The single answers of so many of these, and how often each is given."""
        match self.kind:
            case "composed":
                for event in self.events or ():
                    yield from event.answers(count)
            case "self_composed":
                yield from self.inner.answers(count * self.value("count"))
            case "no_op":
                return
            case _:
                yield self, count

    @property
    def pure(self) -> float | None:
        """The ε in nats of one answer with Laplace or geometric noise, or of a sample of it; None of any other."""
        match self.kind:
            case "laplace":
                return float(_UP / self.value("noise_multiplier"))
            case "discrete_laplace":
                return float(self.value("noise_parameter") * self.value("sensitivity") * _UP)
            case "poisson_sampled" if (inner := self.inner.pure) is not None:
                # Beyond 600 nats no double holds e^ε, and sampling hides next to nothing.
                return log1p(self.value("sampling_probability") * expm1(inner)) * _UP if inner < 600 else inner
            case _:
                return None

    def translated(self, classes: Any) -> Any:
        """The single answer as dp-accounting's event of the same kind; classes: the module that has them."""
        values = {key: self.value(key) for key in _KEYS[self.kind]}
        made = {key: value.translated(classes) if isinstance(value, Event) else value for key, value in values.items()}
        return getattr(classes, _CLASSES[self.kind])(**made)


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
    event: Event

    @model_validator(mode="after")
    def _sampled(self) -> "EventFile":
        # A training on random samples: what sampling hides is whether a record is there, and not which value it has.
        if self.neighbours == "replace" and any(each.kind == "poisson_sampled" for each, _ in self.event.answers()):
            raise ValueError("neighbours add_remove, where a poisson_sampled event is")
        return self

    def profile(self) -> PrivacyProfile:
        """Exact where all answers have Gaussian noise, or are zero-concentrated, or there is but one guarantee.

        InputError where dp-accounting is needed and is not installed, and for zero-concentrated answers beside any but
        Gaussian ones. Guarantees beside anything add their ε and their δ.
        """
        answers = list(self.event.answers())
        given = [(each, count) for each, count in answers if each.kind == "epsilon_delta"]
        # A sum is rounded, and a single guarantee is what it says.
        up = _UP if sum(count for _, count in given) > 1 else 1.0
        epsilon, delta = (fsum(each.value(key) * n for each, n in given) * up for key in ("epsilon", "delta"))
        noisy = [(each, count) for each, count in answers if each.kind != "epsilon_delta"]
        if not noisy:
            return ApproximateProfile(epsilon, delta) if delta else PureProfile(epsilon)
        found = _of_noise(noisy)
        return with_guarantee(found, epsilon, delta) if given else found


def _of_noise(answers: list[tuple[Event, int]]) -> PrivacyProfile:
    """Of one answer or more, none of which is a guarantee: in closed form, or what dp-accounting says."""
    kinds = {each.kind for each, _ in answers}
    # Of Gaussian noise 1/σ² adds up, which is twice its ρ; of what is zero-concentrated ρ does.
    if kinds <= {"gaussian", "zcdp"}:
        amounts = [n * (2 * each.rho if each.rho else each.value("noise_multiplier") ** -2) for each, n in answers]
        amount = fsum(amounts) * _UP
        return ZeroConcentrated(amount / 2) if "zcdp" in kinds else GaussianProfile(sqrt(amount) * _UP)
    if "zcdp" in kinds:
        wanted = "no answers beside zero-concentrated ones but gaussian and epsilon_delta"
        raise InputError("event.kind", ", ".join(sorted(kinds)), wanted)
    package = _package()
    repeated = [package.SelfComposedDpEvent(each.translated(package.dp_event), n) for each, n in answers]
    # Multipliers are over the sensitivity between the file's neighbours: one law beside another at that distance.
    found = event_profile(package.ComposedDpEvent(repeated), "add_remove")
    pure = [None if each.pure is None else each.pure * n for each, n in answers]
    if None in pure:
        return found
    # All answers are pure: beyond the sum of their ε δ is 0, and not only faint.
    last = fsum(each or 0.0 for each in pure) * _UP
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


def event_profile(event: Any, neighbours: str) -> TabulatedProfile:
    """What its accountant of privacy loss distributions says of a `dp_accounting.DpEvent`, composed as it is.

    That accountant's δ is from above by its own account; nothing here checks it. InputError where the package is
    absent, the event is none it knows for these neighbours, or is not private.
    """
    package = _package()
    if neighbours not in _RELATIONS:
        raise InputError("neighbours", neighbours, "'replace' or 'add_remove'")
    accountant = package.pld.PLDAccountant(getattr(package.NeighboringRelation, _RELATIONS[neighbours]))
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
