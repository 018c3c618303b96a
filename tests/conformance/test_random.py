"""Random small releases against the reference, by every engine.

What must hold of every release: no reference needed but for the witness.
"""

from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings, strategies as st

from dalenius.bounds import Enclosure
from dalenius.channel import Release, Secrets
from dalenius.models import AnyOf, Chain, Groups, Households, HouseholdType, Independent, Model, Product, Table
from dalenius.noise import Geometric, Laplace, Noise, NoNoise
from dalenius.notions import (
    ALL_NOTIONS,
    InferentialPrivacy,
    InformationPrivacy,
    Notion,
    RelativeEntropyPrivacy,
    delta_of,
)
from dalenius.queries import Count, Query, Sum
from tests.conformance.compare import compare
from tests.conformance.comparison import enclosure
from tests.conformance.strategies import distributions, mixtures, models, noises, queries, sensible, tables
from tests.conformance.table import truth_of, worlds_of
from tests.conformance.truth import Truth, exact
from tests.pace import draws
from tests.reference.channel import log_ratio, mp

SUMS = frozenset(
    {
        *("mutual information", "min-entropy", "gini", "g-leakage of one guess", "g-leakage of two"),
        *("delta at 0", "delta", "information delta", "renyi", "renyi of order 1.25"),
    }
)


GIVEN = frozenset({"mutual information given", "noiseless, half known"})
"""Given records the tilted transforms leave mass unresolved that they resolve without: wide, and held elsewhere to how
wide."""


def _slow(truth: Truth) -> frozenset[str]:
    """What the reference takes seconds for; the table has examples of it."""
    if not truth.summable:
        return SUMS
    return frozenset() if truth.quick else frozenset({"mutual information", "gini", "renyi", "renyi of order 1.25"})


@pytest.mark.lengthy
@given(asked=st.tuples(models(), queries()) | st.tuples(models(5), mixtures()), noise=noises())
@draws(230)
def test_exact_engines(asked: tuple[Model, Query], noise: Noise) -> None:
    """Of one answer or of several alike, and of extremes beside each other and sums."""
    model, query = asked
    truth = sensible(model, query, noise)
    with mp.workdps(40):
        for engine in ("enumeration", "convolution"):
            compare(model, query, noise, engine, truth, but=_slow(truth))


ALL_BUT_CERTAIN = Groups(
    types=(
        {"count": 1, "records": [[0], [1]], "probabilities": [0.0, 1.0]},
        {"count": 1, "records": [[0], [2]], "probabilities": [0.9999999999989999, 9.99999999999e-13]},
    )
)
"""Answers forty scales from each other, between which the posterior turns over within one."""

CERTAIN_TO_TWELVE_DIGITS = Chain(
    n=2,
    transition=((0.9999999999989999, 9.99999999999e-13), (0.0, 1.0)),
    initial=(9.99999999999e-13, 0.9999999999989999),
)
"""Of one answer the probability is not resolved, and all that is known is the entropy of the records."""


@pytest.mark.lengthy
@given(model=models(), query=queries(per_label=st.just(False)), noise=noises())
@example(model=CERTAIN_TO_TWELVE_DIGITS, query=Count(), noise=NoNoise())
@example(model=ALL_BUT_CERTAIN, query=Sum(), noise=Laplace(scale=0.05))
@draws(100)
def test_tilting(model: Model, query: Query, noise: Noise) -> None:
    truth = sensible(model, query, noise)
    assume(truth.one_sum)
    with mp.workdps(40):
        compare(model, query, noise, "tilting", truth, tight=truth.even, but=_slow(truth), loose=GIVEN)


ONE_ANSWER = queries(per_label=st.just(False))
SCALES = (0.05, 0.2, 0.7, 1.0, 1.8, 5.0, 50.0)
APPROXIMATE = InferentialPrivacy(delta=0.03)
MOSTLY = InformationPrivacy(delta=0.03)
EVERYTHING: tuple[Notion, ...] = (*ALL_NOTIONS, APPROXIMATE)


COMPANIONS: dict[type[Notion], tuple[str, ...]] = {
    InformationPrivacy: ("two_sided",),
    RelativeEntropyPrivacy: ("reverse",),
}


