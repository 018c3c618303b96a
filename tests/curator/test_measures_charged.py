"""What a ledger writes down of several measures (Theory, Result 9.15)."""

from math import log
from pathlib import Path

import pytest

from dalenius.curator import Ledger
from dalenius.curator.amounts import MOST_KINDS, Sums, nats
from dalenius.curator.budgets import spent_json
from dalenius.curator.spending import Entry, spent_after
from tests.curator.asking import asked, drawn, entries
from tests.curator.courses import BOTH_ILL, Law, Odds, charged, entry, spent


def paid_of(joint: Law, measures: str, odds: Odds = (3, 2)) -> list[tuple[int, Entry]]:
    return [("AB".index(each), entry(joint, ("AB".index(each), odds))) for each in measures]


def test_it_is_the_least_of_what_is_proved() -> None:
    paid = paid_of(BOTH_ILL, "AAABBB")
    loss = log(1.5)
    found = spent(paid)[-1]
    assert found.route == "measures"
    assert nats(found.amount) == pytest.approx(3 * loss + 3 * 2 * loss, abs=1e-7)  # alone by itself, and for two
    assert nats(found.amount) < sum(cost.group_loss for _, cost in paid) - 1
    assert charged(paid_of(BOTH_ILL, "ABABAB")) == pytest.approx(nats(found.amount), abs=1e-7)


def test_what_is_not_known_of_an_earlier_one_counts_as_groups() -> None:
    """Of ledgers in which it was not written down; of the next one it is, and for all of its kind."""
    first, second = paid_of(BOTH_ILL, "AB")
    before = Sums().with_debit(first[1].as_body(), "bytes")
    found = spent_after(before, second[1].as_body(), "bytes", 0.0, second[1].convert)
    assert found.route == "group"
    assert nats(found.amount) == pytest.approx(4 * log(1.5), abs=1e-7)
    before = before.with_debit(second[1].as_body() | spent_json(found), "bytes")
    again = spent_after(before, first[1].as_body(), "bytes", 0.0, first[1].convert)
    assert again.route == "measures"
    assert nats(again.amount) == pytest.approx(5 * log(1.5), abs=1e-7)


def test_of_too_many_kinds_groups_count() -> None:
    (_, cost), *_ = paid_of(BOTH_ILL, "A")
    before = Sums()
    for number in range(MOST_KINDS + 1):
        found = spent_after(before, cost.as_body(), f"bytes {number}", 0.0, cost.convert)
        assert found.route == ("alone" if not number else "measures" if number < MOST_KINDS else "group")
        before = before.with_debit(cost.as_body() | spent_json(found), f"bytes {number}")
    assert before.group == (MOST_KINDS + 1) * cost.as_body()["group_loss"]


def test_an_analyst_who_was_told_less_is_charged_for_that(tmp_path: Path) -> None:
    """The converted sums of the data set's account are not those of the analyst's own."""
    ledger = Ledger(tmp_path / "ledger")
    paid = paid_of(BOTH_ILL, "AAABAB")
    for number, (_, cost) in enumerate(paid):
        who = "ana" if number in (0, 3, 4, 5) else "ben"
        done = ledger.release(asked(spec=f"{number}", analyst=who, cap=9.0), cost, drawn("a"))
    assert done.own is not None
    assert (done.budget.route, done.own.route) == ("measures", "measures")
    assert done.budget.spent == pytest.approx(charged(paid), abs=1e-8)
    assert done.own.spent == pytest.approx(charged([paid[number] for number in (0, 3, 4, 5)]), abs=1e-8)
    again = Ledger(tmp_path / "ledger")
    assert again.verified().sums("people") == ledger.history().sums("people")
    told = again.release(asked(spec="1", analyst="ana", cap=9.0), paid[1][1], drawn("b"))
    assert told.own is not None
    assert told.budget.spent == done.budget.spent
    assert told.own.spent == pytest.approx(charged([paid[number] for number in (0, 3, 4, 5, 1)]), abs=1e-8)
    bodies = [body for kind, body in entries(tmp_path / "ledger") if kind in ("debit", "shared")]
    assert all("converted" in body["own"] for body in bodies)
    assert done.published.certificate["spending"]["route"] == "measures"
    assert done.published.words[-1][1].startswith("the largest total of any value that was asked about")
