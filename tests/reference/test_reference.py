"""The reference reproduces the numbers of Theory §9, §11 and §12; the chain-binomial law is the random graph's."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from tests.reference.channel import Channel, Noise, channel
from tests.reference.joints import (
    Joint,
    chain,
    household,
    household_epidemic_by_graph,
    longini_koopman,
    table,
    universes,
)
from tests.reference.leakages import (
    Leakage,
    differential,
    inferential,
    information,
    information_two_sided,
    mutual_information,
    relative_entropy,
    worst_over_people,
)
from tests.reference.noises import NONE, geometric, laplace

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
EQUAL_PAIR = table([(0, 0), (1, 1)], [1 - TENTH, TENTH])
XOR = table([(a, b, a ^ b) for a in (0, 1) for b in (0, 1)], [Fraction(1, 4)] * 4)
Notion = Callable[[Channel], Leakage]


def count(_: int, value: int) -> tuple[int]:
    """The sum of all records."""
    return (value,)


def each(record: int, value: int) -> tuple[int, int]:
    """Two answers: the first record, and the second."""
    return (value, 0) if record == 0 else (0, value)


def value(joint: Joint, noise: Noise, notion: Notion) -> float:
    """The worst person's leakage of the sum."""
    return float(worst_over_people(joint, count, noise, notion)[0].value)


@pytest.mark.parametrize(
    ("joint", "noise", "notion", "expected"),
    [
        (EQUAL_PAIR, geometric(1), inferential, 2),
        (EQUAL_PAIR, geometric(1), information, 1.505971),
        (EQUAL_PAIR, geometric(1), information_two_sided, 1.909565),
        (EQUAL_PAIR, geometric(1), relative_entropy, 0.407677),
        (EQUAL_PAIR, geometric(1), mutual_information, 0.106714),
        (XOR, laplace(1), inferential, 1.433781),
        (XOR, laplace(1), information, 0.479322),
        (XOR, laplace(1), relative_entropy, 0.203305),
        (XOR, laplace(1), mutual_information, 0.067168),
    ],
)
def test_theory_12_small(joint: Joint, noise: Noise, notion: Notion, expected: float) -> None:
    assert value(joint, noise, notion) == pytest.approx(expected, abs=5.1e-7)


def symmetric_chain(stay: str) -> Joint:
    """Six binary records, uniform start (Theory §12)."""
    same, other = Fraction(stay), 1 - Fraction(stay)
    return chain(6, [HALF, HALF], [[same, other], [other, same]])


@pytest.mark.parametrize(("stay", "expected"), [(".5", 0.5), (".7", 1.065), (".9", 2.120), (".999", 2.989)])
def test_theory_12_chain_leakage(stay: str, expected: float) -> None:
    assert value(symmetric_chain(stay), geometric(2), inferential) == pytest.approx(expected, abs=5.1e-4)


@pytest.mark.parametrize(("stay", "scale"), [(".5", 1.0), (".7", 2.13648), (".9", 4.35882), (".999", 5.98160)])
def test_theory_12_chain_least_scale(stay: str, scale: float) -> None:
    """The first is 1 exactly, the records being independent."""
    assert value(symmetric_chain(stay), geometric(scale + 1e-5), inferential) <= 1
    assert value(symmetric_chain(stay), geometric(scale - 1e-5), inferential) > 1


def test_e2_pairwise_coefficients_are_not_enough() -> None:
    """Theory §11, E2: b solves 1/b + 19 λ(b) = ε, λ the worst log-ratio of one other person's noisy record."""
    one, everyone = Fraction(20, 2100), Fraction(1, 2100)
    joint = household([Fraction(99, 100), one, *[Fraction(0)] * 18, everyone])
    pair = household([Fraction(99, 100) + one * Fraction(18, 20), one * Fraction(2, 20), everyone])
    for promised, leaked in [(1, 1.330), (3, 4.702)]:
        low, high = 0.1, 40.0
        for _ in range(40):
            middle = (low + high) / 2
            other = channel(pair, lambda record, x: (x * record,), 0, laplace(middle))
            spent = 1 / middle + 19 * float(inferential(other).value)
            low, high = (middle, high) if spent > promised else (low, middle)
        assert float(inferential(channel(joint, count, 0, laplace(high))).value) == pytest.approx(leaked, abs=5.1e-4)


@pytest.mark.parametrize("noise", [laplace(1), geometric(1)])
def test_e4_parallel_composition_of_equal_records(noise: Noise) -> None:
    joint = table([(0, 0), (1, 1)], [HALF, HALF])
    leakage, _ = worst_over_people(joint, each, noise, inferential)
    assert float(leakage.value) == pytest.approx(2)
    assert leakage.output is not None
    assert len(leakage.output) == 2
    assert float(differential(each, universes(joint), noise).value) == 1


@pytest.mark.parametrize("size", [1, 2, 3])
def test_longini_koopman_is_the_random_graph(size: int) -> None:
    community, member = Fraction(1, 10), Fraction(1, 3)
    assert longini_koopman(size, community, member) == household_epidemic_by_graph(size, community, member)


def test_e4_three_exclusive_ors_give_the_record() -> None:
    """Result 9.1, errata E4′: X1⊕X2, X2⊕X3 and X1⊕X2⊕X3 each leak 0 about everyone, together they give X1."""
    rows = [(a, b, c, a ^ b, b ^ c, a ^ b ^ c) for a, b, c in product((0, 1), repeat=3)]
    joint = table(rows, [Fraction(1, 8)] * 8)
    for person in range(3):
        for kept in ((3,), (4,), (5,), (3, 4, 5)):

            def score(record: int, x: int, kept: tuple[int, ...] = kept) -> tuple[int, ...]:
                return tuple(x * (record == k) for k in kept)

            answers = channel(joint, score, person, NONE)
            assert float(inferential(answers).value) == (float("inf") if len(kept) == 3 else 0)
