"""Products of non-negative matrices along a chain, in numbers of unlimited range: nothing positive underflows to 0."""

from typing import Final

from dalenius.laws.masses import Masses

FEW: Final = 6
"""Up to this many states products of two steps cost less than one step after another."""
AT_ONCE: Final = 1 << 20


def running(first: Masses, steps: Masses) -> Masses:
    """v, v·P₁, v·P₁·P₂, ..: first (k,), steps (n, k, k); (n + 1, k).

    Sums of products only, k + 1 rounded operations a step: each entry is within (k + 1)·n·2^-53 of its own size.
    """
    states = len(first)
    stride = max(AT_ONCE // states**3, 1) if states <= FEW else 1
    found = [first[None, None]]
    for start in range(0, len(steps), stride):
        found.append(_along(found[-1][-1:], steps[start : start + stride])[1:])
    return Masses.joined(found)[:, 0]


def _along(first: Masses, steps: Masses) -> Masses:
    """first (1, 1, k); (n + 1, 1, k). Products of two steps give every other row, and one step from there the rest."""
    if len(steps) == 1:
        return Masses.joined([first, first.matmul(steps)])
    whole = len(steps) // 2
    even = _along(first, steps[: 2 * whole : 2].matmul(steps[1::2]))
    odd = even[: len(steps) - whole].matmul(steps[::2])
    return Masses.interleaved(even, odd)
