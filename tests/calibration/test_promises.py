"""Several promises at once: each is kept, none by more noise than it takes, and the optimum is that of one program."""

from math import exp, log
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from dalenius.calibration import Calibration, calibrate, compare
from dalenius.channel import Release
from dalenius.errors import DaleniusError, InputError
from dalenius.models import Chain, Households, HouseholdType, Independent, Model, Table
from dalenius.noise import Clamped, Geometric, Kernel, Laplace, NoNoise
from dalenius.notions import (
    BayesianPrivacy,
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    MutualInformationPrivacy,
    NoiselessPrivacy,
    Notion,
    RelativeEntropyPrivacy,
)
from dalenius.queries import Count, Sum
from tests.conformance.strategies import models
from tests.pace import draws

HOUSEHOLDS = Households(types=[HouseholdType(count=12, infected=[0.9, 0.04, 0, 0, 0.06])])
Array: TypeAlias = NDArray[np.float64]
SEVEN = Households(types=[HouseholdType(count=7, infected=[0.7, 0.1, 0.1, 0.0, 0.1])])
ISSUE = [
    InformationPrivacy(epsilon=log(2), delta=1e-6),
    DifferentialPrivacy(epsilon=5.0),
    NoiselessPrivacy(epsilon=2.0, delta=1e-3, known_fraction=0.5),
]


def assert_kept(found: Calibration, release: Release, promises: list[Notion]) -> None:
    """By a fresh audit."""
    assert [each.notion for each in found.promises] == promises
    assert found.leakage == found.promises[0].leakage
    for notion in promises:
        assert notion.leakage(release.with_noise(found.noise)).lower <= (notion.epsilon or 0.0) * (1 + 1e-9)


def test_three_promises_and_the_least_scale_for_all() -> None:
    release = Release(HOUSEHOLDS, Count(), Geometric())
    found = calibrate(release, ISSUE)
    assert found.sound
    assert_kept(found, release, ISSUE)
    alone = [calibrate(release, notion).noise.scale or 0.0 for notion in ISSUE]
    assert found.noise.scale == max(alone)


def test_trusting_the_model_but_not_blindly() -> None:
    """250 households: the information promise alone needs no noise; with a cap for whoever knows all others it does."""
    release = Release(
        Households(types=[HouseholdType(count=250, infected=[0.9, 0.04, 0, 0, 0.06])]), Count(), Geometric()
    )
    information = InformationPrivacy(epsilon=1.0, delta=1e-6)
    assert calibrate(release, information).noise == NoNoise()
    both = calibrate(release, [information, DifferentialPrivacy(epsilon=2.0)])
    assert both.noise.scale == pytest.approx(0.5, rel=1e-9)
    assert both.differential == pytest.approx(2.0)
    assert not both.exact


@pytest.mark.parametrize("method", ["exact", "clamped", "optimal", "group", "wasserstein"])
def test_every_method_keeps_all(method: str) -> None:
    release = Release(HOUSEHOLDS, Count(), Geometric())
    promises: list[Notion] = [InformationPrivacy(epsilon=1.0), DifferentialPrivacy(epsilon=2.0)]
    found = calibrate(release, promises, method)
    assert_kept(found, release, promises)
    assert found.sound
    turned = calibrate(release, promises[::-1], method)
    assert_kept(turned, release, promises[::-1])
    assert turned.expected_error == pytest.approx(found.expected_error, rel=1e-6)


def test_a_method_that_does_not_serve_one_of_them_is_not_sound() -> None:
    release = Release(HOUSEHOLDS, Count(), Geometric())
    found = calibrate(release, [DifferentialPrivacy(epsilon=1.0), InferentialPrivacy(epsilon=1.0)], "independent")
    assert not found.sound


