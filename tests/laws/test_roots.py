"""Roots against scipy's, step by step: the same digits, the same refusals."""

from collections.abc import Callable
from math import copysign, exp, inf, nan, tanh

import pytest
from hypothesis import example, given, strategies as st
from scipy import optimize

from dalenius.roots import brentq
from tests.pace import draws

SHAPES: dict[str, Callable[[float, float], float]] = {
    "line": lambda x, root: x - root,
    "flat": lambda x, root: (x - root) ** 5,
    "steep": lambda x, root: copysign(abs(x - root) ** 0.3, x - root),
    "tiny": lambda x, root: 1e-300 * (x - root) ** 3,
    "step": lambda x, root: 1.0 if x > root else -1.0,
    "exponential": lambda x, root: exp(x) - exp(root),
    "infinite": lambda x, root: inf if x > root + 1 else tanh(x - root),
}


@given(
    shape=st.sampled_from(sorted(SHAPES)),
    root=st.floats(-5, 5),
    below=st.floats(0, 20),
    above=st.floats(0, 20),
    xtol=st.sampled_from([1e-300, 1e-12, 1e-3]),
    rtol=st.sampled_from([2**-50, 1e-6]),
)
@example(shape="infinite", root=0.25, below=3.0, above=10.0, xtol=1e-12, rtol=2**-50)
@example(shape="step", root=0.0, below=1.0, above=2.0, xtol=1e-300, rtol=2**-50)
@draws(200)
def test_steps_are_those_of_scipy(
    shape: str, root: float, below: float, above: float, xtol: float, rtol: float
) -> None:
    looked: dict[str, list[float]] = {"own": [], "theirs": []}

    def found(name: str, finder: Callable[..., float]) -> float | str:
        def function(x: float) -> float:
            looked[name].append(x)
            return SHAPES[shape](x, root)

        try:
            return finder(function, root - below, root + above, xtol=xtol, rtol=rtol)
        except (ValueError, RuntimeError) as error:
            return type(error).__name__

    assert found("own", brentq) == found("theirs", optimize.brentq)
    assert looked["own"] == looked["theirs"]


def test_no_root_is_refused() -> None:
    with pytest.raises(ValueError, match="signs"):
        brentq(lambda x: x * x + 1, -1, 1, xtol=1e-9)
    with pytest.raises(ValueError, match="NaN at 1"):
        brentq(lambda x: nan if x > 0 else -1.0, -1, 1, xtol=1e-9)
