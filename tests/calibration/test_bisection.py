"""The least scale, of functions that know no model: it keeps the bound, and a billionth less does not.

Normal noise for a whole group: the closed curve's scale, its promise on random models, what it is refused for.

Answers that the model makes next to impossible: the bound is above the truth, and nothing likely is called so.
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, comb, exp, inf, sin

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius import Count, DaleniusError, Geometric, Households, Independent, Release
from dalenius.bisection import bisected, bisected_all
from dalenius.calibration import improbable
from dalenius.calibration.improbable import NEXT_TO_IMPOSSIBLE
from dalenius.calibration.scale_search import least_scale
from dalenius.noise.gaussian import gaussian_delta, gaussian_scale
from tests.pace import draws

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


@given(factor=st.floats(1e-3, 1e3), power=st.floats(0.2, 6), bound=st.floats(1e-2, 1e2), start=st.floats(1e-3, 1e3))
def test_powers(factor: float, power: float, bound: float, start: float) -> None:
    assert check(lambda x: factor * x**-power, bound, start) == pytest.approx((factor / bound) ** (1 / power), rel=1e-9)


def test_never_reaching() -> None:
    with pytest.raises(DaleniusError, match=r"^no scale up to .* brings the leakage down to 1 nats: more noise"):
        least_scale(lambda x: 1.1 + 1 / x, 1.0, 1.0)


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


def test_it_is_the_least_that_hides_a_group() -> None:
    homes = dl.Households(count=5, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
    notion = dl.InferentialPrivacy(epsilon=0.5, delta=1e-4)
    found = dl.calibrate(dl.Release(homes, dl.Count(), dl.Laplace()), notion, "gaussian")
    assert isinstance(found.noise, dl.Gaussian)
    assert found.noise.scale == gaussian_scale(Fraction(4), 0.5, 1e-4)
    assert gaussian_delta(4, found.noise.scale, 0.5) <= 1e-4 < gaussian_delta(4, found.noise.scale * (1 - 1e-9), 0.5)
    assert found.sound
    same = dl.calibrate(dl.Release(homes, dl.Count(), dl.Gaussian(scale=1.0)), notion, "group")
    assert same.noise == found.noise


@draws(30)
@given(
    st.integers(1, 4), st.integers(1, 4), st.floats(0.01, 0.99), st.floats(0.05, 2), st.sampled_from([1e-6, 1e-3, 0.1])
)
def test_on_random_groups_it_keeps_its_promise(count: int, size: int, p: float, epsilon: float, delta: float) -> None:
    infected = [1 - p, *[0.0] * (size - 1), p]
    release = dl.Release(dl.Households(count=count, infected=infected), dl.Count(), dl.Laplace())
    found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=epsilon, delta=delta), "gaussian")
    noised = release.with_noise(found.noise)
    assert dl.delta_of(noised, epsilon).upper <= delta * (1 + 1e-9)
    assert dl.noiseless_delta(noised, epsilon, 0.5).lower <= delta * (1 + 1e-9)


N, P, SCALE = 60, 0.1, 1.5


def at_least(answer: int) -> float:
    """Pr[A + R >= answer], of a binomial count and geometric noise, term by term."""
    base = exp(-1 / SCALE)

    def tail(m: int) -> float:
        return base**m / (1 + base) if m > 0 else 1 - base ** (1 - m) / (1 + base)

    return sum(comb(N, k) * P**k * (1 - P) ** (N - k) * tail(answer - k) for k in range(N + 1))


def test_the_bound_is_above_the_truth_and_not_far() -> None:
    release = Release(Independent(n=N, probabilities=[P]), Count(), Geometric(scale=SCALE))
    for answer in range(0, 60, 3):
        found, truth = improbable(release, [Fraction(answer)]), at_least(answer)
        if truth > NEXT_TO_IMPOSSIBLE / 2:
            assert found is None
        elif truth < NEXT_TO_IMPOSSIBLE / 20:
            assert found is not None
        if found is not None:
            assert found.chance >= min(truth, 1.0)
            assert found.words.startswith("the model makes this answer next to impossible (chance ")


def test_intervals_say_nothing_here() -> None:
    homes = Households(count=20, infected=([0.8, 0.9], 0.1, [0.0, 0.1]))
    assert improbable(Release(homes, Count(), Geometric(scale=1.0)), [Fraction(40)]) is None


@given(st.floats(-1e9, 1e9), st.floats(1e-12, 1e12), st.booleans(), st.sampled_from([0.0, 1e-9]))
def test_between_a_number_that_holds_and_one_that_does_not(edge: float, far: float, upwards: bool, near: float) -> None:
    """Either may be the larger; without a tolerance they are neighbours, and no number is tried twice."""
    ends = (edge - far, edge + far) if upwards else (edge + far, edge - far)
    tried: list[float] = []

    def holds(place: float) -> bool:
        tried.append(place)
        return place < edge if upwards else place > edge

    inside, outside = bisected(holds, *ends, absolute=near * far)
    assert holds(inside) or inside == ends[0]
    assert not holds(outside) or outside == ends[1]
    assert abs(outside - inside) <= near * far or np.nextafter(inside, outside) == outside
    assert len(set(tried[:-2])) == len(tried[:-2])
    if near:
        one, other = (np.array([each]) for each in ends)
        both = bisected_all(lambda place: np.array([holds(each) for each in place]), one, other, 40)
        assert abs(both[0][0] - inside) <= 2 * near * far
