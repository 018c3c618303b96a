"""What a leakage means for one person: how far a guess about them can get."""

from fractions import Fraction
from math import isinf
from typing import Any, Final

from dalenius.notions import Notion
from dalenius.notions.phrases.wording import becomes, folds, percent, raised, raised_by_odds

FAIR: Final = 0.5


def guess(notion: Notion, epsilon: float) -> Fraction | None:
    """The most that a chance of one half becomes, rounded up; None where the notion says nothing of chances."""
    if not notion.phrases:
        return None
    return (raised_by_odds if "odds" in notion.phrases else raised)(FAIR, epsilon)


def risk_json(notion: Notion, epsilon: float) -> dict[str, Any] | None:
    """times: e^epsilon; guess: what a chance of one half becomes at most; before, after: of a chance that tells
    something (`wording.telling`); delta: the probability with which neither need hold; in_words. None where the notion
    says nothing of chances."""
    found = guess(notion, epsilon)
    if found is None:
        return None
    before, after = becomes("odds" in notion.phrases, epsilon)
    return {
        "times": folds(epsilon),
        "guess": percent(found),
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
