"""Bayesian differential privacy: random small releases against brute force."""

from itertools import product

import pytest
from hypothesis import assume, given, strategies as st

from dalenius.channel import Release, Secrets
from dalenius.knowledge.bayesian import BayesianPrivacy
from dalenius.models import Chain, Model, Table
from dalenius.noise import Noise
from dalenius.queries import Count, Query, Sum
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.strategies import FEW, models, noises, queries, sensible_if_few
from tests.conformance.truth import Truth, exact
from tests.pace import draws
from tests.reference.bayesian import between, known_sets
from tests.reference.channel import Real, mp

ONE_GROUP = models(FEW).filter(lambda model: isinstance(model, Table | Chain))


@given(model=models(FEW), query=queries(), noise=noises())
@draws(120)
def test_small_populations(model: Model, query: Query, noise: Noise) -> None:
    truth = sensible_if_few(model, query, noise)
    with mp.workdps(40):
        assert_agrees(enclosure(BayesianPrivacy().leakage(Release(model, query, noise))), truth.bayesian.leakage.value)


@given(model=models(3), noise=noises())
@draws(20)
def test_a_near_lie_is_rejected(model: Model, noise: Noise) -> None:
    truth = sensible_if_few(model, Count(), noise).bayesian.leakage.value
    assume(0 < truth < mp.inf)
    for lie in (truth * (1 + mp.mpf("1e-7")), truth * (1 - mp.mpf("1e-7"))):
        with pytest.raises(AssertionError):
            assert_agrees(enclosure(BayesianPrivacy().leakage(Release(model, Count(), noise))), lie, tight=False)


def worst_of_pairs(truth: Truth, person: int, pairs: tuple[tuple[int, int], ...]) -> Real:
    """The reference's, for one person and these pairs of values only."""
    (world,), (asked,), noise = truth.worlds, truth.asked, truth.reference_noise
    known = known_sets(world.joint, person)
    return max(between(world.joint, asked.score, noise, person, *each).value for each in product(known, pairs))


@given(model=models(4), noise=noises(), data=st.data())
@draws(40)
def test_only_the_people_and_the_pairs_asked_about(model: Model, noise: Noise, data: st.DataObject) -> None:
    truth = sensible_if_few(model, Sum(), noise)
    (world,) = truth.worlds
    person = data.draw(st.integers(1, len(world.people)))
    values = world.people[person - 1].values
    assume(len(values) > 1)
    pair = data.draw(st.permutations(values).map(lambda order: tuple(order[:2])))
    release = Release(model, Sum(), noise, Secrets(people=(person,), pairs=(pair,)))
    with mp.workdps(40):
        assert_agrees(enclosure(BayesianPrivacy().leakage(release)), worst_of_pairs(truth, person - 1, (pair,)))


@given(model=ONE_GROUP, query=queries(per_label=st.just(False)), noise=noises())
@draws(40)
def test_witnesses_tell_the_truth(model: Model, query: Query, noise: Noise) -> None:
    """Knowing what they know, that output does tell these values apart by so much."""
    truth = sensible_if_few(model, query, noise)
    leakage = BayesianPrivacy().leakage(Release(model, query, noise))
    if (witness := leakage.witness) is None:
        assert leakage.upper == 0
        return
    known = {person - 1: value for person, value in witness.known.items()}
    assert witness.person not in witness.known
    step = truth.asked[0].steps[0]
    output = tuple(round(float(coordinate) / step) * step for coordinate in witness.output or ())
    shown = truth.told(witness.person - 1, known, output)
    value = mp.log(shown[witness.secret] / shown[witness.against]) if shown[witness.against] else mp.inf
    assert value == leakage.upper or abs(value - exact(leakage.epsilon)) <= 1e-8 * abs(value) + 1e-12
