"""What any joint law with given pair laws may leak, against enumeration and linear programs (Theory §15)."""

from itertools import product

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.laws.coupled import (
    Neighbour,
    Neighbourhood,
    attained,
    comonotone_bound,
    enclosed,
    largest_budget,
    of_private,
)
from dalenius.laws.law import Array
from tests.reference import coupled as reference

SCALES = (0.3, 1.0, 3.0)
EVEN = np.array([0.5, 0.5])


def bits(chances: Array, own: tuple[float, float] = (0.0, 1.0), times: int = 1) -> Neighbourhood:
    """chances (records, 2): of a one given either value."""
    laws = [np.array([1 - each, each]).T for each in np.asarray(chances)]
    return Neighbourhood(np.array(own), EVEN, tuple(Neighbour(times, np.array([0.0, 1.0]), law) for law in laws))


def drawn(rng: np.random.Generator, people: int, most: int = 3) -> Neighbourhood:
    """Some scores may coincide in all but place; laws may have zeros."""
    neighbours = []
    for _ in range(people):
        values = int(rng.integers(1, most + 1))
        laws = rng.dirichlet(np.full(values, 0.6), 2)
        if values > 1 and rng.random() < 0.2:
            laws[0] = np.eye(values)[rng.integers(values)]
        neighbours.append(Neighbour(1, rng.choice(5, values, replace=False).astype(float), laws))
    return Neighbourhood(np.array([0.0, rng.integers(0, 3)]), EVEN, tuple(neighbours))


def parts(hood: Neighbourhood) -> tuple[list[Array], list[list[Array]]]:
    points = [each.points for each in hood.neighbours for _ in range(each.times)]
    return points, [[each.laws[s] for each in hood.neighbours for _ in range(each.times)] for s in range(len(hood.own))]


@pytest.mark.parametrize("scale", SCALES)
def test_no_joint_law_leaks_more_and_a_near_lie_is_found_out(scale: float) -> None:
    """The program over all joint laws: never above the bound, and for neighbours of two values it is the bound."""
    rng = np.random.default_rng(15)
    caught = 0
    for turn in range(12):
        people = 1 + turn % 3
        hood = drawn(rng, people, 2 + turn % 2)
        points, laws = parts(hood)
        worst, joint = reference.largest_leakage(list(hood.own), points, laws, scale)
        answers = [own + reference.sums(points, given) for own, given in zip(hood.own, laws, strict=True)]
        found = enclosed(hood, scale)
        assert reference.leakage(answers, joint, scale) == pytest.approx(worst)
        assert found.lower <= worst + 1e-8
        assert worst <= found.upper + 1e-8
        caught += 0.97 * found.upper < worst
    assert caught >= 6


