"""Secrets of several people, by enumeration: their records, or a function of them (IP Def 4)."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

from tests.reference.channel import Channel, Noise, Score, channel_of_secret
from tests.reference.joints import Assignment, Joint, Value


def records(people: Sequence[int]) -> Callable[[Assignment], Value]:
    """Of the people of these places."""
    return lambda assignment: tuple(assignment[person] for person in people)


def function(words: str, people: Sequence[int]) -> Callable[[Assignment], Value]:
    """any member V, all members V, number V or total, of these people's records."""

    def of(assignment: Assignment) -> Value:
        own = [assignment[person] for person in people]
        if words == "total":
            return sum(Fraction(str(value)) for value in own)
        has = [str(value) == words.rsplit(" ", 1)[1] for value in own]
        if words.startswith("any"):
            return "yes" if any(has) else "no"
        if words.startswith("all"):
            return "yes" if all(has) else "no"
        return Fraction(sum(has))

    return of


def groups_of(people: int, size: int) -> list[tuple[int, ...]]:
    """Every group of that many of so many people, none left out for being like another."""
    return list(combinations(range(people), size))


def channels(
    joint: Joint, score: Score, noise: Noise, groups: Sequence[Sequence[int]], words: str | None = None
) -> list[Channel]:
    """Of each group's records, or of that function of them."""
    secrets = [records(people) if words is None else function(words, people) for people in groups]
    return [channel_of_secret(joint, score, secret, noise) for secret in secrets]
