"""Mechanisms of finitely many outputs beside intervals: the worst law, against brute force."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.laws.credal.box import Box
from dalenius.laws.credal.edges import Edges
from dalenius.laws.credal.sums import ExtremeSums
from dalenius.models import Households, HouseholdType
from dalenius.noise import Clamped, Kernel, Laplace, NoNoise
from dalenius.notions import BayesianPrivacy, InferentialPrivacy, InformationPrivacy, RelativeEntropyPrivacy
from dalenius.queries import Count
from dalenius.schema import Chance
from tests.pace import draws
from tests.reference import credal

LOWER, UPPER = (Fraction(3, 10), Fraction(0), Fraction(1, 10)), (Fraction(8, 10), Fraction(4, 10), Fraction(3, 10))
ROW: tuple[Chance, ...] = ((0.3, 0.8), (0.0, 0.4), (0.1, 0.3))


@cache
def of_two_households() -> list[credal.Joint]:
    laws = [credal.household(law) for law in credal.grid(LOWER, UPPER, 2)]
    return [credal.beside([one, other]) for one, other in product(laws, laws)]


def leaked(rows: list[list[Fraction]], count: int, row: tuple[Chance, ...] = ROW) -> Enclosure:
    shown = tuple(tuple(float(chance) for chance in each) for each in rows)
    kernel = Kernel(answers=tuple(range(len(rows))), probabilities=shown)
    found = InferentialPrivacy().leakage(Release(Households(count=count, infected=row), Count(), kernel))
    return Enclosure(found.lower, found.upper)


@given(st.lists(st.lists(st.integers(0, 7), min_size=3, max_size=3), min_size=5, max_size=5))
@example([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]])
@example([[1, 1, 0], [1, 2, 0], [3, 1, 0], [1, 4, 0], [5, 1, 0]])
@draws(12)
def test_two_households_each_with_a_law_of_its_own(weights: list[list[int]]) -> None:
    rows = [[Fraction(each + (not any(row))) / max(sum(row), 3 * (not any(row))) for each in row] for row in weights]
    ratios = [credal.through(joint, 0, rows)[0] for joint in of_two_households()]
    worst = inf if None in ratios else log(max(each for each in ratios if each is not None))
    found = leaked(rows, 2)
    assert found.upper >= worst - 1e-12
    assert found.lower <= found.upper
    assert found.lower == inf or found.upper - found.lower <= 1e-11
    assert worst == inf or found.upper <= worst + 0.35


def test_a_fine_grid_is_hardly_below() -> None:
    rows = [[Fraction(k, 10), 1 - Fraction(k, 10)] for k in (8, 3, 6)]
    ratios = [credal.through(credal.household(law), 0, rows)[0] for law in credal.grid(LOWER, UPPER, 12)]
    worst = log(max(each for each in ratios if each is not None))
    found = leaked(rows, 1)
    assert worst <= found.upper + 1e-12
    assert found.lower <= worst + 1e-3
    near_lie = leaked(rows, 1, ((0.5, 0.7), (0.1, 0.2), (0.15, 0.25)))
    assert near_lie.upper < worst - 0.01


def test_an_edge_is_worse_than_its_ends() -> None:
    """Scale 0.1 of the guide: the worst law of a household is not extreme, through a kernel as through the noise."""
    row: tuple[Chance, ...] = ((0.85, 0.95), (0.02, 0.06), 0.0, 0.0, (0.03, 0.09))
    whole = np.exp(-np.abs(np.subtract.outer(range(5), range(5))) / 0.1)
    kernel = Kernel(
        answers=tuple(range(5)), probabilities=tuple(map(tuple, (whole / whole.sum(axis=1)[:, None]).tolist()))
    )
    release = Release(Households(count=1, infected=row), Count(), Laplace(scale=0.1))
    alone, through = (InferentialPrivacy().leakage(each) for each in (release, release.with_noise(kernel)))
    assert through.upper - through.lower <= 1e-11
    assert alone.upper == pytest.approx(through.upper, abs=1e-3)
    extreme = Box.of(row).vertices()
    points = [Households(count=1, infected=tuple(law)) for law in extreme.tolist()]
    assert (
        max(InferentialPrivacy().leakage(Release(each, Count(), kernel)).upper for each in points)
        < through.lower - 1e-3
    )


def test_no_drawn_law_of_three_households_leaks_more() -> None:
    generator = np.random.default_rng(18)
    box, rows = Box.of(ROW), generator.dirichlet(np.ones(4), size=7)
    kernel = Kernel(answers=tuple(range(7)), probabilities=tuple(map(tuple, rows.tolist())))
    found = InferentialPrivacy().leakage(Release(Households(count=3, infected=ROW), Count(), kernel))
    moved = InformationPrivacy().leakage(Release(Households(count=3, infected=ROW), Count(), kernel))
    ill, best, raised = np.arange(3) / 2, 0.0, 0.0
    for laws in box.sample(generator, 3000).reshape(-1, 3, 3):
        rest = np.convolve(laws[1], laws[2])
        one, none = (np.convolve(laws[0] * share, rest) @ rows / (laws[0] @ share) for share in (ill, 1 - ill))
        mean = np.convolve(laws[0], rest) @ rows
        best = max(best, float(np.abs(np.log(one / none)).max()))
        raised = max(raised, float(np.log(np.maximum(one, none) / mean).max()))
    assert 0.8 * found.lower < best <= found.upper
    assert 0.8 * moved.lower < raised <= moved.upper


def test_types_of_household_and_clamped_noise() -> None:
    types = (HouseholdType(infected=ROW, count=2), HouseholdType(infected=(0.7, 0.2, 0.05, 0.05), count=1))
    model = Households(types=types)
    release = Release(model, Count(), Clamped(scale=2.0, lower=1, upper=4))
    found = InferentialPrivacy().leakage(release)
    assert found.upper - found.lower <= 1e-10
    for law in Box.of(ROW).vertices().tolist():
        point = Households(types=(HouseholdType(infected=tuple(law), count=2), types[1]))
        assert InferentialPrivacy().leakage(Release(point, Count(), release.noise)).upper <= found.upper
    entropy = RelativeEntropyPrivacy().leakage(release)
    assert entropy.lower == 0
    assert 0 < entropy.upper < found.upper
    assert BayesianPrivacy().leakage(release).upper == inf


def test_without_noise_an_answer_may_betray() -> None:
    model = Households(count=3, infected=((0.85, 0.95), 0.0, (0.05, 0.15)))
    found = InferentialPrivacy().leakage(Release(model, Count(), NoNoise()))
    assert found.lower == inf  # nobody is ill where the answer is 0
    raised = InformationPrivacy().leakage(Release(model, Count(), NoNoise()))
    assert raised.upper == pytest.approx(log(1 / 0.05), abs=1e-9)  # all are ill


def test_every_choice_of_extreme_laws_once() -> None:
    laws = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
    found = ExtremeSums.of(laws, 2)
    assert len(found.masses) == ExtremeSums.number(3, 2) == 6
    for mass, chosen in zip(found.masses, found.chosen.tolist(), strict=True):
        one, other = [place for place, count in enumerate(chosen) for _ in range(count)]
        assert mass == pytest.approx(np.convolve(laws[one], laws[other]))
    both = found.beside(ExtremeSums.of(laws[:1], 1))
    assert both.masses[2] == pytest.approx(np.convolve(found.masses[2], laws[0]))


def test_edges_change_two_probabilities() -> None:
    edges = Edges(Box.of(((0.1, 0.5), (0.1, 0.5), (0.1, 0.5), 0.1)))
    assert len(edges.vertices) == len(edges) == 6  # a hexagon
    assert len(Edges(Box.of((0.4, 0.6)))) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Release(Households(count=400, infected=ROW), Count(), Clamped(scale=1.0, lower=0, upper=9)),
            "the worst law of a set: .* combinations of extreme laws is too large",
        ),
        (
            lambda: Release(Households(count=1, infected=ROW), Count(), Clamped(scale=1e-3, lower=0, upper=2)),
            "probabilities of outputs that differ by e.2000",
        ),
        (
            lambda: Release(
                Households(types=(HouseholdType(infected=ROW, members={"a": 1, "b": 1}, count=1),)),
                Count(per_label=True),
                Clamped(scale=1.0, lower=0, upper=2),
            ),
            "2 answers, wanted a single answer",
        ),
    ],
)
def test_refused(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises((InputError, TooLarge, Meaningless), match=message) as error:
        InferentialPrivacy().leakage(make())
    assert "\n" not in str(error.value)


def test_log_odds_are_as_said() -> None:
    """One household of one: Pr[ill] cancels."""
    kernel = Kernel(answers=(0, 1), probabilities=((0.25, 0.75), (0.75, 0.25)))
    found = InferentialPrivacy().leakage(
        Release(Households(count=1, infected=((0.1, 0.9), (0.1, 0.9))), Count(), kernel)
    )
    assert exp(found.upper) == pytest.approx(3, abs=1e-12)
