"""The program over joint laws with given pairs, against enumeration, and the bounds against its adversarial laws."""

from itertools import combinations, pairwise
from math import exp, log

import numpy as np
import pytest

from dalenius.errors import InputError, TooLarge
from dalenius.laws.coupled import (
    Neighbour,
    Neighbourhood,
    Tie,
    attained,
    comonotone_bound,
    enclosed,
    most_leaking,
    of_private,
)
from dalenius.laws.coupled.rotated import rotated
from dalenius.laws.law import Array
from tests.laws.test_coupled import EVEN, SCALES, bits, drawn, parts
from tests.reference import coupled as reference


@pytest.mark.slow
@pytest.mark.parametrize("scale", SCALES)
def test_the_program_is_the_supremum_and_its_law_attains_it(scale: float) -> None:
    rng = np.random.default_rng(21)
    for turn in range(8):
        hood = drawn(rng, 1 + turn % 3)
        points, laws = parts(hood)
        worst, _ = reference.largest_leakage(list(hood.own), points, laws, scale)
        found = most_leaking(hood, scale)
        assert found.leakage.lower - 1e-8 <= worst <= found.leakage.upper + 1e-8
        assert found.leakage.upper - found.leakage.lower < 1e-7
        answers = [own + reference.sums(points, given) for own, given in zip(hood.own, laws, strict=True)]
        assert reference.leakage(answers, list(found.joint), scale) == pytest.approx(worst, abs=1e-8)
        for given, joint in zip(laws, found.joint, strict=True):
            matrix, right = reference.marginals(given)
            assert matrix @ joint == pytest.approx(right, abs=1e-11)


def tied(joint: Array, shape: tuple[int, ...], points: list[Array], own: Array) -> tuple[Neighbourhood, list[Tie]]:
    """The pairs of a joint law (2, *shape), even prior: of the record with each other one, and of these."""
    records = range(len(shape))
    neighbours = [
        Neighbour(1, points[j], np.array([law.sum(axis=tuple(k for k in records if k != j)) for law in joint]))
        for j in records
    ]
    both = joint.mean(axis=0)
    ties = [Tie(j, k, both.sum(axis=tuple(m for m in records if m not in (j, k)))) for j, k in combinations(records, 2)]
    return Neighbourhood(own, EVEN, tuple(neighbours)), ties


@pytest.mark.slow
def test_a_law_s_own_pairs_never_promise_less_than_it_leaks() -> None:
    """All pairs of random joint laws, those of neighbours too: these narrow what may be."""
    rng = np.random.default_rng(4)
    narrower = 0
    for turn in range(12):
        shape = (2, 2, 2) if turn % 2 else (3, 2)
        joint = np.array([rng.dirichlet(np.full(int(np.prod(shape)), 0.3)).reshape(shape) for _ in range(2)])
        points = [np.sort(rng.choice(4, size, replace=False)).astype(float) for size in shape]
        hood, ties = tied(joint, shape, points, np.array([0.0, 1.0]))
        scale = SCALES[turn % 3]
        _, laws = parts(hood)
        answers = [own + reference.sums(points, given) for own, given in zip(hood.own, laws, strict=True)]
        leaked = reference.leakage(answers, [law.ravel() for law in joint], scale)
        free, narrow = most_leaking(hood, scale).leakage, most_leaking(hood, scale, ties).leakage
        assert leaked <= narrow.upper + 1e-9
        assert narrow.lower <= free.upper + 1e-9
        assert narrow.upper - narrow.lower < 1e-5
        narrower += narrow.upper < 0.99 * free.lower
    assert narrower >= 4


def test_the_exclusive_or_of_two_by_all_pairs() -> None:
    """Three bits, each two independent: nothing is narrower for it. Two equal ones: X1 is independent of both."""
    hood = bits(np.full((2, 2), 0.5))
    independent, equal = Tie(0, 1, np.full((2, 2), 0.25)), Tie(0, 1, np.eye(2) / 2)
    assert most_leaking(hood, 1.0, [independent]).leakage.lower == pytest.approx(1.4337808304829)
    assert most_leaking(hood, 1.0, [equal]).leakage.upper == pytest.approx(1)


