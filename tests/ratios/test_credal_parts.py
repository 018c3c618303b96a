"""Intervals in parts of a product and of linked stages, in one of several beliefs, and beside known records."""

from fractions import Fraction

import pytest

import dalenius as dl
from dalenius.channel.adversary import Adversary
from dalenius.models import Model
from dalenius.notions import Notion
from dalenius.schema import Chance

LOWER = [Fraction(5, 10), Fraction(1, 10), Fraction(1, 20), Fraction(1, 20)]
UPPER = [Fraction(7, 10), Fraction(3, 10), Fraction(1, 5), Fraction(3, 10)]
ROW: tuple[Chance, ...] = tuple((float(a), float(b)) for a, b in zip(LOWER, UPPER, strict=True))
HOME = dl.Households(count=2, infected=ROW)
POINT = dl.Households(count=3, infected=(0.9, 0.04, 0, 0, 0.06))
DAYS = dl.Chain(n=4, transition=[[0.9, 0.1], [0.3, 0.7]], initial=[0.5, 0.5])
NOTIONS: tuple[Notion, ...] = (dl.InferentialPrivacy(), dl.InformationPrivacy(), dl.BayesianPrivacy())


def release(model: Model, known: dict[str, int] | None = None) -> dl.Release:
    return dl.Release(model, dl.Count(), dl.Laplace(scale=1.0), adversary=Adversary(known=known or {}))


def test_known_records_of_a_table() -> None:
    """Nobody's record is left where others' determine it; what no law allows is refused."""
    records, chances = ((0, 0), (0, 1), (1, 1)), ((0.2, 0.5), (0.2, 0.5), (0.1, 0.4))
    table = dl.Table(records=records, probabilities=chances)
    assert dl.InferentialPrivacy().leakage(release(table, {"1": 1})).upper == 0
    left = dl.InferentialPrivacy().leakage(release(table, {"1": 0}))
    assert left.upper == pytest.approx(1.0, abs=2e-6)
    with pytest.raises(dl.InputError, match=r"adversary\.known: 1 = 1, 2 = 0, wanted values that can occur together"):
        release(table, {"1": 1, "2": 0})


@pytest.mark.slow
def test_a_part_with_intervals_beside_one_without() -> None:
    """Each is as it is alone (Result 21.30), and people are numbered on."""
    point = dl.Product(parts=(POINT, DAYS))
    whole = release(dl.Product(parts=(point, HOME)))
    assert whole.credal
    people = sum(stratum.people for stratum in release(point).strata)
    for notion in NOTIONS:
        one, other, found = (notion.leakage(each) for each in (release(point), release(HOME), whole))
        assert found.lower == pytest.approx(max(one.lower, other.lower), abs=1e-6)
        assert found.upper == pytest.approx(max(one.upper, other.upper), abs=1.1e-6)
        assert found.witness is not None
        assert (found.witness.person > people) == (other.upper > one.upper)


@pytest.mark.slow
def test_several_parts_with_intervals() -> None:
    """As one model of both types."""
    types = tuple(
        dl.GroupType(count=2, records=((0, 0), (0, 1), (1, 1)), probabilities=row)
        for row in (((0.5, 0.7), (0.1, 0.3), (0.1, 0.3)), ((0.5, 0.9), (0.1, 0.2), (0.05, 0.3)))
    )
    apart = dl.Product(parts=tuple(dl.Groups(types=(each,)) for each in types))
    for notion in NOTIONS:
        one, other = notion.leakage(release(dl.Groups(types=types))), notion.leakage(release(apart))
        assert (one.lower, one.upper) == (other.lower, other.upper)


@pytest.mark.slow
def test_one_of_several_beliefs_with_intervals() -> None:
    same = dl.Households(count=2, infected=(0.9, 0.04, 0, 0.06))
    for notion in NOTIONS:
        found = notion.leakage(release(dl.Any(models=(HOME, same))))
        each = [notion.leakage(release(model)) for model in (HOME, same)]
        assert found.upper == max(one.upper for one in each)


def test_a_part_that_is_one_law_is_that_law() -> None:
    """To 1e-9, beside a part that leaks less."""
    quiet = dl.Independent(values=(0, 1), probabilities=(((0.4, 0.6), (0.4, 0.6)),))
    for notion in NOTIONS:
        found, alone = notion.leakage(release(dl.Product(parts=(POINT, quiet)))), notion.leakage(release(POINT))
        assert found.upper == pytest.approx(alone.upper, abs=1e-9)
        assert found.lower == pytest.approx(alone.lower, abs=1e-9)
