"""Plans of schedules: what they say is what the ledger then allows, and not a little more."""

import csv
from math import isinf, log
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.composition.over_periods import kept_loss
from dalenius.curator import Curator, Overspent
from dalenius.curator.plan import Plan, Planned
from dalenius.errors import InputError, Refused
from tests.cli.command import Run
from tests.curator.policies import ask, curator, people

POLICY = """
[[data]]
name = "measles"
version = "2026-01"
frozen = true
source = { file = "people.csv", label = "place" }
notion = { kind = "inferential", epsilon = 1.0 }
schedule = { every = "month", times = 12, persistence = 0.9, renewing = 0.2 }
measures = [{ name = "ill", value = { column = "ill", equals = 1 }, queries = ["count"], model = MODEL }]
analysts = [{ name = "bob" }]
""".replace("MODEL", '{ kind = "households", by = "home", epidemic = { community = 0.1, household = 0.3 } }')


def monthly(folder: Path, month: int = 1, **keys: Any) -> Curator:
    schedule = {"every": "month", "times": 36, "persistence": 0.9, **keys}
    frozen = schedule["persistence"] != "unknown"
    return curator(folder, version=f"2026-{month:02}", frozen=frozen, schedule=schedule)


def plan(folder: Path, month: int = 1, query: str | None = None, **keys: Any) -> Plan:
    there = monthly(folder, month, **keys)
    return Plan(there, there.policy.data[0], None, query, 0.95)


def asked(folder: Path, month: int, scale: float, **keys: Any) -> float:
    session = monthly(folder, month, **keys).session("bob", "measles")
    return session.ask(ask(noise=dl.Geometric(scale=scale))).budget.spent


@pytest.mark.lengthy
@pytest.mark.parametrize("persistence", [0.9, 1.0, "unknown"])
def test_planned_months_fit_and_finer_ones_do_not(tmp_path: Path, persistence: Any) -> None:
    found = plan(tmp_path, persistence=persistence).for_periods(4)
    assert isinstance(found, Planned)
    spent = [asked(tmp_path, month, found.scale, persistence=persistence) for month in range(1, 5)]
    assert spent[-1] == pytest.approx(found.spent, abs=1e-8)
    assert spent[-1] == pytest.approx(1.0, abs=1e-5)
    (tmp_path / "finer").mkdir()
    for month in range(1, 4):
        asked(tmp_path / "finer", month, found.scale * 0.999, persistence=persistence)
    with pytest.raises(Overspent):
        asked(tmp_path / "finer", 4, found.scale * 0.999, persistence=persistence)


@pytest.mark.lengthy
def test_distance_lasts_as_many_months_as_are_said_and_no_more(tmp_path: Path) -> None:
    found = plan(tmp_path).within(60.0)
    assert found is not None
    assert found.half_width <= 60
    for month in range(1, found.periods + 1):
        asked(tmp_path, month, found.scale)
    with pytest.raises(Overspent):
        asked(tmp_path, found.periods + 1, found.scale)


@pytest.mark.lengthy
def test_plan_counts_what_is_spent(tmp_path: Path) -> None:
    before = plan(tmp_path).for_periods(6)
    assert before is not None
    for month in (1, 2, 3):
        asked(tmp_path, month, before.scale)
    later = plan(tmp_path, 4)
    assert later.remaining == 33
    after = later.for_periods(3)
    assert after is not None
    assert after.scale == pytest.approx(before.scale, rel=1e-5)


@pytest.mark.lengthy
def test_nothing_left_is_said(tmp_path: Path) -> None:
    only = plan(tmp_path).for_periods(1)
    assert only is not None
    session = monthly(tmp_path).session("bob", "measles")
    session.ask(ask(epsilon=1.0))
    assert plan(tmp_path, 2).for_periods(1) is None
    assert plan(tmp_path, 2).within(100.0) is None
    assert all(isinf(width) for both in plan(tmp_path, 2).half_width.values() for width in both)


@pytest.mark.lengthy
def test_worst_case_is_never_more_precise(tmp_path: Path) -> None:
    found = plan(tmp_path)
    assert all(own <= worst for own, worst in found.half_width.values())
    assert max(found.half_width) == 36