def test_pairs_that_no_joint_law_has_are_refused() -> None:
    hood = bits(np.full((2, 2), 0.5))
    with pytest.raises(InputError, match=r"^ties: 1 pair laws of neighbours, wanted pair laws that some joint law has"):
        most_leaking(hood, 1.0, [Tie(0, 1, np.diag([0.8, 0.2]))])
    with pytest.raises(
        InputError, match=r"^tie: an array of shape \(2, 3\), wanted the law of two neighbours, \(2, 2\)"
    ):
        most_leaking(hood, 1.0, [Tie(0, 1, np.full((2, 3), 1 / 6))])
    with pytest.raises(TooLarge, match=r"^the program over joint laws: 2.1e\+06 assignments is too large"):
        most_leaking(bits(np.full((1, 2), 0.5), times=20), 1.0)
    with pytest.raises(InputError, match=r"^prior: .* wanted at least two values"):
        most_leaking(Neighbourhood(EVEN, np.array([1.0, 0.0]), ()), 1.0)


def comonotone_mean(hood: Neighbourhood, secret: int, costs: list[Array]) -> float:
    """log E e^{Σ cost} given a secret, all costs at the same quantile: by all breakpoints of all quantile functions."""
    steps = []
    for each, cost in zip(hood.neighbours, costs, strict=True):
        order = np.argsort(cost)
        steps.append((np.cumsum(each.laws[secret][order]), cost[order]))
    total = 0.0
    for low, high in pairwise(np.unique(np.concatenate([[0.0, 1.0], *(np.clip(ups, 0, 1) for ups, _ in steps)]))):
        at = [min(int(np.searchsorted(ups, (low + high) / 2)), len(ups) - 1) for ups, _ in steps]
        total += (high - low) * exp(sum(cost[place] for place, (_, cost) in zip(at, steps, strict=True)))
    return log(total)


def with_centres(hood: Neighbourhood, centres: Array, scale: float) -> float:
    """Result 15.1."""
    far = [np.abs(each.points - centre) / scale for each, centre in zip(hood.neighbours, centres, strict=True)]
    given = [sum(float(each.laws[t] @ cost) for each, cost in zip(hood.neighbours, far, strict=True)) for t in (0, 1)]
    own = abs(float(hood.own[0] - hood.own[1])) / scale
    return own + max(comonotone_mean(hood, s, far) + given[1 - s] for s in (0, 1))


def by_distances(hood: Neighbourhood, scale: float) -> float:
    """Result 15.4 for the distances |x - x'|/b: each score's expected distance from its law given the other value."""
    found = []
    for s in (0, 1):
        far = [np.abs(each.points[:, None] - each.points) @ each.laws[1 - s] / scale for each in hood.neighbours]
        found.append(comonotone_mean(hood, s, far))
    return abs(float(hood.own[0] - hood.own[1])) / scale + max(found)


def test_never_more_than_group_nor_than_any_centres() -> None:
    rng = np.random.default_rng(9)
    for turn in range(30):
        hood, scale = drawn(rng, 1 + turn % 5), SCALES[turn % 3]
        bound = comonotone_bound(hood, scale).upper
        reach = sum(float(np.ptp(points)) for points in (hood.own, *(each.points for each in hood.neighbours)))
        distances = by_distances(hood, scale)
        assert bound <= min(reach / scale, distances) + 1e-9
        for _ in range(4):
            assert distances <= with_centres(hood, rng.uniform(0, 4, len(hood.neighbours)), scale) + 1e-9
        middles = np.array([(each.points.max() + each.points.min()) / 2 for each in hood.neighbours])
        assert with_centres(hood, middles, scale) <= reach / scale + 1e-9


@pytest.mark.slow
def test_it_falls_as_noise_grows() -> None:
    rng = np.random.default_rng(13)
    for turn in range(12):
        hood = drawn(rng, 1 + turn % 6)
        bounds = [comonotone_bound(hood, scale).upper for scale in np.geomspace(0.02, 50, 40)]
        assert all(b <= a * (1 + 1e-12) + 1e-12 for a, b in pairwise(bounds))


