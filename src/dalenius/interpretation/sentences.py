"""The words of an interpretation: sentences with gaps, and numbers rounded to the side that says more leaks.

The web page fills the same gaps by the same rules: it has `TEXTS` as they stand here.

>>> factor(exp(1)), factor(38.11), factor(2.6e24), percent(0.0392, False), percent(0.2319693, True)
('2.72', '38.2', '3·10^24', '3.92 %', '23.2 %')
"""

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import exp, inf, isinf, log
from typing import Final

from dalenius.bounds import near_to_digits

_DIGITS: Final = 3
_RELIABLE: Final = 8
"""Digits of a number before it is rounded up or down, so that a round number but for roundings stays as it is."""
_LONG: Final = 1e6
"""The factor from which on only a power of ten is written."""
_SMALL: Final = 1e-3
"""The number below which its power of ten is written."""
_FAINT: Final = 1e-5
"""The probability below which none is told from 0, and its contrary from 1."""
_NEARLY: Final = 0.99
"""The probability from which on the digits of its contrary count."""

TEXTS: Final[Mapping[str, str]] = {
    "alone": "Take a person who depends on nobody. ε = {epsilon} lets no output move the odds that this person is ill "
    "by a factor of more than {alone_odds}. A chance of {before} then stays between {alone_low} and {alone_high}.",
    "alone_delta": "Take a person who depends on nobody. Noise that keeps ε = {epsilon} and δ = {delta} moves the odds "
    "that this person is ill by a factor of at most {alone_odds}, except at a share of δ of the outputs. This may be "
    "more than e^ε: δ limits how far outputs exceed e^ε, and not how many do. A chance of {before} then "
    "stays between {alone_low} and {alone_high}.",
    "member": "{group}, the same noise moves the odds about one of them by a factor of up to {odds}. A chance of "
    "{before} may then become anything from {low} to {high}. Half of all outputs move these odds by a factor of at "
    "most {median}, and 99 % by at most {q99}.",
    "no_worst": "At the rarest outputs there is no limit, for anybody.",
    "assumed": "The numbers are those of a count with {noise} noise of scale {scale}. The adversary knows everybody "
    "outside the {outside}.",
    "household": "In a household of {size} that is alike with probability {repeats}",
    "epidemic": "In a household of {size} with the given law of how many are ill",
    "chain": "In a chain of {size} days, each of which repeats the day before with probability {repeats}",
    "median": "half",
    "q99": "99 %",
    "all_but_delta": "all but δ",
    "worst": "the worst",
    "who_alone": "a person alone",
    "who_household": "a member of the household",
    "who_epidemic": "a member of the household",
    "who_chain": "a day of the chain",
    "outside_household": "household",
    "outside_epidemic": "household",
    "outside_chain": "chain",
    "boundless": "no limit",
}
"""Sentences and their parts, with gaps in braces."""


def factor(value: float) -> str:
    """Writes the factor `value` by which odds move, rounded up to three digits; above a million as a power of ten."""
    if isinf(value):
        return TEXTS["boundless"]
    if value < _LONG:
        return f"{rounded(value, True):,.12g}"
    digits = str(_settled(value, 1, True).normalize().as_tuple().digits[0])
    return f"{digits}·10^{_settled(value, 1, True).adjusted()}"


def factor_of(nats: float) -> str:
    """Writes e to the `nats`, a factor by which odds move, which may be beyond doubles.

    >>> factor_of(1.0), factor_of(1000.0), factor_of(inf)
    ('2.72', '2·10^434', 'no limit')
    """
    if nats < 700 or isinf(nats):
        return factor(exp(nats) if nats < inf else inf)
    power = near_to_digits(nats / log(10), _RELIABLE)
    whole = int(power)
    digit = _settled(10 ** (power - whole), 1, True)
    return f"{digit.normalize().as_tuple().digits[0]}·10^{whole + digit.adjusted()}"


def percent(value: float, upwards: bool) -> str:
    """Writes a probability, `value`, in percent to three digits; near 1 the digits of its contrary count.

    upwards: whether it is rounded up, and not down.

    >>> percent(0.99978, True), percent(0.99978, False), percent(1e-9, True), percent(1.0, True)
    ('99.978 %', '99.978 %', '0.001 %', '100 %')
    """
    if value < _FAINT:
        return "0.001 %" if upwards else "0 %"
    if value > _NEARLY:
        contrary = 1 - value
        if contrary < _FAINT:
            return "100 %" if upwards else "99.999 %"
        return f"{100 - 100 * float(_settled(contrary, 2, not upwards)):.12g} %"
    return f"{rounded(100 * value, upwards):.12g} %"


def rounded(value: float, upwards: bool) -> float:
    """Returns `value` with three significant digits, once its own roundings are off.

    upwards: whether it is rounded up, and not down.
    """
    return float(_settled(value, _DIGITS, upwards))


def _settled(value: float, digits: int, upwards: bool) -> Decimal:
    written = Decimal(repr(near_to_digits(value, _RELIABLE)))
    return Context(prec=digits, rounding=ROUND_CEILING if upwards else ROUND_FLOOR).create_decimal(written)


def plain(value: float) -> str:
    """Writes `value`, a given number or a scale, to four digits; one below 0.001 with its power of ten.

    >>> plain(1e-6), plain(1.0), plain(4.2246789)
    ('1e-6', '1', '4.225')
    """
    written = Decimal(repr(near_to_digits(value, 4))).normalize()
    if value and value < _SMALL:
        return f"{written.scaleb(-written.adjusted()):f}e{written.adjusted()}"
    return f"{written:f}"
