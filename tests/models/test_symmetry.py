"""Records in the middle of a long binary chain stand for each other: the bound against laws in fractions."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.joints.chain_law import exchangeable_places
from dalenius.models import Chain
from tests.conformance.worlds import exactly
from tests.pace import slow

Polynomial = list[Fraction]
Matrix = list[list[Fraction]]


def ahead(step: Matrix, length: int) -> list[tuple[Polynomial, Polynomial]]:
    """E[z^(ones among the next m records) | now] for m = 0..length and both states."""
    found: list[tuple[Polynomial, Polynomial]] = [([Fraction(1)], [Fraction(1)])]
    for _ in range(length):
        zero, one = found[-1]
        further = [[*zero, Fraction(0)], [Fraction(0), *one]]
        found.append(tuple([p * a + q * b for a, b in zip(*further, strict=True)] for p, q in step))  # type: ignore[arg-type]
    return found


def behind(initial: list[Fraction], step: Matrix, length: int) -> list[tuple[Polynomial, Polynomial]]:
    """E[z^(ones among the m records before); now] for m = 0..length and both states."""
    found: list[tuple[Polynomial, Polynomial]] = [([initial[0]], [initial[1]])]
    for _ in range(length):
        zero, one = found[-1]
        further = [[*zero, Fraction(0)], [Fraction(0), *one]]
        found.append(
            tuple([step[0][s] * a + step[1][s] * b for a, b in zip(*further, strict=True)] for s in (0, 1))  # type: ignore[arg-type]
        )
    return found


def laws(n: int, initial: list[Fraction], step: Matrix) -> list[list[Polynomial]]:
    """By place and state: the law of how many of the others are 1, given the record."""
    before, after = behind(initial, step, n - 1), ahead(step, n - 1)
    found = []
    for place in range(n):
        rows = []
        for state in (0, 1):
            row = _times(before[place][state], after[n - 1 - place][state])
            mass = sum(row)
            rows.append([value / mass for value in row] if mass else row)
        found.append(rows)
    return found


def _times(one: Polynomial, other: Polynomial) -> Polynomial:
    total = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, p in enumerate(one):
        for j, q in enumerate(other):
            total[i + j] += p * q
    return total


def apart(one: list[Polynomial], other: list[Polynomial]) -> float:
    """The largest difference of logs, to first order."""
    pairs = ((p, q) for a, b in zip(one, other, strict=True) for p, q in zip(a, b, strict=True))
    return max((float(abs(p - q) / min(p, q)) for p, q in pairs if p != q), default=0.0)


@pytest.mark.parametrize(
    ("step", "initial"),
    [
        slow(([[0.55, 0.45], [0.45, 0.55]], [0.5, 0.5])),
        ([[0.5, 0.5], [0.55, 0.45]], [0.9, 0.1]),
        slow(([[0.4, 0.6], [0.5, 0.5]], [1.0, 0.0])),
    ],
)
def test_classes_hold_only_exchangeable_records(step: list[list[float]], initial: list[float]) -> None:
    n = 64
    classes = exchangeable_places(n, np.array(initial), np.array(step))
    assert sorted(place for places in classes for place in range(n) if place in places) == list(range(n))
    (middle,) = [places for places in classes if not places.mirrored and places.people > 2]
    assert middle.people > n / 3
    exact = laws(n, exactly(initial), [exactly(row) for row in step])
    for place in range(middle.first, middle.last + 1):
        assert apart(exact[middle.first], exact[place]) <= middle.class_error
    assert apart(exact[1], exact[n // 2]) > 1e-6, "a record near an end is another class"


def test_a_chain_that_is_nearly_constant_has_no_middle() -> None:
    step = np.array([[1 - 1e-12, 1e-12], [1e-12, 1 - 1e-12]])
    assert all(places.people == 2 for places in exchangeable_places(1000, np.array([0.5, 0.5]), step))


def test_records_that_are_told_apart_are_on_their_own() -> None:
    """By a label, or by a step of their own."""
    labelled = Chain(n=100, transition=[[0.6, 0.4], [0.4, 0.6]], initial="stationary", labels=["a", *["b"] * 99])
    assert len(labelled.law().subjects()) == 100
    steps = [[[0.6, 0.4], [0.4, 0.6]], [[0.5, 0.5], [0.4, 0.6]]] * 20
    assert len(Chain(n=41, transition=steps, initial=[0.5, 0.5]).law().subjects()) == 41
