"""Intervals of answers under a model, and advice where they say less than the model does.

(α, β)-accuracy against quadrature and enumeration, for every kind of noise (DDP Def 5, Thm 10).
"""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import exp, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mpmath import mp

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.calibration import advice, expected, precision
from dalenius.noise import Noise
from tests.reference import accuracy as brute

CHANCES = (0.8, 0.05, 0.05, 0.0, 0.1)
HOMES = dl.Households(count=5, infected=CHANCES)


def central(count: int, rest: Fraction) -> tuple[int, int, int]:
    """Of the number of ones in that many households: two quantiles and the median, added up household by household."""
    law: dict[int, Fraction] = defaultdict(Fraction)
    for homes in product(range(5), repeat=count):
        chance = Fraction(1)
        for infected in homes:
            chance *= Fraction(str(CHANCES[infected]))
        law[sum(homes)] += chance

    def quantile(share: Fraction) -> int:
        return next(v for v in range(4 * count + 1) if sum(law[u] for u in range(v + 1)) >= share)

    return quantile(rest / 2), quantile(Fraction(1, 2)), quantile(1 - rest / 2)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_the_range_that_the_model_expects(confidence: float) -> None:
    low, middle, high = central(5, 1 - Fraction(str(confidence)))
    said = advice(dl.Release(HOMES, dl.Count(), dl.Geometric(scale=6.0)), confidence)
    half = {0.5: 4, 0.95: 18}[confidence]
    assert said == (
        f"an answer near {middle} would be known to ± {half} only; the model alone says {low} to {high}, which is "
        "narrower"
    )


def test_nothing_is_said_where_the_interval_is_no_wider() -> None:
    low, _, high = central(5, Fraction(1, 20))
    assert high - low == 9
    release = dl.Release(HOMES, dl.Count(), dl.NoNoise())
    for scale, half in ((1.5, 4), (1.7, 5)):
        noise = dl.Geometric(scale=scale)
        interval = noise.error(Fraction(1)).interval(Fraction(0), 0.95)
        assert interval == (-half, half)
        assert (advice(release.with_noise(noise)) is None) == (2 * half <= 9)
    assert advice(release) is None


@pytest.mark.parametrize(("lower", "upper"), [(1, 6), (0, 20), (-20, 20), (4, 4)])
def test_clamped_answers_have_one_interval_before_and_after_the_release(lower: int, upper: int) -> None:
    release = dl.Release(HOMES, dl.Count(), dl.Clamped(scale=2.0, lower=lower, upper=upper))
    (before,) = expected(release)
    (after,) = precision(release, [before.middle]).intervals
    assert before.interval == after
    assert after is not None
    assert after.lower >= 0


def test_ends_that_clamping_hides_are_those_of_the_possible_answers() -> None:
    release = dl.Release(HOMES, dl.Count(), dl.Clamped(scale=2.0, lower=1, upper=6))
    found = precision(release, [Fraction(6)]).intervals[0]
    assert found == (0, 20)
    assert precision(release, [Fraction(3)]).intervals[0] == (0, 9)
    assert precision(release, [Fraction(1)], 0.5).intervals[0] == (0, 2)
    said = advice(release.with_noise(dl.Clamped(scale=2.0, lower=2, upper=2)))
    assert (
        said == "an answer near 2 would be known between 0 and 20 only; the model alone says 0 to 9, which is narrower"
    )


def test_who_is_absent_has_no_range() -> None:
    assert advice(dl.Release(dl.Absent(answers=(1.0, 2.0, 5.0)), None, dl.Laplace(scale=50.0))) is None


PAIR = dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.5, 0.5])
TRIPLE = dl.Independent(n=3, values=[0, 1, 2], probabilities=[0.2, 0.3, 0.5])


def one(noise: Noise) -> dl.Release:
    return dl.Release(PAIR, dl.Sum(), noise)


