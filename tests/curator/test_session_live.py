"""Sessions of databases that others write to: an answer, its fingerprint and its households are of one state.

Whatever is asked by whom, budgets hold, and what is estimated is what is paid.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dalenius as dl
from dalenius.curator import Budget, Curator, Failed, Ledger, Quote, Session
from dalenius.errors import InputError, Refused, Unreachable
from dalenius.tables import People, open_people
from tests.curator.asking import kinds
from tests.curator.live import Live, columns, live as live, session
from tests.curator.policies import ask, curator, people, policy, village
from tests.pace import slow
from tests.postgres import Postgres, server
from tests.tables.engines import in_postgres

LARGE = dl.Geometric(scale=60.0)
LAST = "DELETE FROM people WHERE home = 'h7'"
TOGETHER = "UPDATE people SET home = 'h6' WHERE home = 'h3'"


def fingerprints(seen: dl.Session) -> list[str]:
    return [each.debit.body["fingerprint"] for each in seen.history()]


def test_where_others_live_together_another_price_is_due(live: Live, tmp_path: Path) -> None:
    """That is public; the values are not, and the same question keeps its answer."""
    held, write = live
    seen = session(held, tmp_path)
    first = seen.ask(ask(noise=LARGE))
    costs = [seen.estimate(ask(noise=dl.Geometric(scale=30.0))).cost]
    write(TOGETHER)
    costs.append(seen.estimate(ask(noise=dl.Geometric(scale=30.0))).cost)
    assert costs[0] is not None
    assert costs[1] is not None
    assert costs[1].leakage > costs[0].leakage  # of a household of eight, where none was of more than four
    seen.ask(ask(noise=dl.Geometric(scale=30.0)))
    assert seen.ask(ask(noise=LARGE)).entry == first.entry
    assert len(set(fingerprints(seen))) == 2


def test_others_write_all_the_time(live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is asked between two writes is answered of the state that was there before the debit."""
    held, write = live
    seen, tally = session(held, tmp_path), People.tally
    ill: list[int] = []

    def reading(people: People) -> Any:
        assert kinds(tmp_path / "ledger.sqlite")[-1] == "debit"
        found = tally(people)
        ill.append(sum(count for (_, value), count in found.items() if value == 1))
        write("UPDATE people SET ill = 1 - ill")
        assert tally(people) == found
        return found

    monkeypatch.setattr(People, "tally", reading)
    for number in range(4):
        assert not seen.ask(ask(noise=dl.Geometric(scale=60.0 + number))).repeated
        write("UPDATE people SET age = age")
    assert (ill[0] + ill[1], ill[2:]) == (20, ill[:2])
    assert kinds(tmp_path / "ledger.sqlite").count("answer") == 4


