"""Mutual information given some people's records, against enumeration; and given public labels."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from dalenius import (
    Adversary,
    Chain,
    Count,
    Gaussian,
    Geometric,
    Independent,
    Kernel,
    Laplace,
    MutualInformationPrivacy,
    NoNoise,
    Release,
    Secrets,
    Sum,
)
from dalenius.models import Any as AnyOf, Model, Product
from dalenius.noise import Noise
from dalenius.queries import Query
from tests.conformance.comparison import assert_contains, enclosure
from tests.conformance.table import FAMILY, MODELS, PAIR, XOR, examples, truth_of
from tests.conformance.truth import Truth
from tests.reference import leakages
from tests.reference.bayesian import given
from tests.reference.channel import Real, channel, mp

CASES: dict[str, tuple[Model, Query, Noise, tuple[int, ...]]] = {
    "exclusive or": (XOR, Count(), Laplace(scale=0.7), (3, 1)),
    "labels, geometric": (FAMILY, Count(), Geometric(scale=1.3), (2, 3)),
    "kernel": (PAIR, Count(), Kernel(answers=[0, 2], probabilities=[[0.75, 0.25], [0.5, 0.5]]), (1,)),
    "chain, two": (examples(MODELS)["chain of three values"], Sum(), NoNoise(), (1, 3)),
    "normal noise": (PAIR, Count(), Gaussian(scale=1.0), (2,)),
    "network": (examples(MODELS)["diamond"], Count(), NoNoise(), (1, 4)),
    "product": (Product(parts=[XOR, PAIR]), Sum(), Geometric(scale=1.3), (1, 5)),
    "any": (AnyOf(models=[PAIR, Independent(n=2, probabilities=[0.25])]), Count(), Geometric(scale=1.0), (1,)),
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
    leakage = MutualInformationPrivacy(given=people).leakage(Release(model, query, noise))
    with mp.workdps(30):
        wanted = by_enumeration(truth_of(model, query, noise), people)
    found = enclosure(leakage)
    assert_contains(found, wanted)
    assert found.upper - found.lower <= (1e-9 if noise.light_tailed else 1e-12)


def test_it_may_be_more_or_less_than_without() -> None:
    """Two equal records, one of which is known: nothing. Exclusive or of three: a bit, and nothing without."""
    equal, odd = Release(PAIR, Count(), NoNoise()), Release(XOR, Count(values=[1]), NoNoise())
    assert MutualInformationPrivacy(given=[1]).leakage(equal).upper <= 1e-12
    assert MutualInformationPrivacy().leakage(equal).lower > 0.3
    both = MutualInformationPrivacy(given=[1, 2]).leakage(odd)
    assert both.upper <= 1e-12
    one = MutualInformationPrivacy(given=[1]).leakage(odd)
    assert one.lower > MutualInformationPrivacy().leakage(odd).upper


def test_what_is_known_for_certain_is_no_average() -> None:
    """[adversary] known conditions the model first; a person who is known anyway adds nothing to what is given."""
    chain = Chain(n=4, transition=[[0.8, 0.2], [0.3, 0.7]], initial="stationary")
    release = Release(chain, Count(), Laplace(scale=1.0), adversary=Adversary(known={"2": 1}))
    plain = MutualInformationPrivacy().leakage(release)
    same = MutualInformationPrivacy(given=[2]).leakage(release)
    assert same.lower <= plain.upper
    assert plain.lower <= same.upper
    halves = [
        MutualInformationPrivacy().leakage(
            Release(chain, Count(), Laplace(scale=1.0), Secrets(people=(4,)), adversary=Adversary(known={"2": bit}))
        )
        for bit in (0, 1)
    ]
    asked_about = Release(chain, Count(), Laplace(scale=1.0), Secrets(people=(4,)))
    mixed = 0.6 * halves[0].epsilon + 0.4 * halves[1].epsilon  # the stationary law
    assert MutualInformationPrivacy(given=[2]).leakage(asked_about).epsilon == pytest.approx(mixed, rel=1e-9)


def test_labels_are_given() -> None:
    """Labels are public and fixed: were they random, what a model says would be the information given them.

    Ages are drawn, then illnesses by age. The joint law of both is enumerated; given the ages it is the model's.
    """
    ill = {"young": Fraction(1, 4), "old": Fraction(5, 8)}
    ages = ("young", "old", "old")
    joint: dict[tuple[Any, ...], Fraction] = {}
    for labels in product(ill, repeat=3):
        for bits in product((0, 1), repeat=3):
            chance = Fraction(1, 8)
            for age, bit in zip(labels, bits, strict=True):
                chance *= ill[age] if bit else 1 - ill[age]
            joint[(*labels, *bits)] = chance
    model = Independent(probabilities=[float(ill[age]) for age in ages], labels=ages)
    release = Release(model, Count(labels=["old"]), Geometric(scale=1.0))
    truth = truth_of(model, Count(labels=["old"]), Geometric(scale=1.0))
    told = given(joint, dict(enumerate(ages)))

    def score(record: int, value: Any) -> tuple[Fraction]:
        return (Fraction(int(record >= 3 and ages[record - 3] == "old" and value == 1)),)

    with mp.workdps(30):
        wanted = max(
            leakages.mutual_information(channel(told, score, person, truth.reference_noise)).value
            for person in (3, 4, 5)
        )
    assert_contains(enclosure(MutualInformationPrivacy().leakage(release)), wanted)
