"""What a data set, or an analyst, has spent, and whether more may be; what that says of a person, in words.

Of a budget of 1 nat 0.25 are spent: `Budget(initial=1.0, spent=0.25, route="alone")`, and 0.75 remain. In words, of
what an inferential promise of 0.25 nats is about: the odds between two values change at most 1.285-fold."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from math import isfinite, isinf
from typing import Any, Final, Literal, TypeAlias, final

from pydantic import ValidationError

from dalenius.curator import amounts
from dalenius.curator.amounts import Amount, DebitSums
from dalenius.curator.history import History
from dalenius.curator.spending import Entry, Spent, SpentBy
from dalenius.errors import InputError, Refused, place
from dalenius.notions import AnyNotion, Notion
from dalenius.notions.wording import FIELDS, becomes, folds, percent, raised_belief, raised_by_odds
from dalenius.schema import Frozen

# Of every failure, whatever it was: what more could be said would be said of the data.
SENTENCE: Final = (
    "no answer: the request failed on these data; it is paid for, and the same request gets the same again"
)


@final
class Overspent(Refused):
    """A budget, or an analyst's cap, would be crossed; in nats: what was requested, what remains, and by how much the
    one is more than the other. whose: the data set, or the analyst."""

    def __init__(self, said: str, whose: str, requested: float, remaining: float, difference: float) -> None:
        self.whose, self.requested, self.remaining, self.difference = whose, requested, remaining, difference
        super().__init__(said)


@final
class Failed(Refused):
    """The request was paid for, and its answer could not be drawn."""

    def __init__(self) -> None:
        super().__init__(SENTENCE)


@final
class Conflict(InputError):
    """An idempotency key: none is needed."""

    def __init__(self, key: str) -> None:
        super().__init__("idempotency key", key, "none: the same ask again gets the same answer, for nothing")


def cause_of(error: Exception) -> str:
    """For the owner's log, without any value: which key, what kind of error, and the line it came from."""
    key = f"{error.key}, " if isinstance(error, InputError) else ""
    return f"{key}{type(error).__name__} at {place(error)}"


_Whose: TypeAlias = Literal["data set", "analyst"]


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
        """In nats, rounded down; 0 where more was spent than there is, as by an analyst whose cap was lowered."""
        return max(0.0, amounts.as_nats(amounts.budget(self.initial) - amounts.budget(self.spent)))

    def as_json(self) -> dict[str, Any]:
        """In nats, and by which rule it is counted."""
        return {**asdict(self), "remaining": self.remaining}


def as_budget(given: float, spent: Spent, delta: float) -> Budget:
    """A budget of so many nats at that delta, of which that is spent."""
    return Budget(given, spent.nats, spent.route, delta, spent.delta)


def budget_of(history: History, name: str, analyst: str | None = None, cap: float | None = None) -> Budget:
    """Of a data set, or of what an analyst was told of it. cap: of that analyst, in nats; by default the last one there
    was, else the budget of the data set: without one an analyst may be told all that it has."""
    given, nats = history.given(name), history.given(name).nats
    if analyst is not None and cap is None:
        last = history.newest(name, analyst)
        cap = None if last is None else last.body["own"].get("cap")
    return as_budget(nats if cap is None else float(cap), spent_of(history, name, analyst), given.delta)


def spent_of(history: History, name: str, analyst: str | None = None) -> Spent:
    """What the last debit of the data set says of all, or the last entry with which the analyst was told something."""
    # Each entry says what all up to it spend: nothing has to be added up again.
    debits = history.debited(name)
    last = (debits[-1] if debits else None) if analyst is None else history.newest(name, analyst)
    if last is None:
        return Spent(0, "alone")
    body = last.body if analyst is None else last.body["own"]
    return Spent(amounts.amount_of(body["spent"]), body["route"], float(body["spent_delta"]))


def spent_json(spent: Spent) -> dict[str, Any]:
    """As an entry holds it."""
    return {"spent": amounts.amount_json(spent.amount), "spent_delta": spent.delta, "route": spent.route}


def fitted(spent: Spent, cost: Entry, given: float) -> Spent:
    """An only release that leaks no more than the budget as it was given spends at most all of it: the budget is
    rounded down, the leakage up, and a promise of all there is must be payable."""
    most = amounts.budget(given)
    within = isfinite(cost.leakage) and 0 <= Fraction(cost.leakage) <= (Fraction(given) if isfinite(given) else 0)
    if spent.route == "alone" and spent.amount > most and within:
        return replace(spent, amount=most)
    return spent