def test_a_connection_that_is_lost_between_debit_and_answer(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is paid for, and made again for the next question."""
    url = in_postgres(database, columns())
    seen = session(url, tmp_path)
    psycopg = pytest.importorskip("psycopg")
    lost: list[bool] = []
    tally = People.tally

    def reading(people: People) -> Any:
        if not lost:
            lost.append(True)
            with psycopg.connect(url, autocommit=True) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        return tally(people)

    monkeypatch.setattr(People, "tally", reading)
    for _ in range(2):
        with pytest.raises(Failed):
            seen.ask(ask(noise=LARGE))
    assert not seen.ask(ask(noise=dl.Geometric(scale=50.0))).repeated
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 2


@pytest.mark.slow
def test_a_table_that_somebody_has_locked_is_refused_before_it_is_paid_for(tmp_path: Path, database: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    url = in_postgres(database, columns())
    made = Curator(policy(source={"label": "place", "table": "people"}), tmp_path, {"measles": url})
    seen = made.session("bob", "measles")
    seen.estimate(ask(noise=LARGE))
    with psycopg.connect(url) as other:
        other.execute("LOCK people IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(Unreachable, match=r"^data: measles, wanted .* a table that nobody has locked"):
            seen.ask(ask(noise=LARGE))
    assert not (tmp_path / "ledger.sqlite").exists()
    assert not seen.ask(ask(noise=LARGE)).repeated


@pytest.mark.slow
def test_a_release_is_of_one_state(live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held, write = live
    spec, ledger, tally = village(table="people"), tmp_path / "ledger.sqlite", People.tally

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
    tally = People.tally

    def late(table: People) -> Any:
        path.write_text(people() + "h9,x,1,7\n", encoding="utf-8")
        return tally(table)

    monkeypatch.setattr(People, "tally", late)
    wanted = r"^data: people\.csv, wanted the table that was opened: it has been written since$"
    with pytest.raises(InputError, match=wanted):
        dl.release(village(), data=path, ledger=tmp_path / "ledger.sqlite", budget=1.0)
    assert not (tmp_path / "ledger.sqlite").exists()


@pytest.mark.slow
def test_a_server_that_was_away_is_connected_to_again(tmp_path: Path, postgres: Postgres) -> None:
    """What cannot be read is found out before it is paid for."""
    with server() as own:
        url = in_postgres(own.new(), columns())
        seen = session(url, tmp_path)
        seen.estimate(ask(noise=LARGE))
        own.stop()
        own.start()
        done = seen.ask(ask(noise=LARGE))
        assert not done.repeated
        assert len(seen.history()) == 1


POOL = [
    *(ask(dl.Count(per_label=each), epsilon=epsilon) for each in (False, True) for epsilon in (0.05, 0.11, 0.3, 0.7)),
    *(ask(dl.Count(labels=("x",)), noise=dl.Laplace(scale=scale)) for scale in (6.0, 20.0, 55.0)),
    ask(within=30.0),
    ask(dl.Count(values=(0,)), within=12.5, confidence=0.9),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Curator]:
    folder = tmp_path_factory.mktemp("curator")
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    made = Curator(policy(), folder)
    yield made
    made.close()


def estimated(session: Session, asked: dl.Ask) -> Quote | str:
    """Or why it is refused."""
    try:
        return session.estimate(asked)
    except Refused as error:
        return str(error)


# With the ninth there are answers that are new, known and another's, and refusals by the cap and by the data set.
@pytest.mark.parametrize("seed", [9, *map(slow, range(9))])
def test_whatever_is_asked_no_budget_is_overspent_and_costs_are_as_estimated(
    shared: Curator, tmp_path: Path, seed: int
) -> None:
    shared.ledger = Ledger(tmp_path / "ledger.sqlite")
    random, refused = Random(seed), 0
    spent = Budget(1.0, 0.0)
    for _ in range(10):
        session = Session.at(shared, random.choice(["ana", "bob"]), "measles")
        asked = random.choice(POOL)
        quoted = estimated(session, asked)
        if isinstance(quoted, str):
            with pytest.raises(Refused) as caught:
                session.ask(asked)
            assert str(caught.value) == quoted
            assert session.budget().data == spent
            refused += 1
            continue
        done = session.ask(asked)
        assert (done.budget, done.own) == (quoted.budget, quoted.own)
        assert done.repeated == (quoted.free or quoted.shared)
        assert done.own is not None
        assert done.own.spent <= done.own.initial == (0.5 if session.analyst.name == "ana" else 1.0)
        assert session.budget().own == done.own
        assert spent.spent <= done.budget.spent <= done.budget.initial == 1.0
        spent = session.budget().data
        assert spent == done.budget
    assert refused or spent.spent > 0.2


@pytest.mark.slow
def test_threads_share_tables_and_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opens: list[Any] = []

    def opened(*given: Any, **more: Any) -> People:
        opens.append(given)
        return open_people(*given, **more)

    monkeypatch.setattr("dalenius.curator.opened_table.open_people", opened)
    made = curator(tmp_path)
    scales = [40.0 + number % 8 for number in range(24)]

    def one(place: int) -> Any:
        session = made.session("bob" if place % 2 else "ana", "measles")
        return session.ask(ask(noise=dl.Geometric(scale=scales[place]))).published.answers

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(one, range(24)))
    assert len(opens) == 1
    assert len({(scale, answers) for scale, answers in zip(scales, found, strict=True)}) == 8
    entries = kinds(tmp_path / "ledger.sqlite")
    assert entries.count("debit") == entries.count("answer") == 8
    assert made.budget("measles").spent <= 1.0