def test_neighbours_of_two_values_attain_the_bound() -> None:
    rng = np.random.default_rng(3)
    for turn in range(9):
        hood, scale = bits(rng.random((1 + turn % 3, 2)) ** 3), SCALES[turn // 3]
        points, laws = parts(hood)
        worst, _ = reference.largest_leakage([0.0, 1.0], points, laws, scale)
        found = enclosed(hood, scale)
        assert found.upper == pytest.approx(worst, abs=1e-8)
        assert found.lower == pytest.approx(found.upper, abs=1e-9)


@pytest.mark.parametrize("count", [20, pytest.param(250, marks=pytest.mark.slow)])
def test_thousands_of_random_joint_laws(count: int) -> None:
    rng = np.random.default_rng(7)
    closest = 0.0
    for _ in range(count):
        hood = drawn(rng, int(rng.integers(1, 4)))
        points, laws = parts(hood)
        answers = [own + reference.sums(points, given) for own, given in zip(hood.own, laws, strict=True)]
        bounds = [comonotone_bound(hood, scale).upper for scale in SCALES]
        for _ in range(6):
            joint = [reference.mixed(given, rng.random) for given in laws]
            for scale, bound in zip(SCALES, bounds, strict=True):
                leaked = reference.leakage(answers, joint, scale)
                assert leaked <= bound + 1e-8
                closest = max(closest, leaked / max(bound, 1e-9))
    assert closest > 0.97


def test_private_mechanisms_on_random_joint_laws() -> None:
    rng = np.random.default_rng(11)
    closest: dict[int, float] = {}
    for turn in range(24):
        people, values, epsilon = 1 + turn % 3, 2 + turn % 2, (0.2, 1.0, 3.0)[turn % 3]
        given = rng.dirichlet(np.full(values, (0.3, 1.0)[turn % 2]), (2, people))
        points = np.arange(float(values))
        hood = Neighbourhood(np.zeros(2), EVEN, tuple(Neighbour(1, points, given[:, j]) for j in range(people)))
        rows = list(product(range(values), repeat=people))
        joint = [reference.mixed(list(laws), rng.random) for laws in given]
        joint += [reference.optimised(list(laws), rng.random(len(rows))) for laws in given]
        bound = of_private(hood, epsilon).upper
        for s, t in ((0, 1), (1, 0), (2, 3), (3, 2)):
            leaked = epsilon + reference.private_leakage(rows, joint[s], joint[t], epsilon)
            assert leaked <= bound + 1e-7
            closest[people] = max(closest.get(people, 0.0), leaked / bound)
    assert closest[1] == pytest.approx(1)
    assert min(closest.values()) > 0.9


def test_the_household_of_e2() -> None:
    """Twenty people, all ill with probability 1/2 given one who is: the dependence coefficient's noise leaks 1.330."""
    well = 0.01 * 20 / 21
    chances = np.array([[(well / 20) / (0.99 + well * 19 / 20), 0.5]])
    found = enclosed(bits(chances, times=19), 10.712)
    assert 1.3297 <= found.lower <= found.upper <= 20 / 10.712
    assert found.upper - found.lower < 1e-9


def test_exclusive_or_of_two() -> None:
    """Pairs say nothing, and yet the bound is not that of independent records: it cannot be (E1)."""
    hood = bits(np.full((2, 2), 0.5))
    assert 1.43378 <= comonotone_bound(hood, 1.0).upper < 3
    assert 1.43378 <= of_private(hood, 1.0).upper < 3


def test_budgets_are_the_largest() -> None:
    rng = np.random.default_rng(5)
    hoods = tuple(drawn(rng, people) for people in (1, 2, 3, 6))
    for epsilon in (0.1, 1.0, 4.0):
        budget = largest_budget(hoods, epsilon)
        worst = max(of_private(each, budget).upper for each in hoods)
        assert epsilon * (1 - 1e-9) <= worst <= epsilon
        assert budget >= epsilon / 7 * (1 - 1e-9)


def test_nobody_depends_on_the_record() -> None:
    alone = Neighbourhood(np.array([0.0, 2.0]), EVEN, ())
    assert comonotone_bound(alone, 1.0).upper == pytest.approx(2)
    assert attained(alone, 1.0) == pytest.approx(2)
    assert of_private(alone, 0.3).upper == pytest.approx(0.3)
    certain = Neighbourhood(np.array([0.0, 2.0]), np.array([1.0, 0.0]), ())
    assert comonotone_bound(certain, 1.0).upper == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Neighbour(0, EVEN, np.ones((2, 2)) / 2), "times: 0, wanted a positive number of records"),
        (lambda: Neighbour(1, np.array([0.0, np.inf]), np.ones((2, 2)) / 2), "points: .*, wanted finite scores"),
        (lambda: Neighbour(1, EVEN, np.ones((2, 3)) / 3), "laws: an array of shape .*, wanted a law over 2 scores"),
        (lambda: Neighbour(1, EVEN, np.array([[0.5, 0.4]])), "laws: .*, wanted probabilities that add up to 1"),
        (lambda: Neighbour(1, EVEN, np.array([[1.5, -0.5]])), "laws: .*, wanted probabilities that add up to 1"),
        (lambda: Neighbourhood(np.array([np.nan]), np.ones(1), ()), "own: .*, wanted finite scores"),
        (lambda: Neighbourhood(EVEN, np.zeros(2), ()), "prior: .*, wanted 2 probabilities"),
        (
            lambda: Neighbourhood(EVEN, EVEN, (Neighbour(1, EVEN, np.ones((1, 2)) / 2),)),
            "laws: 1 of them, wanted one for each of the 2 values",
        ),
        (lambda: of_private(bits(np.full((1, 2), 0.5)), -1.0), "epsilon0: -1.0, wanted a finite number of at least 0"),
        (lambda: largest_budget((), 0.0), "epsilon: 0.0, wanted a finite number above 0"),
    ],
)
def test_bad_input(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=f"^{message}"):
        make()
