"""Theory §19, each statement against enumeration in fractions."""

from fractions import Fraction
from math import exp
from pathlib import Path
from random import Random
from typing import Any

from dalenius.curator import Ledger
from dalenius.curator.amounts import NANO, spending
from tests.curator.asking import asked, costing, drawn

Law = dict[object, Fraction]


def test_what_is_left_is_a_message_of_another_analyst(tmp_path: Path) -> None:
    """Result 19.3: who is told nothing reads a bit off the budget, and the one who sends it has paid for it."""
    for bit in (0, 1):
        ledger = Ledger(tmp_path / f"ledger {bit}")
        terms: dict[str, Any] = {"analyst": "ben", "cap": 5.0, "budget": 9.0}
        told = ledger.release(asked(spec="bit", **terms), costing(1.0, 1.0), drawn(str(bit)))
        cost = (0.25, 0.5)[int(told.published.answers[0])]
        ledger.release(asked(spec="message", **terms), costing(cost, cost), drawn("a"))
        assert ledger.budget("people", "ana").spent == 0
        assert ledger.budget("people").remaining == 9 - 1 - (0.25, 0.5)[bit]
        assert ledger.budget("people", "ben").spent == 1 + (0.25, 0.5)[bit]


def hockey_stick(one: Law, other: Law, ratio: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - ratio * other.get(y, Fraction(0))) for y, p in one.items()), Fraction(0))


def test_rare_failures_cost_their_probability() -> None:
    """Result 19.4 (c), over many laws of two answers; and without the factor of β it is false."""
    random, tight = Random(5), False
    for _ in range(400):
        one, other = (of_two(random.randint(1, 9), random.randint(1, 9)) for _ in range(2))
        ratio = Fraction(random.randint(4, 12), 4)
        beta = Fraction(random.randint(1, 5), 40)
        first, second = (spoilt(law, random.choice(["a", "b", ""]), beta) for law in (one, other))
        delta = max(hockey_stick(one, other, ratio), hockey_stick(other, one, ratio))
        found = max(hockey_stick(first, second, ratio), hockey_stick(second, first, ratio))
        assert found <= delta + (1 + ratio) * beta
        tight = tight or found > delta + beta
    assert tight


def of_two(a: int, b: int) -> Law:
    return {"a": Fraction(a, a + b), "b": Fraction(b, a + b)}


def spoilt(law: Law, answer: str, beta: Fraction) -> Law:
    """That answer fails with probability beta, or always where it is rarer."""
    lost = min(beta, law.get(answer, Fraction(0)))
    return {y: p - lost if y == answer else p for y, p in law.items()} | {"failed": lost}


def test_whole_amounts_never_undercount() -> None:
    """Result 19.5."""
    random = Random(6)
    losses = [random.choice((random.random(), exp(-30 * random.random()))) for _ in range(500)]
    total, exact = sum(spending(each) for each in losses), sum(map(Fraction, losses)) * NANO
    assert exact <= total < exact + 500
