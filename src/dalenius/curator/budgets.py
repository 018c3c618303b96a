"""What a data set, or an analyst, has spent, and whether more may be."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isfinite
from typing import Any, Literal, TypeAlias, final

from dalenius.curator import amounts
from dalenius.curator.amounts import Amount
from dalenius.curator.history import History
from dalenius.curator.refusals import Overspent
from dalenius.curator.spending import Entry, Spent, SpentBy
from dalenius.curator.sums import Sums
from dalenius.errors import Refused

Whose: TypeAlias = Literal["data set", "analyst"]


@final
@dataclass(frozen=True)
class Budget:
    """In nats: what the data set had at first, what all releases together may have leaked, and what is left; route: by
    what rule that is known (`spending`). delta: of the budget; spent_delta: at which spent is counted, at most that."""

    initial: float
    spent: float
    route: SpentBy = field(default="alone", compare=False)
    delta: float = 0.0
    spent_delta: float = 0.0

    @property
    def remaining(self) -> float:
        return max(0.0, amounts.nats(amounts.budget(self.initial) - amounts.budget(self.spent)))

    def as_json(self) -> dict[str, Any]:
        """In nats, and by which rule it is counted."""
        return {
            "initial": self.initial,
            "spent": self.spent,
            "remaining": self.remaining,
            "route": self.route,
            "delta": self.delta,
            "spent_delta": self.spent_delta,
        }


def as_budget(given: float, spent: Spent, delta: float) -> Budget:
    return Budget(given, spent.nats, spent.route, delta, spent.delta)


def budget_of(history: History, name: str) -> Budget:
    """Of a data set."""
    return as_budget(history.given(name), spent_of(history, name), history.delta(name))


def own_budget_of(history: History, name: str, analyst: str, cap: float | None) -> Budget:
    """Of what an analyst was told of a data set. cap: in nats; by default the last one there was, else the budget."""
    last = history.newest(name, analyst)
    if cap is None:
        cap = history.given(name) if last is None else float(last.body["own"].get("cap", history.given(name)))
    return as_budget(cap, own_spent_of(history, name, analyst), history.delta(name))


def spent_of(history: History, name: str) -> Spent:
    """What the last debit says of all."""
    last = history.newest_debit(name)
    return Spent(0, "alone") if last is None else _said(last.body)


def own_spent_of(history: History, name: str, analyst: str) -> Spent:
    last = history.newest(name, analyst)
    return Spent(0, "alone") if last is None else _said(last.body["own"])


def _said(body: Mapping[str, Any]) -> Spent:
    return Spent(amounts.spending_of(body["spent"]), body["route"], float(body.get("spent_delta", 0.0)))


def spent_json(spent: Spent) -> dict[str, Any]:
    """As an entry holds it."""
    found = {"spent": amounts.written(spent.amount), "spent_delta": spent.delta, "route": spent.route}
    return found if spent.converted is None else found | {"converted": list(spent.converted)}


def fitted(spent: Spent, cost: Entry, given: float) -> Spent:
    """An only release that leaks no more than the budget as it was given spends at most all of it: the budget is
    rounded down, the leakage up, and a promise of all there is must be payable."""
    most = amounts.budget(given)
    within = isfinite(cost.leakage) and 0 <= Fraction(cost.leakage) <= (Fraction(given) if isfinite(given) else 0)
    if spent.route == "alone" and spent.amount > most and within:
        return replace(spent, amount=most)
    return spent


def check(spent: Spent, before: Spent, given: float, of: str, whose: Whose, at: float, why: str) -> None:
    """Overspent where it is more than was given. of: what is said of the release, and of what there was before; at: the
    delta of the budget; why: an infinite loss is one."""
    most = amounts.budget(given)
    if spent.amount <= most:
        return
    remaining: Amount = max(0, most - before.amount)
    over = spent.amount - most
    requested, left, more = (amounts.nats(each) for each in (remaining + over, remaining, over))
    pot = "budget" if whose == "data set" else "cap"
    delta = f" at delta {at:g}" if at else ""
    said = f"{of}would spend {spent.nats:.6g} of a {pot} of {given:.6g} nats{delta}"
    numbers = f": {requested:.6g} requested, {left:.6g} left, {more:.6g} too much"
    raise Overspent(said + numbers + why, whose, requested, left, more)


def check_record(after: Sums, most: float | None, of: str) -> None:
    """Refused where several releases together say more of one record, to whoever knows all others, than is promised
    beside the first promise, whose budget is another: most, in nats. Of an only release its noise keeps it."""
    if most is not None and after.count > 1 and after.differential > amounts.budget(most):
        said = f"{of}would say {amounts.nats(after.differential):.6g} nats of a record to whoever knows all others"
        raise Refused(f"{said}, all releases together; promised are {most:.6g}")