def test_year_of_renewing_budgets_leaks_what_its_months_lose_of_one(tmp_path: Path) -> None:
    year = plan(tmp_path, renewing=0.1).renewed()
    assert year is not None
    assert year[0] == 12
    assert year[1] == pytest.approx(kept_loss([0.1] * 12, 0.9).upper, abs=1e-7)
    assert year[2] == pytest.approx(1.2)
    unknown = plan(tmp_path, persistence="unknown", renewing=0.1).renewed()
    assert unknown is not None
    assert unknown[1] == pytest.approx(1.2)
    assert plan(tmp_path).renewed() is None


def test_renewing_budget_is_there_again_in_the_next_month(tmp_path: Path) -> None:
    asked(tmp_path, 1, 40.0, renewing=0.15)  # four people of a household move a count by 4: 0.1 nats
    with pytest.raises(Refused, match="next period"):
        asked(tmp_path, 1, 60.0, renewing=0.15)
    assert asked(tmp_path, 2, 60.0, renewing=0.15) > 0.1


def test_data_set_without_a_schedule_is_refused(tmp_path: Path) -> None:
    there = curator(tmp_path)
    with pytest.raises(InputError, match="a schedule"):
        Plan(there, there.policy.data[0], None, None, 0.95)


@pytest.mark.lengthy
def test_command_prints_draws_and_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    found = run("plan", "policy.toml", "--within", "60", "--plot", "plan.svg", "--json").json
    assert (found["times"], found["left"], found["all_periods"]["periods"]) == (12, 12, 12)
    assert found["within"]["half_width"] <= 60
    assert found["year"]["of_one"] == pytest.approx(kept_loss([0.2] * 12, 0.9).upper, abs=1e-6)
    assert log(2) < found["year"]["of_one"] < found["year"]["of_all"]
    with (tmp_path / "plan.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    assert [int(row["periods"]) for row in rows] == [row["periods"] for row in found["rows"]]
    assert [float(row["half_width"]) for row in rows] == [row["half_width"] for row in found["rows"]]
    assert "<svg" in (tmp_path / "plan.svg").read_text(encoding="utf-8")
    printed = run("plan", "policy.toml", "--times", "3").out
    assert "3 months: ±" in printed
    assert "renews every month" in printed


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--times", "0"), "--times"),
        (("--measure", "none"), "--measure"),
        (("--data", "none"), "--data"),
        (("--query", "sum of all"), "query"),
        (("--within", "0"), "--within"),
    ],
)
def test_wrong_option_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, options: tuple[str, ...], named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    done = run("plan", "policy.toml", *options)
    assert done.code == 2
    assert named in done.err
    assert "Traceback" not in done.err


def test_question_that_no_analyst_may_ask_is_not_planned(tmp_path: Path) -> None:
    there = monthly(tmp_path)
    (measure,) = there.policy.data[0].measures
    only = there.policy.data[0].altered({"measures": (measure.altered({"queries": ("count",)}),)})
    with pytest.raises(InputError, match=r"^query\.kind: sum, wanted a kind that may be asked about 'ill': count$"):
        Plan(there, only, None, "sum", 0.95)


TWO = {"every": "month", "times": 2, "persistence": 0.9}


def test_table_of_another_data_set_is_not_planned(tmp_path: Path) -> None:
    asked(tmp_path, 1, 40.0)
    other = curator(tmp_path, name="other", version="2026-01", frozen=True, schedule=TWO)
    with pytest.raises(Refused, match="measles"):
        Plan(other, other.policy.data[0], None, None, 0.95)


@pytest.mark.lengthy
def test_plan_says_what_a_precision_is_worth_and_why_a_second_month_costs_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY.replace('"bob"', '"bob", epsilon = 0.5'), encoding="utf-8")
    found = run("plan", "policy.toml", "--times", "2", "--json").json
    low, high = found["expected"]
    told = " ".join(found["in_words"])
    assert (f"between {low:g} and {high:g}" in told) == (low < high)
    assert ("says less than that" in told) == (2 * found["all_periods"]["half_width"] > high - low)
    assert ("no analyst alone may spend so much" in told) == (found["all_periods"]["spent"] > 0.5)
    assert "everybody together" in run("plan", "policy.toml", "--times", "2").out
    each = run("plan", "policy.toml", "--times", "2", "--per-label", "--json").json
    assert each["per_label"]
    assert each["expected"][1] <= high
    assert "of the label with most" in " ".join(each["in_words"])


def test_plan_says_that_one_month_is_counted_by_the_model(tmp_path: Path) -> None:
    planned = plan(tmp_path)
    one, two = planned.for_periods(1), planned.for_periods(2)
    assert one is not None
    assert two is not None
    assert (one.route, two.half_width > 2 * one.half_width) == ("alone", True)
