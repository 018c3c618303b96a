"""Building blocks of a page, for those that write one: sections of sentences and tables, and numbers of few digits.

Numbers are rounded to the side that says more leaks or less is known: 0.123412 nats that leak are 0.1235, that are left
0.1234.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import isinf, isnan
from typing import final

from dalenius.bounds import NO_END, NO_UPPER_END, Enclosure, from_below, near_to_digits
from dalenius.errors import InputError, TooLarge
from dalenius.notions.promises_in_words import FEW, example, folds as folds_of, folds_down, percent as percent_up

_DIGITS = 4
LISTED = 20
"""Rows of a table of a page; the rest is counted."""
# A number is taken to so many digits before it is rounded up or down to fewer: one that is a promise, or any round
# number, but for roundings is shown as that, and as the same on every processor.
_RELIABLE = 8


def up(value: float, digits: int = _DIGITS) -> str:
    """Writes `value` rounded up to so many significant `digits`; ∞ where there is no bound."""
    return "∞" if isinf(value) else _settled(value, digits, ROUND_CEILING)


def down(value: float, digits: int = _DIGITS) -> str:
    """Writes `value` rounded down to so many significant `digits`, for what is left, or is known to leak at least.

    >>> up(0.123412), down(0.123412), near(1 / 3)
    ('0.1235', '0.1234', '0.333333')
    """
    return f"{value}" if isinf(value) else _settled(value, digits, ROUND_FLOOR)


def _settled(value: float, digits: int, rounding: str) -> str:
    """Writes the number to so many digits, rounded in that direction once its own roundings are off: .1 + .2 is .3."""
    written = Decimal(repr(near_to_digits(value, _RELIABLE)))  # the double next to .01 is above it
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(written)):.12g}"


def near(value: float, digits: int = 6) -> str:
    """Writes `value` rounded to the nearest of so many significant `digits`: it is given, or says nothing of leaks.

    An error that is not defined is unknown.
    """
    return "unknown" if isnan(value) else "∞" if isinf(value) else f"{near_to_digits(value, digits):.12g}"


def upper_nats(value: Enclosure) -> str:
    """Writes the upper end of `value`, in nats; 0 where nothing leaks but for roundings.

    Where no upper end is known, it is the lower one.

    >>> upper_nats(Enclosure(1.0, 2.0)), upper_nats(Enclosure(1.0, float("inf")))
    ('2', 'at least 1; no upper end is known')
    """
    if value.half_open:
        return from_below(value, down)
    return "0" if value.lower == 0 and value.upper < 1e-9 else up(value.upper)


def grown(value: Enclosure) -> str:
    """Writes how many times a chance may grow, e to the `value` in nats, as a clause of a table.

    >>> grown(Enclosure(0.5, 0.5)), grown(Enclosure(0.0, 1e-12))
    ('at most 1.649-fold', 'at most 1-fold')
    """
    if value.half_open:
        return NO_END if value.lower < 1e-9 else f"at least {folds_down(value.lower)}-fold; {NO_UPPER_END}"
    if isinf(value.upper):
        return "without bound"
    return f"at most {'1' if value.lower == 0 and value.upper < 1e-9 else folds_of(value.upper)}-fold"


def chance_up(value: float) -> str:
    """Writes a probability, `value`, in percent, rounded up; near 1 the digits of its contrary count."""
    return "0 %" if value == 0 else percent_up(near_to_digits(value, _RELIABLE))


def chance_down(value: float) -> str:
    """Writes a probability, `value`, in percent, rounded down: the least that a chance may have become.

    >>> chance_up(0.99999), chance_down(0.5)
    ('99.999 %', '50 %')
    """
    percents = 100 * Decimal(repr(value if value > 0.999 else near_to_digits(value, _RELIABLE)))
    shown = Context(prec=3, rounding=ROUND_FLOOR).create_decimal(percents)
    return f"{shown:.2e} %" if 0 < shown < FEW else f"{float(shown):.12g} %"


def chance_near(value: float) -> str:
    """Writes a given probability, `value`, in percent, to three digits."""
    return percent_up(example(value)) if 1e-12 < value < 1 - 1e-6 else chance_up(value)


def left_out(error: InputError | TooLarge) -> str:
    """Says why a section has nothing to show, by the `error` that was raised."""
    if isinstance(error, TooLarge):
        return f"Left out: {error}."
    shown = error.value if isinstance(error.value, str) else repr(error.value)
    return f"Left out: it needs {error.wanted} (here: {shown})."


def as_sentence(words: str) -> str:
    """Writes `words` with a capital and one full stop.

    >>> as_sentence("nothing else is released")
    'Nothing else is released.'
    """
    return words[:1].upper() + words[1:].rstrip(".") + "."


@final
@dataclass(frozen=True)
class PageTable:
    """A table of a page.

    Attributes:
        caption: What it shows.
        columns: The names of its columns.
        rows: As wide as the columns, each with its name in the first cell.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@final
@dataclass(frozen=True)
class Section:
    """A part of the page under one title.

    Attributes:
        key: Its anchor.
        title: Its title.
        plain: Sentences.
        points: A list of sentences.
        tables: Tables below them.
        text: A text as it was written; None for no such text.
    """

    key: str
    title: str
    plain: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    tables: tuple[PageTable, ...] = ()
    text: str | None = None
