"""Conversions as the public JSON of `dalenius convert`."""

from collections.abc import Mapping
from math import inf, isfinite
from typing import Any

from dalenius.bounds import down_to_digits
from dalenius.conversion import Converted
from dalenius.spec.results import number, printed


def conversion_json(found: Converted, at_epsilon: float | None, at_delta: float | None) -> dict[str, Any]:
    """epsilon and delta, of which one was asked at; lower and upper enclose the other, which is given from above."""
    low, _, high = (
        printed(found.value) if isfinite(found.value.upper) else (down_to_digits(found.value.lower, 9), inf, inf)
    )
    lower, upper = number(low), number(high)
    asked = {"epsilon": at_epsilon, "delta": upper} if at_epsilon is not None else {"epsilon": upper, "delta": at_delta}
    whom = {"person": found.person, "who": found.who, "secret": found.secret}
    if found.against is not None:
        whom["against"] = found.against
    return {**asked, "lower": lower, "upper": upper, "witness": None if found.person is None else whom}


def promise_json(sizes: Mapping[str, Mapping[str, float]], epsilon: float, delta: float) -> dict[str, Any]:
    """By notion, the largest parameter of each family of guarantees; and what was promised."""
    found = {name: {key: number(value) for key, value in each.items()} for name, each in sizes.items()}
    return {"promised": {"epsilon": epsilon, "delta": delta}, "largest": found}
