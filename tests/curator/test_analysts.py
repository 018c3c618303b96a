"""Caps of analysts, answers that several are told, failures, and whose caps pay; and the statements of
Theory §19, each against enumeration in fractions."""

import re
from fractions import Fraction
from math import exp, log, nextafter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dalenius import Refused
from dalenius.curator import Budget, Failed, Ledger, Overspent, Publication, Recorded, accounts, answers_learned
from dalenius.curator.amounts import NANO, spending
from dalenius.curator.budgets import SENTENCE
from dalenius.curator.cost_of_releases import Entry
from tests.curator.asking import COST, asked, costing, drawn, entries, kinds


class Office:
    """A ledger that several analysts ask; the data set has 4 nats."""

    def __init__(self, path: Path) -> None:
        self.path, self.ledger, self.numbers = path, Ledger(path), iter(range(100))

    def ask(self, analyst: str | None, spec: str, cost: Entry = COST, **terms: Any) -> Recorded:
        request = asked(spec=spec, analyst=analyst, **{"budget": 4.0, **terms})
        return self.ledger.release(request, cost, drawn(Fraction(next(self.numbers))))


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "ledger")


def test_another_analyst_gets_the_stored_answer_and_pays_from_the_cap_alone(office: Office) -> None:
    first = office.ask("ana", "1", cap=2.0)
    before = office.ledger.budget("people")
    second = office.ask("ben", "1", cap=1.0)
    assert second.published == first.published
    assert (first.repeated, second.repeated) == (False, True)
    assert office.ledger.budget("people") == before == second.budget == Budget(4.0, 0.5)
    assert (first.own, second.own) == (Budget(2.0, 0.5), Budget(1.0, 0.5))
    assert kinds(office.path) == ["budget", "fingerprint", "debit", "answer", "shared"]
    again = office.ask("ben", "1", cap=1.0)  # and once
    assert (again.own, len(kinds(office.path))) == (second.own, 5)
    assert [each.debit.number for each in answers_learned(office.ledger.history(), "people", "ben")] == [3]


def test_caps_add_by_the_routes_of_what_each_was_told(office: Office) -> None:
    office.ask("ana", "1", cap=2.0)
    assert office.ask("ben", "2", cap=0.5).own == Budget(0.5, 0.5)  # alone: it is all that ben was told
    with pytest.raises(Overspent) as refused:
        office.ask("ben", "1", cap=1.5)
    assert str(refused.value) == (
        'this answer to "ben", after 1 earlier, would spend 2 of a cap of 1.5 nats: 1.5 requested, 1 left, 0.5 too much'
        "; alone it would leak 0.5: several answers are counted by a rule for all of them"
    )
    found = refused.value
    assert (found.whose, found.requested, found.remaining, found.difference) == ("analyst", 1.5, 1.0, 0.5)
    assert office.ask("ben", "1", cap=2.0).own == Budget(2.0, 2.0)
    assert office.ledger.budget("people").spent == 2.0


def test_all_analysts_together_spend_the_budget(office: Office) -> None:
    for number, analyst in enumerate(("ana", "ben", "cem", "dan")):
        office.ask(analyst, str(number), cap=9.0)
    before = entries(office.path)
    with pytest.raises(Overspent) as refused:
        office.ask("eva", "5", cap=9.0)
    assert refused.value.whose == "data set"
    assert (refused.value.requested, refused.value.remaining, refused.value.difference) == (1.0, 0.0, 1.0)
    assert entries(office.path) == before
    assert office.ask("eva", "0", cap=0.5).own == Budget(0.5, 0.5)  # what was answered is shared all the same


def test_who_asks_without_a_name_is_told_for_nothing(office: Office) -> None:
    first = office.ask("ana", "1", cap=2.0)
    before = office.path.read_bytes()
    assert office.ask(None, "1").published == first.published
    assert office.path.read_bytes() == before


def test_a_failure_is_told_again_and_shared(office: Office) -> None:
    def fails() -> Publication:
        raise ZeroDivisionError("the secret is 7")

    request = asked(spec="1", analyst="ana", cap=2.0, budget=4.0)
    with pytest.raises(Failed) as failed:
        office.ledger.release(request, COST, fails)
    assert "7" not in str(failed.value)
    assert failed.value.__suppress_context__ or failed.value.__context__ is None
    for again in (lambda: office.ask("ana", "1", cap=2.0), lambda: office.ledger.earlier(request)):
        with pytest.raises(Failed, match=f"^{re.escape(SENTENCE)}$"):
            again()  # type: ignore[no-untyped-call]
    assert kinds(office.path) == ["budget", "fingerprint", "debit", "answer"]
    with pytest.raises(Failed):
        office.ask("ben", "1", cap=2.0)
    assert office.ledger.budget("people", "ben").spent == 0.5
    assert office.ledger.budget("people").spent == 0.5
    (people,) = accounts(Ledger(office.path).history())
    assert (people.paid[0].failed, people.paid[0].recorded) == (True, None)


def test_what_cannot_be_kept_has_failed(office: Office) -> None:
    with pytest.raises(Failed):
        office.ledger.release(asked(), COST, lambda: Publication((Fraction(1),), ("",), {"a": object()}, ()))
    assert kinds(office.path)[-1] == "answer"


def test_a_promise_of_all_there_is_can_be_paid(tmp_path: Path) -> None:
    """A leakage as large as the budget, whatever double that is; and one that is a double more cannot."""
    for whole in (0.1, 0.7, log(2), 1.0):
        office = Office(tmp_path / str(whole))
        with pytest.raises(Overspent):
            office.ask("ana", "1", costing(nextafter(whole, 2), whole), budget=whole)
        done = office.ask("ana", "1", costing(whole, whole), budget=whole, cap=whole)
        assert done.own is not None
        assert (done.budget.remaining, done.own.remaining) == (0, 0)
        assert office.ledger.budget("people").initial == whole
        with pytest.raises(Refused):
            office.ask("ana", "2", costing(0.0, 1e-12), budget=whole)


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