def three(noise: Noise) -> dl.Release:
    return dl.Release(TRIPLE, dl.Histogram(cells=[[0], [1], [2]]), noise)


def holds(found: Enclosure, truth: object, width: float = 1e-11) -> bool:
    """Within the enclosure, which is narrow."""
    value = mp.mpf(truth)
    return bool(found.lower <= value <= found.upper) and found.upper - found.lower <= width * float(value)


@settings(max_examples=40)
@given(st.floats(0.05, 30), st.floats(0.2, 30))
def test_one_answer(depth: float, scale: float) -> None:
    """In logs, as they may be far below the doubles."""
    within = depth * scale
    step = int(-(-Fraction(str(within)) // 1))
    with mp.workdps(60):
        for noise, truth in (
            (dl.Laplace(scale=scale), mp.exp(-mp.mpf(str(within)) / mp.mpf(scale))),
            (dl.Geometric(scale=scale), brute.geometric(step, 1 / scale)),
            (dl.Gaussian(scale=scale), brute.gaussian(within, scale)),
        ):
            found = dl.accuracy(one(noise), within).log_largest
            assert found.lower <= mp.log(truth) <= found.upper
            assert found.upper - found.lower < 1e-8
    assert dl.accuracy(one(dl.NoNoise()), within).beta == (0, 0)


def test_the_formula_of_one_laplace_draw() -> None:
    """Thm 10 of one answer."""
    assert holds(dl.accuracy(one(dl.Laplace(scale=2.0)), 3.0).beta, brute.laplace(3.0, 2.0))


@pytest.mark.parametrize("within", [1, 7.5])
def test_several_answers(within: float) -> None:
    steps = int(-(-Fraction(str(within)) // 1))
    with mp.workdps(40):
        found = dl.accuracy(three(dl.Laplace(scale=2.0)), within)
        depth = mp.mpf(within) / 2
        assert holds(found.beta, brute.any_of([mp.exp(-depth)] * 3))
        assert found.total is not None
        assert holds(found.total, mp.exp(-depth) * (1 + depth + depth**2 / 2))
        found = dl.accuracy(three(dl.Geometric(scale=2.0)), within)
        assert holds(found.beta, brute.any_of([brute.geometric(steps, 0.5)] * 3), 1e-10)
        assert found.total is not None
        assert holds(found.total, brute.sum_of_geometric(3, steps, 0.5), 1e-10)


def test_the_sum_of_gaussian_errors_is_bounded() -> None:
    """Two draws of deviation 2 whose sizes add up to 6, by quadrature over the first."""
    pair = dl.Release(TRIPLE, dl.Histogram(cells=[[0], [1]]), dl.Gaussian(scale=2.0))

    def both(first: Any) -> Any:
        density = 2 * mp.npdf(first, 0, 2)
        return density * (mp.erfc((6 - first) / (2 * mp.sqrt(2))) if first < 6 else 1)

    with mp.workdps(20):
        truth = mp.quad(both, [0, 3, 6, 40])
    found = dl.accuracy(pair, 6.0).total
    assert found is not None
    assert truth / 20 <= found.lower <= truth <= found.upper <= 5 * truth


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_noise_that_depends_on_the_answer(seed: int, distance: int) -> None:
    """Kernel, clamped and relocation, from their rows; two records of a bit have 0, 1 or 2, whatever is likely."""
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(4, 0.4), size=3)
    kernel = dl.Kernel(answers=[0, 1, 2], outputs=[-1, 0, 2, 4], probabilities=rows.tolist())
    exact = {a: {o: Fraction(float(p)) for o, p in zip((-1, 0, 2, 4), rows[a], strict=True)} for a in range(3)}
    truth = min(brute.worst(exact, distance), Fraction(1))
    found = dl.accuracy(one(kernel), distance).beta
    assert found.lower <= truth <= found.upper <= found.lower * (1 + 1e-12)

    low = int(rng.integers(-2, 2))
    high = low + int(rng.integers(0, 4))
    clamped = dl.Clamped(scale=1.5, lower=low, upper=high)
    masses = brute.geometric_masses(1 / 1.5, 60)
    law = {
        a: {
            t: sum(
                (masses[abs(k)] / (1 if k == 0 else 2) for k in range(-60, 61) if min(max(a + k, low), high) == t), 0
            )
            for t in range(low, high + 1)
        }
        for a in (0, 1, 2)
    }
    worst = max(sum((p for t, p in law[a].items() if abs(t - a) >= distance), 0) for a in law)
    found = dl.accuracy(one(clamped), distance).beta
    assert found.lower * (1 - 1e-12) <= float(worst) + 1e-15
    assert float(worst) <= found.upper * (1 + 1e-12) + 1e-15
    assert found.upper - found.lower <= 1e-12

    leaves, moves = rng.uniform(size=2), rng.dirichlet([1, 1], size=2)
    shares = [rng.dirichlet([1, 1]).tolist(), rng.dirichlet([1, 1, 1]).tolist()]
    relocation = dl.Relocation(lower=-1, upper=3, leaves=leaves.tolist(), moves=moves.tolist(), shares=shares)
    chances = {}
    for answer in (0, 1, 2):
        home = 0 if answer <= 0 else 1
        own = dict.fromkeys(range(-1, 4), 0.0)
        own[answer] += 1 - leaves[home]
        for goal, points in enumerate(((-1, 0), (1, 2, 3))):
            for point, share in zip(points, shares[goal], strict=True):
                own[point] += leaves[home] * moves[home, goal] * share
        chances[answer] = sum(p for t, p in own.items() if abs(t - answer) >= distance)
    found = dl.accuracy(one(relocation), distance).beta
    assert found.lower <= max(chances.values()) <= found.upper <= max(leaves) * (1 + 1e-12)


@pytest.mark.parametrize("beta", [0.05, 1e-9])
def test_the_least_distance(beta: float) -> None:
    found = dl.within(one(dl.Laplace(scale=2.0)), beta)
    assert found.lower <= -2 * log(beta) <= found.upper <= found.lower * (1 + 1e-10)
    found = dl.within(one(dl.Geometric(scale=2.0)), beta)
    least = next(m for m in range(200) if brute.geometric(m + 1, 0.5) <= beta)
    assert found.lower <= least <= found.upper <= least + 1e-9
    found = dl.within(three(dl.Laplace(scale=2.0)), beta)
    assert holds(found, -2 * mp.log(1 - (1 - mp.mpf(beta)) ** (mp.mpf(1) / 3)), 1e-8) or beta == 1e-9
    together = dl.within(three(dl.Laplace(scale=2.0)), beta, total=True)
    depth = together.middle / 2
    assert exp(-depth) * (1 + depth + depth**2 / 2) == pytest.approx(beta, rel=1e-8)
    assert together.lower > found.upper


def test_an_interval_of_a_count_ends_at_zero_unless_all_of_it_is_below() -> None:
    counted = dl.Release(HOMES, dl.Count(), dl.Geometric(scale=6.0))
    ends = [precision(counted, [Fraction(answer)], 0.95).intervals[0] for answer in (2, 30, -3, -40)]
    assert [None if each is None else (each.lower, each.upper) for each in ends] == [
        (0, 20),
        (12, 48),
        (0, 15),
        (-58, -22),
    ]
    signed = dl.Independent(n=5, values=[-1, 0, 1], probabilities=[[0.2, 0.5, 0.3]])
    (found,) = precision(dl.Release(signed, dl.Sum(), dl.Geometric(scale=6.0)), [Fraction(2)], 0.95).intervals
    assert found is not None
    assert found.lower < 0


def test_an_object_without_settings_has_a_text() -> None:
    assert (str(dl.Count()), str(dl.Geometric(scale=2.0))) == ("Count()", "Geometric(scale=2.0)")
