"""Moments that no records have are refused, and so is whatever needs the records' law."""

from typing import Any

import pytest

from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.models import Any as AnyOf, Independent, Moments, Product
from dalenius.noise import NoNoise
from dalenius.queries import Sum

GOOD: dict[str, Any] = {"n": 100, "variance": 4, "third": 9, "fourth": 20, "range": 30}


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"third": 3}, r"third at least variance\^\(3/2\) = 8 \(Lyapunov; it is 3\)"),
        ({"fourth": 15}, r"fourth at least variance² = 16 \(Lyapunov; it is 15\)"),
        ({"third": 9.5}, r"third at most fourth\^\(3/4\) = 9.45742 \(Jensen; it is 9.5\)"),
        ({"range": 3}, r"variance at most neighbourhood·range²/4 = 2.25 \(Popoviciu; it is 4\)"),
        ({"neighbourhood": 101}, r"neighbourhood at most n = 100 \(it is 101\)"),
        ({"neighbourhood": 2, "third": 2.8}, r"third at least \(variance/neighbourhood\)\^\(3/2\) = 2.82843"),
        ({"known_fraction": 1}, r"^Moments.known_fraction: 1, wanted a number below 1$"),
        ({"known_fraction": -0.1}, r"^Moments.known_fraction: -0.1, wanted a number of at least 0$"),
        ({"variance": 0}, r"^Moments.variance: 0, wanted a finite number above 0$"),
        ({"n": 0}, r"^Moments.n: 0, wanted a number above 0$"),
        ({"n": 1.5}, r"^Moments.n: 1.5, wanted a whole number"),
        ({"range": float("inf")}, r"^Moments.range: inf, wanted a finite number above 0$"),
    ],
)
def test_impossible_moments_are_refused_in_one_line(fields: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError, match=line) as caught:
        Moments(**(GOOD | fields))
    assert "\n" not in str(caught.value)


def test_moments_that_attain_the_inequalities_are_kept() -> None:
    assert Moments(n=10, variance=4, third=8, fourth=16, range=4).third_moment == 8
    assert Moments(n=10, variance=0.3 * 0.3, third=0.3**3, range=1)
    assert Moments(n=10, neighbourhood=4, variance=1, third=0.125, fourth=0.0625, range=1)


def test_what_the_range_allows() -> None:
    """The worst third and fourth moments, over all laws of two values a range apart."""
    model = Moments(n=10, variance=1, range=2)
    chances = [step / 1000 for step in range(1, 1000)]
    third = max(p * (1 - p) * (p**2 + (1 - p) ** 2) * 8 for p in chances)
    fourth = max(p * (1 - p) * (p**3 + (1 - p) ** 3) * 16 for p in chances)
    assert third <= model.third_moment <= third * 1.001
    assert fourth <= model.fourth_moment <= fourth * 1.001
    assert Moments(n=10, variance=1, third=1.0, range=2).fourth_moment <= fourth * 1.001
    assert Moments(n=10, variance=0.1, third=0.1, range=2).fourth_moment == pytest.approx(0.2)
    assert Moments(n=10, variance=0.1, fourth=0.1, range=2).third_moment == pytest.approx(0.1**0.75)


def test_known_records_are_counted_as_decimals() -> None:
    assert Moments(n=100, variance=1, range=2, known_fraction=0.29).unknown == 71
    assert Moments(n=7, variance=1, range=2, known_fraction=0.5).unknown == 4


def test_round_trip() -> None:
    model = Moments(**GOOD, neighbourhood=3, known_fraction=0.25)
    assert Moments.model_validate_json(model.model_dump_json()) == model


def test_no_release_is_made_of_them() -> None:
    bit = Independent(probabilities=[0.5])
    model = Moments(**GOOD)
    for each in (model, Product(parts=[bit, model]), AnyOf(models=[bit, model])):
        with pytest.raises(InputError, match=r"^model.kind: moments, wanted a model that says the records' law"):
            Release(each, Sum(), NoNoise())
