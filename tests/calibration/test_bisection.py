"""The least scale, of functions that know no model: it keeps the bound, and a billionth less does not."""

from collections.abc import Callable
from math import ceil, exp, inf, sin

import pytest
from hypothesis import given, strategies as st

from dalenius import DaleniusError
from dalenius.calibration.search import least_scale

Falling = Callable[[float], float]
STARTS = (1e-6, 0.3, 1.0, 17.0, 1e9)

FALLING: dict[str, tuple[Falling, float]] = {
    "1/x": (lambda x: 1 / x, 0.25),
    "1/x at 1": (lambda x: 1 / x, 1.0),
    "x^-1/4": (lambda x: x**-0.25, 0.5),
    "x^-8": (lambda x: x**-8, 3.0),
    "exp": (lambda x: 9 * exp(-x), 1e-3),
    "wavy": (lambda x: (2 + sin(x)) / x**2 if x > 5 else 2 / x + 1, 0.07),
    "steps": (lambda x: float(ceil(10 / x)), 3.5),
    "one step": (lambda x: 3.0 if x < 2.5 else 0.5, 1.0),
    "down to nothing": (lambda x: 5.0 if x < 0.125 else 0.0, 1.0),
    "infinite near 0": (lambda x: inf if x < 1 else 1 / x, 0.5),
    "infinite, then within": (lambda x: inf if x < 1.5 else 0.1, 0.5),
    "a flat stretch": (lambda x: max(1 / x, 0.5) if x < 10 else 0.3, 0.4),
}


def check(leakage: Falling, bound: float, start: float) -> float:
    seen: dict[float, float] = {}

    def watched(scale: float) -> float:
        seen[scale] = leakage(scale)
        return seen[scale]

    scale = least_scale(watched, bound, start)
    assert seen[scale] <= bound
    assert leakage(scale * (1 - 1e-9)) > bound
    assert len(seen) < 400
    return scale


def test_keeps_the_bound_and_less_does_not() -> None:
    for place, name in enumerate(name for name in FALLING if name != "wavy"):
        check(*FALLING[name], STARTS[place % len(STARTS)])


def test_far_from_the_root_the_search_leaps() -> None:
    """Each evaluation may take a second; halvings alone would be ten here."""
    seen: list[float] = []

    def watched(scale: float) -> float:
        seen.append(scale)
        return 1 / scale + 1 / scale**2

    least_scale(watched, 1.0, 1000.0)
    assert len([scale for scale in seen if not 1.6 < scale < 1.63]) <= 4


@given(
    factor=st.floats(1e-3, 1e3),
    power=st.floats(0.2, 6),
    bound=st.floats(1e-2, 1e2),
    start=st.floats(1e-3, 1e3),
)
def test_powers(factor: float, power: float, bound: float, start: float) -> None:
    assert check(lambda x: factor * x**-power, bound, start) == pytest.approx((factor / bound) ** (1 / power), rel=1e-9)


def test_a_function_that_is_not_monotone_still_keeps_its_bound() -> None:
    leakage, bound = FALLING["wavy"]
    for start in STARTS:
        assert leakage(least_scale(leakage, bound, start)) <= bound


def test_never_reaching() -> None:
    with pytest.raises(DaleniusError, match=r"^no scale up to .* brings the leakage down to 1 nats$"):
        least_scale(lambda x: 1.1 + 1 / x, 1.0, 1.0)


def test_a_flat_stretch_at_the_bound_itself() -> None:
    for start in STARTS:
        assert check(lambda x: float(ceil(10 / x)), 3.0, start) == pytest.approx(10 / 3, rel=1e-10)


def test_a_scale_within_a_rounding_of_the_root() -> None:
    for bound in (0.2, 1 / 3, 0.7, 1.1, 3.3):
        for start in (1 / bound, 0.5 / bound, 2 / bound, 0.5 / bound * (1 - 2**-53), 0.5 / bound * (1 + 2**-52)):
            check(lambda x: 1 / x, bound, start)
            check(lambda x: 0.25 / x + 0.25 / x + 0.25 / x + 0.25 / x, bound, start)


def test_what_roundings_leave_is_not_searched_for() -> None:
    """Each evaluation may take seconds: far fewer than two hundred of them."""
    asked = []

    def leakage(scale: float) -> float:
        asked.append(scale)
        return 1 / scale + 2e-12

    with pytest.raises(DaleniusError, match=r"no scale up to .* brings the leakage down to 1e-12 nats"):
        least_scale(leakage, 1e-12, 1e12)
    assert len(asked) < 12
    assert least_scale(leakage, 1e-11, 1e3) >= 1 / 8e-12
