"""What a leakage means for one person: how far a guess about them can get."""

from fractions import Fraction
from typing import Any, Final

from dalenius.notions import Notion
from dalenius.notions.phrases.wording import folds, percent, raised, raised_by_odds

FAIR: Final = 0.5
CERTAIN: Final = 1 - 1e-6
"""A chance beyond is as good as that."""


def guess(notion: Notion, epsilon: float) -> Fraction | None:
    """The most that a chance of one half becomes, rounded up; None where the notion says nothing of chances."""
    if not notion.phrases:
        return None
    return (raised_by_odds if "odds" in notion.phrases else raised)(FAIR, epsilon)


def risk_json(notion: Notion, epsilon: float) -> dict[str, Any] | None:
    """times: e^epsilon; guess: what a chance of one half becomes at most; delta: the probability with which neither
    need hold; in_words. None where the notion says nothing of chances."""
    found = guess(notion, epsilon)
    if found is None:
        return None
    delta = notion.promised_delta or 0.0
    return {"times": folds(epsilon), "guess": percent(found), "delta": delta, "in_words": risk_words(notion, epsilon)}


def risk_words(notion: Notion, epsilon: float) -> str | None:
    """One line; None where the notion says nothing of chances."""
    found = guess(notion, epsilon)
    if found is None:
        return None
    of_odds = "odds" in notion.phrases
    grows = "the odds between two values change at most" if of_odds else "no chance grows more than"
    delta = f", except with probability {notion.promised_delta:g}" if notion.promised_delta else ""
    guessed = "may be right as good as for certain" if found > CERTAIN else f"is right with at most {percent(found)}"
    return f"{grows} {folds(epsilon)}-fold: a fair-coin guess about a person {guessed}{delta}"
