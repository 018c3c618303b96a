"""Households of one size by an epidemic, without a table: the law is that of enumerated infections."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.models import Households


def enumerated(size: int, community: Fraction, household: Fraction) -> list[Fraction]:
    """Pr[0..size infected]: all ways in which members and pairs of them may be infectious, one by one."""
    pairs = list(combinations(range(size), 2))
    law = [Fraction(0)] * (size + 1)
    for outside in product((0, 1), repeat=size):
        for contacts in product((0, 1), repeat=len(pairs)):
            chance = Fraction(1)
            for bit, own in [*((bit, community) for bit in outside), *((bit, household) for bit in contacts)]:
                chance *= own if bit else 1 - own
            ill = {member for member, bit in enumerate(outside) if bit}
            for _ in range(size):
                for (one, two), bit in zip(pairs, contacts, strict=True):
                    if bit and (one in ill or two in ill):
                        ill |= {one, two}
            law[len(ill)] += chance
    return law


@pytest.mark.parametrize("size", [1, 2, 4])
def test_it_leaks_what_the_enumerated_law_leaks(size: int) -> None:
    law = [float(each) for each in enumerated(size, Fraction(1, 10), Fraction(3, 10))]
    by_law = Households(count=6, infected=law)
    by_epidemic = Households(count=6, size=size, epidemic=dl.Epidemic(community=0.1, household=0.3))
    query, noise = dl.Count(), dl.Laplace(scale=1.5)
    expected, found = (dl.InformationPrivacy().leakage(dl.Release(m, query, noise)) for m in (by_law, by_epidemic))
    assert found.lower == pytest.approx(expected.lower, abs=1e-9)
    assert found.upper == pytest.approx(expected.upper, abs=1e-9)
    assert by_epidemic.words.startswith(f"6 households of {size}; ")


def test_intervals_of_the_epidemic_hold_its_points() -> None:
    query, noise = dl.Count(), dl.Laplace(scale=1.5)
    wide = Households(count=3, size=2, epidemic=dl.Epidemic(community=(0.1, 0.2), household=(0.2, 0.4)))
    upper = dl.InformationPrivacy().leakage(dl.Release(wide, query, noise)).upper
    for community, household in product((0.1, 0.2), (0.2, 0.4)):
        point = Households(count=3, size=2, epidemic=dl.Epidemic(community=community, household=household))
        assert dl.InformationPrivacy().leakage(dl.Release(point, query, noise)).lower <= upper
        assert dl.InformationPrivacy().leakage(dl.Release(point.widened(0.1), query, noise)).upper > 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"count": 5}, "by, the household column, beside epidemic, or both count and size"),
        ({"size": 4}, "by, the household column, beside epidemic, or both count and size"),
        ({"count": 5, "size": 4, "by": "home"}, "size only beside epidemic and count, without by"),
        ({"count": 5, "size": 2, "infected": [0.8, 0.1, 0.1]}, "epidemic without infected and types"),
        ({"count": 5, "size": 2, "epidemic": None, "infected": [0.8, 0.1, 0.1]}, "size only beside epidemic and count"),
    ],
)
def test_what_contradicts_itself_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        Households(**{"epidemic": {"community": 0.1, "household": 0.3}, **given})
    assert refused.value.wanted.startswith(said)
