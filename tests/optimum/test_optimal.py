"""The linear program: the numbers of Theory §12, audits, bounds, and mechanisms that fail to beat it."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.models import Model
from dalenius.notions import Notion
from dalenius.optimum.bins import merged
from dalenius.optimum.constraint_generation import lower_bound, objective_of, repaired
from dalenius.optimum.laws_of_release import laws_of
from dalenius.optimum.method import OptimalMethod
from dalenius.optimum.program import Objective, program_of
from dalenius.optimum.solver import Duals, solved
from dalenius.queries import Query
from tests.cases import in_turn
from tests.pace import draws
from tests.points import points
from tests.reference import mechanisms
from tests.reference.channel import Law

HOMES = dl.Households(count=12, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
INFERENTIAL, INFORMATION = dl.InferentialPrivacy(epsilon=1), dl.InformationPrivacy(epsilon=1)
OBJECTIVES: tuple[Objective, ...] = ("absolute", "squared", "worst")


def optimum(
    model: Model, notion: Notion, objective: Objective = "absolute", query: Query | None = None
) -> dl.Calibration:
    return OptimalMethod(objective).calibrate(dl.Release(model, query or dl.Count(), dl.Geometric()), notion)


@pytest.mark.parametrize(("notion", "value"), [(INFERENTIAL, 0.488839), (INFORMATION, 0.160995)])
def test_twelve_households(notion: Notion, value: float) -> None:
    found = optimum(HOMES, notion)
    assert found.expected_error == pytest.approx(value, abs=1e-6)
    assert found.details["achieved"] == found.expected_error
    assert found.details["lower_bound"] <= found.expected_error
    assert found.details["lower_bound"] == pytest.approx(found.expected_error, rel=1e-6)
    assert found.leakage.upper <= 1
    assert found.leakage.lower > 1 - 1e-9


def kernel_of(found: dl.Calibration) -> dl.Kernel:
    assert isinstance(found.noise, dl.Kernel)
    return found.noise


@in_turn(
    {
        "objective": OBJECTIVES,
        "model, notion": [
            (HOMES, dl.InferentialPrivacy(epsilon=0.2, delta=0.001)),
            (dl.Independent(n=60, probabilities=(0.3,)), dl.InformationPrivacy(epsilon=0.1)),
            (dl.AnyOf(models=[HOMES, dl.Independent(n=48, probabilities=[0.1])]), INFERENTIAL),
            (dl.Chain(n=20, transition=[[0.9, 0.1], [0.1, 0.9]], initial="stationary"), INFERENTIAL),
        ],
    }
)
def test_an_audit_confirms_and_the_dual_agrees(model: Model, notion: Notion, objective: Objective) -> None:
    found = optimum(model, notion, objective)
    release = dl.Release(model, dl.Count(), found.noise)
    assert notion.epsilon is not None
    assert notion.leakage(release) == found.leakage
    assert found.leakage.upper <= notion.epsilon
    assert found.details["lower_bound"] <= found.details["achieved"]
    assert found.details["lower_bound"] == pytest.approx(found.details["achieved"], rel=1e-3)
    if isinstance(notion, dl.InferentialPrivacy) and notion.delta > 0:
        assert dl.delta_of(release, notion.epsilon).upper <= notion.delta


SMALL = dl.Table(records=[[0, 0], [1, 1], [0, 1]], probabilities=[0.7, 0.2, 0.1])


def fractions_of(model: Model) -> tuple[list[Fraction], list[Law], Law]:
    """By enumeration of the table: the first person's prior, laws and the mixture."""
    assert isinstance(model, dl.Table)
    rows = list(zip(model.records, map(Fraction, points(model.probabilities)), strict=True))
    whole = sum(p for _, p in rows)
    prior, laws = [], []
    for secret in (0, 1):
        law: Law = {}
        for record, p in rows:
            if record[0] == secret:
                answer: tuple[Fraction, ...] = (Fraction(sum(map(int, record))),)
                law[answer] = law.get(answer, Fraction(0)) + p / whole
        prior.append(sum(law.values(), Fraction(0)))
        laws.append({answer: p / prior[-1] for answer, p in law.items()})
    mixture: Law = {}
    for weight, law in zip(prior, laws, strict=True):
        for answer, p in law.items():
            mixture[answer] = mixture.get(answer, Fraction(0)) + weight * p
    return prior, laws, mixture


