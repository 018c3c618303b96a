"""One table has one budget, whoever opens it and whatever it is called."""

import json
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import dalenius as dl
from dalenius import InputError, Refused
from dalenius.curator import Curator, NotOpen, policy_from, read_policy
from dalenius.tables.table_identity import table_keys
from tests.cli.command import here
from tests.curator.asking import kinds
from tests.curator.policies import ask, people, sections, village
from tests.tables.engines import in_postgres


def _linked(folder: Path) -> str:
    (folder / "other.csv").symlink_to("people.csv")
    return "other.csv"


def _hard_linked(folder: Path) -> str:
    os.link(folder / "people.csv", folder / "other.csv")
    return "other.csv"


def _copied(folder: Path) -> str:
    shutil.copy(folder / "people.csv", folder / "other.csv")
    return "other.csv"


def _in_linked_folder(folder: Path) -> str:
    (folder / "there").symlink_to(folder)
    return "there/people.csv"


NAMES: tuple[Callable[[Path], str], ...] = (
    lambda folder: str(folder / "people.csv"),
    lambda folder: f"../{folder.name}/people.csv",
    _linked,
    _hard_linked,
    _copied,
    _in_linked_folder,
)


def two(folder: Path, other: dict[str, Any], **first: Any) -> Path:
    """The file of a policy of two data sets, "t" for ana and "other" for eve, with three nats each."""
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    promised = {"kind": "inferential", "epsilon": 3.0}
    (one,) = sections(name="t", notion=promised, analysts=[{"name": "ana"}], **first)["data"]
    second = {**one, "name": "other", "analysts": [{"name": "eve"}], "source": {"label": "place", **other}}
    path = folder / "policy.json"
    path.write_text(json.dumps({"data": [one, second]}), encoding="utf-8")
    return path


def spent(path: Path, *held: tuple[str, str, Any]) -> int:
    """How many of these analysts, each before a data set and with a table of their own, are answered 2.9 nats."""
    answered = 0
    for analyst, data, table in held:
        try:
            dl.Session(table, path, analyst, data).ask(ask(epsilon=2.9))
            answered += 1
        except (InputError, Refused):
            pass
    return answered


BOTH: tuple[tuple[str, str, Any], ...] = (("ana", "t", None), ("eve", "other", None))