def numbers(release: Release, notions: tuple[Notion, ...] = ALL_NOTIONS) -> list[Enclosure]:
    """Every notion's, its companions after it."""
    found = []
    for notion in notions:
        leakage = notion.leakage(release)
        found += [enclosure(leakage, name) for name in (None, *COMPANIONS.get(type(notion), ()))]
    return found


def raising(release: Release, epsilon: float) -> Enclosure:
    """δ of information privacy; 0 where no record moves the answer."""
    return InformationPrivacy().least_delta(release, epsilon) or Enclosure(0.0, 0.0)


def assert_at_most(less: Enclosure, more: Enclosure) -> None:
    """No contradiction between the enclosures, nor between the numbers to nine digits."""
    assert less.lower <= more.upper
    assert less.middle <= more.middle * (1 + 1e-9) + 1e-12


def assert_same(one: Enclosure, other: Enclosure) -> None:
    assert_at_most(one, other)
    assert_at_most(other, one)


@pytest.mark.lengthy
@pytest.mark.parametrize("noise", [Laplace(), Geometric()])
@given(model=models(), query=ONE_ANSWER)
@draws(25)
def test_more_noise_never_leaks_more(noise: Noise, model: Model, query: Query) -> None:
    sensible(model, query)
    release = Release(model, query, noise.with_scale(1.0))
    sweep = [release.with_noise(noise.with_scale(scale)) for scale in SCALES]
    found = [[*numbers(each, EVERYTHING), delta_of(each, 0.2), raising(each, 0.2)] for each in sweep]
    for less_noise, more_noise in pairwise(found):
        for before, after in zip(less_noise, more_noise, strict=True):
            assert_at_most(after, before)


@given(model=models(), query=ONE_ANSWER, noise=noises())
@draws(60)
def test_notions_are_ordered(model: Model, query: Query, noise: Noise) -> None:
    """IP Prop 1, and approximate privacy asks for less than pure."""
    sensible(model, query)
    release = Release(model, query, noise)
    _, inferential, information, two_sided, entropy, reverse, mutual, guess, *_ = numbers(release)
    for less, more in pairwise([mutual, entropy, information, two_sided, inferential]):
        assert_at_most(less, more)
    assert_at_most(reverse, inferential)
    assert_at_most(guess, information)
    assert_at_most(enclosure(APPROXIMATE.leakage(release)), inferential)
    assert_at_most(enclosure(MOSTLY.leakage(release)), information)
    assert_at_most(enclosure(MOSTLY.leakage(release)), enclosure(APPROXIMATE.leakage(release)))
    for epsilon in (0.0, 0.5):
        assert_at_most(raising(release, epsilon), delta_of(release, epsilon))


PAIRS_OF_BITS = st.one_of(
    st.lists(distributions(2), min_size=2, max_size=2).map(lambda rows: Independent(probabilities=rows)),
    distributions(4).map(lambda p: Table(records=((0, 0), (0, 1), (1, 0), (1, 1)), probabilities=tuple(p))),
    distributions(3).map(lambda infected: Households(count=1, infected=tuple(infected))),
)


@given(one=PAIRS_OF_BITS, other=PAIRS_OF_BITS, noise=noises())
@draws(40)
def test_any_is_the_worst_of_its_models(one: Model, other: Model, noise: Noise) -> None:
    both = numbers(Release(AnyOf(models=(one, other)), Count(), noise), EVERYTHING)
    alone = [numbers(Release(model, Count(), noise), EVERYTHING) for model in (one, other)]
    for found, first, second in zip(both, *alone, strict=True):
        assert found == (max(first.lower, second.lower), max(first.upper, second.upper))


@given(model=models(4), other=models(4), noise=noises())
@draws(40)
def test_independent_others_hide(model: Model, other: Model, noise: Noise) -> None:
    """Adding an independent number to the answer is a post-processing of it."""
    sensible(model, Count())
    everybody = Secrets(people=tuple(range(1, len(worlds_of(model)[0].people) + 1)))
    alone = Release(model, Sum(), noise, everybody)
    beside = Release(Product(parts=(model, other)), Sum(), noise, everybody)
    if noise.kind == "geometric":  # its lattice may become finer beside others
        assume(alone.lattice == beside.lattice)
    for less, more in zip(numbers(beside), numbers(alone), strict=True):
        assert_at_most(less, more)


