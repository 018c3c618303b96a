"""Statements of the paper on (α, β)-differential identifiability (DI), each as it is written."""

from fractions import Fraction
from itertools import combinations
from math import log, prod
from random import Random

import pytest

import dalenius as dl
from dalenius import Absent, DifferentialIdentifiability, Release
from dalenius.absent.odds_bounds import identifiable_scale
from dalenius.left_out import left_out_of
from dalenius.tally import tally_of_people
from tests.pace import many
from tests.reference import belief as reference


def _symmetric(values: list[Fraction], size: int) -> Fraction:
    """The elementary symmetric polynomial σ_size."""
    return sum((prod(each, start=Fraction(1)) for each in combinations(values, size)), start=Fraction(0))


@pytest.mark.parametrize("seed", range(20))
def test_theorem_1_s_polynomials_are_products(seed: int) -> None:
    random = Random(seed)
    count = random.randint(1, 5)
    alphas, betas = ([Fraction(random.randint(1, 99), 100) for _ in range(count)] for _ in range(2))
    alpha = sum((-1) ** (k + 1) * _symmetric(alphas, k) for k in range(1, count + 1))
    beta = sum(_symmetric(betas, k) for k in range(count + 1)) - 1
    assert 1 - alpha == prod(1 - each for each in alphas)
    assert 1 + beta == prod(1 + each for each in betas)


def _game(random: Random) -> tuple[list[int], list[Fraction], float, float]:
    people = random.randint(2, 6)
    weights = [random.randint(1, 30) for _ in range(people)]
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    beta = random.uniform(0.05, 0.95) * float(1 / max(prior) - 1)
    answers = [random.randint(-9, 9) for _ in range(people - 1)]
    return [*answers, answers[0] + random.randint(1, 9)], prior, random.uniform(0.05, 0.95), beta


@pytest.mark.parametrize("games", [60, pytest.param(many(4_000), marks=pytest.mark.slow)])
def test_theorems_2_and_3_keep_the_promise(games: int) -> None:
    for seed in range(games):
        answers, prior, alpha, beta = _game(Random(seed))
        theta, first = max(answers) - min(answers), [reference.number(p) for p in prior]
        for least in (0.0, float(min(prior))):
            scale = Fraction(identifiable_scale(theta, alpha, beta, least))
            low, high = reference.worst(first, first, answers, scale, reference.everywhere(answers))
            assert low >= (1 - alpha) * (1 - 1e-12)
            assert high <= (1 + beta) * (1 + 1e-12)


@pytest.mark.parametrize("least", [Fraction(0), Fraction(1, 7), Fraction(1, 3)])
def test_no_less_than_theorem_3_does_for_every_table(least: Fraction) -> None:
    """One person at one end, with the least prior, and all others at the other; in the limit of none for Theorem 2."""
    prior = [least or Fraction(1, 10**9)]
    prior.append(1 - prior[0])
    alpha, beta = 0.3, min(0.5, 0.9 * float(1 / max(prior) - 1)) if least else 1e-10
    first = [reference.number(p) for p in prior]
    scale = identifiable_scale(1.0, alpha, 0.5 if not least else beta, float(least))
    low, high = reference.worst(first, first, [0, 1], Fraction(scale) * Fraction(98, 100), [0, 1])
    assert low < 1 - alpha or high > 1 + (beta if least else 0.5)


def test_theorem_4_is_of_theorem_3_s_scale() -> None:
    """Less noise keeps the promise of a table that is known, and loses more to differential privacy (E24)."""
    release = Release(Absent(answers=tuple(range(36, 46))), None, dl.Laplace())
    notion = DifferentialIdentifiability(alpha=0.5, beta=1.0)
    theorem, exact = (dl.calibrate(release, notion, method) for method in ("prior_dependent", "exact"))
    assert theorem.noise.scale is not None
    assert exact.noise.scale is not None
    epsilon = dl.epsilon_for_identifiability(0.5, 1.0, least=0.1)
    assert epsilon == pytest.approx(9 / theorem.noise.scale)
    assert 9 / exact.noise.scale > 1.6 * epsilon
    assert exact.leakage.upper <= log(2)


def test_a_constant_answer_needs_no_noise_and_is_not_differentially_private() -> None:
    people = tally_of_people([1] * 10)
    assert dl.Count(values=(1,)).left_out(people).sensitivity == 0
    assert dl.Count(values=(1,)).worst_case(dl.Universe(n=10, values=(0, 1))).presence == 1
    release = Release(Absent(answers=(9,) * 10), None, dl.NoNoise())
    assert DifferentialIdentifiability(alpha=0.5, beta=1.0).leakage(release).upper == 0


def test_counts_have_no_sensitivity_where_everybody_is_counted() -> None:
    """A count of those with an attribute has 1: whether the absent one has it changes the answer (E24)."""
    ages = tally_of_people([30, 45, 62])
    assert dl.Count(values=(30, 45, 62)).left_out(ages).sensitivity == 0
    assert dl.Count(values=(45, 62)).left_out(ages).sensitivity == 1


def test_the_example_of_ten_people_sums_to_a_tenth() -> None:
    """With (1 - 10⁻⁶)/9 it holds: nobody is above ⅕, and the last one is known to be there (E24)."""
    nine, last = (Fraction(1, 10) - Fraction(1, 10**6)) / 9, Fraction(1, 10**6)
    assert 9 * nine + last == Fraction(1, 10)
    nine = (1 - last) / 9
    assert 9 * nine + last == 1
    assert nine < Fraction(1, 5)
    assert last / Fraction(1, 10) == Fraction(1, 10**5)  # no α below 1 - 10⁻⁵ allows it


def test_global_and_identifiability_sensitivity_of_a_sum() -> None:
    """Two neighbours of a table are two steps apart, and may be as far as the range of the values."""
    for values in ((0, 1), (-3, 5), (2, 7)):
        tables = [left_out_of([-a, -b]) for a in values for b in values]
        theta = max(table.sensitivity for table in tables)
        found = dl.Sum(lower=values[0], upper=values[1]).worst_case(dl.Universe(n=2, values=values))
        assert found.identifiability == theta == values[1] - values[0]
        assert found.presence == max(map(abs, values))


def test_the_strong_adversary_needs_hardly_more_noise() -> None:
    """DI Fig 2: with P_min = 0, whatever Θ is, at most as much more as Theorem 2 takes."""
    for alpha, beta in ((0.008, 0.008), (0.5, 1.0), (0.9, 8.9)):
        weak, strong = (identifiable_scale(1.0, alpha, beta, least) for least in (1 / 32561, 0.0))
        assert 1 <= strong / weak < 1.0004
