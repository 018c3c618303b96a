"""Caps of analysts, answers that several are told, failures, and whose caps pay (Theory §19)."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import log, nextafter
from pathlib import Path
from typing import Any

import pytest

from dalenius import Refused
from dalenius.curator import (
    Budget,
    Failed,
    Ledger,
    Overspent,
    Publication,
    Recorded,
    accounts,
    answers_learned,
    ledger_transactions,
)
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


def test_caps_add_by_the_routes_of_what_each_was_told(office: Office) -> None:
    office.ask("ana", "1", cap=2.0)
    assert office.ask("ben", "2", cap=0.5).own == Budget(0.5, 0.5)  # alone: it is all that ben was told
    with pytest.raises(Overspent) as refused:
        office.ask("ben", "1", cap=1.5)
    assert str(refused.value) == (
        'this answer to "ben", after 1 earlier, would spend 2 of a cap of 1.5 nats: 1.5 requested, 1 left, 0.5 too much'
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


def test_what_it_would_be_afterwards_writes_nothing(office: Office) -> None:
    office.ask("ana", "1", cap=2.0)
    before = office.path.read_bytes()
    for spec, analyst in (("1", "ben"), ("2", "ben"), ("2", "ana"), ("1", "ana")):
        request = asked(spec=spec, analyst=analyst, cap=2.0, budget=4.0)
        own, data = office.ledger.afterwards(request, COST)
        assert office.path.read_bytes() == before
        other = Office(office.path.with_name(f"{spec}{analyst}"))
        other.ask("ana", "1", cap=2.0)
        done = other.ask(analyst, spec, cap=2.0)
        assert (own, data) == (done.own, done.budget)
    with pytest.raises(Overspent):
        office.ledger.afterwards(asked(spec="1", analyst="ben", cap=0.4), COST)


def test_accounts_say_who_was_told(office: Office) -> None:
    office.ask("ana", "1", cap=2.0)
    office.ask("ben", "1", cap=2.0)
    office.ask("ben", "2", cap=2.0)
    (people,) = accounts(office.ledger.history())
    assert [each.recipients for each in people.paid] == [("ana", "ben"), ("ben",)]
    assert people.analysts == (("ana", Budget(2.0, 0.5)), ("ben", Budget(2.0, 2.0)))
    assert [each.debit.number for each in answers_learned(office.ledger.history(), "people", "ben")] == [3, 6]


def test_a_failure_is_told_again_and_shared(office: Office) -> None:
    def fails() -> Publication:
        raise ZeroDivisionError("the secret is 7")

    request = asked(spec="1", analyst="ana", cap=2.0, budget=4.0)
    with pytest.raises(Failed) as failed:
        office.ledger.release(request, COST, fails)
    assert "7" not in str(failed.value)
    assert failed.value.__suppress_context__ or failed.value.__context__ is None
    before = len(kinds(office.path))
    with pytest.raises(Failed):
        office.ask("ana", "1", cap=2.0)
    assert len(kinds(office.path)) == before
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


def test_times_never_go_backwards(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    office.ask("ana", "1")
    start = datetime.now(UTC)

    class Clock:
        ahead = timedelta(days=1)

        @classmethod
        def now(cls, zone: object) -> datetime:
            return start + cls.ahead

    monkeypatch.setattr(ledger_transactions, "datetime", Clock)
    office.ask("ana", "2")
    Clock.ahead = timedelta(days=-3)
    office.ask("ana", "3")
    office = Office(office.path)
    office.ask("ana", "4")
    times = [body["time"] for _, body in entries(office.path)]
    assert times == sorted(times)
    assert times[-1] == times[5] == (start + timedelta(days=1)).isoformat().replace("+00:00", "Z")


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
