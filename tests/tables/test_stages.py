"""A table with a row for each person and stage: what it answers, against sums of its rows, and what is refused."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.queries import Query
from dalenius.spec.data_section import Source
from dalenius.tables import open_people
from dalenius.tables.true_answer import true_answer
from tests.cli.command import dalenius

STAGES = ("spring", "autumn")
COLUMNS: dict[str, Any] = {"value": "ill", "person": "id", "stage": "season"}


def visits(people: int, values: list[Any], seed: int = 1) -> pd.DataFrame:
    """A row for each person and stage, in a random order, households of two."""
    random = Random(seed)
    rows = [(f"p{i}", f"h{i // 2}", stage, random.choice(values)) for i in range(people) for stage in STAGES]
    random.shuffle(rows)
    return pd.DataFrame(rows, columns=["id", "home", "season", "ill"])


def release_of(values: list[Any], query: Query, people: int = 20) -> dl.Release:
    within = dl.Independent(n=people, values=values, probabilities=[1 / len(values)] * len(values))
    linked = dl.Linked(stages=STAGES, within=within, coupling="chain", persistence=0.5)
    return dl.Release(linked, query, dl.Geometric(scale=1.0))


def refusal(table: pd.DataFrame, **data: Any) -> InputError:
    with pytest.raises(InputError) as refused:
        open_people(Source(**(COLUMNS | data)), table=table)
    return refused.value


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("values", [[0, 1], [0.5, 1.0, 2.5], [1, -2]])
def test_the_answer_is_the_sum_of_a_stages_rows(values: list[Any], make: Any) -> None:
    table = visits(20, values)
    people = open_people(Source(**COLUMNS), table=make(table))
    assert people.size == people.count_again() == 20
    for stage in STAGES:
        asked = dl.Stage(stage=stage, query=dl.Sum(lower=min(values), upper=max(values)))
        release = release_of(values, asked)
        (found,) = true_answer(release, people)
        truth = sum(map(Fraction, table.ill[table.season == stage].tolist()))
        assert release.scores.lattice.point([found])[0] == truth
    people.close()


def test_texts_and_steps_are_read() -> None:
    table = visits(20, ["well", "ill"])
    people = open_people(Source(**COLUMNS), table=table)
    asked = dl.Stage(stage="autumn", query=dl.Count(values=["ill"]))
    (found,) = true_answer(release_of(["well", "ill"], asked), people)
    assert found == Counter(table.ill[table.season == "autumn"])["ill"]
    people.close()
    hours = visits(20, [0.4, 1.6, 2.1])
    people = open_people(Source(**COLUMNS, lower=0.5, upper=2.0, step=0.5), table=hours)
    release = release_of([0.5, 1.5, 2.0], dl.Stage(stage="spring", query=dl.Sum(lower=0.5, upper=2.0)))
    truth = sum({0.4: 0.5, 1.6: 1.5, 2.1: 2.0}[each] for each in hours.ill[hours.season == "spring"])
    assert release.scores.lattice.point(true_answer(release, people))[0] == truth
    people.close()


def test_households_are_counted_by_person() -> None:
    people = open_people(Source(**COLUMNS, household="home"), table=visits(20, [0, 1]))
    assert people.compositions() == {(("", 2),): 10}
    people.close()


def test_what_is_no_process_is_refused() -> None:
    table = visits(20, [0, 1])
    twice = pd.concat([table, table.iloc[:1]], ignore_index=True)
    assert refusal(twice).wanted == "each person once at a stage, 1 of 41 rows repeats"
    assert refusal(table.iloc[1:]).wanted == "each of the 20 persons at each of the 2 stages, 1 row is missing"
    moved = table.assign(home=[*["elsewhere"] * 1, *table.home[1:]])
    assert refusal(moved, household="home").wanted == "one household a person, 1 persons have several"
    many = pd.DataFrame([(p, s, 0) for p in range(2) for s in range(65)], columns=["id", "season", "ill"])
    assert refusal(many).wanted == "a column of at most 64 stages (limit tables.table_stages)"
    with pytest.raises(InputError, match="person, the column of ids, beside stage"):
        Source(value="ill", stage="season")


def test_values_and_people_of_another_model_are_refused() -> None:
    people = open_people(Source(**COLUMNS), table=visits(20, [0, 1, 2]))
    asked = dl.Stage(stage="spring", query=dl.Count())
    with pytest.raises(InputError, match=r"^data.value: ill, wanted a value the model's records can have"):
        true_answer(release_of([0, 1], asked), people)
    with pytest.raises(InputError, match=r"^data: 20 people, wanted 21"):
        true_answer(release_of([0, 1, 2], asked, people=21), people)
    people.close()


def test_commands_check_and_release(tmp_path: Path) -> None:
    visits(20, [0, 1]).to_csv(tmp_path / "visits.csv", index=False)
    spec = tmp_path / "linked.toml"
    spec.write_text("""[model]
kind = "linked"
stages = ["spring", "autumn"]
coupling = "independent"
within = { kind = "households", by = "home", types = [{ infected = [0.4, 0.2, 0.4] }] }
[query]
kind = "stage"
stage = "autumn"
query = { kind = "count" }
[notion]
kind = "information"
epsilon = 0.5
[data]
file = "visits.csv"
value = "ill"
person = "id"
stage = "season"
""")
    assert dalenius("check", spec).code == 0
    found = dalenius("release", spec, "--ledger", tmp_path / "ledger.db", "--budget", "3", "--json").json
    assert found["certificate"]["asked"].endswith(
        "a record is what column ill holds at each stage that column season names"
    )
    assert found["budget"]["spent"] == pytest.approx(0.5, abs=1e-6)
