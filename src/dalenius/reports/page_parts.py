"""What a page is made of: sections of sentences, tables and pictures as SVG, and numbers of few digits, rounded to the
side that says more leaks or less is known.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from html import escape
from itertools import count
from math import ceil, floor, isinf, isnan, log10
from typing import Final, final

from dalenius.bounds import Enclosure, near_to_digits
from dalenius.errors import InputError, TooLarge
from dalenius.notions.wording import FEW, example, folds as folds_of, percent as percent_up

DIGITS = 4
RELIABLE = 8
"""A number is taken to so many digits before it is rounded up or down to fewer: one that is a promise, or any round
number, but for roundings is shown as that, and as the same on every processor."""
SURE = 0.999


def up(value: float, digits: int = DIGITS) -> str:
    """Rounded up; ∞ where there is no bound."""
    return "∞" if isinf(value) else _settled(value, digits, ROUND_CEILING)


def down(value: float, digits: int = DIGITS) -> str:
    return f"{value}" if isinf(value) else _settled(value, digits, ROUND_FLOOR)


def _settled(value: float, digits: int, rounding: str) -> str:
    written = Decimal(repr(near_to_digits(value, RELIABLE)))  # the double next to .01 is above it
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(written)):.12g}"


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
    """A probability in percent; near 1 its contrary's digits count."""
    return "0 %" if value == 0 else percent_up(near_to_digits(value, RELIABLE))


def chance_down(value: float) -> str:
    percents = 100 * Decimal(repr(value if value > SURE else near_to_digits(value, RELIABLE)))
    shown = Context(prec=3, rounding=ROUND_FLOOR).create_decimal(percents)
    return f"{shown:.2e} %" if 0 < shown < FEW else f"{float(shown):.12g} %"


def chance_near(value: float) -> str:
    """One that is given, to three digits."""
    return percent_up(example(value)) if 1e-12 < value < 1 - 1e-6 else chance_up(value)


def rare(value: Enclosure) -> str:
    """How likely something is, as a number."""
    return "0" if value.upper == 0 else up(value.upper, 3)


def left_out(error: InputError | TooLarge) -> str:
    """Why a section has nothing to show."""
    if isinstance(error, TooLarge):
        return f"Left out: {error}."
    shown = error.value if isinstance(error.value, str) else repr(error.value)
    return f"Left out: it needs {error.wanted} (here: {shown})."


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def sentence(words: str) -> str:
    return capital(words).rstrip(".") + "."


@final
@dataclass(frozen=True)
class Table:
    """caption: what it shows; columns: their names; rows: as wide as these, the first cell the row's name."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@final
@dataclass(frozen=True)
class Picture:
    """svg: a whole `svg` element, its texts escaped; caption: what its lines mean."""

    svg: str
    caption: str


@final
@dataclass(frozen=True)
class Confidential:
    """What is for the curator alone, in a frame of its own that says so."""

    plain: tuple[str, ...]
    table: Table


@final
@dataclass(frozen=True)
class Section:
    """key: its anchor; plain: sentences for everybody; points: a list of them; notes: what only some will read; text:
    something as it was written; confidential: what must not be published with the rest."""

    key: str
    title: str
    plain: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    text: str | None = None
    confidential: Confidential | None = None


WIDTH: Final = 480
HEIGHT: Final = 300
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 30, 48
"""Margins. The text is readable where the picture is 360 pixels wide."""
TICKS: Final = 5
UNWRITABLE: Final = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML has no place for, and other control characters."""


def clean(text: str) -> str:
    """Without characters that no document may have."""
    return UNWRITABLE.sub("\ufffd", text)


def escaped(text: str) -> str:
    return escape(clean(text), quote=True)


