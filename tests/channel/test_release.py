"""Whose secrets, which pairs, which engine: what a release reads beside the three nouns."""

from fractions import Fraction

import pytest

import dalenius as dl
from tests.cases import in_turn
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.table import FAMILY, PAIR, XOR, truth_of
from tests.reference import leakages
from tests.reference.channel import Channel

NOISE = dl.Laplace(scale=0.8)
THREE_VALUES = dl.Table(
    records=((0, 0), (0, 2), (1, 1), (2, 0), (2, 2), (2, 1)), probabilities=(0.3, 0.1, 0.2, 0.1, 0.2, 0.1)
)


@pytest.mark.parametrize("person", [1, 4])
def test_one_persons_secrets(person: int) -> None:
    """Members of households with labels, one after the other."""
    truth = truth_of(FAMILY, dl.Count(), NOISE)
    release = dl.Release(FAMILY, dl.Count(), NOISE, dl.Secrets(people=(person,)))
    own = truth.people[0][person - 1]
    assert_agrees(enclosure(dl.InferentialPrivacy().leakage(release)), leakages.inferential(own).value)
    assert_agrees(enclosure(dl.InformationPrivacy().leakage(release)), leakages.information(own).value)


@in_turn({"delta": [0.0, 0.1], "pairs": [((0, 1),), ((2, 1),), ((0, 2), (1, 0))]})
def test_some_pairs_only(pairs: tuple[tuple[int, int], ...], delta: float) -> None:
    """Two secrets of three: the reference is given those two alone."""
    truth = truth_of(THREE_VALUES, dl.Sum(), NOISE)
    release = dl.Release(THREE_VALUES, dl.Sum(), NOISE, dl.Secrets(pairs=pairs))
    found = enclosure(dl.InferentialPrivacy(delta=delta).leakage(release))
    alone = [
        Channel(each.prior, {s: each.laws[s] for s in pair}, each.noise) for each in truth.channels for pair in pairs
    ]
    if delta == 0:
        assert_agrees(found, max(leakages.inferential(each).value for each in alone))
    else:
        assert max(leakages.delta(each, found.lower * (1 - 1e-9)).value for each in alone) >= delta
        assert max(leakages.delta(each, found.upper * (1 + 1e-9)).value for each in alone) <= delta


def test_the_engine_is_chosen_and_said() -> None:
    small = dl.Release(PAIR, dl.Count(), NOISE)
    list(small.channels())
    assert [engine for engine, _ in small.engines()] == ["enumeration"]
    some = dl.Release(dl.Households(count=1000, infected=(0.9, 0.04, 0.01, 0.05)), dl.Count(), NOISE)
    assert [engine for engine, _ in some.engines()] == ["convolution"]
    crowd = dl.Release(dl.Households(count=100_000, infected=(0.9, 0.04, 0.01, 0.05)), dl.Count(), NOISE)
    assert [engine for engine, _ in crowd.engines()] == ["window"]
    town = dl.Households(count=10_000, infected=(0.9, 0.04, 0.01, 0.05))
    assert [engine for engine, _ in dl.Release(town, dl.Count(), NOISE).engines()] == ["window"]
    assert dl.Release(town, dl.Count(), NOISE, engine="tilting").engines() == (("tilting", "asked for"),)
    chain = dl.Chain(n=500, transition=[[0.9, 0.1], [0.3, 0.7]], initial="stationary")
    assert [engine for engine, _ in dl.Release(chain, dl.Count(), NOISE).engines()] == ["convolution"]


def test_sensitivities() -> None:
    """Δ is one record's, k the size of the largest group, whether or not it is the one that moves the answer most; a
    value nobody is expected to have counts too."""
    release = dl.Release(XOR, dl.Sum(), NOISE)
    assert release.sensitivity == 1
    assert release.group_sensitivity == (Fraction(3), 3)
    wide = dl.Independent(values=(0, 2.5, 10), probabilities=((0.5, 0.5, 0.0),))
    assert dl.Release(wide, dl.Sum(upper=7.5), NOISE).sensitivity == Fraction(15, 2)
    assert dl.Release(FAMILY, dl.Count(labels=("child",)), NOISE).group_sensitivity == (Fraction(2), 3)


def test_another_noise_shares_the_laws() -> None:
    release = dl.Release(FAMILY, dl.Count(), NOISE)
    again = release.with_noise(dl.NoNoise()).with_noise(NOISE)
    assert dl.InferentialPrivacy().leakage(again) == dl.InferentialPrivacy().leakage(release)


def test_extremes_of_people_who_share_nothing_are_taken_apart() -> None:
    """Each label lives by itself: two answers, two engines' work, one of which a person can touch."""
    types = tuple(dl.HouseholdType(count=2, infected=(0.5, 0.25, 0.25), members={label: 2}) for label in ("a", "b"))
    apart = dl.Release(dl.Households(types=types), dl.Max(per_label=True), NOISE)
    assert [channel.names for channel in apart.channels()] == [("a",), ("b",)]
    linked = dl.HouseholdType(count=1, infected=(0.5, 0.25, 0.25), members={"a": 1, "b": 1})
    together = dl.Release(dl.Households(types=(*types, linked)), dl.Max(per_label=True), NOISE)
    assert {channel.names for channel in together.channels()} == {("a", "b")}


def test_nobody_moves_what_is_always_the_same() -> None:
    """Clipped to one score, or asked of people who are always at the least: no channel, and no distance."""
    flat = dl.Release(dl.Independent(n=3, values=(0, 1), probabilities=((0.5, 0.5),)), dl.Min(lower=1, upper=2), NOISE)
    assert list(flat.channels()) == []
    assert flat.sensitivity == 0
    assert flat.group_sensitivity == (Fraction(0), 1)
