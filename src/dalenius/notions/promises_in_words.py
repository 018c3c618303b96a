"""Promises as people say them (Theory §2): a phrase's epsilon, rounded down, and what an epsilon says, rounded up.

All is computed in decimals with more digits than a double has, from the decimals that were written: on every processor
the same.

Doubling of a chance at most is ε = ln 2; ε = 1 lets a chance of 10 % come to 27.2 % where chances are bounded, and to
23.2 % where odds are; a guess between two values is then right with .731059.

>>> round(epsilon_of_factor(2.0), 6), round(epsilon_of_odds(0.5, 0.9), 6), round(epsilon_of_advantage(0.5), 6)
(0.693147, 2.197225, 1.098612)
>>> percent(raised_belief(0.1, 1.0)), percent(raised_by_odds(0.1, 1.0)), round(float(right_guess(1.0)), 6)
('27.2 %', '23.2 %', 0.731059)
>>> folds(1.0), percent(0.99987)
('2.719', '99.987 %')
"""

import abc
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isinf, nextafter
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias, final

from pydantic import (
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from dalenius.bounds import NO_UPPER_END, down_to_digits, near_to_digits, up_to_digits
from dalenius.errors import InputError
from dalenius.fields import Positive, Probability
from dalenius.frozen_section import Frozen

Phrase: TypeAlias = Literal["factor", "odds", "from", "advantage"]
"""factor: no probability of a secret grows more than so many times; odds: nor the odds between two values; from: with
`to`, a chance of that stays at or below this; advantage: a guess between two equally likely values is right with
probability at most (1 + advantage)/2."""

OF_CHANCES: Final[tuple[Phrase, ...]] = ("factor", "from")
"""The phrases of what bounds Pr[s|y]/Pr[s] by e^epsilon."""
OF_ODDS: Final[tuple[Phrase, ...]] = ("factor", "odds", "from", "advantage")
"""The phrases of what bounds the ratio of the likelihoods of two values: then no chance grows more than that either."""

_DIGITS: Final = 40
_UP: Final = Context(prec=_DIGITS, rounding=ROUND_CEILING)
"""Decimals that do not depend on what others set for theirs."""
_BEYOND: Final = 1e5
"""Nats above which e^epsilon is not written out."""
FEW: Final = Decimal("1e-4")
"""Where numbers are written as powers of ten: so many times, and percents below."""
_LITTLE: Final = Fraction(1, 10**12)
"""The least growth that is shown."""
_ROUNDING: Final = 1e-9
"""Nats below which a lower end says nothing."""
_CERTAIN: Final = 1 - Fraction(1, 10**5)
_FIRST: Final = Fraction(1, 100)
"""The chance that examples start from, or a tenth of it, and so on: the first that ends at TELLING at most."""
_TELLING: Final = Fraction(3, 5)
_MOST_SHOWN: Final = Fraction(99, 100)
"""A chance that is given is an example as long as it does not end above this."""
_FEWEST: Final = Fraction(1, 10**12)


def epsilon_of_factor(factor: float) -> float:
    """The greatest epsilon with e^epsilon <= factor, for chances and for odds."""
    return _log_down(_written(factor))


def epsilon_of_chances(start: float, end: float) -> float:
    """That with start·e^epsilon <= end. 0.01 to 0.02 is ln 2, as doubling is."""
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


def raised_belief(chance: float, epsilon: float) -> Fraction:
    """The most a chance becomes that grows at most e^epsilon-fold; this and the next two are rounded up, far beyond a
    double's digits."""
    return Fraction(1) if epsilon > _BEYOND else min(Fraction(_power(epsilon)) * _written(chance), Fraction(1))


@lru_cache(4096)
def raised_by_odds(chance: float, epsilon: float) -> Fraction:
    """The most it becomes where its odds grow at most e^epsilon-fold."""
    start = _written(chance)
    odds = Fraction(_power(min(epsilon, _BEYOND))) * start
    return Fraction(1) if epsilon > _BEYOND else odds / (1 - start + odds)


def right_guess(epsilon: float, delta: float = 0.0) -> Fraction:
    """The most probably right guess between two equally likely values."""
    power = Fraction(_power(min(epsilon, _BEYOND)))
    return Fraction(1) if epsilon > _BEYOND else (power + _written(delta)) / (power + 1)


def sentence(of_odds: bool, epsilon: float, chance: float | None = None) -> str:
    """What epsilon nats say of the odds between two values, or else of chances; chance: an example of one, unless it
    may become next to certain: then `telling` is."""
    if isinf(epsilon):
        return "the odds between two values change without bound" if of_odds else "a chance may become certainty"
    if epsilon == 0:
        return "the odds between two values do not change" if of_odds else "no chance grows"
    shown = example_words(of_odds, epsilon, shown_chance(of_odds, epsilon, chance))
    if of_odds:
        return f"the odds between two values change at most {folds(epsilon)}-fold, a chance {shown}"
    return f"no chance grows more than {folds(epsilon)}-fold, one {shown}"


def shown_chance(of_odds: bool, epsilon: float, chance: float | None) -> float:
    """The chance of which `sentence` says what it becomes."""
    start = example(chance)
    # From 50 % to 99.9 % tells nobody anything: a rarer case shows better what ε means.
    if chance is None or (raised_by_odds if of_odds else raised_belief)(start, epsilon) > _MOST_SHOWN:
        return telling(of_odds, epsilon)
    return start


def example_words(of_odds: bool, epsilon: float, start: float) -> str:
    """What a chance becomes at most: "of 1 % stays at or below 2.72 %"."""
    end = (raised_by_odds if of_odds else raised_belief)(start, epsilon)
    stays = f"stays at or below {percent(end)}" if end < _CERTAIN else "may become as good as certain"
    return f"of {percent(start)} {stays}"


def sentence_from_below(of_odds: bool, epsilon: float) -> str:
    """What is known where epsilon nats are a lower end and no upper end is known; rounded down."""
    what = "the odds between two values change" if of_odds else "a chance grows"
    if epsilon < _ROUNDING:
        return f"nothing is known of how far {what}"
    return f"{what} at least {folds_down(epsilon)}-fold; {NO_UPPER_END}"


def telling(of_odds: bool, epsilon: float) -> float:
    """The chance of an example that tells something: 1 %, or a tenth of it, a hundredth .., the first that becomes at
    most TELLING; the least there is where none does."""
    grown, start = raised_by_odds if of_odds else raised_belief, _FIRST
    while start > _FEWEST and grown(float(start), epsilon) > _TELLING:
        start /= 10
    return float(start)


@lru_cache(4096)
def becomes(of_odds: bool, epsilon: float) -> tuple[str, str]:
    """That chance, and the most that it becomes."""
    start = telling(of_odds, epsilon)
    return percent(start), percent((raised_by_odds if of_odds else raised_belief)(start, epsilon))


def folds(epsilon: float) -> str:
    """How many times e^epsilon is, rounded up to four digits; to three of what is above 1 where that is less."""
    if epsilon > _BEYOND:
        return f"e^{up_to_digits(epsilon, 4):.12g}"
    power = Fraction(_power(epsilon))
    # 1.0005-fold is 5e-4 more: digits of what is above 1 are what counts.
    shown = _ceiling(power, 4) if power >= 2 else _UP.add(Decimal(1), _ceiling(max(power - 1, _LITTLE), 3))
    return f"{shown:.3e}" if shown >= (10**6) else _plain(shown)


def folds_down(epsilon: float) -> str:
    """How many times e^epsilon is, rounded down to four digits.

    >>> folds_down(1.0), folds(1.0)
    ('2.718', '2.719')
    """
    if epsilon > _BEYOND:
        return f"e^{down_to_digits(epsilon, 4):.12g}"
    shown = _floor(Fraction(_power(epsilon)), 4)
    return f"{shown:.3e}" if shown >= (10**6) else _plain(shown)


def percent(chance: Fraction | float) -> str:
    """The chance to three digits, rounded up; near 1 its contrary's digits count."""
    given = _written(chance) if isinstance(chance, float) else chance
    # 99.987 %, not 100 %: what is left matters.
    shown = _ceiling(given, 3) if 2 * given <= 1 else _UP.subtract(Decimal(1), _floor(1 - given, 3))
    shown = _UP.multiply(Decimal(100), shown)
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
    # No factor above 1: nothing may change.
    if ratio <= 1:
        return 0.0
    # The logarithm is at least half of the excess over 1, or 1/2: so many digits leave DIGITS of it.
    digits = _DIGITS + max(0, len(str(int(1 / (ratio - 1)))))
    exact = Context(prec=digits)
    value = exact.ln(exact.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))
    value = exact.multiply(value, exact.subtract(Decimal(1), Decimal((0, (1,), 3 - _DIGITS))))
    near = float(value)
    return near if Decimal(near) <= value else nextafter(near, 0.0)


