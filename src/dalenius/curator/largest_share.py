"""The largest epsilon that a budget still allows for a question, found by looking at prices.

The cost of an epsilon beside earlier answers follows no simple formula, so prices are tried. If 0.5 nats are left and
earlier answers count too, 0.5 may not fit, and 0.371 may:

>>> search = shares(0.5, 2.0)
>>> found = next(search)
>>> try:
...     while True:
...         found = search.send(found <= 0.371)
... except StopIteration as end:
...     print(end.value)
0.371
"""

from collections.abc import Callable, Generator
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Final

from dalenius.curator.price_quote import Quote
from dalenius.errors import Refused

LEAST_SHARE: Final = 1e-6
"""The least that a question may cost, in nats."""
_NEAR: Final = 1.02
"""The factor within which the largest is found."""


def shares(start: float, highest: float) -> Generator[float, bool, float | None]:
    """Yields epsilons to try, in nats; send whether each fits. Returns the largest that did, to 2 %, None for none.

    Args:
        start: What is left of the budgets, which is the largest where nothing was asked before.
        highest: The most that is ever tried.
    """
    fits, top = 0.0, _short(start)
    if top < LEAST_SHARE:
        return None
    # Because a release that is the first one costs what it leaks alone, the rest of the budget is tried first.
    while (yield top):
        fits, top = top, _short(min(highest, 2 * top) if fits else top * _NEAR * 1.001)
        if top <= fits or top > highest:
            return fits
    if not fits:
        low = _short(top / 2)
        while low >= LEAST_SHARE and not (yield low):
            top, low = low, _short(low / 2)
        if low < LEAST_SHARE:
            return None
        fits = low
    elif top <= fits * _NEAR * 1.002:
        return fits
    while top / fits > _NEAR:
        middle = _short((top * fits) ** 0.5)
        if middle <= fits:
            break
        if (yield middle):
            fits = middle
        else:
            top = middle
    return fits


def largest_of(search: Generator[float, bool, float | None], quote: Callable[[float], Quote]) -> float | None:
    """Runs a search of `shares` to its end, and returns what it returns.

    Args:
        search: The search.
        quote: Prices an epsilon; Refused where it does not fit.
    """
    try:
        share = next(search)
        while True:
            try:
                quote(share)
                fits = True
            except Refused:
                fits = False
            share = search.send(fits)
    except StopIteration as end:
        found: float | None = end.value
        return found


def _short(epsilon: float) -> float:
    """Rounds down to three digits, so that it is no more than what it stands for."""
    return float(Context(prec=3, rounding=ROUND_FLOOR).create_decimal(Decimal(epsilon)))
