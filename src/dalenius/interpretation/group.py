"""The group that a person belongs to: a household that is alike, one with an epidemic, or a chain of days.

A household is alike with probability a: then all members have one value, ill with the chance p. Otherwise each has a
value of its own, also ill with p. Two members are then correlated by a. In a household of two that is alike with 0.5,
and a chance of 0.1, both are ill with 0.5 · 0.1 + 0.5 · 0.01:

>>> group = group_of(household=2, alike=0.5)
>>> [round(each, 6) for each in group.model.infected]
[0.855, 0.09, 0.055]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, fsum, isfinite
from typing import Any, Final, Literal, final

from dalenius.errors import InputError
from dalenius.interpretation.limits import LARGEST_GROUP
from dalenius.models import Chain, Households

_SIZE: Final = 4
_ALIKE: Final = 0.9
_CHANCE: Final = 0.1
_LEAST: Final = 1e-6
"""The least chance of being ill, and the least chance of being well."""


@final
@dataclass(frozen=True)
class Group:
    """The records of a group, and the chance that one of them is ill.

    Attributes:
        kind: How the records depend on each other.
        model: The law of the records of the group; all other records are known.
        size: The number of records.
        chance: The chance of each record to be ill, a 1.
        repeats: The probability that the household is alike, or that a day repeats the day before; None otherwise.
    """

    kind: Literal["household", "epidemic", "chain"]
    model: Households | Chain
    size: int
    chance: float
    repeats: float | None

    @property
    def alone(self) -> Households:
        """The law of one person with the same chance who depends on nobody."""
        return Households(count=1, infected=[1 - self.chance, self.chance])


def group_of(
    household: int | None = None,
    alike: float | None = None,
    infected: Sequence[float] | None = None,
    chain: float | None = None,
    chance: float | None = None,
) -> Group:
    """Makes the group from the arguments of `meaning`. Raises InputError for more than one law, and numbers out of
    range.

    Args:
        household: The number of records; None for 4, or what `infected` says.
        alike: The probability that all members of the household have one value; 0.9 where no law is given.
        infected: The probabilities that 0, 1, .., all members are ill.
        chain: The probability that a day repeats the day before.
        chance: The chance of one person to be ill; None for 0.1, or what `infected` says.
    """
    given = [name for name, each in (("alike", alike), ("infected", infected), ("chain", chain)) if each is not None]
    if len(given) > 1:
        raise InputError(given[1], f"beside {given[0]}", "one of alike, infected and chain")
    if household is not None and not (isinstance(household, int) and 1 <= household <= LARGEST_GROUP):
        wanted = f"a whole number from 1 to {int(LARGEST_GROUP)} ({LARGEST_GROUP.said})"
        raise InputError("household", household, wanted)
    if infected is not None:
        return _epidemic(infected, household, chance)
    p = _CHANCE if chance is None else checked_number("chance", chance, _LEAST, 1 - _LEAST)
    size = _SIZE if household is None else household
    if chain is not None:
        return _chain(checked_number("chain", chain), size, p)
    same = _ALIKE if alike is None else checked_number("alike", alike)
    own = [comb(size, ill) * p**ill * (1 - p) ** (size - ill) for ill in range(size + 1)]
    law = [(1 - same) * each for each in own]
    law[0] += same * (1 - p)
    law[-1] += same * p
    return Group("household", Households(count=1, infected=_scaled(law)), size, p, same)


def _epidemic(infected: Sequence[float], household: int | None, chance: float | None) -> Group:
    """Makes a household with the given law of the number of ill members."""
    if chance is not None:
        raise InputError("chance", chance, "no chance beside infected, which gives it")
    size = len(infected) - 1
    if household not in (None, size):
        raise InputError(
            "infected", f"{len(infected)} probabilities", f"{household + 1} for a household of {household}"
        )
    if size > LARGEST_GROUP:
        wanted = f"at most {int(LARGEST_GROUP) + 1} ({LARGEST_GROUP.said})"
        raise InputError("infected", f"{len(infected)} probabilities", wanted)
    model = Households(count=1, infected=infected)
    p = fsum(ill * float(each) for ill, each in enumerate(infected)) / size
    return Group(
        "epidemic", model, size, checked_number("infected", p, _LEAST, 1 - _LEAST, "as each member's chance, "), None
    )


def _chain(repeats: float, size: int, p: float) -> Group:
    """Makes a chain: a record repeats the one before with that probability, and otherwise is drawn anew."""
    anew = 1 - repeats
    rows = [[repeats + anew * (1 - p), anew * p], [anew * (1 - p), repeats + anew * p]]
    # So that a chain that never changes has a law too, its first record is given, and not "stationary".
    return Group("chain", Chain(n=size, initial=[1 - p, p], transition=rows), size, p, repeats)


def checked_number(
    key: str, value: Any, least: float = 0.0, most: float = 1.0, before: str = "", after: str = ""
) -> float:
    """Returns the `value` of `key`; InputError where it is no number from `least` to `most`.

    before, after: words around the range in the message.
    """
    # Because a caller of Python may give anything.
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not number or not least <= value <= most:
        raise InputError(key, value, f"{before}a number from {least:g} to {most:g}{after}")
    return float(value)


def _scaled(law: Sequence[float]) -> list[float]:
    """Returns the law with a sum of 1 to the last digit, which products of powers may miss."""
    total = fsum(law)
    return [each / total for each in law]
