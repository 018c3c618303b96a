"""Promises and leakages as sentences, beside the nats."""

from dalenius.channel.leakage import Leakage
from dalenius.notions.notion import Notion
from dalenius.notions.wording import percent, right_guess


def in_words(notion: Notion, epsilon: float | None = None, chance: float | None = None) -> str | None:
    """What epsilon nats of this notion mean, by default what it promises; None where it has no such words.

    chance: the example of a chance, in (0, 1); by default the promise's `from`, else .01. Every number is rounded
    towards more: what is said is implied by epsilon.
    """
    if epsilon is not None:
        return notion.in_words(epsilon, chance)
    if notion.epsilon is None:
        return None
    said = notion.in_words(notion.epsilon, notion.said.get("from") if chance is None else chance)
    if said is None or "advantage" not in notion.said:
        return said
    right = percent(right_guess(notion.epsilon, notion.promised_delta or 0.0))
    return f"a guess between two equally likely values is right with probability at most {right}; {said}"


def leakage_in_words(notion: Notion, leakage: Leakage) -> str | None:
    """The same of a leakage's upper end. The example is the prior probability of the witness's secret, between the two
    values where it is against another, and .01 where none is known or the notion is not of the model's adversary."""
    witness = leakage.witness
    chance = witness.chance if witness is not None and notion.of_the_model else None
    return in_words(notion, 0.0 if leakage.nothing else leakage.upper, chance)