def kernel_optimum(model: Model, promises: list[Notion]) -> float:
    """The least expected error by a program of its own: every K(r | v) a variable, one person at a time, no flows."""
    release = Release(model, Count(), NoNoise())
    channels = list(release.channels())
    count = channels[0].likelihood.box[0]
    laws = [(np.exp(channel.log_prior), np.exp(channel.likelihood.log_mass())) for channel in channels]
    mass = laws[0][0] @ laws[0][1]
    rows: list[Array] = []
    for output in range(count):
        for notion in promises:
            rows += [_at(row, output, count) for row in _rows(notion, laws, count)]
    costs = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) * mass[:, None]
    sums = np.kron(np.eye(count), np.ones(count))
    found = linprog(
        costs.ravel(), A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=sums, b_eq=np.ones(count), method="highs-ipm"
    )
    return float(np.sum(costs.ravel() * found.x))


def _rows(notion: Notion, laws: list[tuple[Array, Array]], count: int) -> list[Array]:
    factor = exp(notion.epsilon or 0.0)
    if isinstance(notion, DifferentialPrivacy):
        one = np.eye(count)
        return [one[v] - factor * one[v + step] for v in range(count) for step in (-1, 1) if 0 <= v + step < count]
    found = []
    for prior, law in laws:
        others = [prior @ law] * len(law) if isinstance(notion, InformationPrivacy) else list(law[::-1])
        found += [own - factor * other for own, other in zip(law, others, strict=True)]
    return found


def _at(row: Array, output: int, count: int) -> Array:
    """Σ_v row(v) K(output | v), over K flattened by answer."""
    placed = np.zeros((count, count))
    placed[:, output] = row
    return placed.ravel()


@pytest.mark.parametrize(
    "promises",
    [
        [InformationPrivacy(epsilon=0.7), DifferentialPrivacy(epsilon=1.5)],
        [InferentialPrivacy(epsilon=1.0), InformationPrivacy(epsilon=0.4)],
        [DifferentialPrivacy(epsilon=0.8)],
    ],
)
def test_the_optimum_against_a_program_of_its_own(promises: list[Notion]) -> None:
    """29 answers."""
    wanted = kernel_optimum(SEVEN, promises)
    found = calibrate(Release(SEVEN, Count(), Geometric()), promises, "optimal")
    assert found.optimum is not None
    assert found.optimum.lower_bound <= wanted * (1 + 1e-7)
    assert found.expected_error == pytest.approx(wanted, rel=2e-4)
    assert found.optimum.lower_bound == pytest.approx(wanted, rel=2e-4)


def test_a_stricter_cap_costs_more_and_the_loosest_nothing() -> None:
    release = Release(HOUSEHOLDS, Count(), Geometric())
    information = InformationPrivacy(epsilon=1.0)
    alone = calibrate(release, information, "optimal").expected_error
    errors = [
        calibrate(release, [information, DifferentialPrivacy(epsilon=cap)], "optimal").expected_error
        for cap in (0.5, 1.0, 2.0, 4.0, 12.0)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] >= alone * (1 - 1e-6)
    assert errors[-1] == pytest.approx(alone, rel=0.05)


def test_never_less_than_the_plain_geometric_under_differential_privacy_alone() -> None:
    """For a count the clamped geometric is nearly the optimum (Ghosh, Roughgarden, Sundararajan 2012)."""
    release = Release(Independent(probabilities=(0.3,) * 30), Count(), Geometric())
    best = calibrate(release, DifferentialPrivacy(epsilon=1.0), "optimal")
    plain = calibrate(release, DifferentialPrivacy(epsilon=1.0))
    assert best.expected_error <= plain.expected_error
    assert isinstance(best.noise, Kernel)
    assert best.differential is not None
    assert best.differential <= 1.0