@st.composite
def populations(draw: st.DrawFn) -> Model:
    """Up to about two hundred people, none of whose households has a hole in its law."""
    types = []
    for _ in range(draw(st.integers(1, 3))):
        weights = draw(st.lists(st.floats(0.05, 1.0), min_size=2, max_size=6))
        total = sum(weights)
        types.append(HouseholdType(count=draw(st.integers(1, 15)), infected=tuple(w / total for w in weights)))
    return Households(types=tuple(types))


@given(model=populations(), scale=st.sampled_from(SCALES))
@draws(15)
def test_engines_agree(model: Model, scale: float) -> None:
    for noise in (Laplace(scale=scale), Geometric(scale=scale)):
        by_engine = [numbers(Release(model, Count(), noise, engine=e)) for e in ("convolution", "tilting")]
        for one, other in zip(*by_engine, strict=True):
            assert_same(one, other)


@given(model=tables(4), noise=noises(), data=st.data())
@draws(40)
def test_people_may_be_renamed(model: Table, noise: Noise, data: st.DataObject) -> None:
    sensible(model, Count())
    order = data.draw(st.permutations(range(len(model.records[0]))))
    renamed = Table(
        records=tuple(tuple(row[i] for i in order) for row in model.records), probabilities=model.probabilities
    )
    for new, old in enumerate(order, 1):
        one = numbers(Release(model, Count(), noise, Secrets(people=(old + 1,))))
        other = numbers(Release(renamed, Count(), noise, Secrets(people=(new,))))
        for before, after in zip(one, other, strict=True):
            assert_same(before, after)


def test_people_keep_their_numbers() -> None:
    model = Independent(probabilities=[0.1, 0.2, 0.1])
    for person, p in ((1, 0.1), (2, 0.2), (3, 0.1)):
        release = Release(model, Count(), Laplace(scale=1.0), Secrets(people=(person,)))
        alone = Release(Independent(probabilities=[p, 0.1, 0.3 - p]), Count(), Laplace(scale=1.0), Secrets(people=(1,)))
        (one,), (other,) = [list(each.channels()) for each in (release, alone)]
        assert list(one.log_prior) == pytest.approx(list(other.log_prior))


@given(
    model=models(6).filter(lambda model: isinstance(model, Table | Groups | Households)),
    query=ONE_ANSWER,
    noise=noises(),
)
@draws(60)
def test_witnesses_tell_the_truth(model: Model, query: Query, noise: Noise) -> None:
    """The person, secrets and output named do leak what is said."""
    sensible(model, query)
    release, truth = Release(model, query, noise), truth_of(model, query, noise)
    for notion in (InferentialPrivacy(), InformationPrivacy(), RelativeEntropyPrivacy()):
        leakage = notion.leakage(release)
        witness = leakage.witness
        if witness is None or witness.output is None:
            assert leakage.upper == 0
            continue
        channel = truth.people[0][witness.person - 1]
        step = truth.asked[0].steps[0]
        output = [round(float(coordinate) / step) * step for coordinate in witness.output]
        likelihood = channel.likelihoods(output)
        mixture = channel.mixture(likelihood)
        match notion:
            case InferentialPrivacy():
                shown = log_ratio(likelihood[witness.secret], likelihood[witness.against])
            case InformationPrivacy():
                shown = log_ratio(likelihood[witness.secret], mixture)
            case _:
                posterior = {s: channel.weights[s] * w / mixture for s, w in likelihood.items()}
                shown = mp.fsum(p * mp.log(p / channel.weights[s]) for s, p in posterior.items() if p)
        if shown == mp.inf:
            assert leakage.upper == mp.inf
        else:
            assert abs(shown - exact(leakage.epsilon)) <= 1e-8 * abs(shown) + 1e-12


@given(p=distributions(2))
@settings(max_examples=5)
def test_nothing_asked_nothing_told(p: list[float]) -> None:
    """A query of one label says nothing of people in other households."""
    types = (
        HouseholdType(count=2, infected=tuple(p), members={"asked": 1}),
        HouseholdType(count=1, infected=(0.5, 0.5), members={"spared": 1}),
    )
    release = Release(Households(types=types), Count(labels=("asked",)), Laplace(scale=1.0), Secrets(people=(3,)))
    assert all(found == (0.0, 0.0) for found in numbers(release))
