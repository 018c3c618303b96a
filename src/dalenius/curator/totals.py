"""What all answers of a data set say together, in words: in the notion that a certificate promises."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from dalenius.curator.budgets import Budget
from dalenius.curator.risk import risk_words
from dalenius.errors import InputError
from dalenius.notions import AnyNotion, Notion
from dalenius.notions.phrases.phrased import FIELDS
from dalenius.schema import Frozen


class _Promised(Frozen):
    notion: AnyNotion


def notion_of(certificate: Mapping[str, Any]) -> Notion | None:
    """What is promised, the first of several; None of a certificate whose notion is not known here."""
    given = certificate.get("notion")
    if not isinstance(given, Mapping):
        return None
    try:
        return _Promised(notion={key: each for key, each in given.items() if key not in FIELDS}).notion
    except (InputError, ValidationError):
        return None


def spent_words(certificate: Mapping[str, Any], budget: Budget) -> str:
    """What may be said of a person by all that was spent."""
    notion = notion_of(certificate)
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
    return f"{only}: {spent_words(certificate, budget)}"


def since_words(certificate: Mapping[str, Any], budget: Budget, since: int) -> str:
    """Of one after which others went out; budget: as it is now; since: how many."""
    more = "one more release" if since == 1 else f"{since:,} more releases"
    return f"{more} of these data since; all together: {spent_words(certificate, budget)}"
