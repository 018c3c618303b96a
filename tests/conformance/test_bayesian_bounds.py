"""Where Bayesian differential privacy stands among the others, and what is said of groups too large to enumerate."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from dalenius.bounds import Enclosure
from dalenius.channel import Release, Secrets
from dalenius.knowledge.bayesian import BayesianPrivacy
from dalenius.knowledge.limits import MOST_CHAIN_CELLS, MOST_OUTCOMES
from dalenius.models import Chain, Households, Independent, Model, Network, Product, Table
from dalenius.noise import Gaussian, Geometric, Laplace, Noise, NoNoise
from dalenius.notions import DifferentialPrivacy, InferentialPrivacy
from dalenius.queries import Count, Query, Sum
from tests.conformance.comparison import assert_agrees, assert_contains, enclosure
from tests.conformance.strategies import models, noises, queries, sensible, sensible_if_few
from tests.conformance.table import PAIR, XOR
from tests.conformance.test_random import ONE_ANSWER, SCALES, assert_at_most, assert_same
from tests.pace import draws
from tests.small_limits import smaller

OPPOSITE = Table(records=((0, 1), (1, 0)), probabilities=(0.5, 0.5))
BIT_ROWS = ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1))


def bayesian(release: Release) -> Enclosure:
    return enclosure(BayesianPrivacy().leakage(release))


def differential(release: Release) -> Enclosure:
    return enclosure(DifferentialPrivacy().leakage(release))


@given(model=models(), query=ONE_ANSWER, noise=noises())
@draws(60)
def test_inferential_is_at_most_bayesian(model: Model, query: Query, noise: Noise) -> None:
    """IP §VII: nothing known is one of the sets."""
    sensible(model, query)
    release = Release(model, query, noise)
    assert_at_most(enclosure(InferentialPrivacy().leakage(release)), bayesian(release))


@given(weights=st.lists(st.floats(0.001, 1.0), min_size=8, max_size=8), noise=noises())
@draws(30)
def test_differential_is_at_most_bayesian_where_everything_is_possible(weights: list[float], noise: Noise) -> None:
    """Who knows everybody else tells neighbouring data sets apart."""
    model = Table(records=BIT_ROWS, probabilities=tuple(weight / sum(weights) for weight in weights))
    release = Release(model, Count(), noise)
    assert_at_most(differential(release), bayesian(release))


@pytest.mark.parametrize("noise", [Laplace(scale=1.0), Geometric(scale=1.0)])
def test_differential_is_no_bound_either_way(noise: Noise) -> None:
    for model, expected in ((PAIR, 2.0), (XOR, 2.0), (OPPOSITE, 0.0)):
        release = Release(model, Count(), noise)
        assert bayesian(release).middle == pytest.approx(expected, abs=1e-12)
        assert differential(release).middle == pytest.approx(1.0)


@given(probabilities=st.lists(st.floats(0.01, 0.99), min_size=1, max_size=6), noise=noises())
@draws(30)
def test_of_independent_records_it_is_differential_privacy(probabilities: list[float], noise: Noise) -> None:
    release = Release(Independent(probabilities=tuple(probabilities)), Count(), noise)
    assert_same(bayesian(release), differential(release))


@pytest.mark.parametrize("noise", [Laplace(), Geometric()])
@given(model=models(6), query=ONE_ANSWER)
@draws(20)
def test_more_noise_never_leaks_more(noise: Noise, model: Model, query: Query) -> None:
    sensible(model, query)
    release = Release(model, query, noise.with_scale(1.0))
    found = [bayesian(release.with_noise(noise.with_scale(scale))) for scale in SCALES]
    for before, after in pairwise(found):
        assert_at_most(after, before)


@given(model=models(4), other=models(4), noise=noises().filter(lambda noise: noise.kind != "geometric"))
@draws(40)
def test_independent_others_hide_nothing(model: Model, other: Model, noise: Noise) -> None:
    """They may all be known: unlike every other notion, this one does not profit from them."""
    sensible(model, Count())
    alone, beside = (Release(each, Count(), noise) for each in (model, Product(parts=(model, other))))
    assert_at_most(bayesian(alone), bayesian(beside))


def test_normal_noise_hides_nothing_from_who_knows_the_rest() -> None:
    """Far out, the largest answer decides."""
    assert bayesian(Release(PAIR, Count(), Gaussian(scale=5.0))).lower == float("inf")
    assert bayesian(Release(OPPOSITE, Count(), Gaussian(scale=5.0))) == (0.0, 0.0)


def test_people_asked_about_are_found_in_whatever_part_they_are() -> None:
    """Alike are 1 and 2, 3 and 4, in different components: the first of the second class is not in the first one."""
    first = {"values": [0, 1], "probabilities": [[0.5, 0.5]]}
    second = {"values": [0, 1], "probabilities": [[0.9, 0.1], [0.1, 0.9]]}
    nodes = [{"name": "a", **first}, {"name": "b", **first}, {"name": "c", "parents": ["b"], **second}]
    network = Network(nodes=[*nodes, {"name": "d", "parents": ["a"], **second}])
    everybody = bayesian(Release(network, Count(), Laplace(scale=1.0)))
    for person in (1, 2, 3, 4):
        asked = bayesian(Release(network, Count(), Laplace(scale=1.0), Secrets(people=(person,))))
        assert_same(asked, everybody)


def test_a_quarter_million_households_are_as_one() -> None:
    one, many = (Households(count=count, infected=[0.9, 0.02, 0.02, 0.01, 0.05]) for count in (1, 250_000))
    assert bayesian(Release(one, Count(), Geometric(scale=1.0))) == bayesian(
        Release(many, Count(), Geometric(scale=1.0))
    )


@given(model=models(5), query=queries(), noise=noises())
@draws(40)
def test_what_is_too_large_is_bounded(model: Model, query: Query, noise: Noise) -> None:
    truth = sensible_if_few(model, query, noise)
    release = Release(model, query, noise)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dalenius.knowledge.any_records.MOST_OUTCOMES", smaller(MOST_OUTCOMES, 1))
        found = bayesian(release)
    assert_contains(found, truth.bayesian.leakage.value)


def test_a_bound_is_said_to_be_one() -> None:
    crowd = Households(count=3, infected=[0.5] + [0.0] * 29 + [0.5])
    leakage = BayesianPrivacy().leakage(Release(crowd, Count(), Laplace(scale=10.0)))
    assert leakage.upper == pytest.approx(3.0)
    assert leakage.lower < leakage.upper
    assert leakage.witness is not None
    assert leakage.witness.known == {}


def test_the_most_that_is_enumerated() -> None:
    """Twelve people in a chain: every set of the others, 3^11 for each."""
    chain = Chain(n=12, transition=[[0.8, 0.2], [0.4, 0.6]], initial=[0.5, 0.5])
    leakage = BayesianPrivacy().leakage(Release(chain, Count(), Geometric(scale=1.0)))
    assert leakage.upper - leakage.lower < 1e-9
    assert leakage.epsilon == pytest.approx(2.294334441742, abs=1e-11)
    assert leakage.epsilon > InferentialPrivacy().leakage(Release(chain, Count(), Geometric(scale=1.0))).epsilon


@st.composite
def even_chains(draw: st.DrawFn, most: int) -> Chain:
    """Every step possible; the first record may be certain."""
    rows = st.lists(st.floats(0.02, 1.0), min_size=2, max_size=3)
    first = draw(rows)
    steps = [draw(rows.filter(lambda row: len(row) == len(first))) for _ in first]
    initial = [1.0] + [0.0] * (len(first) - 1) if draw(st.booleans()) else [w / sum(first) for w in first]
    transition = [[w / sum(row) for w in row] for row in steps]
    return Chain(n=draw(st.integers(2, most)), values=(0, 1, 3)[: len(first)], transition=transition, initial=initial)


@given(chain=even_chains(5), query=st.sampled_from([Sum(), Count()]), noise=noises())
@draws(40)
def test_along_a_chain(chain: Chain, query: Query, noise: Noise) -> None:
    """Only the nearest known records on both sides matter."""
    truth = sensible_if_few(chain, query, noise)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dalenius.knowledge.bayesian.LISTED_PEOPLE", 0)
        assert_agrees(bayesian(Release(chain, query, noise)), truth.bayesian.leakage.value)


@given(chain=even_chains(7), noise=noises(), cells=st.sampled_from([40, 200, 1000]))
@draws(40)
def test_a_chain_cut_short_is_bounded(chain: Chain, noise: Noise, cells: int) -> None:
    release = Release(chain, Sum(), noise)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dalenius.knowledge.bayesian.LISTED_PEOPLE", 7)
        exact = bayesian(release)
        patch.setattr("dalenius.knowledge.bayesian.LISTED_PEOPLE", 0)
        patch.setattr("dalenius.knowledge.chain.MOST_CHAIN_CELLS", smaller(MOST_CHAIN_CELLS, cells))
        cut = bayesian(release)
    assert cut.lower <= exact.upper
    assert cut.upper >= exact.lower


def test_a_long_chain_is_known_to_seven_digits() -> None:
    chain = Chain(n=5_000, transition=[[0.8, 0.2], [0.2, 0.8]], initial=[0.5, 0.5])
    found = bayesian(Release(chain, Count(), Laplace(scale=2.0)))
    assert found.upper - found.lower < 1e-7 * found.lower


def test_without_noise_it_is_infinite_unless_the_answer_is_certain() -> None:
    assert bayesian(Release(PAIR, Sum(), NoNoise())).lower == float("inf")
    assert bayesian(Release(OPPOSITE, Sum(), NoNoise())) == (0.0, 0.0)
