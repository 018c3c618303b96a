"""Sessions and releases of whatever the user holds of the people."""

import io
from collections.abc import Callable
from pathlib import Path

import duckdb
import ibis
import pandas
import polars
import pyarrow
import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.tables import Held
from tests.curator.policies import ask, people, policy
from tests.pace import slow


def _connection(frame: pandas.DataFrame) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.register("frame", frame)
    connection.execute("CREATE TABLE village AS FROM frame")
    return connection


HELD: dict[str, Callable[[pandas.DataFrame], Held]] = {
    "pandas": lambda frame: frame,
    "polars": polars.from_pandas,
    "pyarrow": pyarrow.Table.from_pandas,
    "ibis": ibis.memtable,
    "duckdb": _connection,
}


@pytest.mark.parametrize("kind", ["pandas", "duckdb", *(slow((kind,)) for kind in ("polars", "pyarrow", "ibis"))])
def test_a_session_takes_what_the_user_holds(tmp_path: Path, kind: str) -> None:
    frame = pandas.read_csv(io.StringIO(people()))
    source = {"label": "place"} | ({"table": "village"} if kind == "duckdb" else {})
    ledger = str(tmp_path / "ledger.sqlite")
    session = dl.Session(HELD[kind](frame), policy(source=source), "bob", ledger=ledger)
    done = session.ask(ask(dl.Count(per_label=True), noise=dl.Geometric(scale=60.0)))
    assert done.published.labels == ("x", "y")
    again = dl.Session(HELD[kind](frame), policy(source=source), "bob", ledger=ledger)
    assert again.ask(ask(dl.Count(per_label=True), noise=dl.Geometric(scale=60.0))).repeated
    assert again.budget().data == done.budget


def test_people_by_data_set(tmp_path: Path) -> None:
    frame = pandas.read_csv(io.StringIO(people()))
    session = dl.Session({"measles": frame}, policy(), "ana", ledger=str(tmp_path / "ledger.sqlite"))
    assert session.estimate(ask()).free is False
    with pytest.raises(InputError, match=r"^data: mumps, wanted one of the policy's data sets: measles$"):
        dl.Session({"mumps": frame}, policy(), "ana", ledger=str(tmp_path / "ledger.sqlite"))
    with pytest.raises(InputError, match=r"^analyst: missing, wanted one of ana, bob$"):
        dl.Session(frame, policy(), ledger=str(tmp_path / "ledger.sqlite"))
    with pytest.raises(InputError, match=r"^data"):
        dl.Session(object(), policy(), "ana", ledger=str(tmp_path / "ledger.sqlite"))


def test_a_frame_has_a_way_to_a_release(tmp_path: Path) -> None:
    frame = pandas.read_csv(io.StringIO(people()))
    spec = dl.Spec(
        model=dl.Households(by="home", epidemic={"community": 0.1, "household": 0.3}),
        query=dl.Count(),
        notion=dl.InformationPrivacy(epsilon=0.5),
        data={"name": "village", "value": "ill"},
    )
    ledger = tmp_path / "ledger.sqlite"
    quoted = dl.quote(spec, data=frame, ledger=ledger, budget=1.0)
    done = dl.release(spec, data=frame, ledger=ledger, budget=1.0)
    assert done.budget == quoted.budget
    assert dl.release(spec, data=polars.from_pandas(frame), ledger=str(ledger)).repeated
    with pytest.raises(InputError, match=r"^budget: 2.0, wanted 1.0, what data set \"village\" was given"):
        dl.release(spec, data=frame, ledger=ledger, budget=2.0)
    with pytest.raises(InputError, match=r"^ledger: missing, wanted where spending is recorded"):
        dl.release(spec, data=frame)
