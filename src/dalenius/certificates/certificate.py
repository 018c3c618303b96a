"""What a theorem promises of a release without noise, and what it rests on."""

from dataclasses import dataclass
from typing import Literal, final

from dalenius.errors import InputError

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
