"""Whose secrets, which pairs, which engine: what a release reads beside the three nouns.

How far a record or a group can move an answer with extremes: against everything the records can be.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.channel import Release
from dalenius.channel.sensitivity import spread_of
from dalenius.joints import Joint
from dalenius.models import Households, HouseholdType, Independent, Model, Product, Table
from dalenius.noise import Laplace
from dalenius.queries import Max, Min, Query
from tests.cases import in_turn
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.strategies import mixtures
from tests.conformance.table import FAMILY, PAIR, XOR, truth_of
from tests.pace import draws
from tests.reference import leakages
from tests.reference.channel import Channel, answer_of

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
    assert [engine for engine, _ in small.worlds.engines()] == ["enumeration"]
    some = dl.Release(dl.Households(count=1000, infected=(0.9, 0.04, 0.01, 0.05)), dl.Count(), NOISE)
    assert [engine for engine, _ in some.worlds.engines()] == ["convolution"]
    crowd = dl.Release(dl.Households(count=100_000, infected=(0.9, 0.04, 0.01, 0.05)), dl.Count(), NOISE)
    assert [engine for engine, _ in crowd.worlds.engines()] == ["window"]
    town = dl.Households(count=10_000, infected=(0.9, 0.04, 0.01, 0.05))
    assert [engine for engine, _ in dl.Release(town, dl.Count(), NOISE).worlds.engines()] == ["window"]
    assert dl.Release(town, dl.Count(), NOISE, engine="tilting").worlds.engines() == (("tilting", "asked for"),)
    chain = dl.Chain(n=500, transition=[[0.9, 0.1], [0.3, 0.7]], initial="stationary")
    assert [engine for engine, _ in dl.Release(chain, dl.Count(), NOISE).worlds.engines()] == ["convolution"]


def test_sensitivities() -> None:
    """Δ is one record's, k the size of the largest group, whether or not it is the one that moves the answer most; a
    value nobody is expected to have counts too."""
    release = dl.Release(XOR, dl.Sum(), NOISE)
    assert release.sensitivity == 1
    assert release.worlds.group_sensitivity == (Fraction(3), 3)
    wide = dl.Independent(values=(0, 2.5, 10), probabilities=((0.5, 0.5, 0.0),))
    assert dl.Release(wide, dl.Sum(upper=7.5), NOISE).sensitivity == Fraction(15, 2)
    assert dl.Release(FAMILY, dl.Count(labels=("child",)), NOISE).worlds.group_sensitivity == (Fraction(2), 3)


def test_nobody_moves_what_is_always_the_same() -> None:
    """Clipped to one score, or asked of people who are always at the least: no channel, and no distance."""
    flat = dl.Release(dl.Independent(n=3, values=(0, 1), probabilities=((0.5, 0.5),)), dl.Min(lower=1, upper=2), NOISE)
    assert list(flat.channels()) == []
    assert flat.sensitivity == 0
    assert flat.worlds.group_sensitivity == (Fraction(0), 1)


NOISE_OF_SENSITIVITY = Laplace(scale=1.0)
Row = tuple[Any, ...]


def _moves(model: Model, query: Query, group: Sequence[int]) -> Fraction:
    """The most that these records can move the answer, by trying everything."""
    truth = truth_of(model, query, NOISE_OF_SENSITIVITY)
    (world,), (asked,) = truth.worlds, truth.asked
    by_others: dict[Row, list[Row]] = {}
    for row in product(*(person.values for person in world.people)):
        others = tuple(value for i, value in enumerate(row) if i not in group)
        by_others.setdefault(others, []).append(answer_of(row, asked.score))
    return max(
        sum((abs(a - b) for a, b in zip(one, other, strict=True)), Fraction(0))
        for answers in by_others.values()
        for one in answers
        for other in answers
    )


def _joint(model: Model) -> Joint:
    (joint,) = model.joints()
    assert isinstance(joint, Joint)
    return joint


VALUES = st.lists(st.sampled_from((-2, -1, 0, 0.5, 1, 3)), min_size=1, max_size=3, unique=True).map(tuple)


@st.composite
def universes(draw: st.DrawFn) -> Product:
    """Records of different universes, dependent in pairs or alone."""
    parts: list[Model] = []
    for _ in range(draw(st.integers(1, 3))):
        values = draw(VALUES)
        if draw(st.booleans()):
            rows = tuple(product(values, draw(VALUES)))
            parts.append(Table(records=rows, probabilities=(1 / len(rows),) * len(rows)))
        else:
            parts.append(Independent(values=values, probabilities=((1 / len(values),) * len(values),)))
    if not any(1 in stratum.values for part in parts for stratum in _joint(part).strata()):
        parts.append(Independent(probabilities=(0.5,)))  # a count needs somebody who can be 1
    return Product(parts=tuple(parts))


EXTREMES = st.sampled_from((Max(), Min(), Max(upper=0.75), Min(lower=-1.5, upper=0.25)))


@given(model=universes(), query=st.one_of(EXTREMES, mixtures()))
@draws(150)
def test_one_records_move_is_exact(model: Product, query: Query) -> None:
    release = Release(model, query, NOISE_OF_SENSITIVITY)
    joint = _joint(model)
    people = sum(stratum.people for stratum in joint.strata())
    assert release.sensitivity == max(_moves(model, query, [i]) for i in range(people))
    for subject in joint.subjects():
        spread = spread_of(joint.strata(), release.scores, subject.stratum)
        assert spread.total == _moves(model, query, [subject.person - 1])


def test_those_who_are_not_asked_do_not_count() -> None:
    types = (
        HouseholdType(count=1, infected=(0.5, 0.2, 0.3), members={"asked": 1, "spared": 1}),
        HouseholdType(count=1, infected=(0.5, 0.5), members={"spared": 1}),
    )
    release = Release(Households(types=types), Max(labels=("asked",)), NOISE_OF_SENSITIVITY)
    assert release.sensitivity == 1
    assert release.worlds.group_sensitivity == (Fraction(1), 2)
    assert {channel.subject.person for channel in release.channels()} == {1, 2}
