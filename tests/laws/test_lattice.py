"""The lattice an answer lives on."""

from fractions import Fraction

import pytest

from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice, lattice_of


def fractions(*numbers: str) -> list[list[Fraction]]:
    return [[Fraction(number)] for number in numbers]


def test_coarsest_step() -> None:
    for scores, step in (
        (("0", "2", "4"), "1"),  # integers stay on the integers
        (("0", "1/2", "1/3"), "1/6"),
        (("3/2", "9/4"), "3/4"),
        (("-0.1", "0.3"), "1/10"),
    ):
        rows = fractions(*scores)
        lattice = lattice_of(rows)
        assert lattice.steps == (Fraction(step),)
        assert [[int(i) * lattice.steps[0] for i in row] for row in lattice.indices(rows)] == rows


def test_each_axis_has_its_own() -> None:
    lattice = lattice_of([[Fraction(1, 3), Fraction(5)], [Fraction(2, 3), Fraction(0)]])
    assert lattice.steps == (Fraction(1, 3), Fraction(1))
    assert lattice.restricted([1]).steps == (Fraction(1),)
    assert lattice.point([3, -2]) == (1.0, -2.0)


def test_off_the_lattice() -> None:
    for score, said in (("1/3", "whole steps of 1/2"), (f"-{2**53}", "2\\^52")):
        with pytest.raises(InputError, match=said):
            Lattice((Fraction(1, 2),)).indices(fractions(score))
