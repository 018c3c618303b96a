"""Mutual information given some people's records, against enumeration; and given public labels."""

import pytest

import dalenius as dl
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.queries import Query
from tests.conformance.comparison import assert_contains, enclosure
from tests.conformance.table import FAMILY, MODELS, PAIR, XOR, examples, truth_of
from tests.conformance.truth import Truth
from tests.reference import leakages
from tests.reference.bayesian import given
from tests.reference.channel import Real, channel, mp

CASES: dict[str, tuple[Model, Query, Noise, tuple[int, ...]]] = {
    "exclusive or": (XOR, dl.Count(), dl.Laplace(scale=0.7), (3, 1)),
    "labels, geometric": (FAMILY, dl.Count(), dl.Geometric(scale=1.3), (2, 3)),
    "kernel": (PAIR, dl.Count(), dl.Kernel(answers=[0, 2], probabilities=[[0.75, 0.25], [0.5, 0.5]]), (1,)),
    "chain, two": (examples(MODELS)["chain of three values"], dl.Sum(), dl.NoNoise(), (1, 3)),
    "normal noise": (PAIR, dl.Count(), dl.Gaussian(scale=1.0), (2,)),
    "network": (examples(MODELS)["diamond"], dl.Count(), dl.NoNoise(), (1, 4)),
    "product": (dl.Product(parts=[XOR, PAIR]), dl.Sum(), dl.Geometric(scale=1.3), (1, 5)),
    "any": (
        dl.Any(models=[PAIR, dl.Independent(n=2, probabilities=[0.25])]),
        dl.Count(),
        dl.Geometric(scale=1.0),
        (1,),
    ),
}


def by_enumeration(truth: Truth, people: tuple[int, ...]) -> Real:
    """Σ Pr[x_K] I(X_i; Y | x_K), the largest over i outside K."""
    found = [mp.zero]
    for world, each in zip(truth.worlds, truth.asked, strict=True):
        places = [person - 1 for person in people]
        values = {tuple(row[place] for place in places) for row, chance in world.joint.items() if chance}
        for person in set(range(len(world.people))) - set(places):
            total = mp.zero
            for known in values:
                told = dict(zip(places, known, strict=True))
                mass = sum(p for row, p in world.joint.items() if all(row[at] == v for at, v in told.items()))
                own = channel(given(world.joint, told), each.score, person, truth.reference_noise)
                total += mp.mpf(mass.numerator) / mass.denominator * leakages.mutual_information(own).value
            found.append(total)
    return max(found)


@pytest.mark.parametrize("name", CASES)
def test_against_enumeration(name: str) -> None:
    model, query, noise, people = CASES[name]
    leakage = dl.MutualInformationPrivacy(given=people).leakage(dl.Release(model, query, noise))
    with mp.workdps(30):
        wanted = by_enumeration(truth_of(model, query, noise), people)
    found = enclosure(leakage)
    assert_contains(found, wanted)
    assert found.upper - found.lower <= (1e-9 if noise.light_tailed else 1e-12)


def test_it_may_be_more_or_less_than_without() -> None:
    """Two equal records, one of which is known: nothing. Exclusive or of three: a bit, and nothing without."""
    equal, odd = dl.Release(PAIR, dl.Count(), dl.NoNoise()), dl.Release(XOR, dl.Count(values=[1]), dl.NoNoise())
    assert dl.MutualInformationPrivacy(given=[1]).leakage(equal).upper <= 1e-12
    assert dl.MutualInformationPrivacy().leakage(equal).lower > 0.3
    both = dl.MutualInformationPrivacy(given=[1, 2]).leakage(odd)
    assert both.upper <= 1e-12
    one = dl.MutualInformationPrivacy(given=[1]).leakage(odd)
    assert one.lower > dl.MutualInformationPrivacy().leakage(odd).upper
