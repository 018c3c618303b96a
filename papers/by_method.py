"""What each method's noise leaks about a member of the family of ten, and what it costs, by strength of contagion."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp
from typing import Final, final

from dalenius.bounds import Enclosure
from dalenius.calibration import calibrate
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Laplace
from dalenius.notions import Notion
from dalenius.queries import Count
from papers.family import CONTAGIONS, community, family

METHODS: Final = ("independent", "group", "weak_dependence", "exact", "optimal")
EPSILONS: Final = (0.5, 1.0, 2.0)
ROUNDING: Final = 1e-9


@final
@dataclass(frozen=True)
class Judged:
    """One method at one promise and contagion. sound: whether its hypotheses hold; leakage: in nats; error: expected,
    in people; scale: None where the noise has none."""

    epsilon: float
    contagion: float
    method: str
    sound: bool
    kind: str
    scale: float | None
    leakage: Enclosure
    error: float

    @property
    def kept(self) -> bool:
        """Whether the promise is, with or without a proof beforehand."""
        return self.leakage.upper <= self.epsilon * (1 + ROUNDING)


@final
@dataclass(frozen=True)
class Refusal:
    """A method that does not serve a promise, and why, in its own words."""

    epsilon: float
    method: str
    why: str


def judge(promises: Sequence[Notion]) -> tuple[tuple[Judged, ...], tuple[Refusal, ...]]:
    """Every method at every promise and strength of contagion; and the promises that a method refuses."""
    found: list[Judged] = []
    refused: dict[Refusal, None] = {}
    for promise in promises:
        assert promise.epsilon is not None
        for contagion in CONTAGIONS:
            for method in METHODS:
                try:
                    found.append(_judged(promise, promise.epsilon, contagion, method))
                except InputError as error:
                    if error.key != "notion.epsilon":
                        raise
                    refused[Refusal(promise.epsilon, method, str(error))] = None
    return tuple(found), tuple(refused)


def release_of(contagion: float, scale: float | None = None) -> Release:
    """The count of the ill under Laplace noise."""
    return Release(family(contagion), Count(), Laplace(scale=scale))


def rows(points: Sequence[Judged]) -> Iterator[tuple[object, ...]]:
    """The lines of a CSV."""
    yield (
        *("epsilon", "contagion", "community", "method", "sound", "kept", "noise", "scale"),
        *("leakage_lower", "leakage_upper", "factor", "expected_error"),
    )
    for at in points:
        scale = "" if at.scale is None else at.scale
        yield (
            *(at.epsilon, at.contagion, community(at.contagion), at.method, at.sound, at.kept, at.kind, scale),
            *(at.leakage.lower, at.leakage.upper, exp(at.leakage.upper), at.error),
        )


def notes_of(refused: Sequence[Refusal]) -> Iterator[str]:
    """What is left out."""
    for each in refused:
        yield f"{each.method} is left out at ε = {each.epsilon:g}: {each.why}."


def _judged(promise: Notion, epsilon: float, contagion: float, method: str) -> Judged:
    found = calibrate(release_of(contagion), promise, method)
    leakage = Enclosure(found.leakage.lower, found.leakage.upper)
    noise = found.noise
    return Judged(epsilon, contagion, method, found.sound, noise.kind, noise.scale, leakage, found.expected_error)
