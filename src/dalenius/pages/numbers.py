"""Numbers of a page: few digits, rounded to the side that says more leaks or less is known."""

from math import isinf, isnan

from dalenius.bounds import Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.notions.wording import folds as folds_of, percent as percent_up

DIGITS = 4
RELIABLE = 10
"""Digits that all processors agree on: a number is taken to them before it is rounded to fewer."""


def up(value: float, digits: int = DIGITS) -> str:
    """Rounded up; ∞ where there is no bound."""
    return "∞" if isinf(value) else f"{up_to_digits(up_to_digits(value, RELIABLE), digits):.12g}"


def down(value: float, digits: int = DIGITS) -> str:
    return "∞" if isinf(value) else f"{down_to_digits(down_to_digits(value, RELIABLE), digits):.12g}"


def near(value: float, digits: int = 6) -> str:
    return "unknown" if isnan(value) else "∞" if isinf(value) else f"{near_to_digits(value, digits):.12g}"


def nats(value: Enclosure) -> str:
    """The upper end; 0 where nothing leaks but for roundings."""
    return "0" if value.lower == 0 and value.upper < 1e-9 else up(value.upper)


def folds(value: Enclosure) -> str:
    """How many times a chance may grow."""
    if isinf(value.upper):
        return "without bound"
    return "1" if value.lower == 0 and value.upper < 1e-9 else folds_of(value.upper)


def chance_up(value: float) -> str:
    """A probability in percent."""
    return "0 %" if value == 0 else percent_up(value)


def chance_down(value: float) -> str:
    shown = down_to_digits(100 * value, 3)
    return f"{shown:.2e} %" if 0 < shown < 1e-4 else f"{shown:.12g} %"


def rare(value: Enclosure) -> str:
    """How likely something is, as a number."""
    return "0" if value.upper == 0 else up(value.upper, 3)


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def sentence(words: str) -> str:
    return capital(words).rstrip(".") + "."
