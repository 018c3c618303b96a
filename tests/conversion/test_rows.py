"""Long chains: what bounds them is above the program over all assignments of short ones, and near it.

Counts of affiliated records in closed form: equal to the linear program, and to what Laplace noise leaks.
"""

from itertools import permutations
from math import comb, exp, inf, log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius import Count, InferentialPrivacy, Laplace, Release
from dalenius.arrays import Array
from dalenius.calibration import ExactMethod
from dalenius.conversion import (
    Conversion,
    GaussianProfile,
    PrivacyProfile,
    PureProfile,
)
from dalenius.conversion.bounds_for_large_groups import LongRow
from dalenius.conversion.chain_bound import bound_of_row, pure_nats_of_row
from dalenius.conversion.conditional_law_of_others import dependences
from dalenius.conversion.leaked_epsilon import programmed_ratio
from dalenius.joints import Joint
from dalenius.joints.clique_laws import Path
from dalenius.models import Chain, Households, Product
from dalenius.theorems.weak_dependence_methods import InfluenceCurveMethod, influence_curve
from tests.cases import in_turn
from tests.conversion.laws import GUARANTEED, check_asked, law_of
from tests.pace import slow
from tests.reference.conversion import largest_gain


def chain(rng: np.random.Generator, n: int, k: int) -> Chain:
    """A random start and a matrix of its own for each step, with a few impossible steps."""
    steps = [rng.dirichlet(np.full(k, 0.7), k) for _ in range(n - 1)]
    steps[0][0] = np.eye(k)[0]
    return Chain(n=n, transition=tuple(map(_rows, steps)), initial=tuple(rng.dirichlet(np.ones(k)).tolist()))


def _rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple((row / row.sum()).tolist()) for row in matrix)


def path_of(model: Chain) -> Path:
    path = model.law().chain.path
    assert path is not None
    return path


@in_turn({"number": range(3), "n, k": [(2, 2), (3, 2), (5, 2), (3, 3)]})
def test_every_pair_of_every_record_is_bound(number: int, n: int, k: int) -> None:
    model = chain(np.random.default_rng(10 * number + n), n, k)
    law, (profile, guarantees) = law_of(model), GUARANTEED[number]
    bound = bound_of_row(path_of(model), profile, 1, 3.0)
    for epsilon in (0.0, 0.5):
        deltas = bound.deltas(exp(epsilon))
        for kind, (place, *_) in enumerate(bound.places.tolist()):
            values = sorted({row[place] for row in law})
            for one, other in permutations(values, 2):
                exact = largest_gain(law, place, one, other, guarantees, epsilon)
                assert exact <= deltas[kind, one, other] + 1e-9
                assert deltas[kind, one, other] <= exact + 0.15


def test_pure_profiles_are_exact_for_two_values_and_from_above_for_three() -> None:
    for seed, (n, k) in enumerate(((6, 2), (6, 2), (4, 3), (4, 3))):
        model = chain(np.random.default_rng(seed), n, k)
        exact = Conversion(model, PureProfile(0.3), "replace").epsilon(0.0).value
        path = path_of(model)
        possible = path.chances > 0
        found = np.where(possible[:, :, None] & possible[:, None, :], pure_nats_of_row(path, 0.3), 0.0).max()
        assert exact.upper <= found + 1e-7 <= n * 0.3 + 1e-6
        assert k > 2 or found == pytest.approx(exact.upper, abs=1e-7)