@pytest.mark.parametrize("notion", [INFERENTIAL, INFORMATION, dl.InferentialPrivacy(epsilon=1, delta=0.05)])
def test_the_promise_and_the_error_in_fractions(notion: Notion) -> None:
    """The released kernel, taken digit for digit, against the definitions; the person asked about is the first."""
    release = dl.Release(SMALL, dl.Sum(), dl.Geometric(), dl.Secrets(people=(1,)))
    found = dl.calibrate(release, notion, "optimal")
    kernel = kernel_of(found)
    rows = {
        Fraction(answer): [Fraction(p) / sum(map(Fraction, row)) for p in row]
        for answer, row in zip(kernel.answers, kernel.probabilities, strict=True)
    }
    prior, laws, mixture = fractions_of(SMALL)
    factor = Fraction(exp(1))
    if isinstance(notion, dl.InformationPrivacy):
        assert mechanisms.worst_gain(prior, laws, rows) <= factor
    elif isinstance(notion, dl.InferentialPrivacy) and notion.delta > 0:
        assert mechanisms.excess(laws, rows, factor) <= Fraction(notion.delta)
    else:
        ratio = mechanisms.worst_ratio(laws, rows)
        assert ratio is not None
        assert ratio <= factor
    outputs = [Fraction(output) for output in kernel.outputs or ()]
    assert float(mechanisms.expected_error(mixture, rows, outputs)) == pytest.approx(found.expected_error, rel=1e-9)


@draws(25)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.05]))
def test_any_prices_bound_it(seed: int, delta: float) -> None:
    """The bound does not rest on the solver: whatever duals, at some or all outputs, it stays below."""
    release, notion = dl.Release(HOMES, dl.Count(), dl.Geometric()), dl.InferentialPrivacy(epsilon=1, delta=delta)
    laws = laws_of(release)
    assert laws is not None
    whole = program_of(laws, [notion], "absolute")
    fewer = merged(whole)
    generator = np.random.default_rng(seed)
    places = np.sort(generator.choice(len(fewer.outputs), size=int(generator.integers(1, 20)), replace=False))
    prices = generator.exponential(generator.choice([0.1, 1, 10]), size=(len(fewer.excess), len(places)))
    duals = Duals(fewer.outputs[places], prices, np.ones(1))
    assert lower_bound(whole, fewer, duals, laws.error) <= dl.calibrate(release, notion, "optimal").expected_error


def test_what_the_solver_returns_is_not_what_is_released() -> None:
    """Its kernel breaks the promise by its tolerance; the repaired one keeps it, and costs next to nothing more."""
    laws = laws_of(dl.Release(HOMES, dl.Count(), dl.Geometric()))
    assert laws is not None
    fewer = merged(program_of(laws, [INFERENTIAL], "absolute"))
    solution = solved(fewer)
    assert solution is not None
    rough = solution.kernel
    whole = repaired(fewer, rough)
    assert np.max((fewer.mass * fewer.excess) @ rough) > 0
    assert np.max((fewer.mass * fewer.excess) @ whole) < 1e-16
    assert objective_of(fewer, whole) == pytest.approx(objective_of(fewer, rough), rel=1e-5)
    assert np.allclose(whole.sum(axis=1), 1, rtol=1e-14)


@pytest.mark.parametrize("steep", [12.9, 13.4, 15.0])
def test_no_bound_is_above_what_a_harder_promise_costs(steep: float) -> None:
    """The tolerance times e^12.9: multipliers a hair below 0 made bounds 1e-4 too high, and from 14 on more."""
    pairs = dl.Households(count=6, infected=(0.7, 0.1, 0.2))
    release, homes = dl.Release(pairs, dl.Count(), dl.Geometric()), dl.InferentialPrivacy(epsilon=0.5)
    harder, found = (
        OptimalMethod().calibrate_all(release, [dl.DifferentialPrivacy(epsilon=epsilon), homes])
        for epsilon in (12.0, steep)
    )
    assert harder.optimum is not None
    assert found.optimum is not None
    assert found.optimum.lower_bound <= harder.expected_error
    assert found.optimum.lower_bound >= found.expected_error * (1 - 1e-3)


def test_a_promise_to_everybody_too_steep_to_be_solved_is_kept_all_the_same() -> None:
    found = optimum(HOMES, dl.DifferentialPrivacy(epsilon=18))
    assert found.leakage.upper <= 18
    assert found.expected_error < 1e-5
