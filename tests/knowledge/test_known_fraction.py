"""What may be known of others: every rule against every set of known records and all their values."""

from functools import partial
from itertools import product

import pytest
from hypothesis import assume, given, strategies as st

from dalenius.channel import Release
from dalenius.errors import TooLarge
from dalenius.knowledge import known_groups
from dalenius.knowledge.noiseless import noiseless_delta
from dalenius.models import Chain, Groups, GroupType, Households, Independent, Model, Product
from dalenius.noise import Geometric, Noise, NoNoise
from dalenius.queries import Count, Query, Sum
from tests.conformance.comparison import assert_agrees, assert_contains
from tests.conformance.strategies import FEW, group_models, independents, models, queries, sensible_if_few
from tests.conformance.table import truth_of
from tests.conformance.truth import Truth
from tests.pace import draws, slow
from tests.reference import leakages
from tests.reference.bayesian import Knowing
from tests.reference.channel import Real, mp
from tests.reference.noiseless import worst_known

NOISES = st.sampled_from([NoNoise(), NoNoise(), Geometric(scale=1.2)])
EPSILONS = st.sampled_from([0.0, 0.3, 1.1])


def people_of(truth: Truth) -> int:
    return len(truth.worlds[0].people)


def fraction_of(known: int, people: int) -> float:
    return (known + 0.5) / people


@pytest.mark.lengthy
@given(model=models(FEW), query=queries(), noise=NOISES, epsilon=EPSILONS, data=st.data())
@draws(120)
def test_small_populations(model: Model, query: Query, noise: Noise, epsilon: float, data: st.DataObject) -> None:
    truth = sensible_if_few(model, query, noise)
    assume(truth.summable)
    known = data.draw(st.integers(0, people_of(truth) - 1))
    fraction = fraction_of(known, people_of(truth))
    with mp.workdps(40):
        assert_agrees(
            noiseless_delta(Release(model, query, noise), epsilon, fraction), truth.noiseless(epsilon, fraction)
        )


@given(model=st.one_of(independents(FEW), group_models(FEW)), epsilon=EPSILONS, data=st.data())
@draws(60)
def test_a_near_lie_is_rejected(model: Model, epsilon: float, data: st.DataObject) -> None:
    truth = sensible_if_few(model, Count(), NoNoise())
    fraction = fraction_of(data.draw(st.integers(0, people_of(truth) - 1)), people_of(truth))
    exact = truth.noiseless(epsilon, fraction)
    assume(exact > 1e-3)
    found = noiseless_delta(Release(model, Count(), NoNoise()), epsilon, fraction)
    for lie in (exact * (1 + mp.mpf("1e-7")), exact * (1 - mp.mpf("1e-7"))):
        with pytest.raises(AssertionError):
            assert_contains(found, lie)


LARGER = {
    "two kinds of bits": Independent(probabilities=[0.3, 0.3, 0.3, 0.05, 0.05, 0.05, 0.5]),
    "groups of several sizes": Groups(
        types=[
            GroupType(count=2, records=[[0, 0], [1, 0], [1, 2]], probabilities=[0.5, 0.3, 0.2]),
            GroupType(count=3, records=[[0], [1]], probabilities=[0.6, 0.4]),
        ]
    ),
    "two households": Households(count=2, infected=[0.6, 0.2, 0.05, 0.15]),
    "parts": Product(
        parts=[Independent(n=3, probabilities=[0.2]), Households(count=2, infected=[0.7, 0.1, 0.2])]
    ),
}  # fmt: skip


def every_set(model: Model, known: int, epsilon: float) -> Real:
    truth = truth_of(model, Sum(), NoNoise())
    measure = partial(leakages.delta, epsilon=epsilon)
    with mp.workdps(20):
        return worst_known(Knowing(truth.worlds[0].joint, truth.asked[0].score, truth.reference_noise), known, measure)


@pytest.mark.parametrize(("name", "known"), [*((name, 1) for name in LARGER), slow(("two households", 2))])
def test_groups_against_every_known_set(name: str, known: int) -> None:
    model = LARGER[name]
    people = people_of(truth_of(model, Sum(), NoNoise()))
    found = noiseless_delta(Release(model, Sum(), NoNoise()), 0.3, fraction_of(known, people))
    assert_agrees(found, every_set(model, known, 0.3))


def too_large(*given: object) -> None:
    raise TooLarge("this law", "so many", "make it smaller")


@pytest.mark.parametrize("known", [1, slow(2)])
def test_the_bound_holds_where_sets_are_not_gone_through(monkeypatch: pytest.MonkeyPatch, known: int) -> None:
    model = Chain(n=6, initial=[0.4, 0.6], transition=[[0.6, 0.4], [0.45, 0.55]])
    for noise, epsilon in product((NoNoise(), Geometric(scale=1.2)), (0.0, 0.3, 1.0)):
        release = Release(model, Count(), noise)
        truth = noiseless_delta(release, epsilon, fraction_of(known, 6))
        with monkeypatch.context() as patch:
            # Kept groups are those that were written out.
            known_groups.groups_of.cache_clear()
            patch.setattr(known_groups, "written_out", too_large)
            found = noiseless_delta(release, epsilon, fraction_of(known, 6))
        assert truth.upper - truth.lower < 1e-11
        assert found.lower <= truth.lower <= truth.upper <= found.upper + 1e-15