@pytest.mark.slow
def test_scores_on_no_lattice() -> None:
    """Never below the program; on a lattice, hidden by a shift of one score, near what that says."""
    rng = np.random.default_rng(17)
    for turn in range(4):
        points = [rng.random(2 + turn % 2) * 3 for _ in range(3)]
        laws = [rng.dirichlet(np.ones(len(each)), 2) for each in points]
        hood = Neighbourhood(np.array([0.0, 0.7]), EVEN, tuple(map(Neighbour, (1, 1, 1), points, laws)))
        worst, found = most_leaking(hood, 1.0).leakage, enclosed(hood, 1.0)
        assert worst.lower <= found.upper <= 1.4 * worst.upper
        assert found.lower <= worst.upper


def test_one_neighbour_is_known_exactly() -> None:
    rng = np.random.default_rng(23)
    for scale in SCALES:
        found = enclosed(drawn(rng, 1, 5), scale)
        assert found.upper - found.lower < 1e-9


def test_thousands_of_neighbours_and_hardly_any_noise() -> None:
    rng = np.random.default_rng(1)
    crowd = bits(rng.random((3000, 2)) ** 2)
    found = enclosed(crowd, 3000.0)
    assert found.upper - found.lower < 1e-7
    assert comonotone_bound(crowd, 1e-5).upper <= 3001e5 * (1 + 1e-9)
    assert np.isfinite(of_private(crowd, 50.0).upper)
    alike = bits(np.array([[0.2, 0.3]]), times=3000)
    assert comonotone_bound(alike, 3000.0).upper == pytest.approx(attained(alike, 3000.0), abs=1e-9)


def test_probabilities_far_below_a_rounding_of_one_count() -> None:
    """Given 1 a hundred others are ill with probability 1e-40: at little noise that is all that matters."""
    hood, scale = bits(np.array([[0.0, 1e-40]]), times=100), 0.5
    exact = 2 + log((1 - 1e-40) + exp(200 + log(1e-40)))
    assert comonotone_bound(hood, scale).upper == pytest.approx(exact, rel=1e-9)


def test_rotated_quantiles_are_a_joint_law_with_those_pairs() -> None:
    """Its sum has the right mean, is below the comonotone one in convex order, and varies little."""
    rng = np.random.default_rng(29)
    for people in (1, 2, 7, 40):
        hood = drawn(rng, people)
        places = tuple(each.points for each in hood.neighbours)
        for secret in (0, 1):
            law, off = rotated(hood.neighbours, places, secret, 0.0, whole=True)
            most = quantiles_by_hand(hood, secret)
            assert law.masses.sum() == pytest.approx(1, abs=1e-12)
            assert off < 1e-10
            assert law.masses @ law.points == pytest.approx(most.mean(), abs=1e-4 * people)
            for knot in np.unique(law.points):
                above = law.masses @ np.maximum(law.points - knot, 0)
                assert above <= np.maximum(most - knot, 0).mean() + 1e-4 * people
            assert people < 40 or np.ptp(law.points) < 0.4 * np.ptp(most)


def quantiles_by_hand(hood: Neighbourhood, secret: int) -> Array:
    """The comonotone sum at many quantiles."""
    at, total = (np.arange(20_000) + 0.5) / 20_000, np.zeros(20_000)
    for each in hood.neighbours:
        order = np.argsort(each.points)
        ups = np.cumsum(each.laws[secret][order])[:-1]
        total += each.points[order][np.searchsorted(ups, at)]
    return total


def test_a_neighbour_that_outweighs_the_others() -> None:
    """Its scores are far apart and say nothing of the record: what remains is the record and a bit, at worst."""
    far, near = np.array([[0.6, 0.4]] * 2), np.array([[0.9, 0.1], [0.1, 0.9]])
    neighbours = (Neighbour(1, np.array([0.0, 8.0]), far), Neighbour(1, np.array([0.0, 1.0]), near))
    for scale in SCALES:
        hood = Neighbourhood(np.array([0.0, 1.0]), EVEN, neighbours)
        worst, bound = most_leaking(hood, scale).leakage, comonotone_bound(hood, scale).upper
        assert worst.upper <= bound + 1e-12
        assert bound == pytest.approx(2 / scale)
        assert bound < 1.02 * worst.upper