def test_clamped_ranges_for_whoever_knows_others() -> None:
    """Noise of scale 4/3, which hides a whole household, would keep the second promise whatever the range."""
    release = Release(HOUSEHOLDS, Count(), Geometric())
    promises: list[Notion] = [InformationPrivacy(epsilon=1.0), BayesianPrivacy(epsilon=3.0)]
    found = calibrate(release, promises, "clamped")
    assert isinstance(found.noise, Clamped)
    assert found.noise.scale < 4 / 3
    assert_kept(found, release, promises)
    assert all(each.leakage.upper <= (each.notion.epsilon or 0.0) for each in found.promises)
    with pytest.raises(
        InputError, match=r"^notion\.kind: differential, wanted inferential or information, among others"
    ):
        calibrate(release, DifferentialPrivacy(epsilon=1.0), "clamped")


def test_the_optimum_refuses_what_is_not_linear() -> None:
    release = Release(HOUSEHOLDS, Count(), Geometric())
    said = r"^notion\.kind: mutual_information, wanted inferential, information, differential, bayesian or noiseless$"
    with pytest.raises(InputError, match=said):
        calibrate(release, [InformationPrivacy(epsilon=1.0), MutualInformationPrivacy(epsilon=0.1)], "optimal")


def test_compare_holds_every_method_to_all_promises() -> None:
    promises: list[Notion] = [InformationPrivacy(epsilon=1.0), DifferentialPrivacy(epsilon=2.0)]
    release = Release(HOUSEHOLDS, Count(), Geometric())
    made = {each.method: each.calibration for each in compare(release, promises) if each.calibration is not None}
    assert {"exact", "clamped", "optimal", "group"} <= set(made)
    for found in made.values():
        assert found is not None
        if found.sound:
            assert_kept(found, release, promises)
    assert made["optimal"].expected_error <= made["clamped"].expected_error <= made["exact"].expected_error


PROMISES: tuple[Notion, ...] = (
    InferentialPrivacy(),
    InferentialPrivacy(delta=0.02),
    InformationPrivacy(),
    InformationPrivacy(delta=0.02),
    DifferentialPrivacy(),
    RelativeEntropyPrivacy(),
)
LISTS = st.lists(
    st.tuples(st.sampled_from(PROMISES), st.sampled_from([0.1, 0.5, 1.0, 3.0])), min_size=2, max_size=3
).map(lambda drawn: [notion.model_copy(update={"epsilon": epsilon}) for notion, epsilon in drawn])


@pytest.mark.slow
@given(models(), LISTS, st.sampled_from(["exact", "clamped", "optimal", "wasserstein", "group"]), st.booleans())
@draws(1000)
def test_no_promise_is_ever_broken(model: Model, promises: list[Notion], method: str, real: bool) -> None:
    try:
        release = Release(model, Sum(), Laplace() if real else Geometric())
        found = calibrate(release, promises, method)
    except DaleniusError:
        assume(False)
        return
    if found.sound:
        assert_kept(found, release, promises)


def test_nobody_has_another_value_under_the_model() -> None:
    """Then the one answer there is always goes out, which keeps everything."""
    release = Release(Table(records=[[0], [1]], probabilities=[0.0, 1.0]), Sum(), Geometric())
    for promises in (
        [DifferentialPrivacy(epsilon=0.1)],
        [InferentialPrivacy(epsilon=0.1), DifferentialPrivacy(epsilon=0.1)],
    ):
        found = calibrate(release, promises, "optimal")
        assert_kept(found, release, list(promises))
        assert found.expected_error == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
def test_chains_and_tables() -> None:
    chain = Chain(n=30, transition=[[0.9, 0.1], [0.4, 0.6]], initial="stationary")
    table = Table(records=[[0, 0], [1, 1], [0, 1]], probabilities=[0.5, 0.3, 0.2])
    promises: list[Notion] = [InformationPrivacy(epsilon=0.5), DifferentialPrivacy(epsilon=1.0)]
    for model in (chain, table):
        for method in ("exact", "optimal", "clamped"):
            release = Release(model, Count(), Geometric())
            assert_kept(calibrate(release, promises, method), release, promises)
