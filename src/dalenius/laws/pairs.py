"""Pairs of secrets, as indices, that must not be distinguished."""

from collections.abc import Sequence


def both_ways(pairs: Sequence[tuple[int, int]] | None, count: int) -> list[tuple[int, int]]:
    """Each pair in one order and then in the other; None: all pairs of so many secrets."""
    given = pairs if pairs is not None else [(i, j) for i in range(count) for j in range(i)]
    return [ordered for one, other in given for ordered in ((one, other), (other, one))]