def check_spent(spent: Spent, before: Spent, given: float, of: str, whose: _Whose, at: float, why: str) -> None:
    """Overspent where it is more than was given. of: what is said of the release, and of what there was before; at: the
    delta of the budget; why: an infinite loss is one."""
    most = amounts.budget(given)
    if spent.amount <= most:
        return
    remaining: Amount = max(0, most - before.amount)
    over = spent.amount - most
    requested, left, more = (amounts.as_nats(each) for each in (remaining + over, remaining, over))
    pot = "budget" if whose == "data set" else "cap"
    delta = f" at delta {at:g}" if at else ""
    said = f"{of}would spend {spent.nats:.6g} of a {pot} of {given:.6g} nats{delta}"
    numbers = f": {requested:.6g} requested, {left:.6g} left, {more:.6g} too much"
    raise Overspent(said + numbers + why, whose, requested, left, more)


def why_infinite(spent: Spent, after: DebitSums, delta: float, notion: str) -> str:
    """Words for whoever is refused as the loss is infinite: of Gaussian noise, whose losses add up at a delta only.
    Nothing of any other."""
    if isinstance(spent.amount, int) or not after.gaussian:
        return ""
    if not delta:
        return "; Gaussian noise adds up at a delta only, and the budget of this data set has none"
    if after.keep_delta:
        return ""
    return f"; Gaussian noise adds up at a delta only, and not all of what was promised ({notion}) has one"


def check_record(after: DebitSums, most: float | None, of: str) -> None:
    """Refused where several releases together say more of one record, to whoever knows all others, than is promised
    beside the first promise, whose budget is another: most, in nats. Of an only release its noise keeps it."""
    if most is not None and after.count > 1 and after.differential > amounts.budget(most):
        said = f"{of}would say {amounts.as_nats(after.differential):.6g} nats of a record to whoever knows all others"
        raise Refused(f"{said}, all releases together; promised are {most:.6g}")


def risk_json(notion: Notion, epsilon: float) -> dict[str, Any] | None:
    """times: e^epsilon; guess: what a chance of one half becomes at most; before, after: of a chance that tells
    something (`wording.telling`); delta: the probability with which neither need hold; in_words. None where the notion
    says nothing of chances."""
    if not notion.phrases:
        return None
    of_odds = "odds" in notion.phrases
    before, after = becomes(of_odds, epsilon)
    return {
        "times": folds(epsilon),
        "guess": percent((raised_by_odds if of_odds else raised_belief)(0.5, epsilon)),
        "before": before,
        "after": after,
        "delta": notion.promised_delta or 0.0,
        "in_words": risk_words(notion, epsilon),
    }


def risk_words(notion: Notion, epsilon: float, delta: float | None = None) -> str | None:
    """One line; None where the notion says nothing of chances. delta: by default the notion's own."""
    if not notion.phrases:
        return None
    of_odds = "odds" in notion.phrases
    grows = "the odds between two values change" if of_odds else "chances grow"
    if isinf(epsilon):
        return f"{grows} without bound"
    before, after = becomes(of_odds, epsilon)
    told = "the odds between two values change at most" if of_odds else "no chance grows more than"
    excepted = notion.promised_delta if delta is None else delta
    but = f", except with probability {excepted:g}" if excepted else ""
    return f"{told} {folds(epsilon)}-fold: a chance of {before} becomes at most {after}{but}"


class _Promised(Frozen):
    notion: AnyNotion


def _notion_of(certificate: Mapping[str, Any]) -> Notion | None:
    """What is promised, the first of several; None of a certificate whose notion is not known here."""
    # A certificate of a plug-in's notion that is not plugged in now: its nats are said, and no chances.
    given = certificate.get("notion")
    if not isinstance(given, Mapping):
        return None
    try:
        return _Promised(notion={key: each for key, each in given.items() if key not in FIELDS}).notion
    except (InputError, ValidationError):
        return None


def _spent_words(certificate: Mapping[str, Any], budget: Budget) -> str:
    """What may be said of a person by all that was spent."""
    notion = _notion_of(certificate)
    # What is spent is rounded up to a nano-nat; an only release leaks no more than it promises.
    most = None if notion is None or budget.route != "alone" else notion.epsilon
    epsilon = budget.spent if most is None else min(budget.spent, most)
    said = None if notion is None else risk_words(notion, epsilon, budget.spent_delta or None)
    if notion is None or said is None:
        at = f" at delta {budget.spent_delta:g}" if budget.spent_delta else ""
        return f"at most {budget.spent:.6g} nats leak of any person{at}"
    return f"{notion.to_whom}, {said}" if notion.to_whom else said


def so_far(certificate: Mapping[str, Any], budget: Budget) -> str:
    """Of a release that goes out now; budget: with what it spends."""
    only = "this was the only one" if budget.route == "alone" else "this one and all before it together"
    return f"{only}: {_spent_words(certificate, budget)}"


def since_words(certificate: Mapping[str, Any], budget: Budget, since: int) -> str:
    """Of one after which others went out; budget: as it is now; since: how many."""
    more = "one more release" if since == 1 else f"{since:,} more releases"
    return f"{more} of these data since; all together: {_spent_words(certificate, budget)}"