@final
class Axis:
    """A scale from values to places; ticks with their words."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high = low, high if high > low else low + 1.0
        self._start, self._end = start, end

    def at(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return self._start + (self._end - self._start) * (inside - self.low) / (self.high - self.low)


@final
class Drawing:
    """Places are rounded to a tenth of a unit, so that the last bits of a double do not show.

    x, y: the axes' ends; key: the start of its ids; title, description: what it shows, for those who do not see."""

    def __init__(self, key: str, title: str, description: str, x: tuple[float, float], y: tuple[float, float]) -> None:
        self._key, self._title, self._description = key, title, description
        self.x = Axis(*x, LEFT, WIDTH - RIGHT)
        self.y = Axis(*y, HEIGHT - BOTTOM, TOP)
        self._parts: list[str] = []

    def band(self, low: float, high: float, style: str) -> None:
        """Between two heights, all over."""
        top, bottom = self.y.at(high), self.y.at(low)
        place = f'x="{LEFT}" y="{_at(top)}" width="{WIDTH - LEFT - RIGHT}" height="{_at(bottom - top)}"'
        self._parts.append(f'<rect class="{style}" {place}/>')

    def area(self, points: Sequence[tuple[float, float]], style: str) -> None:
        """Below the points, down to the axis."""
        floor_ = self.y.low
        closed = [(points[0][0], floor_), *points, (points[-1][0], floor_)]
        self._parts.append(f'<polygon class="{style}" points="{self._places(closed)}"/>')

    def bars(self, points: Sequence[tuple[float, float]], style: str) -> None:
        """One for each point, from the axis to its height, half as wide as they are apart."""
        wide = min((WIDTH - LEFT - RIGHT) / (2 * len(points)), 20.0)
        for x, y in points:
            left = max(self.x.at(x) - wide / 2, LEFT)
            right, top = min(self.x.at(x) + wide / 2, WIDTH - RIGHT), self.y.at(y)
            size = f'width="{_at(right - left)}" height="{_at(HEIGHT - BOTTOM - top)}"'
            self._parts.append(f'<rect class="{style}" x="{_at(left)}" y="{_at(top)}" {size}/>')

    def line(self, points: Iterable[tuple[float, float]], style: str) -> None:
        self._parts.append(f'<polyline class="{style}" points="{self._places(points)}"/>')

    def dots(self, points: Iterable[tuple[float, float]], style: str) -> None:
        for x, y in points:
            self._parts.append(f'<circle class="{style}" cx="{_at(self.x.at(x))}" cy="{_at(self.y.at(y))}" r="2.5"/>')

    def level(self, y: float, style: str) -> None:
        self.line([(self.x.low, y), (self.x.high, y)], style)

    def upright(self, x: float, style: str) -> None:
        self.line([(x, self.y.low), (x, self.y.high)], style)

    def axes(
        self, x_ticks: Sequence[tuple[float, str]], y_ticks: Sequence[tuple[float, str]], x_name: str, y_name: str
    ) -> None:
        bottom = HEIGHT - BOTTOM
        for value, words in y_ticks:
            place = _at(self.y.at(value))
            self._parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{place}" y2="{place}"/>')
            self._text(LEFT - 6, self.y.at(value) + 4.5, words, "end")
        for value, words in x_ticks:
            place = _at(self.x.at(value))
            self._parts.append(f'<line class="axis" x1="{place}" x2="{place}" y1="{bottom}" y2="{bottom + 5}"/>')
            self._text(self.x.at(value), bottom + 19, words, "middle")
        self._parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{bottom}" y2="{bottom}"/>')
        self._text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, shortened(x_name), "middle")
        self._text(4, 16, shortened(y_name), "start")

    def _text(self, x: float, y: float, words: str, anchor: str) -> None:
        self._parts.append(f'<text x="{_at(x)}" y="{_at(y)}" text-anchor="{anchor}">{escaped(words)}</text>')

    def _places(self, points: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{_at(self.x.at(x))},{_at(self.y.at(y))}" for x, y in points)

    def svg(self) -> str:
        key = escaped(self._key)
        start = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        return "\n".join(
            [
                f'{start} aria-labelledby="{key}-title {key}-desc">',
                f'<title id="{key}-title">{escaped(self._title)}</title>',
                f'<desc id="{key}-desc">{escaped(self._description)}</desc>',
                *self._parts,
                "</svg>",
            ]
        )


def shortened(words: str, most: int = 56) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


def ticks(low: float, high: float) -> list[float]:
    """Round numbers within the ends: some five of them."""
    width = (high - low) / TICKS
    if not width > 0:
        return [low]
    power = 10.0 ** floor(log10(width))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= width * (1 - 1e-9))
    first = ceil(low / step - 1e-9)
    found: list[float] = []
    for number in count(first):
        if number * step > high + 1e-9 * step:
            return found
        found.append(number * step)
    return found


def _at(place: float) -> str:
    return f"{place:.1f}".removesuffix(".0")