def quilts(stay: float, n: int, profile: PrivacyProfile, epsilon: float) -> float:
    """The best Markov quilt around the middle of a symmetric chain, with k-fold groups of Gaussian noise."""
    assert isinstance(profile, GaussianProfile)
    found = GaussianProfile(n * profile.mu).delta(epsilon)
    for a in range(1, n // 2):
        gap = (2 * stay - 1) ** a
        e = 2 * log((1 + gap) / (1 - gap))
        found = min(found, GaussianProfile((2 * a - 1) * profile.mu).delta(epsilon - e))
    return found


@pytest.mark.parametrize("stay", [0.5, slow(0.6), slow(0.8)])
def test_no_markov_quilt_is_better(stay: float) -> None:
    model = Chain(n=101, transition=((stay, 1 - stay), (1 - stay, stay)), initial="stationary")
    for mu in (0.05, 0.3):
        profile = GaussianProfile(mu)
        found = Conversion(model, profile, "replace").delta(0.5).value
        assert found.lower <= found.upper <= quilts(stay, 101, profile, 0.5) * (1 + 5e-3) + 1e-9


def test_a_hundred_thousand_records_are_as_a_hundred() -> None:
    """The same chain, but for its length."""
    long, short = (
        Conversion(Chain(n=n, transition=((0.6, 0.4), (0.4, 0.6)), initial="stationary"), PureProfile(0.1), "replace")
        for n in (100_000, 100)
    )
    one, other = long.epsilon(0.0), short.epsilon(0.0)
    assert one.value.upper == pytest.approx(other.value.upper, abs=1e-6)
    assert one.value.lower == pytest.approx(0.1)
    assert one.who is not None
    assert "of a chain of 100000" in one.who
    assert {one.secret, one.against} == {0, 1}
    found = long.delta(0.1).value
    assert found.lower == 0 < found.upper < 0.03
    assert long.delta(one.value.upper).value == (0.0, 0.0)


def test_independent_steps_have_the_profile_itself() -> None:
    model = Chain(n=50, transition=((0.7, 0.3), (0.7, 0.3)), initial=(0.7, 0.3))
    for profile in (GaussianProfile(0.4), PureProfile(0.3)):
        for epsilon in (0.0, 0.2):
            found = Conversion(model, profile, "replace").delta(epsilon).value
            assert found.lower <= profile.delta(epsilon) * (1 + 1e-9)
            assert profile.delta(epsilon) <= found.upper * (1 + 1e-9)
            assert found.upper <= profile.delta(epsilon) * (1 + 1e-2)
    assert Conversion(model, PureProfile(0.3), "replace").epsilon(0.0).value.upper == pytest.approx(0.3, abs=1e-6)


def test_no_chance_grows_beyond_certainty() -> None:
    """Without a δ nothing bounds the odds under Gaussian noise, and how much a chance grows only its own rarity."""
    days = Chain(n=400, initial=[0.9, 0.1], transition=[[0.9, 0.1], [0.9, 0.1]])
    found = Conversion(days, GaussianProfile(1.0), "replace", information=True)
    assert -log(0.1) <= found.epsilon(0.0).value.upper <= -log(0.1) + 1e-8
    assert found.delta(-log(0.1) + 1e-8).value.upper == 0 < found.delta(-log(0.1) - 1e-8).value.upper
    assert Conversion(days, GaussianProfile(1.0), "replace").epsilon(0.0).value.upper == inf


def test_records_that_are_all_the_same() -> None:
    """Twenty copies of a bit: the group."""
    model = Chain(n=20, transition=((1.0, 0.0), (0.0, 1.0)), initial=(0.5, 0.5))
    found = Conversion(model, PureProfile(0.05), "replace")
    assert found.epsilon(0.0).value.upper == pytest.approx(1.0, abs=1e-6)
    noise = Conversion(model, GaussianProfile(0.05), "replace").delta(0.2).value
    assert noise.upper >= GaussianProfile(1.0).delta(0.2)
    assert noise.upper <= GaussianProfile(1.0).delta(0.2) * 1.05


@pytest.mark.lengthy
@in_turn({"n, k": [(5, 2), (3, 3)], "steps": [1, 2], "information": [True, False]})
def test_short_rows_asked_as_long_ones(n: int, k: int, steps: int, information: bool) -> None:
    """With named values, labels, and people before them."""
    model = chain(np.random.default_rng(n + k), n, k)
    names, labels = ("no", "yes", "often")[:k], tuple("ab"[place % 2] for place in range(n))
    named = Chain(n=n, transition=model.transition, initial=model.initial, values=names, labels=labels)
    before = Households(count=2, infected=(0.5, 0.5))
    joint = Product(parts=(before, named)).joints()[0]
    assert isinstance(joint, Joint)
    (factor,) = (each for each in joint.factors() if each.path is not None)
    assert factor.path is not None
    row = LongRow(joint, tuple(factor.people[:n]), information, factor.path)
    for asked in check_asked(row, named, steps, information):
        assert 3 <= asked.person <= n + 2
        assert {asked.secret, asked.against} <= {*names, None}


def affiliated(size: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Pr[0, .., size are 1]: p_k/C(m, k) is log-convex in k, so that the bits are positively affiliated."""
    slopes = np.sort(rng.uniform(-3, 3, size))
    logs = np.array([log(comb(size, k)) for k in range(size + 1)]) + np.append(0.0, np.cumsum(slopes))
    chances = np.exp(logs - logs.max())
    return tuple((chances / chances.sum()).tolist())


def test_it_is_ghosh_and_kleinberg_s_ratio_and_the_leakage_of_laplace_noise() -> None:
    epsilon = 0.5
    law = affiliated(4, np.random.default_rng(1))
    given_one, given_zero = np.zeros(5), np.zeros(5)
    for ones, chance in enumerate(law):
        given_one[ones] = chance * ones / 4
        given_zero[ones] = chance * (4 - ones) / 4
    means = [float(each @ np.exp(epsilon * np.arange(5)) / each.sum()) for each in (given_one, given_zero)]
    falling = [float(each @ np.exp(-epsilon * np.arange(5)) / each.sum()) for each in (given_one, given_zero)]
    truth = max(log(means[0] / means[1]), log(falling[1] / falling[0]))
    model = Households(count=3, infected=law)
    found = Conversion(model, PureProfile(epsilon), "replace").epsilon(0.0).value
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-11
    leakage = InferentialPrivacy().leakage(Release(model, Count(), Laplace(scale=1 / epsilon)))
    assert leakage.upper == pytest.approx(truth, rel=1e-9)


def test_the_influence_curve_is_the_same_and_as_good_as_the_exact_method() -> None:
    epsilon = 0.5
    model = Households(count=3, infected=affiliated(5, np.random.default_rng(2)))
    release = Release(model, Count(), Laplace())
    found = Conversion(model, PureProfile(epsilon), "replace").epsilon(0.0).value
    assert found.lower <= influence_curve(release, epsilon) <= found.upper * (1 + 1e-11)
    notion = InferentialPrivacy(epsilon=1.0)
    scales = [method.calibrate(release, notion).noise.scale for method in (InfluenceCurveMethod(), ExactMethod())]
    assert scales[0] == pytest.approx(scales[1], rel=1e-6)


@pytest.mark.parametrize("nats", [2.0, 200.0])
def test_deep_states_stay_within(nats: float) -> None:
    """All or none of three, but for 1e-290."""
    model = Households(count=1, infected=(0.5, 1e-290, 1e-290, 0.5))
    lower, upper = Conversion(model, PureProfile(nats), "replace").epsilon(0.0).value
    (joint,) = model.joints()
    truth = [log(risen(each.gain, each.cost, nats)) + nats for each in dependences(joint, False)]  # type: ignore[arg-type]
    assert lower <= max(truth) * (1 + 1e-12)
    assert max(truth) <= upper * (1 + 1e-12)


def risen(gain: Array, cost: Array, nats: float) -> float:
    """Result 13.6, where the others' states are counts and gain/cost leans one way: the larger of both tilts."""
    tilts = [nats * np.arange(len(gain)), nats * np.arange(len(gain))[::-1]]
    return float(max(np.exp(tilt) @ gain / (np.exp(tilt) @ cost) for tilt in tilts))


@pytest.mark.slow
@given(st.integers(1, 7), st.integers(0, 2**32 - 1), st.sampled_from([0.01, 0.1, 0.5, 1.0, 3.0]), st.booleans())
def test_the_closed_form_is_what_the_program_finds(size: int, seed: int, epsilon: float, information: bool) -> None:
    law = affiliated(size, np.random.default_rng(seed))
    (joint,) = Households(count=2, infected=law).joints()
    assert isinstance(joint, Joint)
    for each in dependences(joint, information):
        closed, program = risen(each.gain, each.cost, epsilon), programmed_ratio(each, epsilon)
        assert program.lower <= closed * (1 + 1e-12)
        assert closed * (1 - 1e-12) <= program.upper
        assert closed == pytest.approx(program.upper, rel=1e-6)
