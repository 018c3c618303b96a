"""What is printed encloses what was computed, and does not change with its last bits."""

from fractions import Fraction
from math import inf, nextafter

from hypothesis import example, given, strategies as st

from dalenius.bounds import Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.spec.results import printed
from tests.cases import in_turn

NUMBERS = st.floats(0, 1e6) | st.floats(0, 1e-6) | st.sampled_from([0.0, 1.0, 0.1, 1e-3, 10.0, 5e-324, inf])


@given(value=NUMBERS, width=NUMBERS | st.floats(0, 1e-12))
def test_the_ends_lie_outside(value: float, width: float) -> None:
    lower, middle, upper = printed(Enclosure(value, value + width))
    assert lower <= value
    assert upper >= value + width
    assert lower <= middle <= upper


@given(value=st.floats(1e-300, 1e300), digits=st.integers(1, 15))
@example(value=1e300, digits=13)  # a double is further from one of so many digits than these say
def test_digits(value: float, digits: int) -> None:
    low, near, high = (round_(value, digits) for round_ in (down_to_digits, near_to_digits, up_to_digits))
    assert low <= value <= high
    assert near in (low, high)
    for each in (low, high):
        written = f"{each:.{digits - 1}e}"
        assert each == float(written)
        assert abs(Fraction(written) - Fraction(value)) <= Fraction(10) ** (1 - digits) * Fraction(value)


@in_turn(
    {
        "around": [1.0, 0.1, 3.0, 1 / 3, 0.0003150718164431354, 5e-9],
        "doubt": [1e-15, 1e-12, 1e-8 / 3, 1e-6 / 7, 1 / 430],
    }
)
def test_the_last_bits_are_not_printed(around: float, doubt: float) -> None:
    """An enclosure holds its truth by more than a rounding: that of a round number is not on the number itself."""
    value = Enclosure(around * (1 - doubt) - 1e-16 * around, around * (1 + doubt) + 1e-16 * around)
    moved = Enclosure(nextafter(value.lower, inf), nextafter(value.upper, -inf))
    assert printed(value) == printed(moved)


def test_a_wide_enclosure_keeps_its_digits() -> None:
    assert printed(Enclosure(0.12345678949, 0.5)) == (0.1234567894, 0.3117283947, 0.5)


def test_nothing_but_rounding() -> None:
    assert printed(Enclosure(0.0, 1.1987950777709152e-12)) == printed(Enclosure(0.0, 1.19724076553644e-12))
