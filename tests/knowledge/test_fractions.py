"""Known fractions of chains and groups: enclosures against every known set, and how close they are."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import exp, log
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.arrays import Array
from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.errors import TooLarge
from dalenius.knowledge import chain_fractions, known_chain, known_groups
from dalenius.knowledge.coins import Coins, Views, WorstTerms, power, rates_for
from dalenius.knowledge.lattice_noise import lattice_noise
from dalenius.knowledge.noiseless import noiseless_delta
from dalenius.models import Chain, Households
from dalenius.noise import Gaussian, Geometric, Laplace, Noise, NoNoise
from dalenius.queries import Count, Sum
from dalenius.special_functions import ndtr
from tests.pace import draws, slow
from tests.reference.known_places import WorstPlaces, alike, chain, worst_places

Law: TypeAlias = tuple[list[list[Fraction]], list[Fraction]]
"""Of a chain: its steps, and the first record."""
HALF = Fraction(1, 2)
GROWTH = Fraction(3, 2)
STICKY = [[0.9, 0.1], [0.2, 0.8]]


def share(known: int, people: int) -> float:
    return (known + 0.5) / people


def too_large(*given: object) -> None:
    raise TooLarge("this law", "so many", "make it smaller")


def forget() -> None:
    for kept in (known_groups.groups_of, known_chain._chain, known_chain._outsides, known_chain._bounds):
        kept.cache_clear()


def too_many(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(chain_fractions, "_MOST_SETS", 0)
    patch.setattr(known_chain, "_MOST_NUMBERS", -1)


@pytest.fixture
def by_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few people are not gone through as one group."""
    forget()
    monkeypatch.setattr(known_groups, "written_out", too_large)


@pytest.fixture
def by_coins(monkeypatch: pytest.MonkeyPatch, by_chain: None) -> None:
    """Sets of a chain are not gone through either."""
    too_many(monkeypatch)


def truth_of(n: int, step: list[list[Fraction]], initial: list[Fraction], known: int, growth: Fraction) -> WorstPlaces:
    return worst_places(chain(n, initial, step), known, growth)


def chain_model(step: list[list[Fraction]], initial: list[Fraction], n: int) -> Chain:
    return Chain(n=n, initial=[float(p) for p in initial], transition=[[float(p) for p in row] for row in step])


@st.composite
def chains(draw: st.DrawFn, states: int) -> Law:
    weights = st.lists(st.integers(1, 9), min_size=states, max_size=states)
    rows = [draw(weights) for _ in range(states + 1)]
    *step, initial = [[Fraction(weight, sum(row)) for weight in row] for row in rows]
    return step, initial


def assert_within(found: Enclosure, truth: float) -> None:
    assert found.lower - 1e-11 <= truth <= found.upper + 1e-11


@pytest.mark.usefixtures("by_chain")
@given(law=chains(2), known=st.integers(1, 2), n=st.integers(4, 6))
@draws(15)
def test_every_set_of_a_chain_is_gone_through(law: Law, known: int, n: int) -> None:
    step, initial = law
    truth = float(truth_of(n, step, initial, known, GROWTH).delta)
    found = noiseless_delta(Release(chain_model(step, initial, n), Sum(), NoNoise()), log(1.5), share(known, n))
    assert_within(found, truth)
    assert found.upper - found.lower < 1e-10


@pytest.mark.parametrize("people", [None, [2], [1, 5]])
@pytest.mark.usefixtures("by_chain")
@given(law=chains(2), growth=st.sampled_from([1, 1.25, 4]), stationary=st.booleans())
@draws(6)
def test_half_of_a_chain_is_gone_through_window_by_window(
    people: list[int] | None, law: Law, growth: float, stationary: bool
) -> None:
    step, initial = law
    if stationary:
        total = step[0][1] + step[1][0]
        initial = [step[1][0] / total, step[0][1] / total]
    joint = chain(6, initial, step)
    truth = worst_places(joint, 3, Fraction(growth), people=None if people is None else {each - 1 for each in people})
    secrets = dl.Secrets() if people is None else dl.Secrets(people=people)
    release = Release(chain_model(step, initial, 6), Sum(), NoNoise(), secrets=secrets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chain_fractions, "_MOST_SETS", 0)
        forget()
        found = noiseless_delta(release, log(growth), share(3, 6))
    assert_within(found, float(truth.delta))
    assert found.upper - found.lower < 1e-10


def test_a_third_of_twenty_days_is_exact() -> None:
    """.2752 by a list of all laws of pieces (2.5e5 known sets); the even set that was tried before has .1767."""
    model = Chain(n=20, initial=[7 / 15, 8 / 15], transition=[[0.2, 0.8], [0.7, 0.3]])
    found = noiseless_delta(Release(model, Count(), NoNoise()), 0.5, 0.3)
    assert found.lower == pytest.approx(0.2752, abs=5e-5)
    assert found.upper - found.lower < 1e-10


