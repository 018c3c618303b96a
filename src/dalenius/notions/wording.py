"""Promises as people say them (Theory §2): a phrase's epsilon, rounded down, and what an epsilon says, rounded up.

All is computed in decimals with more digits than a double has, from the decimals that were written: on every processor
the same.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isinf, nextafter
from typing import Final, Literal, TypeAlias

from dalenius.bounds import near_to_digits, up_to_digits

Phrase: TypeAlias = Literal["factor", "odds", "from", "advantage"]
"""factor: no probability of a secret grows more than so many times; odds: nor the odds between two values; from: with
`to`, a chance of that stays at or below this; advantage: a guess between two equally likely values is right with
probability at most (1 + advantage)/2."""

OF_CHANCES: Final[tuple[Phrase, ...]] = ("factor", "from")
"""The phrases of what bounds Pr[s|y]/Pr[s] by e^epsilon."""
OF_ODDS: Final[tuple[Phrase, ...]] = ("factor", "odds", "from", "advantage")
"""The phrases of what bounds the ratio of the likelihoods of two values: then no chance grows more than that either."""

DIGITS: Final = 40
UP: Final = Context(prec=DIGITS, rounding=ROUND_CEILING)
"""Decimals that do not depend on what others set for theirs."""
BEYOND: Final = 1e5
"""Nats above which e^epsilon is not written out."""
MANY: Final = 10**6
FEW: Final = Decimal("1e-4")
"""Where numbers are written as powers of ten: so many times, and percents below."""
LITTLE: Final = Fraction(1, 10**12)
"""The least growth that is shown."""
CERTAIN: Final = 1 - Fraction(1, 10**5)
FIRST: Final = Fraction(1, 100)
"""The chance that examples start from, or a tenth of it, and so on: the first that ends at TELLING at most."""
TELLING: Final = Fraction(3, 5)
TOLD: Final = Fraction(99, 100)
"""A chance that is given is an example as long as it does not end above this."""
FEWEST: Final = Fraction(1, 10**12)


def epsilon_of_factor(factor: float) -> float:
    """The greatest epsilon with e^epsilon <= factor, for chances and for odds."""
    return _log_down(_written(factor))


def epsilon_of_chances(start: float, end: float) -> float:
    """That with start·e^epsilon <= end."""
    return _log_down(_written(end) / _written(start))


def epsilon_of_odds(start: float, end: float) -> float:
    """That with start/(1 - start)·e^epsilon <= end/(1 - end)."""
    low, high = _written(start), _written(end)
    return _log_down(high * (1 - low) / (low * (1 - high)))


def epsilon_of_advantage(advantage: float, delta: float = 0.0) -> float:
    """That with (e^epsilon - 1 + 2·delta)/(e^epsilon + 1) <= advantage; at most 0 unless advantage > delta.

    The left side is the largest total variation of two laws within (epsilon, delta) of each other both ways: randomised
    response attains it, and any other mechanism is below.
    """
    most, slack = _written(advantage), _written(delta)
    return _log_down((1 + most - 2 * slack) / (1 - most)) if most > slack else 0.0


def raised(chance: float, epsilon: float) -> Fraction:
    """The most a chance becomes that grows at most e^epsilon-fold; this and the next two are rounded up, far beyond a
    double's digits."""
    return Fraction(1) if epsilon > BEYOND else min(Fraction(_power(epsilon)) * _written(chance), Fraction(1))


def raised_by_odds(chance: float, epsilon: float) -> Fraction:
    """The most it becomes where its odds grow at most e^epsilon-fold."""
    start = _written(chance)
    odds = Fraction(_power(min(epsilon, BEYOND))) * start
    return Fraction(1) if epsilon > BEYOND else odds / (1 - start + odds)


def right_guess(epsilon: float, delta: float = 0.0) -> Fraction:
    """The most probably right guess between two equally likely values."""
    power = Fraction(_power(min(epsilon, BEYOND)))
    return Fraction(1) if epsilon > BEYOND else (power + _written(delta)) / (power + 1)


