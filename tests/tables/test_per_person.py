"""Several rows of one person make one record: on every engine as Python adds them up."""

from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dalenius.curator import Ask, Curator
from dalenius.curator.policy import read_policy
from dalenius.errors import InputError
from dalenius.queries import Count, Sum
from dalenius.spec.condition import Condition
from dalenius.spec.data_section import Source
from dalenius.tables import tallied
from dalenius.tables.infected_households import infected_by_size
from tests.cli.command import Run, complaint
from tests.tables.written import opened

RANDOM = Random(11)
VISITS = [(f"p{RANDOM.randrange(12):02d}", RANDOM.randrange(8), RANDOM.choice(["ja", "nein"])) for _ in range(50)]
COLUMNS: dict[str, list[Any]] = {
    "pid": [who for who, _, _ in VISITS],
    "home": [f"h{int(who[1:]) // 3}" for who, _, _ in VISITS],
    "days": [days for _, days, _ in VISITS],
    "half": [days / 2 for _, days, _ in VISITS],
    "ill": [ill for _, _, ill in VISITS],
}
DAYS: dict[str, list[int]] = defaultdict(list)
for _who, _days, _ in VISITS:
    DAYS[_who].append(_days)
ILL = Condition(column="ill", equals="ja")


def expected(values: list[Any]) -> dict[tuple[str, Fraction | str], int]:
    """How many people have each value, counted in Python."""
    return {("", Fraction(value)): count for value, count in Counter(values).items()}


def test_any_max_and_sum(form: str, tmp_path: Path) -> None:
    ill = {who: any(each == "ja" for own, _, each in VISITS if own == who) for who in DAYS}
    found = opened(tmp_path, form, COLUMNS, ILL, person="pid", per_person="any")
    assert (found.size, found.tally()) == (len(DAYS), expected(list(ill.values())))
    largest = opened(tmp_path, form, COLUMNS, "days", person="pid", per_person="max").tally()
    assert largest == expected([max(own) for own in DAYS.values()])
    sums = [min(max(sum(own), 5), 20) for own in DAYS.values()]
    bounds = {"person": "pid", "per_person": "sum", "lower": 5, "upper": 20}
    assert opened(tmp_path, form, COLUMNS, "days", **bounds).tally() == expected(sums)
    halves = [min(max(sum(Fraction(each, 2) for each in own), Fraction(3)), Fraction(9)) for own in DAYS.values()]
    steps = {"person": "pid", "per_person": "sum", "lower": 3, "upper": 9, "step": 0.5}
    assert opened(tmp_path, form, COLUMNS, "half", **steps).tally() == expected(halves)
    rows = Counter(who for who, _, each in VISITS if each == "ja")
    counted = opened(tmp_path, form, COLUMNS, ILL, person="pid", per_person="sum", upper=2).tally()
    assert counted == expected([min(rows[who], 2) for who in DAYS])


def test_the_sum_is_clipped_and_not_each_row(form: str, tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"pid": ["a", "a", "b"], "days": [-9, 10, 3]}
    bounds = {"person": "pid", "per_person": "sum", "lower": 0, "upper": 5}
    assert opened(tmp_path, form, columns, "days", **bounds).tally() == expected([1, 3])


def test_households_are_of_people_and_not_of_rows(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, COLUMNS, ILL, person="pid", per_person="any", household="home")
    sizes = Counter(Counter(f"h{int(who[1:]) // 3}" for who in DAYS).values())
    assert people.compositions() == {(("", size),): count for size, count in sizes.items()}
    infected = infected_by_size(people)
    assert sum(infected.values()) == sum(sizes.values())


def test_a_person_in_two_households_is_refused_without_a_name(form: str, tmp_path: Path) -> None:
    columns = {"pid": ["a", "a", "b"], "home": ["1", "2", "2"], "ward": ["x", "x", "x"], "ill": ["ja", "nein", "ja"]}
    said = r"^data\.person: pid, wanted one household and one label in all rows of a person, 1 of 2 has more$"
    with pytest.raises(InputError, match=said):
        opened(tmp_path, form, columns, ILL, person="pid", per_person="any", household="home")
    with pytest.raises(InputError, match=said):
        opened(tmp_path, form, columns, ILL, person="pid", per_person="any", label="home")
    assert opened(tmp_path, form, columns, ILL, person="pid", per_person="any", label="ward").size == 2


