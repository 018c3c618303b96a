"""DDP §VI-B: the dependence coefficient, Eqs 12 to 24, what the text says of it, Example 1 and Fig 6."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from mpmath import mp, mpf

import dalenius as dl
from dalenius.pairs.methods import exact_coefficient
from tests.papers import coefficients as by
from tests.papers.drawn import cases

CLOSE = mpf(10) ** -12
F = Fraction
SCALES = (mpf(1) / 3, mpf(1), mpf(4))


def ends(pair: by.Pair) -> tuple[Fraction, Fraction]:
    values = {d for law in pair.values() for d in law}
    return min(values), max(values)


def width(pair: by.Pair) -> mpf:
    low, high = ends(pair)
    return mpf(int(high - low))


def arrays(pair: by.Pair) -> tuple[np.ndarray, np.ndarray]:
    points = sorted({d for law in pair.values() for d in law})
    laws = np.array([[[float(law.get(d, F(0))) for d in points] for law in pair.values()]])
    return laws, np.array([float(d) for d in points])


@pytest.mark.slow
def test_equations_14_to_16_between_0_and_1(block: int) -> None:
    """By the values of D_j, and no output anywhere says more; the project's is the same number."""
    for random in cases(block, few=6, many=18):
        pair = by.drawn(random)
        for scale in SCALES:
            found = by.exact(pair, scale, width(pair))
            assert 0 <= found <= 1 + CLOSE
            outputs = [mpf(k) / 3 for k in range(-12, 24)]
            assert by.worst_ratio(pair, scale, outputs) <= found * width(pair) / scale + CLOSE
            assert float(found * width(pair) / scale) == pytest.approx(
                exact_coefficient(*arrays(pair), float(scale))[0]
            )


def test_equation_14_is_0_of_independent_pairs_alone(block: int) -> None:
    for random in cases(block, few=6, many=60):
        pair = by.drawn(random)
        law = pair[F(0)]
        assert by.exact(dict.fromkeys(pair, law), mpf(1), mpf(3)) == 0
        assert (by.exact(pair, mpf(1), width(pair)) > CLOSE) == any(each != law for each in pair.values())


def test_equation_14_is_1_where_both_ends_are_certain(block: int) -> None:
    """If and only if some value of D_i puts D_j at one end for certain, and another at the other."""
    for random in cases(block, few=12, many=120):
        pair = by.drawn(random, others=random.choice([2, 2, 3]))
        low, high = ends(pair)
        certain = all(any(set(law) == {end} for law in pair.values()) for end in (low, high))
        assert (by.exact(pair, mpf(1), width(pair)) > 1 - CLOSE) == certain


def test_completely_dependent_is_neither_necessary_nor_enough() -> None:
    """E20. D_j is not determined, and the coefficient is 1; it is determined, and is 1/2 of its domain's."""
    free = {F(0): {F(0): F(1)}, F(1): {F(1): F(1)}, F(2): {F(0): F(1, 2), F(1): F(1, 2)}}
    assert by.exact(free, mpf(1), mpf(1)) == pytest.approx(1)
    halved = {F(0): {F(0): F(1)}, F(1): {F(1): F(1)}}
    assert by.exact(halved, mpf(1), mpf(2)) == pytest.approx(0.5)


def test_it_is_not_symmetric() -> None:
    """A celebrity and a fan: the fan comes only where the celebrity does, and then with chance 1/10."""
    joint = {(F(0), F(0)): F(1, 2), (F(1), F(0)): F(9, 20), (F(1), F(1)): F(1, 20)}
    fan = {i: {j: joint[i, j] / F(1, 2) for j in (F(0), F(1)) if (i, j) in joint} for i in (F(0), F(1))}
    other = {F(0): {F(0): F(10, 19), F(1): F(9, 19)}, F(1): {F(1): F(1)}}
    assert float(by.exact(fan, mpf(1), mpf(1))) == pytest.approx(0.1586, abs=1e-4)
    assert float(by.exact(other, mpf(1), mpf(1))) == pytest.approx(0.6441, abs=1e-4)


def test_equation_18_in_both_readings(block: int) -> None:
    """Between 0 and 1, from 1/2 on if d* is the far end; never below Eq 14 where
    the worse end is taken."""
    for random in cases(block, few=6, many=60):
        pair = by.drawn(random)
        for scale in SCALES:
            exact = by.exact(pair, scale, width(pair))
            fixed = by.closed(pair, scale, width(pair), ends(pair))
            far = by.closed_far(pair, scale, width(pair), ends(pair))
            assert exact - CLOSE <= fixed <= far + CLOSE <= 1 + 2 * CLOSE
            assert far >= mpf(1) / 2


