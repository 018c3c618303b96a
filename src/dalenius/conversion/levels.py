"""Checks of the ε′ and δ′ that a conversion may be asked for."""

from math import isnan

from dalenius.conversion.limits import LARGEST_TARGET
from dalenius.errors import InputError


def check_epsilon(epsilon: float, key: str = "epsilon") -> None:
    """Raises InputError, under the `key`, unless `epsilon` is a number from 0 to LARGEST_TARGET, in nats."""
    if isnan(epsilon) or not 0 <= epsilon <= LARGEST_TARGET:
        raise InputError(key, epsilon, f"a number from 0 to {LARGEST_TARGET:g} (limit {LARGEST_TARGET.name})")


def check_delta(delta: float, key: str = "delta") -> None:
    """Raises InputError, under the `key`, unless `delta` is a probability below 1."""
    if isnan(delta) or not 0 <= delta < 1:
        raise InputError(key, delta, "a number of at least 0 and below 1")