def sentence(of_odds: bool, epsilon: float, chance: float | None = None) -> str:
    """What epsilon nats say of the odds between two values, or else of chances; chance: an example of one, unless it
    may become next to certain: then `telling` is."""
    if isinf(epsilon):
        return "the odds between two values change without bound" if of_odds else "a chance may become certainty"
    if epsilon == 0:
        return "the odds between two values do not change" if of_odds else "no chance grows"
    grown = raised_by_odds if of_odds else raised
    start = example(chance)
    if chance is None or grown(start, epsilon) > TOLD:
        start = telling(of_odds, epsilon)
    end = grown(start, epsilon)
    shown = f"stays at or below {percent(end)}" if end < CERTAIN else "may become as good as certain"
    if of_odds:
        return f"the odds between two values change at most {folds(epsilon)}-fold, a chance of {percent(start)} {shown}"
    return f"no chance grows more than {folds(epsilon)}-fold, one of {percent(start)} {shown}"


def telling(of_odds: bool, epsilon: float) -> float:
    """The chance of an example that tells something: 1 %, or a tenth of it, a hundredth .., the first that becomes at
    most TELLING; the least there is where none does."""
    grown, start = raised_by_odds if of_odds else raised, FIRST
    while start > FEWEST and grown(float(start), epsilon) > TELLING:
        start /= 10
    return float(start)


def becomes(of_odds: bool, epsilon: float) -> tuple[str, str]:
    """That chance, and the most that it becomes."""
    start = telling(of_odds, epsilon)
    return percent(start), percent((raised_by_odds if of_odds else raised)(start, epsilon))


def folds(epsilon: float) -> str:
    """How many times e^epsilon is, rounded up to four digits; to three of what is above 1 where that is less."""
    if epsilon > BEYOND:
        return f"e^{up_to_digits(epsilon, 4):.12g}"
    power = Fraction(_power(epsilon))
    shown = _ceiling(power, 4) if power >= 2 else UP.add(Decimal(1), _ceiling(max(power - 1, LITTLE), 3))
    return f"{shown:.3e}" if shown >= MANY else _plain(shown)


def percent(chance: Fraction | float) -> str:
    """The chance to three digits, rounded up; near 1 its contrary's digits count."""
    given = _written(chance) if isinstance(chance, float) else chance
    shown = _ceiling(given, 3) if 2 * given <= 1 else UP.subtract(Decimal(1), _floor(1 - given, 3))
    shown = UP.multiply(Decimal(100), shown)
    return f"{_plain(shown) if shown >= FEW else format(shown, '.2e')} %"


def example(chance: float | None) -> float:
    """The chance that an explanation starts from: the given one to three digits; .01 where there is none."""
    if chance is None or not 1e-12 < chance < 1 - 1e-6:
        return 0.01
    return _near(chance) if chance <= 0.5 else float(1 - _written(_near(1 - chance)))


def _near(chance: float) -> float:
    # To ten digits first: the last bits of a double do not decide a tie.
    return near_to_digits(near_to_digits(chance, 10), 3)


def _written(number: float) -> Fraction:
    """The decimal that was written: 0.1 is a tenth."""
    return Fraction(repr(float(number)))


def _log_down(ratio: Fraction) -> float:
    """The logarithm, rounded down to a double; 0 for what is not above 1."""
    if ratio <= 1:
        return 0.0
    # The logarithm is at least half of the excess over 1, or 1/2: so many digits leave DIGITS of it.
    digits = DIGITS + max(0, len(str(int(1 / (ratio - 1)))))
    exact = Context(prec=digits)
    value = exact.ln(exact.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))
    value = exact.multiply(value, exact.subtract(Decimal(1), Decimal((0, (1,), 3 - DIGITS))))
    near = float(value)
    return near if Decimal(near) <= value else nextafter(near, 0.0)


def _power(epsilon: float) -> Decimal:
    """e^epsilon to DIGITS, rounded up."""
    if epsilon == 0:
        return Decimal(1)
    return UP.multiply(UP.exp(Decimal(epsilon)), UP.add(Decimal(1), Decimal((0, (1,), 2 - DIGITS))))


def _ceiling(number: Fraction, digits: int) -> Decimal:
    exact = Context(prec=digits, rounding=ROUND_CEILING)
    return exact.divide(Decimal(number.numerator), Decimal(number.denominator))


def _floor(number: Fraction, digits: int) -> Decimal:
    exact = Context(prec=digits, rounding=ROUND_FLOOR)
    return exact.divide(Decimal(number.numerator), Decimal(number.denominator))


def _plain(number: Decimal) -> str:
    return f"{number.normalize(UP):f}"
