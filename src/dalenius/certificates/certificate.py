"""What a theorem promises of a release without noise, what it rests on, and rounding that is on the safe side."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter, sqrt
from typing import Literal, final

from dalenius.bounds import UNIT
from dalenius.errors import InputError


def raised(value: float, roundings: int | float) -> float:
    """At least the truth, where `value` >= 0 is off by that many roundings; never 0 where it may have underflowed."""
    return nextafter(value * (1 + (roundings + 2) * UNIT), inf)


def lowered(value: float, roundings: int | float) -> float:
    """At most the truth, likewise."""
    return max(nextafter(value * (1 - (roundings + 2) * UNIT), -inf), 0.0)


def root_down(square: Fraction) -> float:
    """At most the square root."""
    return lowered(sqrt(float(square)), 2)


Events = Literal["all", "intervals"]


@final
@dataclass(frozen=True)
class Certificate:
    """Pr[answer in S | X_i = a] <= e^epsilon Pr[answer in S | X_i = a'] + delta, for every person i, values a and a'.

    epsilon: in nats; events: the sets S it holds for, all of them or intervals (also half-lines) only; hypotheses: what
    it rests on, in words; source: where it is stated or proved. sound: whether it holds; why: the reason where not.
    """

    name: str
    epsilon: float
    delta: float
    events: Events
    hypotheses: tuple[str, ...]
    source: str
    sound: bool = True
    why: str = ""


def informative(certificate: Certificate, key: str, value: object) -> Certificate:
    """The certificate, if its delta is below 1. InputError under that key where it is not."""
    if certificate.delta >= 1:
        said = f"certificate {certificate.name} has delta {certificate.delta:.4g}, which says nothing"
        raise InputError(key, value, f"more people, or a larger epsilon: {said}")
    return certificate


def check_epsilon(epsilon: float) -> float:
    """InputError unless it is a finite number of at least 0."""
    if not 0 <= epsilon < float("inf"):
        raise InputError("epsilon", epsilon, "a finite number of at least 0")
    return epsilon


def check_delta(delta: float) -> float:
    """InputError unless it is a number between 0 and 1."""
    if not 0 < delta < 1:
        raise InputError("delta", delta, "a number above 0 and below 1")
    return delta
