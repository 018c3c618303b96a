"""The people of a sample, counted: those of a table that has the sample only, or some drawn from a table of everybody.

A person is drawn by the operating system's secure generator, because who is in the sample is what hides people. A rate
is taken as the double that it is, exactly: a whole number is drawn below the rate's denominator.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import log
from random import SystemRandom
from typing import Any, Final, TypeAlias

from dalenius.errors import InputError
from dalenius.joints import Stratum
from dalenius.models import Sample
from dalenius.tables.people import People

_IMPLAUSIBLE: Final = 1e-9
"""A probability that no sample is expected to have: one that is rarer was not drawn so."""

Tally: TypeAlias = Mapping[tuple[str, Fraction | str], int]
"""The number of people of each label and value."""


def check_sample(sample: Sample, strata: Sequence[Stratum], tally: Tally) -> None:
    """Raises InputError where a table of the sample has people that the model's population, or the sample, has not.

    Args:
        sample: The way the sample was drawn.
        strata: The people of the population.
        tally: The table's people (`People.tally`).
    """
    there: dict[str, int] = {}
    for stratum in strata:
        there[stratum.label] = there.get(stratum.label, 0) + stratum.people
    found: Counter[str] = Counter()
    for (label, _), people in tally.items():
        found[label] += people
    if any(label not in there for label in found):
        raise InputError("data.label", "people of other labels", "the labels that the model has")
    for label, people in sorted(found.items()):
        if people > there[label]:
            whom = f"people labelled {label!r}" if label else "people"
            wanted = f'at most {there[label]:,}, as many as the population has (drawn = "already" reads a sample)'
            raise InputError("data", f"{people:,} {whom}", wanted)
    if sample.size is not None and sample.of == "people" and found.total() != sample.size:
        raise InputError("data", f"{found.total():,} people", f"{sample.size:,}, as many as sample.size says")
    # Because a table of everybody, read as a sample, would go out without the draw that the promise rests on.
    if sample.size is None and _is_implausible(sample, found.total(), sum(there.values())):
        wanted = f'about as many as a sample has, where {sample.words} (drawn = "here" draws from a table of everybody)'
        raise InputError("data", f"{found.total():,} people", wanted)


def _is_implausible(sample: Sample, drawn: int, everybody: int) -> bool:
    """Says whether a sample of so many people is one that has next to no probability to be so large."""
    rate = max(sample.rates)
    if rate == 1:
        return False
    # The case of whole households, whose sizes a table of the sample does not give: only everybody is too many.
    if sample.of == "households":
        return drawn == everybody
    share = drawn / everybody
    if share <= rate:
        return False
    # Chernoff's bound of the probability that so many or more are drawn.
    divergence = share * log(share / rate) + (0.0 if share == 1 else (1 - share) * log((1 - share) / (1 - rate)))
    return everybody * divergence > -log(_IMPLAUSIBLE)


def drawn_tally(sample: Sample, people: People, tally: Tally) -> Tally:
    """Draws a sample of the table's people, and counts it.

    Args:
        sample: The way it is drawn.
        people: The table of everybody.
        tally: The table's people (`People.tally`).

    Raises:
        InputError: Households are drawn, and the table has no column of them.
    """
    if sample.of == "households":
        return drawn_homes(sample, homes_of(people))
    generator = SystemRandom()
    if sample.size is not None:
        return _of_size(sample.size, tally, generator)
    rates = sample.rate if isinstance(sample.rate, Mapping) else {}
    found = {}
    for (label, value), count in tally.items():
        rate = rates[label] if rates else sample.rate
        assert isinstance(rate, float)
        found[label, value] = sum(_is_drawn(rate, generator) for _ in range(count))
    return found


def _is_drawn(rate: float, generator: SystemRandom) -> bool:
    """Draws once, with exactly this probability."""
    chance = Fraction(rate)
    return generator.randrange(chance.denominator) < chance.numerator


def _of_size(size: int, tally: Tally, generator: SystemRandom) -> Tally:
    """Draws so many people without replacement."""
    kinds = list(tally)
    last = list(accumulate(tally[kind] for kind in kinds))
    drawn = generator.sample(range(last[-1]), size)
    return Counter(kinds[bisect_right(last, person)] for person in drawn)


def drawn_homes(sample: Sample, homes: Sequence[Tally]) -> Tally:
    """Draws whole households, and counts their people.

    Args:
        sample: The way they are drawn.
        homes: The people of each household.

    Raises:
        InputError: More are to be drawn than there are.
    """
    generator = SystemRandom()
    if sample.size is not None:
        if sample.size > len(homes):
            raise InputError("sample.size", sample.size, f"at most {len(homes):,}, as many households as there are")
        drawn = generator.sample(homes, sample.size)
    else:
        assert isinstance(sample.rate, float)
        rate = sample.rate
        drawn = [home for home in homes if _is_drawn(rate, generator)]
    found: Counter[tuple[str, Fraction | str]] = Counter()
    for home in drawn:
        found.update(home)
    return found


def homes_of(people: People) -> list[Tally]:
    """Returns the tally of each household.

    Args:
        people: The table of people.

    Raises:
        InputError: For a table without a column of households.
    """
    if people.source.household is None:
        raise InputError("data.household", "missing", "the column that says who is drawn together")
    kinds = people.rows.group_by("household", "label", "value").agg(people=people.rows.count())
    answer = people.answer(kinds.order_by("household"), "household")
    homes: dict[Any, Counter[tuple[str, Fraction | str]]] = {}
    for home, label, value, count in zip(
        *(answer[each] for each in ("household", "label", "value", "people")), strict=True
    ):
        homes.setdefault(home, Counter())[label, people.value_of(value)] += count
    return list(homes.values())
