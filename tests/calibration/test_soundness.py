"""A method that says it is sound keeps its promise: on random models, not by assertion."""

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import assume, given, strategies as st

import dalenius as dl
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.queries import Query
from tests.conformance.scores import Unfit
from tests.conformance.strategies import chains, models, queries
from tests.conformance.table import PAIR, XOR, truth_of
from tests.pace import draws

PUBLISHED = [method.name for method in dl.METHODS if not method.reads_channel]
EPSILONS = st.sampled_from([0.1, 0.5, 0.8, 1.0, 2.5, 6.0])
KINDS: tuple[Callable[..., Notion], ...] = (
    dl.InferentialPrivacy,
    dl.InferentialPrivacy,
    dl.InferentialPrivacy,
    dl.InformationPrivacy,
    dl.RelativeEntropyPrivacy,
    dl.MutualInformationPrivacy,
    dl.MinEntropyPrivacy,
    dl.DifferentialPrivacy,
    partial(dl.InferentialPrivacy, delta=0.05),
)
NOTIONS: st.SearchStrategy[Notion] = st.builds(
    lambda kind, epsilon: kind(epsilon=epsilon), st.sampled_from(KINDS), EPSILONS
)
NOISES: st.SearchStrategy[Noise] = st.sampled_from([dl.Laplace(), dl.Geometric()])


def keeps_what_it_says(model: Model, query: Query, noise: Noise, notion: Notion) -> None:
    try:
        truth_of(model, query, dl.NoNoise())
    except Unfit:
        assume(False)
    release = dl.Release(model, query, noise)
    epsilon = notion.epsilon
    assert epsilon is not None
    for name in PUBLISHED:
        try:
            found = dl.calibrate(release, notion, name)
        except dl.DaleniusError:
            continue
        if found.sound:
            assert found.leakage.upper <= epsilon * (1 + 1e-9), name


@draws(200)
@given(model=models(7), query=queries(), noise=NOISES, notion=NOTIONS)
def test_what_is_called_sound_is(model: Model, query: Query, noise: Noise, notion: Notion) -> None:
    keeps_what_it_says(model, query, noise, notion)


@pytest.mark.slow
@draws(1000)
@given(model=st.one_of(models(8), chains(8)), query=queries(), noise=NOISES, notion=NOTIONS)
def test_what_is_called_sound_is_a_thousand_times(model: Model, query: Query, noise: Noise, notion: Notion) -> None:
    keeps_what_it_says(model, query, noise, notion)


@draws(40)
@given(model=models(4), query=queries(per_label=st.just(False)), noise=NOISES, epsilon=EPSILONS)
def test_sound_whatever_else_is_known(model: Model, query: Query, noise: Noise, epsilon: float) -> None:
    keeps_what_it_says(model, query, noise, dl.BayesianPrivacy(epsilon=epsilon))


@draws(60)
@given(model=chains(6), noise=NOISES, notion=NOTIONS, data=st.data())
def test_sound_for_some_secrets(model: Model, noise: Noise, notion: Notion, data: st.DataObject) -> None:
    """Pairs of values are what inferential privacy is about; other notions are about every value."""
    assert isinstance(model, dl.Chain)
    values = list(range(len(model.transition))) if model.values is None else list(model.values)
    pair = tuple(data.draw(st.permutations(values))[:2])
    release = dl.Release(model, dl.Sum(), noise, dl.Secrets(pairs=(pair,), people=(1,)))
    assert notion.epsilon is not None
    for name in PUBLISHED:
        try:
            found = dl.calibrate(release, notion, name)
        except dl.DaleniusError:
            continue
        assert not found.sound or found.leakage.upper <= notion.epsilon * (1 + 1e-9), name


def test_the_test_can_fail() -> None:
    """What is not sound does exceed its promise somewhere, so that calling it sound would be noticed."""
    rare = 0.01 * 20 / 21
    household = dl.Households(count=1, infected=[0.99, rare, *[0.0] * 18, 0.01 - rare])
    notion = dl.InferentialPrivacy(epsilon=1)
    for name in ("independent", "dependence_coefficient", "correlated_sensitivity"):
        assert dl.calibrate(dl.Release(household, dl.Count(), dl.Laplace()), notion, name).leakage.lower > 1.3
    assert dl.calibrate(dl.Release(XOR, dl.Sum(), dl.Laplace()), notion, "dependence_coefficient").leakage.lower > 1.4


def test_some_methods_are_tight_somewhere() -> None:
    """A thousandth less noise breaks the promise: of two equal records, or of a chain with nothing to part."""
    fair = dl.Chain(n=8, transition=[[0.5, 0.5], [0.5, 0.5]], initial="stationary")
    notion = dl.InferentialPrivacy(epsilon=1)
    for name, model in (("group", PAIR), ("wasserstein", PAIR), ("markov_quilt", fair)):
        release = dl.Release(model, dl.Sum(), dl.Laplace())
        found = dl.calibrate(release, notion, name)
        less = found.noise.with_scale(found.noise.known_scale() * 0.999)
        assert notion.leakage(release.with_noise(less)).lower > 1