def test_one_end_alone_may_say_too_little() -> None:
    """E3: D_j is .8 of the range, or mostly at the upper end and now and then at the lower one. With d* the upper end
    Eq 18 is .20, and Eq 14 is .26."""
    pair = {F(0): {F(4, 5): F(1)}, F(1): {F(0): F(3, 25), F(1): F(22, 25)}}
    assert float(by.exact(pair, mpf(1), mpf(1))) == pytest.approx(0.2557, abs=1e-4)
    assert float(by.closed(pair, mpf(1), mpf(1), [F(1)])) == pytest.approx(0.2, abs=1e-4)
    assert by.closed(pair, mpf(1), mpf(1), [F(0), F(1)]) >= by.exact(pair, mpf(1), mpf(1))


def test_equation_18_says_more_than_0_of_independent_records() -> None:
    """E3."""
    fair = {F(i): {F(0): F(1, 2), F(1): F(1, 2)} for i in (0, 1)}
    assert float(by.closed(fair, mpf(1), mpf(1), [F(0)])) == pytest.approx(0.62, abs=5e-3)
    assert by.closed_far(fair, mpf(1), mpf(1), [F(0), F(1)]) == pytest.approx(1)
    assert by.exact(fair, mpf(1), mpf(1)) == 0


def test_equation_17_of_both_records_published(block: int) -> None:
    """Eqs 11 to 13 and 17: two records, each with its own noise. No pair of outputs says more than the sum, and
    where D_i's ends are the two values of Eq 14 some pair says as much."""
    for random in cases(block, few=4, many=40):
        pair, scale = by.drawn(random, values=2, others=3), mpf(1)
        bound = (1 + by.exact(pair, scale, width(pair)) * width(pair)) / scale
        outputs = [mpf(k) / 2 for k in range(-4, 9)]
        logs = {
            (value, one, other): -abs(one - int(value)) / scale + mp.log(by.noisy(pair[value], other, scale))
            for value in pair
            for one, other in product(outputs, outputs)
        }
        worst = max(logs[a, y, z] - logs[b, y, z] for a in pair for b in pair for y in outputs for z in outputs)
        assert worst <= bound + CLOSE
        assert worst == pytest.approx(bound)


def test_equation_22_of_the_sum_of_two_records(block: int) -> None:
    """A sum moves with D_i, and the rest is D_j with noise: ΔQ_i + ρΔQ_j is enough."""
    for random in cases(block, few=4, many=40):
        pair = by.drawn(random, values=2, others=3)
        total = {value: {d + value: p for d, p in law.items()} for value, law in pair.items()}
        for scale in SCALES:
            bound = (1 + by.exact(pair, scale, width(pair)) * width(pair)) / scale
            assert by.worst_ratio(total, scale) <= bound + CLOSE


def test_equation_22_fails_where_the_query_is_no_sum() -> None:
    """E2. Two records are equal bits, but each is 10 now and then: of its own values, 0 to 10, either says a tenth of
    the other. The query counts who is above 0, and there they are as good as one: promised 1, it is 1.818."""
    rare, scale = F(1, 10**6), mpf("1.1")
    bit = 1 - rare
    pair = {F(i): {F(i): bit, F(10): rare} for i in (0, 1)}
    pair[F(10)] = {F(0): bit / 2, F(1): bit / 2, F(10): rare}
    coefficient = by.exact(pair, scale, mpf(10))
    # The two are alike, so that this is both ρ_ij and ρ_ji; each moves the count by 1.
    assert (1 + coefficient) / scale <= 1 + CLOSE
    counted = {F(0): {F(0): bit, F(1): rare}, F(1): {F(2): F(1)}, F(10): {F(1): bit / 2, F(2): bit / 2 + rare}}
    assert float(by.worst_ratio(counted, scale)) == pytest.approx(1.8182, abs=1e-4)
    both = {(i, j): F(0) for i in (0, 1, 10) for j in (0, 1, 10)}
    for i, p in ((0, F(1, 2)), (1, F(1, 2))):
        for one, other in product((i, 10), repeat=2):
            both[one, other] += p * (bit if one == i else rare) * (bit if other == i else rare)
    table = dl.Table(
        records=[list(row) for row in both if both[row]], probabilities=[float(p) for p in both.values() if p]
    )
    release = dl.Release(table, dl.Count(values=[1, 10]), dl.Laplace(scale=1.1))
    assert dl.InferentialPrivacy().leakage(release).epsilon == pytest.approx(1.8182, abs=1e-4)


