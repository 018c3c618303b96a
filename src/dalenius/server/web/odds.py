"""What a promise, or what leaked, means for what somebody thinks of a person (Theory §2): every number is rounded to
the side that says more leaks."""

from collections.abc import Sequence
from decimal import Decimal
from math import isinf
from typing import Final, NamedTuple

from dalenius.notions import Notion, in_words
from dalenius.notions.wording import becomes, folds, percent, raised, raised_by_odds, right_guess

BEFORE: Final = (0.001, 0.01, 0.1, 0.5)


class Fact(NamedTuple):
    """A row of two; points: what is said, where it is several things."""

    name: str
    said: str
    points: tuple[str, ...] = ()


class Promise(NamedTuple):
    """said: in a sentence; rows: with its numbers."""

    said: str
    rows: tuple[Fact, ...]


class Believed(NamedTuple):
    """What may be thought of a person: before, after all of the budget, and after what is spent by now."""

    before: str
    whole: str
    now: str


def of_odds(notion: Notion) -> bool:
    """Whether it bounds the odds between two values; chances alone if not."""
    return "odds" in notion.phrases


def after(notion: Notion, epsilon: float, before: float) -> str | None:
    """The most that a chance becomes; None where the notion says nothing of chances."""
    if not notion.phrases:
        return None
    grown = raised_by_odds if of_odds(notion) else raised
    return together(percent(grown(before, epsilon)))


def example(notion: Notion, epsilon: float) -> str | None:
    """What a chance that tells something becomes, for somebody of whom the notion speaks; None where it says nothing of
    chances.

    With a delta no posterior is bounded for every output: what is, is how often the better guess is right.
    """
    if not notion.phrases:
        return None
    told = f"{notion.to_whom}, {_example(notion, epsilon)}" if notion.to_whom else _example(notion, epsilon)
    return f"{told[0].upper()}{told[1:]}"


def _example(notion: Notion, epsilon: float) -> str:
    delta = notion.promised_delta
    if isinf(epsilon):
        return "what somebody thought of a person may become a certainty."
    if delta and of_odds(notion):
        right = together(percent(right_guess(epsilon, delta)))
        return f"somebody who guesses between two equally likely values of a person is right with at most {right}."
    return f"except with probability {delta:g}, {_raised(notion, epsilon)}" if delta else _raised(notion, epsilon)


def _raised(notion: Notion, epsilon: float) -> str:
    if epsilon == 0:
        return "nothing that somebody thought of a person changes."
    before, end = map(together, becomes(of_odds(notion), epsilon))
    grows = "the odds between two values change at most" if of_odds(notion) else "no chance grows more than"
    likely = f"what somebody thought {before} likely of a person they think at most {end} likely afterwards."
    return f"{grows} {folds(epsilon)}-fold: {likely}"


def promise(notion: Notion) -> Promise:
    """Of a data set: what holds once all of its budget is spent."""
    epsilon = notion.epsilon or 0.0
    said = example(notion, epsilon)
    named = notion.kind.replace("_", " ")
    words = in_words(notion)
    told = said if said is not None else f"At most {epsilon:g} nats leak of any person."
    delta = f", at delta {notion.promised_delta:g}" if notion.promised_delta else ""
    rows = [Fact("Notion", f"{named} privacy"), Fact("Budget", f"{epsilon:g} nats{delta}")]
    if words is not None:
        grow = "Odds change" if of_odds(notion) else "Chances grow"
        rows += [Fact(grow, f"at most e to the budget = {folds(epsilon)}-fold")]
        rows += [Fact("In words", f"{words[0].upper()}{words[1:]}.")]
    return Promise(f"Whatever is asked, all answers together: {told[0].lower()}{told[1:]}", tuple(rows))


def believed(notion: Notion, spent: float) -> tuple[Believed, ...]:
    """By what was thought before. None where the notion says nothing of chances, or holds but for a delta."""
    if not notion.phrases or notion.promised_delta or notion.epsilon is None:
        return ()
    found = []
    for before in BEFORE:
        whole, now = after(notion, notion.epsilon, before), after(notion, spent, before)
        found.append(Believed(chance(before), whole or "", now or ""))
    return tuple(found)


def chance(share: float) -> str:
    return together(f"{(100 * Decimal(str(share))).normalize():f} %")


def together(number: str) -> str:
    """So that no line breaks between a number and its sign."""
    return number.replace(" ", "\N{NO-BREAK SPACE}")


def afterwards(notion: Notion, alone: float, spent: float) -> Sequence[str]:
    """Of an answer: by itself, and with everything else that was answered."""
    found = example(notion, alone)
    if found is None:
        return [f"This answer alone leaks at most {alone:.4g} nats of any person."]
    told = [f"By this answer alone: {found[0].lower()}{found[1:]}"]
    if spent > alone:
        together = example(notion, spent) or ""
        told.append(f"By all answers of these data so far: {together[0].lower()}{together[1:]}")
    return told