@pytest.mark.usefixtures("by_chain")
def test_three_values_and_a_certain_beginning_are_gone_through() -> None:
    step = [[Fraction(5, 10), Fraction(3, 10), Fraction(2, 10)]] * 2 + [[Fraction(1, 10), HALF, Fraction(4, 10)]]
    initial = [Fraction(1), Fraction(0), Fraction(0)]
    truth = float(truth_of(5, step, initial, 2, GROWTH).delta)
    found = noiseless_delta(Release(chain_model(step, initial, 5), Sum(), NoNoise()), log(1.5), share(2, 5))
    assert_within(found, truth)
    assert found.upper - found.lower < 1e-10


@pytest.mark.usefixtures("by_coins")
@given(law=chains(2), known=st.integers(1, 4), n=st.integers(5, 7), growth=st.sampled_from([1, 1.25, 2, 4]))
@draws(15)
def test_the_bound_of_a_chain_holds(law: Law, known: int, n: int, growth: float) -> None:
    step, initial = law
    truth = float(truth_of(n, step, initial, known, Fraction(growth)).delta)
    found = noiseless_delta(Release(chain_model(step, initial, n), Sum(), NoNoise()), log(growth), share(known, n))
    assert_within(found, truth)


@pytest.mark.parametrize("known", [1, slow(2), slow(3)])
@pytest.mark.usefixtures("by_coins")
def test_the_bound_of_twelve_days_holds(known: int) -> None:
    step = [[Fraction(9, 10), Fraction(1, 10)], [Fraction(2, 10), Fraction(8, 10)]]
    initial = [Fraction(2, 3), Fraction(1, 3)]
    truth = float(truth_of(12 if known > 1 else 9, step, initial, known, GROWTH).delta)
    model = Chain(n=12 if known > 1 else 9, initial=[2 / 3, 1 / 3], transition=STICKY)
    found = noiseless_delta(Release(model, Count(), NoNoise()), log(1.5), share(known, model.n))
    assert_within(found, truth)


# How far above the truth the upper end may be where all sets are gone through: a lattice law stands for the noise.
NOISES = [(Geometric(scale=1.2), 1e-9), (Laplace(scale=1.5), 0.1), (Gaussian(scale=1.3), 0.2)]


