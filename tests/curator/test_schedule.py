"""Schedules: what the answers of all periods lose of one period's value, and how the ledger counts it."""

from itertools import pairwise
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius import Geometric
from dalenius.composition.over_periods import changing_loss, kept_loss, law_kept
from dalenius.curator import Overspent, Recorded
from dalenius.curator.schedule import Schedule
from dalenius.errors import InputError, Refused
from tests.cli.command import Run, written
from tests.curator.policies import ask, curator, policy, with_measure
from tests.reference import periods

UNLABELLED = {"source": {"file": "people.csv"}}
LOSSES = ([0.3], [0.1, 0.4], [0.2, 0.2, 0.2], [1.5, 0.01, 2.0], [0.3, 0.0, 0.5])


@pytest.mark.parametrize("persistence", [0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("losses", LOSSES)
def test_no_law_and_no_answers_lose_more_than_is_said(losses: list[float], persistence: float) -> None:
    most = kept_loss(losses, persistence)
    for law in ((0.5, 0.5), (0.999, 0.001), (0.6, 0.3, 0.1)):
        matrix = periods.kept(law, persistence)
        for answers in periods.extreme(losses, len(law)):
            assert periods.loss(law, matrix, answers) <= most.upper + 1e-12


@pytest.mark.parametrize("persistence", [0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("losses", LOSSES)
def test_rare_values_come_close_to_it(losses: list[float], persistence: float) -> None:
    law = (1 - 1e-9, 1e-9)
    found = max(periods.loss(law, periods.kept(law, persistence), each) for each in periods.extreme(losses, 2))
    assert found == pytest.approx(kept_loss(losses, persistence).lower, abs=1e-6)


def test_nothing_kept_is_the_worst_period_and_all_kept_is_the_sum() -> None:
    assert kept_loss([0.1, 0.7, 0.2], 0.0).lower == pytest.approx(0.7)
    assert kept_loss([0.1, 0.7, 0.2], 1.0).upper == pytest.approx(1.0)
    assert kept_loss([800.0, 800.0], 0.5).upper == pytest.approx(1600 + np.log(0.5))
    assert kept_loss([], 0.5).upper == 0


def test_a_period_without_answers_between_two_adds_nothing() -> None:
    for losses in LOSSES:
        for place in range(len(losses) + 1):
            longer = [*losses[:place], 0.0, *losses[place:]]
            assert kept_loss(longer, 0.8).lower <= kept_loss(losses, 0.8).upper


@pytest.mark.parametrize("losses", LOSSES)
@pytest.mark.parametrize(
    "matrix", [[[0.9, 0.1], [0.3, 0.7]], [[0.2, 0.8], [0.6, 0.4]], [[0.99, 0.01], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.5]]]
)
def test_a_matrix_of_two_values_is_exact(losses: list[float], matrix: list[list[float]]) -> None:
    asked = [loss for loss in losses if loss]
    law = law_kept(matrix)
    found = max(periods.loss(law, matrix, each) for each in periods.extreme(asked, 2))
    said = changing_loss(losses, matrix)
    assert said.lower - 1e-9 <= found <= said.upper + 1e-9
    assert said.upper - said.lower < 1e-9


def test_no_answers_lose_more_than_a_matrix_of_three_values_allows() -> None:
    matrix = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]]
    law, losses = law_kept(matrix), [0.4, 0.9, 0.2]
    found = max(periods.loss(law, matrix, each) for each in periods.extreme(losses, 3))
    assert found <= changing_loss(losses, matrix).upper + 1e-12


def test_a_matrix_with_several_laws_is_refused() -> None:
    with pytest.raises(InputError, match="one law only"):
        law_kept([[1.0, 0.0], [0.0, 1.0]])


def test_exact_channel_of_three_linked_months_leaks_that_much(run: Run, tmp_path: Path) -> None:
    """The audit has the joint law of all answers: counts of two people, kept with 0.8, under noise of scale 2."""
    months = ("first", "second", "third")
    asked = [
        f'[[questions]]\nname = "{each}"\nnoise = {{ kind = "geometric", scale = 2 }}\n'
        f'query = {{ kind = "stage", stage = "{each}", query = {{ kind = "count" }} }}\n'
        for each in months
    ]
    model = (
        f'[model]\nkind = "linked"\nstages = {list(months)}\ncoupling = "chain"\npersistence = 0.8\n'
        '[model.within]\nkind = "independent"\nn = 2\nvalues = [0, 1]\nprobabilities = [[0.98, 0.02]]\n'
    )
    spec = written(tmp_path, model, *asked, '[secrets]\nstage = "second"\n', '[notion]\nkind = "inferential"\n')
    leaked = run("audit", spec, "--json").json["leakage"]["inferential"]["epsilon"]
    matrix = periods.kept((0.98, 0.02), 0.8)
    assert leaked == pytest.approx(changing_loss([0.5] * 3, matrix).upper, abs=1e-8)
    assert leaked < kept_loss([0.5] * 3, 0.8).lower


def _months(folder: Path, number: int, **data: Any) -> list[Recorded]:
    """Answers to the same question, month by month, from one ledger."""
    found = []
    for month in range(1, number + 1):
        with_month = curator(folder, version=f"2026-{month:02}", **data)
        found.append(with_month.session("bob", "measles").ask(ask(noise=Geometric(scale=40.0))))
        with_month.close()
    return found


def _schedule(**keys: Any) -> dict[str, Any]:
    return {"schedule": {"every": "month", "times": 36, **keys}, "frozen": keys.get("persistence") != "unknown"}


def test_ledger_spends_what_all_months_lose_of_the_worst_one(tmp_path: Path) -> None:
    spent = [each.budget.spent for each in _months(tmp_path, 4, **_schedule(persistence=0.9))]
    for months, paid in enumerate(spent[1:], 2):
        # Four people of a household move the count by 4, under noise of scale 40.
        assert paid == pytest.approx(kept_loss([0.1] * months, 0.9).upper, abs=1e-7)
    assert all(before < after for before, after in pairwise(spent))


def test_unknown_persistence_adds_all_months(tmp_path: Path) -> None:
    last = _months(tmp_path, 3, **_schedule(persistence="unknown"))[-1]
    assert (round(last.budget.spent, 6), last.budget.route) == (0.3, "group")


def test_answers_of_one_month_add(tmp_path: Path) -> None:
    _months(tmp_path, 2, **_schedule(persistence=0.5))
    again = curator(tmp_path, version="2026-02", **_schedule(persistence=0.5)).session("bob", "measles")
    paid = again.ask(ask(noise=Geometric(scale=80.0))).budget.spent
    assert paid == pytest.approx(kept_loss([0.1, 0.15], 0.5).upper, abs=1e-7)


def test_another_persistence_later_adds_all_months(tmp_path: Path) -> None:
    _months(tmp_path, 2, **_schedule(persistence=0.5))
    later = curator(tmp_path, version="2026-03", **_schedule(persistence=0.1)).session("bob", "measles")
    assert later.ask(ask(noise=Geometric(scale=40.0))).budget.spent == pytest.approx(0.3, abs=1e-7)


def test_same_question_is_free_within_a_month_and_paid_in_the_next(tmp_path: Path) -> None:
    first, second = _months(tmp_path, 2, **_schedule(persistence=0.9))
    again = curator(tmp_path, version="2026-02", **_schedule(persistence=0.9)).session("bob", "measles")
    told = again.ask(ask(noise=Geometric(scale=40.0)))
    assert told.repeated
    assert told.entry == second.entry != first.entry


def test_months_beyond_the_schedule_are_refused(tmp_path: Path) -> None:
    _months(tmp_path, 2, **_schedule(times=2, persistence=0.9))
    third = curator(tmp_path, version="2026-03", **_schedule(times=2, persistence=0.9))
    with pytest.raises(Refused, match="period 3 of 2"):
        third.session("bob", "measles").ask(ask(noise=Geometric(scale=40.0)))


@pytest.mark.lengthy
def test_overspent_budget_refuses_the_month(tmp_path: Path) -> None:
    with pytest.raises(Overspent):
        _months(tmp_path, 12, **_schedule(persistence="unknown"))


def test_answers_are_told_apart_by_period(tmp_path: Path) -> None:
    said = [each.published.certificate for each in _months(tmp_path, 2, **_schedule(persistence=0.9))]
    assert [each["period"] for each in said] == ["2026-01", "2026-02"]
    assert [each["asked"].rpartition(", ")[2] for each in said] == ["2026-01", "2026-02"]


def test_certificate_says_how_values_go_on(tmp_path: Path) -> None:
    (done,) = _months(tmp_path, 1, **_schedule(persistence=0.9))
    said = " ".join(done.published.certificate["hypotheses"])
    assert "stay with probability 0.9" in said
    assert "in any one month" in said


def test_transition_of_single_people_counts_its_chain(tmp_path: Path) -> None:
    people = {"kind": "independent", "n": 20, "values": [0, 1], "probabilities": [0.75, 0.25]}
    matrix = [[0.9, 0.1], [0.3, 0.7]]
    last = _months(tmp_path, 3, **with_measure(model=people), **_schedule(transition=matrix), **UNLABELLED)[-1]
    assert last.budget.spent == pytest.approx(changing_loss([0.025] * 3, matrix).upper, abs=1e-7)
    assert last.budget.spent < fsum([0.025] * 3)


def test_transition_that_keeps_another_law_is_refused(tmp_path: Path) -> None:
    people = {"kind": "independent", "n": 20, "values": [0, 1], "probabilities": [0.5, 0.5]}
    with pytest.raises(InputError, match="the law that the transition keeps"):
        curator(
            tmp_path,
            version="2026-01",
            **with_measure(model=people),
            **_schedule(transition=[[0.9, 0.1], [0.3, 0.7]]),
            **UNLABELLED,
        ).check()


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ({"every": "month", "times": 0, "persistence": 0.9}, "Schedule.times: 0, wanted a number of at least 1"),
        ({"every": "hour", "times": 2, "persistence": 0.9}, "Schedule.every: hour, wanted 'day'"),
        ({"every": "month", "times": 2}, "one of persistence"),
        ({"every": "month", "times": 2, "persistence": 1.5}, "Schedule.persistence: 1.5, wanted a number of at most 1"),
        ({"every": "month", "times": 2, "persistence": "often"}, "Schedule.persistence: often, wanted a number"),
        ({"every": "month", "times": 2, "persistence": {"a": 1}}, "Schedule.persistence: { a = 1 }, wanted a number"),
        ({"every": "month", "times": 2, "persistence": 0.9, "transition": [[1.0]]}, "one of persistence"),
        ({"every": "month", "times": 2, "transition": [[0.5, 0.6], [0.5, 0.5]]}, "sum to 1"),
        ({"every": "month", "times": 2, "transition": [[1.0, 0.0], [0.0, 1.0]]}, "wanted"),
    ],
)
def test_schedule_that_says_nothing_usable_is_refused(keys: dict[str, Any], wanted: str) -> None:
    """The message names the key and the value, and nothing of the library that checks them."""
    with pytest.raises(InputError) as raised:
        Schedule(**keys)
    assert wanted in str(raised.value)


@pytest.mark.parametrize("version", ["1", "2026-13", "2026-1", "January"])
def test_version_that_names_no_month_is_refused(version: str) -> None:
    with pytest.raises(InputError, match="names the month"):
        policy(version=version, **_schedule(persistence=0.9))


def test_persistence_beside_a_promise_for_known_records_is_refused() -> None:
    with pytest.raises(InputError, match="unknown"):
        policy(version="2026-01", notion={"kind": "differential", "epsilon": 1.0}, **_schedule(persistence=0.9))


def test_persistence_of_a_table_that_may_change_within_the_month_is_refused() -> None:
    with pytest.raises(InputError, match="frozen = true"):
        policy(version="2026-01", schedule={"every": "month", "times": 36, "persistence": 0.9})


def test_another_period_later_adds_all_of_them(tmp_path: Path) -> None:
    _months(tmp_path, 2, **_schedule(persistence=0.5))
    later = curator(tmp_path, version="2026-03-01", **_schedule(persistence=0.5, every="day")).session("bob", "measles")
    assert later.ask(ask(noise=Geometric(scale=40.0))).budget.spent == pytest.approx(0.3, abs=1e-7)