def _power(epsilon: float) -> Decimal:
    """e^epsilon to DIGITS, rounded up."""
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


Times = Annotated[Probability, Field(gt=1, allow_inf_nan=False)]
Chance = Annotated[Probability, Field(gt=0, lt=1, allow_inf_nan=False)]

PHRASE_KEYS: Final[dict[Phrase, tuple[str, ...]]] = {
    "factor": ("factor",),
    "odds": ("odds",),
    "from": ("from", "to"),
    "advantage": ("advantage",),
}
"""The keys of each phrase in a spec."""
FIELDS: Final = {"factor": "factor", "odds": "odds", "from": "from_", "to": "to", "advantage": "advantage"}
"""By key the name in Python, where `from` is no name."""


@final
class Epsilon(Frozen):
    epsilon: Positive | None


class Phrased(Frozen, abc.ABC):
    """epsilon: the promise, in nats; may be left open where only the leakage is asked for. Or one phrase that stands
    for it, of those that the kind has: factor, odds, from and to, or advantage. What is written is what was given."""

    leading: ClassVar[tuple[str, ...]] = ("epsilon",)

    _phrases: ClassVar[tuple[Phrase, ...]] = ()
    # Those that say this promise.

    _later: ClassVar[tuple[str, ...]] = ()
    # Keys left out of what is written while they have their defaults: they came later than ledgers whose requests are
    # named by that text.

    model_config = ConfigDict(populate_by_name=True)

    kind: str
    epsilon: Positive | None = None
    factor: Times | None = None
    odds: Times | None = None
    from_: Annotated[Chance | None, Field(alias="from")] = None
    to: Chance | None = None
    advantage: Chance | None = None

    @field_validator("factor", "odds", "from_", "to", "advantage")
    @classmethod
    def _one_promise(cls, given: float | None, info: ValidationInfo) -> float | None:
        """ValueError for a phrase that the kind does not have, or beside another promise."""
        if given is None:
            return given
        own = next(phrase for phrase, keys in PHRASE_KEYS.items() for key in keys if FIELDS[key] == info.field_name)
        if own not in cls._phrases:
            raise ValueError(cls._known_phrases(own, info.data.get("kind", "such")))
        others = ["epsilon", *(FIELDS[keys[0]] for phrase, keys in PHRASE_KEYS.items() if phrase != own)]
        other_promise = next((name for name in others if info.data.get(name) is not None), None)
        if other_promise is not None:
            raise ValueError(f"one promise only: {other_promise.rstrip('_')} says it already")
        return given

    @classmethod
    def _known_phrases(cls, phrase: Phrase, kind: str) -> str:
        """What is wanted of the kind instead of that phrase."""
        known = ", ".join(" with ".join(PHRASE_KEYS[each]) for each in cls._phrases)
        return f"one of epsilon, {known} for {kind} privacy" if known else f"no {phrase} for {kind} privacy"

    @field_validator("to")
    @classmethod
    def _above(cls, to: float | None, info: ValidationInfo) -> float | None:
        """`to`, which needs a `from` below it; a missing one is said as of any missing key."""
        if "from_" not in info.data:  # refused already
            return to
        start = info.data["from_"]
        if to is None and start is not None:
            raise PydanticCustomError("missing", "a value")
        if to is not None and start is None:
            raise ValueError("from beside it: a chance of from is to stay at or below to")
        if to is not None and to <= start:
            raise ValueError(f"a number above from, {start!r}")
        return to

    @model_validator(mode="after")
    def _resolved(self) -> Self:
        """The phrase's epsilon, set; InputError where an advantage does not exceed delta: no ε would keep it."""
        if self._given():
            epsilon = self._promised()
            if epsilon <= 0:
                raise InputError("notion.advantage", self.advantage, f"a number above delta, {self.promised_delta!r}")
            object.__setattr__(self, "epsilon", epsilon)
        return self

    @property
    def promised_delta(self) -> float | None:
        """The promise's delta; None where the notion has none."""
        return None

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As of any section; another epsilon counts instead of what the promise was given as."""
        changed = dict(update or {})
        if "epsilon" in changed:
            epsilon = Epsilon(epsilon=changed.pop("epsilon")).epsilon
            return super().model_copy(update=changed, deep=deep).altered({"epsilon": epsilon})
        given = self.as_given()
        before, after = (type(self)(**{**given, **each}).epsilon for each in ({}, changed))
        found = super().model_copy(update=changed, deep=deep)
        return found if before == after else found.altered({"epsilon": after})

    def as_given(self) -> dict[str, Any]:
        """Without the epsilon, where it follows from the rest."""
        given = super().as_given()
        epsilon = given.pop("epsilon", None)
        return given if type(self)(**given).epsilon is not None else {**given, "epsilon": epsilon}

    def _given(self) -> dict[str, float]:
        named = {key: getattr(self, name) for key, name in FIELDS.items()}
        return {key: value for key, value in named.items() if value is not None}

    def _promised(self) -> float:
        """The phrase's epsilon."""
        if self.from_ is not None and self.to is not None:
            of_odds = "odds" in self._phrases
            return (epsilon_of_odds if of_odds else epsilon_of_chances)(self.from_, self.to)
        if self.advantage is not None:
            return epsilon_of_advantage(self.advantage, self.promised_delta or 0.0)
        return epsilon_of_factor(self.factor or self.odds or 1.0)

    @model_serializer(mode="wrap")
    def _as_given(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """One promise: the phrase's keys, or epsilon; what came later only where it says something."""
        written: dict[str, Any] = handler(self)
        said = phrase_of(self)
        for name in FIELDS.values():
            written.pop(name, None)
        if said:
            written.pop("epsilon", None)
        # A ledger of before knows its requests by this text: it must not change.
        for name in self._later:
            if getattr(self, name) == type(self).model_fields[name].default:
                written.pop(name, None)
        return written | said


def phrase_of(notion: Phrased) -> dict[str, float]:
    """The phrase that the promise was given as, by key; empty where it was an epsilon, or was changed since."""
    given = notion._given()
    return given if given and notion.epsilon == notion._promised() else {}


def is_of_odds(notion: Phrased) -> bool | None:
    """Whether the promise bounds odds between two values; False where it bounds chances, None where neither."""
    return "odds" in notion._phrases if notion._phrases else None