@pytest.mark.lengthy
@pytest.mark.parametrize(("noise", "above"), NOISES)
@pytest.mark.parametrize("listed", [True, False])
def test_noise_is_within_its_enclosure(
    noise: Noise, above: float, listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 4 if noise.shape.gaussian else 6
    release = Release(Chain(n=n, initial=[0.4, 0.6], transition=[[0.6, 0.4], [0.25, 0.75]]), Count(), noise)
    for known in (1, n // 2):
        # So few people are gone through as one group: the independent answer, with its own noise.
        forget()
        truth = noiseless_delta(release, 0.3, share(known, n))
        with monkeypatch.context() as patch:
            forget()
            patch.setattr(known_groups, "written_out", too_large)
            if not listed:
                too_many(patch)
            found = noiseless_delta(release, 0.3, share(known, n))
        forget()
        assert truth.upper - truth.lower < 1e-8
        assert found.lower <= truth.upper + 1e-10
        assert truth.lower <= found.upper + 1e-10
        assert not listed or found.upper <= truth.upper * (1 + above) + 1e-10


GROUPS = [
    (2, ["3/5", "1/5", "1/10", "1/10"], 2),
    (3, ["1/2", "3/10", "1/5"], 3),
    slow((4, ["1/2", "3/10", "1/5"], 3)),
    slow((3, ["3/5", "1/5", "1/10", "1/10"], 2)),
    slow((2, ["1/2", "1/10", "1/10", "1/10", "1/5"], 3)),
    slow((3, ["2/5", "0", "1/5", "2/5"], 3)),
]


@pytest.mark.parametrize(("count", "infected", "known"), GROUPS)
@pytest.mark.usefixtures("by_chain")
def test_the_bound_of_groups_holds(count: int, infected: list[str], known: int) -> None:
    chances = [Fraction(each) for each in infected]
    joint = alike(count, chances)
    release = Release(Households(count=count, infected=[float(p) for p in chances]), Count(), NoNoise())
    people = count * (len(chances) - 1)
    for growth in (1, GROWTH, 4):
        truth = float(worst_places(joint, known, Fraction(growth)).delta)
        assert_within(noiseless_delta(release, log(growth), share(known, people)), truth)


def test_an_even_smaller_upper_end_would_be_too_small() -> None:
    """The reference tells an upper end below the truth from one above it."""
    step = [[Fraction(9, 10), Fraction(1, 10)], [Fraction(2, 10), Fraction(8, 10)]]
    worst = truth_of(6, step, [Fraction(2, 3), Fraction(1, 3)], 1, GROWTH)
    model = Chain(n=6, initial=[2 / 3, 1 / 3], transition=STICKY)
    nothing = noiseless_delta(Release(model, Count(), NoNoise()), log(1.5))
    assert nothing.upper < float(worst.delta)


# How close they are


def test_one_known_day_of_forty_is_exact() -> None:
    release = Release(Chain(n=40, initial=[2 / 3, 1 / 3], transition=STICKY), Count(), NoNoise())
    found = noiseless_delta(release, 1.0, share(1, 40))
    assert found.lower == pytest.approx(0.14453377, abs=1e-8)
    assert found.upper - found.lower < 1e-10


@pytest.mark.lengthy
@pytest.mark.parametrize("fraction", [0.1, 1 / 3, slow(0.5)])
@pytest.mark.parametrize("count", [50, slow(200), slow(1000)])
def test_fractions_of_households_are_enclosed_closely(count: int, fraction: float) -> None:
    release = Release(Households(count=count, infected=[0.6, 0.2, 0.1, 0.1]), Count(), NoNoise())
    found = dl.NoiselessPrivacy(delta=0.01, known_fraction=fraction).leakage(release)
    assert 0 < found.lower <= found.upper <= 1.5 * found.lower


@pytest.mark.lengthy
@pytest.mark.parametrize("fraction", [slow(0.1), 1 / 3, slow(0.5)])
@pytest.mark.parametrize("n", [200, slow(1000)])
def test_fractions_of_chains_are_enclosed_closely(n: int, fraction: float) -> None:
    model = Chain(n=n, initial=[9 / 17, 8 / 17], transition=[[0.6, 0.4], [0.45, 0.55]])
    release = Release(model, Count(), NoNoise())
    found = dl.NoiselessPrivacy(delta=0.01, known_fraction=fraction).leakage(release)
    assert 0 < found.lower <= found.upper <= 1.5 * found.lower


@pytest.mark.lengthy
@pytest.mark.parametrize("noise", [Geometric(scale=3.0), Laplace(scale=3.0), Gaussian(scale=3.0)])
def test_a_third_of_a_noised_chain_is_finite(noise: Noise) -> None:
    model = Chain(n=60, initial=[2 / 3, 1 / 3], transition=STICKY)
    found = noiseless_delta(Release(model, Count(), noise), 0.2, 1 / 3)
    assert 0 < found.lower <= found.upper < 0.5


def test_a_witness_names_the_nearest_known_records() -> None:
    model = Chain(n=40, initial=[2 / 3, 1 / 3], transition=STICKY)
    found = dl.NoiselessPrivacy(delta=0.1, known_fraction=share(1, 40)).leakage(Release(model, Count(), NoNoise()))
    assert found.witness is not None
    assert len(found.witness.known) == 1


# Coins


@st.composite
def laws(draw: st.DrawFn) -> Array:
    weights = np.array(draw(st.lists(st.integers(1, 20), min_size=2, max_size=5)), dtype=float)
    return np.asarray(weights / weights.sum())


@given(terms=st.lists(laws(), min_size=1, max_size=2), bases=st.lists(laws(), min_size=1, max_size=2),
       number=st.integers(1, 6), epsilon=st.floats(0, 2))  # fmt: skip
@draws(40)
def test_coins_bound_every_choice_of_terms(terms: list[Array], bases: list[Array], number: int, epsilon: float) -> None:
    coins = Coins.of(bases)
    contained = [coins.contained(term) for term in terms]
    views = Views(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    worth = number * min(each.mean for each in contained)
    rates = rates_for(worth)
    least = number * np.min([each.exponents(rates) for each in contained], axis=0)
    bound = WorstTerms(coins, views, np.zeros(1, dtype=np.int64), least[None], worth).delta(epsilon, np.ones(1))
    for choice in combinations_with_replacement(range(len(terms)), number):
        rest = np.ones(1)
        for at in choice:
            rest = np.convolve(rest, terms[at])
        assert views.deltas(epsilon, rest)[0] <= bound + 1e-11


@given(law=laws(), base=laws())
@draws(40)
def test_contained_coins_leave_a_law(law: Array, base: Array) -> None:
    found = Coins.of([base]).contained(law)
    assert np.all(found.chances >= 0)
    assert found.chances.sum() <= 1
    # So many coins vary no more than the law.
    places = np.arange(len(law))
    assert found.mean <= law @ (places - law @ places) ** 2 + 1e-9


@given(epsilon=st.floats(0.0, 1.5), scale=st.sampled_from([0.8, 1.3, 2.5]))
@draws(20)
def test_a_lattice_law_stands_for_normal_noise(epsilon: float, scale: float) -> None:
    """Shifted by one step, against the profile of a normal law (Balle and Wang 2018)."""
    found = lattice_noise(Gaussian(scale=scale), 1.0)
    assert found is not None
    views = Views(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    bound = found.factor * views.deltas(epsilon - found.shift, found.law)[0]
    half, threshold = 1 / (2 * scale), epsilon * scale
    exact = ndtr(half - threshold) - exp(epsilon) * ndtr(-half - threshold)
    assert exact <= bound


def test_many_draws_are_a_power() -> None:
    assert power(np.array([0.5, 0.5]), 4) == pytest.approx(np.array([1, 4, 6, 4, 1]) / 16)
