"""How far a record or a group can move an answer with extremes: against everything the records can be."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import given, strategies as st

from dalenius.channel import Release
from dalenius.channel.sensitivity import spread_of
from dalenius.joints import Joint
from dalenius.models import Households, HouseholdType, Independent, Model, Product, Table
from dalenius.noise import Laplace
from dalenius.queries import Max, Min, Query, Several
from tests.conformance.strategies import mixtures
from tests.conformance.table import truth_of
from tests.pace import draws
from tests.reference.channel import answer_of

NOISE = Laplace(scale=1.0)
Row = tuple[Any, ...]


def _moves(model: Model, query: Query, group: Sequence[int]) -> Fraction:
    """The most that these records can move the answer, by trying everything."""
    truth = truth_of(model, query, NOISE)
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
    release = Release(model, query, NOISE)
    joint = _joint(model)
    people = sum(stratum.people for stratum in joint.strata())
    assert release.sensitivity == max(_moves(model, query, [i]) for i in range(people))
    for subject in joint.subjects():
        spread = spread_of(joint.strata(), release.scores, subject.stratum)
        assert spread.total == _moves(model, query, [subject.person - 1])


@given(model=universes(), query=EXTREMES)
@draws(80)
def test_a_groups_move_is_exact_for_one_extreme(model: Product, query: Query) -> None:
    assert Release(model, query, NOISE).group_sensitivity[0] == max(_moves(model, query, g) for g in _groups(model))


def _groups(model: Product) -> list[list[int]]:
    found: list[list[int]] = []
    first = 0
    for part in model.parts:
        size = len(part.records[0]) if isinstance(part, Table) else 1
        found.append(list(range(first, first + size)))
        first += size
    return found


def test_the_others_cannot_leave_both_extremes_free() -> None:
    """One other record is at one value: what it leaves the maximum it takes from the minimum."""
    values = (0, 1, 2)
    query = Several(queries=(Max(), Min()))
    for n, wanted in ((1, 4), (2, 2), (3, 2)):
        release = Release(Independent(n=n, values=values, probabilities=((0.2, 0.3, 0.5),)), query, NOISE)
        assert release.sensitivity == wanted


def test_those_who_are_not_asked_do_not_count() -> None:
    types = (
        HouseholdType(count=1, infected=(0.5, 0.2, 0.3), members={"asked": 1, "spared": 1}),
        HouseholdType(count=1, infected=(0.5, 0.5), members={"spared": 1}),
    )
    release = Release(Households(types=types), Max(labels=("asked",)), NOISE)
    assert release.sensitivity == 1
    assert release.group_sensitivity == (Fraction(1), 2)
    assert {channel.subject.person for channel in release.channels()} == {1, 2}