def household() -> dl.Release:
    """E2's twenty people."""
    share = 0.01 / 21
    model = dl.Households(count=1, infected=[0.99, 20 * share, *[0] * 18, share])
    return dl.Release(model, dl.Count(), dl.Laplace())


def test_theorems_8_and_9_fail() -> None:
    """E2: the scale is max_i Σ_j ρ_ij ΔQ_j/ε, by hand, and it leaks 1.330 where 1 was promised."""
    found = dl.calibrate(household(), dl.InferentialPrivacy(epsilon=1.0), "dependence_coefficient")
    scale = mpf(found.noise.known_scale())
    one = {F(0): F(1, 2), F(1): F(1, 2)}
    # Each other one alone is ill with 1/2100; the first is well with 1 - 2/2100.
    none = {F(1): F(1, 2098), F(0): F(2097, 2098)}
    ratio = by.worst_ratio({F(1): one, F(0): none}, scale)
    assert float((1 + 19 * ratio * scale) / scale) == pytest.approx(1, rel=1e-9)
    assert not found.sound
    assert found.leakage.epsilon == pytest.approx(1.3298, abs=1e-4)


def test_overestimated_coefficients_promise_nothing_either() -> None:
    """§VI-D: more noise leaks less, and a tenth more than E2's is still far from enough."""
    found = dl.calibrate(household(), dl.InferentialPrivacy(epsilon=1.0), "dependence_coefficient")
    scale = found.noise.known_scale()
    leaks = [
        dl.InferentialPrivacy().leakage(household().with_noise(dl.Laplace(scale=scale * times))).epsilon
        for times in (1.0, 1.1, 1.3)
    ]
    assert leaks[0] > leaks[1] > leaks[2]
    assert leaks[1] > 1.1


def test_underestimated_coefficients_leak_no_more_than_plain_noise() -> None:
    """§VI-D: DS is at least ΔQ, whatever the coefficients, and more Laplace noise never leaks more."""
    plain = dl.InferentialPrivacy().leakage(household().with_noise(dl.Laplace(scale=1.0))).epsilon
    for share in (0.0, 0.5, 0.8, 0.9):
        less = household().with_noise(dl.Laplace(scale=1 + share * 9.712))
        assert dl.InferentialPrivacy().leakage(less).epsilon <= plain * (1 + 1e-12)


def test_example_1_of_the_other_record() -> None:
    """E20. On a grid of Example 1 the sum leaks 1.5 ε of D_i, and 2 ε of D_j: D_j = 0 only where D_i = 0, D_j = 1 only
    where D_i = 1. So ρ_ji = 1, and the largest dependent sensitivity (Eq 24) is the baseline's."""
    step = F(1, 4)
    rows = [(i * step, (i * step + x * step) / 2) for i in range(5) for x in range(5)]
    table = dl.Table(records=[[float(a), float(b)] for a, b in rows], probabilities=[1 / 25] * 25)
    for person, ratio in ((1, 1.5), (2, 2.0)):
        release = dl.Release(table, dl.Sum(), dl.Laplace(scale=1.0), secrets=dl.Secrets(people=[person]))
        found = dl.audit(release)["inferential"]
        assert found.lower <= ratio <= found.upper
        assert found.upper - found.lower < 1e-12
    backwards: dict[Fraction, dict[Fraction, Fraction]] = {}
    for first, second in rows:
        backwards.setdefault(second, {}).setdefault(first, F(0))
    for second, law in backwards.items():
        same = [first for first, other in rows if other == second]
        law |= {first: F(same.count(first), len(same)) for first in law}
    assert by.exact(backwards, mpf(1), mpf(1)) == pytest.approx(1)


def test_equation_26_is_no_law_as_printed() -> None:
    """E20: over 20 x 20 cells of a square of 50 km, with the paper's a, b and c, in miles."""
    side = (np.arange(20) + 0.5) * 50 / 1.609344 / 20
    for cell, total in ((0, 0.05), (10, 0.08)):
        apart = np.hypot(side[:, None] - side[cell], side - side[cell])
        assert (0.0019 * (apart + 0.196) ** -1.05).sum() == pytest.approx(total, abs=5e-3)