@pytest.mark.parametrize("named", NAMES)
def test_a_table_of_two_names_has_no_second_budget(named: Callable[[Path], str], tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    policy = two(tmp_path, {"file": named(tmp_path)})
    assert spent(policy, *BOTH) <= 1
    assert not (tmp_path / "ledger.sqlite").exists() or kinds(tmp_path / "ledger.sqlite").count("debit") <= 1


@pytest.mark.parametrize("named", [_linked, _hard_linked, _copied])
def test_the_policy_check_names_the_second(
    named: Callable[[Path], str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    done = here(capsys, monkeypatch, "policy", "check", two(tmp_path, {"file": named(tmp_path)}))
    assert done.code == 2
    assert "data: other, wanted other people: 't' " in done.err


def test_a_copy_of_which_fewer_rows_are_read_is_the_same_table(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    policy = two(tmp_path, {"file": _copied(tmp_path), "where": [{"column": "place", "equals": "x"}]})
    with pytest.raises(InputError, match="'t' has the same bytes"):
        dl.Session(None, policy, "eve", "other")


def test_other_people_have_their_own_budget(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text(people().replace("h1,", "h9,"), encoding="utf-8")
    assert spent(two(tmp_path, {"file": "other.csv"}), *BOTH) == 2


@pytest.mark.lengthy
def test_a_frame_of_the_same_people_has_no_second_budget(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text(people().replace("h1,", "h9,"), encoding="utf-8")
    policy = two(tmp_path, {"file": "other.csv"})
    frame = pandas.read_csv(tmp_path / "people.csv")
    assert spent(policy, ("ana", "t", frame), ("eve", "other", frame.iloc[::-1])) == 1
    assert spent(policy, ("eve", "other", frame)) == 0
    with pytest.raises(InputError, match="data: other, wanted other people: 't' has the same rows"):
        dl.Session({"t": frame, "other": frame.copy()}, policy, "ana", "t")
    with pytest.raises(InputError, match="data: other, wanted other people: 't' is the same table"):
        dl.Session({"t": frame, "other": frame}, policy, "ana", "t")


def test_another_format_of_the_same_people_has_no_second_budget(tmp_path: Path) -> None:
    frame = pandas.DataFrame([row.split(",") for row in people().split()[1:]], columns=["home", "place", "ill", "age"])
    frame.astype({"ill": int, "age": int}).to_parquet(tmp_path / "other.parquet")
    assert spent(two(tmp_path, {"file": "other.parquet"}), *BOTH) == 0


def in_duckdb(path: Path) -> None:
    with closing(duckdb.connect(str(path))) as made:
        made.execute(f"CREATE TABLE people AS FROM read_csv('{path.parent / 'people.csv'}')")
        made.execute("CREATE VIEW everybody AS SELECT * FROM people")
        made.execute('CREATE VIEW "some AS x" (home, place, ill) AS SELECT home, place, ill FROM everybody')
        made.execute(f"CREATE VIEW outside AS FROM '{path.parent / 'people.csv'}'")
        made.execute("CREATE TABLE others AS SELECT 'z' || home AS home, place, ill, age FROM people")


@pytest.mark.parametrize(("view", "same"), [("everybody", True), ("some AS x", True), ("others", False)])
def test_a_view_of_a_table_is_the_table(view: str, same: bool, tmp_path: Path) -> None:
    two(tmp_path, {"file": "people.csv"})
    in_duckdb(tmp_path / "d.duckdb")
    tables = {"source": {"file": "d.duckdb", "table": "people", "label": "place"}}
    policy = two(tmp_path, {"file": "d.duckdb", "table": view}, **tables)
    assert spent(policy, *BOTH) == (0 if same else 2)


def test_a_frame_for_a_table_of_a_database_spends_its_budget(tmp_path: Path) -> None:
    two(tmp_path, {"file": "people.csv"})
    in_duckdb(tmp_path / "d.duckdb")
    with closing(duckdb.connect(str(tmp_path / "d.duckdb"), read_only=True)) as connection:
        frames = {name: connection.table(name).df() for name in ("people", "others")}
        held = connection.table("people").to_arrow_table()
    tables = {"source": {"file": "d.duckdb", "table": "people", "label": "place"}}
    policy = two(tmp_path, {"file": "d.duckdb", "table": "others"}, **tables)
    # The frame stands for the table that the source names: their answers and their budget are one.
    first = dl.Session(frames["people"], policy, "ana", "t").ask(ask(epsilon=2.9))
    for table in (None, held):
        session = dl.Session(table, policy, "ana", "t")
        assert session.ask(ask(epsilon=2.9)).hash == first.hash
        with pytest.raises(Refused, match=r"after 1 earlier of the same data, would spend .* 0\.1 left"):
            session.ask(ask(epsilon=2.8))
    assert spent(policy, ("eve", "other", frames["others"])) == 1
    # It stands for no other table, which has a budget of its own.
    with pytest.raises(InputError, match=r"^data: other, wanted other people: 't' has the same rows"):
        dl.Session(frames["people"], policy, "eve", "other")


def test_a_view_of_a_file_is_the_file(tmp_path: Path) -> None:
    two(tmp_path, {"file": "people.csv"})
    in_duckdb(tmp_path / "d.duckdb")
    with pytest.raises(InputError, match="'t' is the same table"):
        dl.Session(None, two(tmp_path, {"file": "d.duckdb", "table": "outside"}), "ana", "t")


def test_a_database_has_one_key_however_its_url_is_written() -> None:
    plain = table_keys("postgresql://host/db", "people")
    for url, name in (
        ("postgres://ana:secret@HOST:5432/db?sslmode=require", "people"),
        ("postgresql://host./db", "public.people"),
        ("postgresql://other/db?host=host", "people"),
    ):
        assert table_keys(url, name) == plain
    for url, name in (
        ("postgresql://host/db", "ward.people"),
        ("postgresql://host/db", "People"),
        ("postgresql://host:5433/db", "people"),
        ("postgresql://host/db2", "people"),
    ):
        assert table_keys(url, name) != plain
    local = {*map(table_keys, ("postgresql:///db", "postgresql://127.0.0.1/db", "postgresql:///db?host=/run"))}
    assert len(local) == 1


def test_a_policy_of_two_spellings_of_a_database_is_refused() -> None:
    (one,) = sections(source={"url": "postgresql://host/db", "table": "people"})["data"]
    other = {**one, "name": "mumps", "source": {"url": "postgres://ana@HOST:5432/db", "table": "public.people"}}
    with pytest.raises(InputError, match="a different table for each data set"):
        policy_from({"data": [one, other]})


@pytest.mark.lengthy
def test_a_copy_in_a_database_is_the_same_table(database: str, tmp_path: Path) -> None:
    psycopg = pytest.importorskip("psycopg")
    rows: Any = pandas.DataFrame(
        [row.split(",") for row in people().split()[1:]], columns=["home", "place", "ill", "age"]
    ).astype({"ill": int, "age": int})
    url = in_postgres(database, rows.to_dict("list"))
    with closing(psycopg.connect(url, autocommit=True)) as other:
        other.execute("CREATE VIEW everybody AS SELECT * FROM people")
    tables = {"source": {"url": url, "table": "people", "label": "place"}}
    for name in ("public.people", "everybody"):
        assert spent(two(tmp_path, {"url": url, "table": name}, **tables), *BOTH) == 0


def test_a_table_that_becomes_another_s_is_noticed_when_it_is_opened_again(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text(people().replace("h1,", "h9,"), encoding="utf-8")
    with closing(Curator(read_policy(two(tmp_path, {"file": "other.csv"})), tmp_path)) as made:
        made.check()
        eve, ana = made.session("eve", "other"), made.session("ana", "t")
        eve.ask(ask())
        ana.ask(ask())
        shutil.copy(tmp_path / "people.csv", tmp_path / "other.csv")
        with pytest.raises(NotOpen) as caught:
            eve.ask(ask(epsilon=0.3))
        assert "people" not in str(caught.value)
        assert ana.ask(ask(epsilon=0.3)).budget.spent > 0
        (tmp_path / "other.csv").write_text(people().replace("h1,", "h8,"), encoding="utf-8")
        assert eve.ask(ask(epsilon=0.3)).budget.spent > 0


def test_a_table_that_a_ledger_knows_by_another_name_is_not_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A policy whose data set was given another name, or one whose table was released from before there was one."""
    for name in ("t", "renamed"):
        policy = policy_from(sections(name=name))
        (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
        with closing(Curator(policy, tmp_path)) as made:
            session = made.session("bob", name)
            if name == "t":
                session.ask(ask())
                continue
            with pytest.raises(NotOpen):
                session.ask(ask())
            with pytest.raises(Refused, match='its ledger knows the same bytes as "t"'):
                made.check()
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 1
    assert 'its ledger knows the same bytes as "t"' in caplog.text


def test_a_release_and_a_policy_share_what_a_ledger_knows(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    ledger = tmp_path / "ledger.sqlite"
    dl.release(village(file="people.csv"), tmp_path, ledger=ledger)
    with pytest.raises(Refused, match='knows the same bytes as "village"'):
        dl.Session(
            None, policy_from(sections(source={"file": str(tmp_path / "people.csv")})), "bob", ledger=str(ledger)
        )


def test_a_release_of_a_view_has_the_budget_of_its_table(tmp_path: Path) -> None:
    two(tmp_path, {"file": "people.csv"})
    in_duckdb(tmp_path / "d.duckdb")
    ledger = tmp_path / "ledger.sqlite"
    dl.release(village(file="d.duckdb", table="people"), tmp_path, ledger=ledger)
    for table in ("everybody", "some AS x"):
        with pytest.raises(Refused, match='knows the same bytes as "village"'):
            dl.release(village(name="town", file="d.duckdb", table=table), tmp_path, ledger=ledger)
    dl.release(village(name="town", file="d.duckdb", table="others"), tmp_path, ledger=ledger)


def test_a_link_has_the_ledger_of_its_file(tmp_path: Path) -> None:
    """Whichever of the two is released from first."""
    for first in ("people.csv", "link.csv"):
        here_, there = tmp_path / first / "here", tmp_path / first / "there"
        here_.mkdir(parents=True)
        there.mkdir()
        (here_ / "people.csv").write_text(people(), encoding="utf-8")
        (there / "link.csv").symlink_to(here_ / "people.csv")
        for path in sorted((here_ / "people.csv", there / "link.csv"), key=lambda path: path.name != first):
            done = dl.release(village(file=str(path)), tmp_path)
        assert done.repeated
        assert [each.name for each in there.iterdir()] == ["link.csv"]
