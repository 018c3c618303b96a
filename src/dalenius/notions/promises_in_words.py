"""Promises as people say them (Theory §2): a phrase's epsilon, and the meaning of an epsilon.

The first is rounded down, the second up. All is computed in decimals with more digits than a double has, from the
decimals that were written: on every processor the same.

Doubling of a chance at most is ε = ln 2. With ε = 1, a chance of 10 % grows to 27.2 % at most where chances are
bounded, and to 23.2 % where odds are; a guess between two values is then right with .731059.

>>> round(epsilon_of_factor(2.0), 6), round(epsilon_of_odds(0.5, 0.9), 6), round(epsilon_of_advantage(0.5), 6)
(0.693147, 2.197225, 1.098612)
>>> percent(raised_belief(0.1, 1.0)), percent(raised_by_odds(0.1, 1.0)), round(float(right_guess(1.0)), 6)
('27.2 %', '23.2 %', 0.731059)
>>> folds(1.0), percent(0.99987)
('2.719', '99.987 %')
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isinf, nextafter
from typing import Final

from dalenius.bounds import NO_UPPER_END, down_to_digits, near_to_digits, up_to_digits
from dalenius.sentences.sentence import Figure, Phrase, said

_DIGITS: Final = 40
_UP: Final = Context(prec=_DIGITS, rounding=ROUND_CEILING)
"""Context of decimals that does not depend on the one that others set."""
_BEYOND: Final = 1e5
"""Nats above which e^epsilon is not written out."""
FEW: Final = Decimal("1e-4")
"""Limit beyond which numbers are written as powers of ten: so many times, and percents below."""
_LITTLE: Final = Fraction(1, 10**12)
"""Least growth that is shown."""
_ROUNDING: Final = 1e-9
"""Nats below which a lower end bounds nothing."""
_CERTAIN: Final = 1 - Fraction(1, 10**5)
_FIRST: Final = Fraction(1, 100)
"""Chance that examples start from, or a tenth of it, and so on: the first that ends at TELLING at most."""
_TELLING: Final = Fraction(3, 5)
_MOST_SHOWN: Final = Fraction(99, 100)
"""Largest end of a given chance that still makes an example."""
_FEWEST: Final = Fraction(1, 10**12)


def epsilon_of_factor(factor: float) -> float:
    """Returns the greatest epsilon with e^epsilon <= factor, for chances and for odds."""
    return _log_down(_written(factor))


def epsilon_of_chances(start: float, end: float) -> float:
    """Returns the greatest epsilon with start·e^epsilon <= end. 0.01 to 0.02 is ln 2, as doubling is."""
    return _log_down(_written(end) / _written(start))


def epsilon_of_odds(start: float, end: float) -> float:
    """Returns the greatest epsilon with start/(1 - start)·e^epsilon <= end/(1 - end)."""
    low, high = _written(start), _written(end)
    return _log_down(high * (1 - low) / (low * (1 - high)))


def epsilon_of_advantage(advantage: float, delta: float = 0.0) -> float:
    """Returns the greatest epsilon with (e^epsilon - 1 + 2·delta)/(e^epsilon + 1) <= advantage.

    It is at most 0 unless advantage > delta. The left side is the largest total variation of two laws within
    (epsilon, delta) of each other both ways: randomised response attains it, and any other mechanism is below.
    """
    most, slack = _written(advantage), _written(delta)
    return _log_down((1 + most - 2 * slack) / (1 - most)) if most > slack else 0.0


def raised_belief(chance: float, epsilon: float) -> Fraction:
    """Returns the most that a chance becomes which grows at most e^epsilon-fold.

    This and the next two are rounded up, far beyond a double's digits.
    """
    return Fraction(1) if epsilon > _BEYOND else min(Fraction(_power(epsilon)) * _written(chance), Fraction(1))


@lru_cache(4096)
def raised_by_odds(chance: float, epsilon: float) -> Fraction:
    """Returns the most that a chance becomes where its odds grow at most e^epsilon-fold."""
    start = _written(chance)
    odds = Fraction(_power(min(epsilon, _BEYOND))) * start
    return Fraction(1) if epsilon > _BEYOND else odds / (1 - start + odds)


def right_guess(epsilon: float, delta: float = 0.0) -> Fraction:
    """Returns the largest probability that a guess between two equally likely values is right.

    `epsilon` bounds the odds, in nats, except with probability `delta`.
    """
    power = Fraction(_power(min(epsilon, _BEYOND)))
    return Fraction(1) if epsilon > _BEYOND else (power + _written(delta)) / (power + 1)


def sentence(of_odds: bool, epsilon: float, chance: float | None = None) -> Phrase:
    """Says what epsilon nats mean for the odds between two values, or, without `of_odds`, for chances.

    chance: an example of one. Where it may become next to certain, that of `telling` is taken.
    """
    if isinf(epsilon):
        return said("odds_without_bound" if of_odds else "may_be_certain")
    if epsilon == 0:
        return said("odds_do_not_change" if of_odds else "no_chance_grows")
    shown = example_words(of_odds, epsilon, shown_chance(of_odds, epsilon, chance))
    return said("odds_change" if of_odds else "chance_grows", times=Figure(folds(epsilon)), example=shown)


def shown_chance(of_odds: bool, epsilon: float, chance: float | None) -> float:
    """Returns the example of `sentence` for `of_odds` and `epsilon` nats: `chance`, or that of `telling`."""
    start = example(chance)
    # Because "from 50 % to 99.9 %" tells nobody anything: a rarer case shows better what ε means.
    if chance is None or (raised_by_odds if of_odds else raised_belief)(start, epsilon) > _MOST_SHOWN:
        return telling(of_odds, epsilon)
    return start


def example_words(of_odds: bool, epsilon: float, start: float) -> Phrase:
    """Says what the chance `start` becomes at most: "of 1 % stays at or below 2.72 %".

    `epsilon` nats bound the odds with `of_odds`, else the chance.
    """
    end = (raised_by_odds if of_odds else raised_belief)(start, epsilon)
    before = Figure(percent(start))
    if end < _CERTAIN:
        return said("chance_stays", before=before, after=Figure(percent(end)))
    return said("chance_certain", before=before)


def fall_in_words(epsilon: float) -> Phrase:
    """Says what finitely many nats, epsilon, mean for chances that fall, in a clause.

    >>> fall_in_words(1.0)
    'no chance falls more than 2.719-fold'
    """
    return said("no_chance_falls") if epsilon == 0 else said("chance_falls", times=Figure(folds(epsilon)))


def sentence_from_below(of_odds: bool, epsilon: float) -> str:
    """Says what is known where epsilon nats are a lower end and no upper end is known; rounded down.

    With `of_odds` they are of odds, else of chances.
    """
    return _at_least("the odds between two values change" if of_odds else "a chance grows", epsilon)


def movement_from_below(epsilon: float) -> str:
    """Says what is known where epsilon nats are a lower end of how far a chance grows or falls; rounded down."""
    return _at_least("a chance grows or falls", epsilon)


def _at_least(what: str, epsilon: float) -> str:
    if epsilon < _ROUNDING:
        return f"nothing is known of how far {what}"
    return f"{what} at least {folds_down(epsilon)}-fold; {NO_UPPER_END}"


def telling(of_odds: bool, epsilon: float) -> float:
    """Returns the chance of an example that is clear for `epsilon` nats of odds, with `of_odds`, or else of chances.

    It is 1 %, or a tenth of it, a hundredth .., the first that becomes at most TELLING; the least where none does.
    """
    grown, start = raised_by_odds if of_odds else raised_belief, _FIRST
    while start > _FEWEST and grown(float(start), epsilon) > _TELLING:
        start /= 10
    return float(start)


@lru_cache(4096)
def becomes(of_odds: bool, epsilon: float) -> tuple[str, str]:
    """Returns the chance of `telling` for `of_odds` and `epsilon`, and the most that it becomes, in words."""
    start = telling(of_odds, epsilon)
    return percent(start), percent((raised_by_odds if of_odds else raised_belief)(start, epsilon))


def folds(epsilon: float) -> str:
    """Writes e^epsilon rounded up to four digits, or to three digits of its excess over 1 where that is less."""
    if epsilon > _BEYOND:
        return f"e^{up_to_digits(epsilon, 4):.12g}"
    power = Fraction(_power(epsilon))
    # Because 1.0005-fold is 5e-4 more: the digits of the excess over 1 count.
    shown = _ceiling(power, 4) if power >= 2 else _UP.add(Decimal(1), _ceiling(max(power - 1, _LITTLE), 3))
    return f"{shown:.3e}" if shown >= (10**6) else _plain(shown)


def folds_down(epsilon: float) -> str:
    """Writes e^epsilon rounded down to four digits.

    >>> folds_down(1.0), folds(1.0)
    ('2.718', '2.719')
    """
    if epsilon > _BEYOND:
        return f"e^{down_to_digits(epsilon, 4):.12g}"
    shown = _floor(Fraction(_power(epsilon)), 4)
    return f"{shown:.3e}" if shown >= (10**6) else _plain(shown)


def percent(chance: Fraction | float) -> str:
    """Writes the `chance` to three digits, rounded up; near 1 its contrary's digits count."""
    given = _written(chance) if isinstance(chance, float) else chance
    # Because the rest matters in 99.987 %, which is not 100 %.
    shown = _ceiling(given, 3) if 2 * given <= 1 else _UP.subtract(Decimal(1), _floor(1 - given, 3))
    shown = _UP.multiply(Decimal(100), shown)
    return f"{_plain(shown) if shown >= FEW else format(shown, '.2e')} %"


