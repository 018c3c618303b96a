"""Amounts as a ledger keeps them: whole nano-nats, so that sums are exact. What is spent is rounded up, budgets down.

In JSON such an amount is an integer, or "inf"; ledgers of before have nats there, as a number with a point.
"""

from fractions import Fraction
from math import ceil, floor, inf, isfinite, isnan, nextafter
from typing import Final, TypeAlias

NANO: Final = 10**9
Amount: TypeAlias = int | float
"""In nano-nats: an integer, or infinity."""


def spending(nats: float) -> Amount:
    """The least amount that is not below it; infinite of what is no cost, a negative number or none."""
    if isnan(nats) or nats < 0 or nats == inf:
        return inf
    return ceil(Fraction(nats) * NANO)


def budget(nats: float) -> Amount:
    """The greatest amount that is not above the decimal number that was written: the shortest that gives this double.
    0 of what is no budget."""
    if isnan(nats) or nats <= 0:
        return 0
    return floor(Fraction(repr(float(nats))) * NANO) if isfinite(nats) else inf


def spending_of(written: float | str) -> Amount:
    """An amount spent, as an entry holds it, old or new."""
    return written if isinstance(written, int) else spending(float(written))


def budget_of(written: float | str) -> Amount:
    """A budget, as an entry holds it, old or new."""
    return written if isinstance(written, int) else budget(float(written))


def written(amount: Amount) -> int | str:
    """As JSON holds it, which has no infinity."""
    return amount if isinstance(amount, int) else "inf"


def nats(amount: Amount) -> float:
    """The nearest double."""
    return amount / NANO


def shown(amount: Amount) -> float | str:
    """The nearest double as JSON holds it."""
    return nats(amount) if isinstance(amount, int) else "inf"


def nats_above(amount: Amount) -> float:
    """The least double that is not below it."""
    found = amount / NANO
    if found == inf or Fraction(found) * NANO >= Fraction(amount):
        return found
    return nextafter(found, inf)
