"""Budgets as bars: what is spent is rounded up, and what is left down."""

from dataclasses import dataclass
from math import isinf
from typing import Final, final

from dalenius.curator import Budget
from dalenius.pages.numbers import down, near, up

WIDTH: Final = 1000


@final
@dataclass(frozen=True)
class Bar:
    """name: whose; left: in words, large; note: beneath; said: the bar in words; shares: of WIDTH, next_share from the
    left as well, so that what is spent already lies over it."""

    name: str
    left: str
    note: str
    said: str
    spent_share: int
    next_share: int = 0


def bar(name: str, budget: Budget) -> Bar:
    """As it is."""
    left, note = (
        f"{down(budget.remaining)} nats left",
        f"{up(budget.spent)} of {near(budget.initial)} spent{_at(budget)}",
    )
    return Bar(name, left, note, f"{name}: {note}", _share(budget.spent, budget.initial))


def bar_after(name: str, before: Budget, then: Budget) -> Bar:
    """As it would be afterwards."""
    left = f"{down(then.remaining)} nats left"
    note = f"{up(before.spent)} spent now, {up(then.spent)} of {near(then.initial)} afterwards{_at(then)}"
    shares = _share(before.spent, before.initial), _share(then.spent, then.initial)
    return Bar(name, left, note, f"{name}: {note}", shares[0], shares[1])


def _share(part: float, whole: float) -> int:
    if not whole > 0 or isinf(part):
        return WIDTH
    return min(WIDTH, max(0, round(WIDTH * part / whole)))


def _at(budget: Budget) -> str:
    return f", at delta {budget.delta:g}" if budget.delta else ""
