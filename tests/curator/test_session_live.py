"""Sessions of databases that others write to: an answer, its fingerprint and its households are of one state."""

import io
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pytest

import dalenius as dl
from dalenius.channel import Release
from dalenius.curator import Failed
from dalenius.errors import InputError
from dalenius.spec import true_answer
from dalenius.tables import Held, People
from tests.curator.policies import ask, people, policy
from tests.postgres import Postgres, server
from tests.tables.engines import in_postgres

Live = tuple[Held, Callable[[str], Any]]
LARGE = dl.Geometric(scale=60.0)
LAST = "DELETE FROM people WHERE home = 'h7'"
TOGETHER = "UPDATE people SET home = 'h6' WHERE home = 'h3'"


def _columns() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = pandas.read_csv(io.StringIO(people())).to_dict("list")
    return found


@pytest.fixture(params=["postgresql", "duckdb"])
def live(request: pytest.FixtureRequest) -> Iterator[Live]:
    """A database with the people, and how another connection writes to it."""
    if request.param == "duckdb":
        connection = duckdb.connect()
        connection.register("given", pyarrow.table(_columns()))
        connection.execute("CREATE TABLE people AS FROM given")
        yield connection, connection.cursor().execute
        return
    psycopg = pytest.importorskip("psycopg")
    url = in_postgres(request.getfixturevalue("database"), _columns())
    with closing(psycopg.connect(url, autocommit=True)) as other:
        yield url, other.execute


def session(held: Held, folder: Path) -> dl.Session:
    return dl.Session(
        held, policy(source={"label": "place", "table": "people"}), "bob", ledger=str(folder / "ledger.sqlite")
    )


def fingerprints(seen: dl.Session) -> list[str]:
    return [each.debit.body["fingerprint"] for each in seen.history()]


def test_a_table_written_since_is_opened_again(live: Live, tmp_path: Path) -> None:
    held, write = live
    seen = session(held, tmp_path)
    asked = ask(noise=LARGE)
    first = seen.ask(asked)
    assert seen.ask(asked).entry == first.entry
    costs = [seen.estimate(ask(noise=dl.Geometric(scale=30.0))).cost]
    write(TOGETHER)
    assert not seen.estimate(asked).free
    costs.append(seen.estimate(ask(noise=dl.Geometric(scale=30.0))).cost)
    assert costs[0] is not None
    assert costs[1] is not None
    assert costs[1].leakage > costs[0].leakage  # of a household of eight, where none was of more than four
    again = seen.ask(asked)
    assert again.entry != first.entry
    assert len(set(fingerprints(seen))) == 2


@pytest.mark.parametrize("early", [True, False])
def test_others_write_while_an_answer_is_read(
    live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, early: bool
) -> None:
    """Before the first question the table is no longer the one that was opened: nothing goes out, in words that say
    nothing. After it the answer is of the state that was opened."""
    held, write = live
    seen = session(held, tmp_path)
    seen.estimate(ask(noise=LARGE))
    answers: list[tuple[int, ...]] = []

    def reading(release: Release, people: People) -> tuple[int, ...]:
        if early:
            write("UPDATE people SET ill = 1 - ill")
        answers.append(true_answer(release, people))
        if not early:
            write("UPDATE people SET ill = 1 - ill")
            assert true_answer(release, people) == answers[-1]
        return answers[-1]

    with monkeypatch.context() as patched:
        patched.setattr("dalenius.curator.opened.true_answer", reading)
        if early:
            with pytest.raises(Failed):
                seen.ask(ask(noise=LARGE))
        else:
            assert not seen.ask(ask(noise=LARGE)).repeated
    assert seen.budget().data.spent > 0
    spent = seen.budget().data.spent
    assert not seen.ask(ask(noise=LARGE)).repeated  # of the new state, of which nothing was answered
    assert seen.budget().data.spent > spent
    assert len(set(fingerprints(seen))) == 2


@pytest.mark.slow
def test_a_release_is_of_one_state(live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held, write = live
    spec = dl.Spec(
        model=dl.Households(by="home", epidemic={"community": 0.1, "household": 0.3}),
        query=dl.Count(),
        notion=dl.InformationPrivacy(epsilon=0.5),
        data={"name": "village", "value": "ill", "table": "people"},
    )
    ledger = tmp_path / "ledger.sqlite"
    tally = People.tally

    def late(people: People) -> Any:
        """The households are known by now; with these a table without one of them would be refused."""
        write(LAST)
        return tally(people)

    with monkeypatch.context() as patched:
        patched.setattr(People, "tally", late)
        done = dl.release(spec, data=held, ledger=ledger, budget=4.0)
    assert done.published.certificate["people"] == 20
    assert not dl.quote(spec, data=held, ledger=ledger, budget=4.0, new_data=True).free


def test_a_file_written_while_it_is_read_is_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    path.write_text(people(), encoding="utf-8")
    spec = dl.Spec(
        model=dl.Independent(n=20, values=(0, 1), probabilities=(0.5, 0.5)),
        query=dl.Count(),
        notion=dl.InformationPrivacy(epsilon=0.5),
        data={"name": "village", "value": "ill"},
    )
    tally = People.tally

    def late(table: People) -> Any:
        path.write_text(people() + "h9,x,1,7\n", encoding="utf-8")
        return tally(table)

    monkeypatch.setattr(People, "tally", late)
    wanted = r"^data: people\.csv, wanted the tables that were opened: one has been written since$"
    with pytest.raises(InputError, match=wanted):
        dl.release(spec, data=path, ledger=tmp_path / "ledger.sqlite", budget=1.0)
    assert not (tmp_path / "ledger.sqlite").exists()


@pytest.mark.slow
def test_a_server_that_was_away_is_connected_to_again(tmp_path: Path, postgres: Postgres) -> None:
    """What cannot be read is found out before it is paid for."""
    with server() as own:
        url = in_postgres(own.new(), _columns())
        seen = session(url, tmp_path)
        seen.estimate(ask(noise=LARGE))
        own.stop()
        own.start()
        done = seen.ask(ask(noise=LARGE))
        assert not done.repeated
        assert len(seen.history()) == 1
