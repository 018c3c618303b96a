"""What any joint law with given pair laws may leak, against enumeration and linear programs (Theory §15).

Joint laws that are too large: what a person's own group adds bounds what leaks (Result 9.6).
"""

from math import exp, inf, log

import numpy as np
import pytest

import dalenius as dl
from dalenius.arrays import Array
from dalenius.channel import choice_of_engine
from dalenius.limits import Limit
from dalenius.noise import Noise, separate
from dalenius.pairs.comonotone_sum_bound import comonotone_bound
from dalenius.pairs.neighbourhood_score_sums import Neighbour, Neighbourhood
from tests.pace import slow
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


@pytest.mark.parametrize("scale", [SCALES[0], slow(SCALES[2])])
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
        found = comonotone_bound(hood, scale)
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
        found = comonotone_bound(hood, scale)
        assert found.upper == pytest.approx(worst, abs=1e-8)
        assert found.lower == pytest.approx(found.upper, abs=1e-9)


def test_the_household_of_e2() -> None:
    """Twenty people, all ill with probability 1/2 given one who is: the dependence coefficient's noise leaks 1.330."""
    well = 0.01 * 20 / 21
    chances = np.array([[(well / 20) / (0.99 + well * 19 / 20), 0.5]])
    found = comonotone_bound(bits(chances, times=19), 10.712)
    assert 1.3297 <= found.lower <= found.upper <= 20 / 10.712
    assert found.upper - found.lower < 1e-9


def test_probabilities_far_below_a_rounding_of_one_count() -> None:
    """Given 1 a hundred others are ill with probability 1e-40: at little noise that is all that matters."""
    hood, scale = bits(np.array([[0.0, 1e-40]]), times=100), 0.5
    exact = 2 + log((1 - 1e-40) + exp(200 + log(1e-40)))
    assert comonotone_bound(hood, scale).upper == pytest.approx(exact, rel=1e-9)


PAIRS = dl.Groups(
    types=(
        dl.GroupType(count=4, records=((0, 0), (1, 1), (2, 2), (0, 1)), probabilities=(0.6, 0.1, 0.1, 0.2)),
        dl.GroupType(count=3, records=((0, 2), (1, 0), (2, 1)), probabilities=(0.5, 0.3, 0.2)),
    )
)
FEW_POINTS = Limit("channel.tilted_points", 100, "points", "so that no joint law fits")
TWO = dl.Several(queries=(dl.Count(values=(1,)), dl.Count(values=(2,))))
NOISES: dict[str, Noise] = {
    "mixed": separate([dl.Geometric(scale=1.5), dl.Laplace(scale=0.8)]),
    "small scales": separate([dl.Laplace(scale=0.2), dl.Laplace(scale=0.3)]),
}


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for the joint law, only for a group's."""
    monkeypatch.setattr(choice_of_engine, "MOST_TILTED_POINTS", FEW_POINTS)
    monkeypatch.setattr(choice_of_engine, "FEW_TERMS", 0)


@pytest.mark.parametrize("name", ["mixed", slow("small scales")])
def test_the_truth_lies_between(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = dl.audit(dl.Release(PAIRS, TWO, NOISES[name]))
    delta = dl.InferentialPrivacy().least_delta(dl.Release(PAIRS, TWO, NOISES[name]), 0.3)
    monkeypatch.setattr(choice_of_engine, "MOST_TILTED_POINTS", FEW_POINTS)
    monkeypatch.setattr(choice_of_engine, "FEW_TERMS", 0)
    release = dl.Release(PAIRS, TWO, NOISES[name])
    found = dl.audit(release)
    assert release.worlds.engines()[0][0] == "bounds"
    for kind, exact in truth.items():
        assert found[kind].lower <= exact.upper * (1 + 1e-9) + 1e-12
        assert exact.lower <= found[kind].upper * (1 + 1e-9) + 1e-12
    for kind in ("inferential", "information", "relative_entropy"):
        assert found[kind].upper <= 3 * found[kind].lower < inf
    bound = dl.InferentialPrivacy().least_delta(release, 0.3)
    assert delta is not None
    assert bound is not None
    assert bound.lower <= delta.lower <= delta.upper <= bound.upper


def test_an_exact_answer_beside_a_noised_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its outermost values are limits like any other."""
    release = dl.Release(PAIRS, TWO, separate([dl.NoNoise(), dl.Geometric(scale=1.0)]))
    truth = dl.InferentialPrivacy().leakage(release)
    monkeypatch.setattr(choice_of_engine, "MOST_TILTED_POINTS", FEW_POINTS)
    monkeypatch.setattr(choice_of_engine, "FEW_TERMS", 0)
    found = dl.InferentialPrivacy().leakage(dl.Release(PAIRS, TWO, release.noise))
    assert 1e-3 < found.lower <= truth.upper
    assert truth.lower <= found.upper


def test_one_chain_is_one_group(narrow: None) -> None:
    chain = dl.Chain(n=9, initial=(0.4, 0.3, 0.3), transition=((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8)))
    with pytest.raises(dl.TooLarge, match=r"a box of .* points over all secrets"):
        dl.audit(dl.Release(chain, TWO, dl.Geometric(scale=1.0)), [dl.InferentialPrivacy()])
