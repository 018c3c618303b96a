"""Two columns of one name are refused in every kind of table; messages say which rows are wrong, and quote none."""

from pathlib import Path
from typing import Any

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.spec.data_section import Source
from dalenius.tables import open_people
from dalenius.tables.infected_households import infected_by_size
from dalenius.tables.true_answer import true_answer

SAME = "a name of its own for each column, whatever its capitals (columns 2 and 3 have the same one)"


def refusal(table: Any, folder: Path = Path(), **data: Any) -> InputError:
    with pytest.raises(InputError) as refused:
        open_people(Source(**({"value": "ill"} | data)), folder, table)
    return refused.value


@pytest.mark.parametrize("other", ["ill", "Ill", "ILL "])
def test_two_columns_of_one_name_are_refused_in_a_csv(tmp_path: Path, other: str) -> None:
    (tmp_path / "p.csv").write_text(f"home,ill,{other}\n1,0,1\n", encoding="utf-8")
    assert refusal(tmp_path / "p.csv").wanted == SAME
    assert refusal(tmp_path / "p.csv", value="home").wanted == SAME


def test_two_columns_of_one_name_are_refused_in_every_kind_of_table(tmp_path: Path) -> None:
    frame = pa.table([pa.array([1]), pa.array([0]), pa.array([1])], names=["home", "ill", "Ill"])
    pq.write_table(frame, tmp_path / "p.parquet")
    tables = [frame, frame.rename_columns(["home", "ill", "ill"]), tmp_path / "p.parquet", pl.from_arrow(frame)]
    tables += [frame.to_pandas(), pd.DataFrame([[1, 0, 1]], columns=["home", "ill", "ill"])]
    tables += [duckdb.sql("SELECT 1 AS home, 0 AS ill, 1 AS ill"), ibis.memtable({"home": [1], "ill": [0], "Ill": [1]})]
    for table in tables:
        assert refusal(table).wanted == SAME, table


def test_a_header_without_rows_is_an_empty_table(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("home,ill\n", encoding="utf-8")
    for data in ({}, {"lower": 0, "upper": 1}, {"value": {"column": "ill", "equals": 1}}, {"household": "home"}):
        assert refusal(tmp_path / "p.csv", **data).wanted == "a table with at least one row", data


def test_one_bad_cell_of_sixty_thousand_is_located(tmp_path: Path) -> None:
    cells = ["1", "0"] * 30_000
    cells[17_203] = "secret"
    (tmp_path / "p.csv").write_text("ill\n" + "\n".join(cells) + "\n", encoding="utf-8")
    found = refusal(tmp_path / "p.csv", lower=0, upper=1)
    assert found.wanted.endswith("the column holds texts, 1 of 60,000 is no number (row 17,204)")
    model = dl.Independent(n=60_000, values=[0, 1], probabilities=[0.5, 0.5])
    people = open_people(Source(value="ill"), table=tmp_path / "p.csv")
    with pytest.raises(InputError) as refused:
        true_answer(dl.Release(model, dl.Count(), dl.Geometric(scale=1.0)), people)
    assert "1 of 60,000 rows have another (row 17,204)" in refused.value.wanted
    assert "secret" not in f"{found}{refused.value}"


def test_rows_that_are_no_dates_are_located(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("day\n1861-11-20\n20/11/1861\n1861-11-22\n??\n", encoding="utf-8")
    found = refusal(tmp_path / "p.csv", value={"column": "day", "below": "1861-11-21"})
    assert found.wanted == "an ISO date in every row, 2 of 4 are not (rows 2 and 4)"


def test_a_household_may_be_called_na(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("home,ill\nNA,1\nNA,0\nB,-9\n,1\n", encoding="utf-8")
    data: dict[str, Any] = {"household": "home", "missing_words": ["-9"]}
    assert refusal(tmp_path / "p.csv", **data).wanted == "a cell in every row, 1 of 4 is missing"
    (tmp_path / "p.csv").write_text("home,ill\nNA,1\nNA,0\nB,1\n", encoding="utf-8")
    people = open_people(Source(value="ill", **data), table=tmp_path / "p.csv")
    assert sorted(people.compositions().items()) == [((("", 1),), 1), ((("", 2),), 1)]
    wanted = "none: only a file of text has one, not p.parquet"
    pq.write_table(pa.table({"home": ["NA"], "ill": [1]}), tmp_path / "p.parquet")
    assert refusal(tmp_path / "p.parquet", **data).wanted == wanted


@pytest.mark.parametrize("words", [("Y", "N"), ("on", "off"), ("yes", "no"), ("T", "F"), ("1", "0")])
def test_words_for_yes_and_no_are_the_values_of_a_model_of_0_and_1(tmp_path: Path, words: tuple[str, str]) -> None:
    ill = [words[0], words[1], words[0]]
    (tmp_path / "p.csv").write_text("home,ill\n" + "".join(f"a,{each}\n" for each in ill), encoding="utf-8")
    release = dl.Release(dl.Independent(probabilities=[0.5] * 3), dl.Count(), dl.Geometric(scale=1.0))
    for table in (tmp_path / "p.csv", pa.table({"home": ["a"] * 3, "ill": ill})):
        people = open_people(Source(value="ill", household="home"), table=table)
        assert true_answer(release, people) == (2,)
        assert infected_by_size(people) == {(3, 2): 1}


def test_texts_of_a_model_stay_texts() -> None:
    model = dl.Independent(n=2, values=["no", "yes"], probabilities=[0.5, 0.5])
    people = open_people(Source(value="ill"), table=pa.table({"ill": ["yes", "no"]}))
    release = dl.Release(model, dl.Count(values=["yes"]), dl.Geometric(scale=1.0))
    assert true_answer(release, people) == (1,)