@pytest.mark.parametrize(
    ("value", "given", "said"),
    [
        ("days", {"person": None, "per_person": "max"}, "person, the column of ids, beside per_person"),
        ("days", {"per_person": "any"}, 'per_person = "any" for a condition, "max" for numbers, "sum" for both'),
        (ILL, {"per_person": "max"}, 'per_person = "any" for a condition, "max" for numbers, "sum" for both'),
        ("days", {"per_person": "sum", "upper": 3}, 'lower and upper beside per_person = "sum", which clip the sum'),
        (ILL, {"per_person": "sum"}, 'lower and upper beside per_person = "sum", which clip the sum'),
        ("days", {"per_person": "sum", "lower": 0.5, "upper": 3}, "whole numbers as lower and upper of a sum"),
        (ILL, {"per_person": "sum", "upper": 3, "step": 1}, "no step where the value is a condition"),
        ("days", {"per_person": "max", "missing": "value"}, "missing as refuse, leave_out or { as = ... }"),
    ],
)
def test_what_makes_no_record_is_refused(value: Any, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        Source(**{"value": value, "person": "pid", **given})
    assert refused.value.wanted.startswith(said)


def test_sums_are_of_whole_numbers_and_a_list_of_priors_needs_one_row(form: str, tmp_path: Path) -> None:
    bounds = {"person": "pid", "per_person": "sum", "lower": 0, "upper": 5}
    with pytest.raises(InputError, match=r"^data\.per_person: sum, wanted whole numbers, or a step"):
        opened(tmp_path, form, COLUMNS, "half", **bounds)
    with pytest.raises(InputError, match=r"^data\.per_person: max, wanted numbers; column ill has texts$"):
        opened(tmp_path, form, COLUMNS, "ill", person="pid", per_person="max")
    people = opened(tmp_path, form, COLUMNS, "days", **bounds)
    assert tallied(people).people == len(DAYS)
    with pytest.raises(InputError, match=r"^data\.per_person: sum, wanted one row a person"):
        tallied(people, rows=True)


SPEC = """
model = { kind = "independent", n = 3, values = [0, 1, 2, 3], probabilities = [[0.4, 0.3, 0.2, 0.1]] }
query = { kind = "sum" }
noise = { kind = "geometric", scale = 9.0 }
notion = { kind = "information", epsilon = 1.0 }
[data]
file = "p.csv"
value = "days"
person = "pid"
per_person = "sum"
lower = 0
upper = 3
"""
TABLE = "pid,days\na,1\na,4\nb,0\nc,2\nb,1\n"


def test_the_keeper_is_told_how_many_are_clipped_and_nobody_else(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text(TABLE, encoding="utf-8")
    Path("s.toml").write_text(SPEC, encoding="utf-8")
    said = "1 of 3 people have sums that are clipped from 0 to 3"
    checked = run("check", "s.toml")
    assert (checked.code, f"warning: {said}" in checked.out) == (0, True)
    done = run("release", "s.toml")
    assert said in done.err
    assert "a record is the sum of days over a person's rows, clipped from 0 to 3" in done.out
    assert "are clipped" not in done.out
    Path("p.csv").write_text(TABLE.replace("a,4", "a,2"), encoding="utf-8")
    assert "clipped" not in run("check", "s.toml").out
    assert said not in run("calibrate", "s.toml").err
    Path("s.toml").write_text(SPEC.replace('per_person = "sum"\n', ""), encoding="utf-8")
    assert "data.person: pid, wanted each person once, 2 of 5 rows repeat" in complaint(run("release", "s.toml"))


POLICY = """
[[data]]
name = "town"
source = { file = "p.csv", person = "pid" }
notion = { kind = "inferential", epsilon = 3 }
[[data.measures]]
name = "days"
value = "days"
per_person = "sum"
lower = 0
upper = 3
model = { kind = "independent", n = 3, values = [0, 1, 2, 3], probabilities = [[0.4, 0.3, 0.2, 0.1]] }
[[data.measures]]
name = "once"
value = { column = "days", at_least = 2 }
per_person = "any"
model = { kind = "independent", n = 3, probabilities = [0.3] }
[[data.analysts]]
name = "ana"
"""


def test_a_policy_has_measures_of_people(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text(TABLE, encoding="utf-8")
    Path("policy.toml").write_text(POLICY, encoding="utf-8")
    assert run("policy", "check", "policy.toml").code == 0
    session = Curator(read_policy(Path("policy.toml")), tmp_path).session("ana", "town")
    assert session.ask(Ask(measure="days", query=Sum(), epsilon=0.5)).published.answers
    assert session.ask(Ask(measure="once", query=Count(), epsilon=0.5)).published.answers
    Path("policy.toml").write_text(POLICY.replace("upper = 3", "upper = 4"), encoding="utf-8")
    assert "a model whose records can have every value that the measure declares" in complaint(
        run("policy", "check", "policy.toml")
    )
    Path("policy.toml").write_text(POLICY.replace(', person = "pid"', ""), encoding="utf-8")
    assert "person, the column of ids, beside per_person" in complaint(run("policy", "check", "policy.toml"))