def example(chance: float | None) -> float:
    """Returns the chance that an explanation starts from: the given one to three digits; .01 where there is none."""
    if chance is None or not 1e-12 < chance < 1 - 1e-6:
        return 0.01
    return _near(chance) if chance <= 0.5 else float(1 - _written(_near(1 - chance)))


def _near(chance: float) -> float:
    # So that the last bits of a double do not decide a tie: to ten digits first.
    return near_to_digits(near_to_digits(chance, 10), 3)


def _written(number: float) -> Fraction:
    """Returns the decimal that was written: 0.1 is a tenth."""
    return Fraction(repr(float(number)))


def _log_down(ratio: Fraction) -> float:
    """Returns the logarithm, rounded down to a double; 0 for what is not above 1."""
    # The case of no factor above 1: nothing may change.
    if ratio <= 1:
        return 0.0
    # Because the logarithm is at least half of the excess over 1, or 1/2: so many digits leave DIGITS of it.
    digits = _DIGITS + max(0, len(str(int(1 / (ratio - 1)))))
    exact = Context(prec=digits)
    value = exact.ln(exact.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))
    value = exact.multiply(value, exact.subtract(Decimal(1), Decimal((0, (1,), 3 - _DIGITS))))
    near = float(value)
    return near if Decimal(near) <= value else nextafter(near, 0.0)


def _power(epsilon: float) -> Decimal:
    """Returns e^epsilon to _DIGITS digits, rounded up."""
    if epsilon == 0:
        return Decimal(1)
    return _UP.multiply(_UP.exp(Decimal(epsilon)), _UP.add(Decimal(1), Decimal((0, (1,), 2 - _DIGITS))))


def _ceiling(number: Fraction, digits: int) -> Decimal:
    exact = Context(prec=digits, rounding=ROUND_CEILING)
    return exact.divide(Decimal(number.numerator), Decimal(number.denominator))


def _floor(number: Fraction, digits: int) -> Decimal:
    exact = Context(prec=digits, rounding=ROUND_FLOOR)
    return exact.divide(Decimal(number.numerator), Decimal(number.denominator))


def _plain(number: Decimal) -> str:
    return f"{number.normalize(_UP):f}"
