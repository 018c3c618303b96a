"""No message, log or cause of an error quotes a cell or a row of the table, whichever engine raised it.

Every table here holds a word that no message may have. The word is where an engine would quote it.
"""

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import duckdb
import ibis
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dalenius as dl
from dalenius.errors import DaleniusError, InputError
from dalenius.fitting.chain import fit_chain
from dalenius.fitting.moments import fit_moments
from dalenius.fitting.normal import fit_gaussian
from dalenius.fitting.tree import fit_network
from dalenius.spec.data_section import Source
from dalenius.tables import open_people
from dalenius.tables.columns_to_fit import read_columns, read_sequences
from tests.cli.command import Run
from tests.curator.policies import people
from tests.server.served import ASK, serving

CANARY: Final = "Kanarienvogel"
TEXT: Final = CANARY.encode()
BODIES: Final[Mapping[str, bytes]] = {
    "ragged.csv": b"x,y\n1," + TEXT + b"\n2,3," + TEXT + b"\n",
    "open_quote.csv": b'x,y\n1,"' + TEXT + b"\n0,b\n",
    "quote_within.csv": b'x,y\n1,"' + TEXT + b'" or so\n0,b\n',
    "encoding.csv": b"x,y\n1," + TEXT + b"\xf6\n0,b\n",
    "other_encoding.csv": b"x,y\n1," + TEXT + b"\x81\x8d\n0,b\n",
    "wide.csv": f"x,y\n1,{CANARY}\n".encode("utf-16-le"),
    "text.csv": b"x,y\n1,2\n" + TEXT + b",3\n",
    "date.csv": b"x,y\n2020-01-01,2\n" + TEXT + b"-01-01,3\n",
    "row_for_names.csv": b"1," + TEXT + b"\n0,b\n",
    "packed.csv.gz": TEXT,
    "no_json.jsonl": b'{"x": 1, "y": 2}\n{"x": ' + TEXT + b"}\n",
    "text.jsonl": b'{"x": 1, "y": 2}\n{"x": "' + TEXT + b'"}\n',
    "nested.jsonl": b'{"x": {"a": "' + TEXT + b'"}, "y": 1}\n{"x": [1]}\n',
    "twice.jsonl": b'{"x": "' + TEXT + b'", "x": 2}\n',
    "damaged.parquet": b"PAR1" + TEXT + b"PAR1",
    "damaged.xlsx": TEXT,
    "damaged.duckdb": TEXT * 500,
    "missing.csv": b"x,y\n1,2\n," + TEXT + b"\n",
}


def in_duckdb(table: str, question: str) -> Any:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE people AS {table}")
    return connection.sql(question)


def lazily(change: Any) -> Any:
    return pl.LazyFrame({"x": ["1", CANARY]}).select(change)


def broken_text() -> Any:
    ends, content = np.array([0, len(TEXT) + 1], dtype=np.int32).tobytes(), TEXT + b"\xff"
    return pa.table({"x": pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(ends), pa.py_buffer(content)])})


def no_number(text: str) -> int:
    raise ValueError(text)


FRAMES: Final[Mapping[str, Callable[[], Any]]] = {
    "pandas, of two types": lambda: pd.DataFrame({"x": [1, CANARY, 0]}),
    "pandas, of sets": lambda: pd.DataFrame({"x": [1, {CANARY}, 0]}),
    "pandas, of bytes": lambda: pd.DataFrame({"x": np.array([TEXT, CANARY, 2], dtype=object)}),
    "polars, cast": lambda: lazily(pl.col("x").cast(pl.Int64)),
    "polars, dates": lambda: lazily(pl.col("x").str.to_date("%Y")),
    "polars, Python": lambda: lazily(pl.col("x").map_elements(no_number, return_dtype=pl.Int64)),
    "duckdb, cast": lambda: in_duckdb(f"SELECT '{CANARY}' AS x", "SELECT x::INT AS x FROM people"),
    "duckdb, date": lambda: in_duckdb(f"SELECT '{CANARY}' AS x", "SELECT x::DATE AS x FROM people"),
    "duckdb, error": lambda: in_duckdb(f"SELECT '{CANARY}' AS x", "SELECT error(x) AS x FROM people"),
    "ibis, cast": lambda: ibis.memtable({"x": [CANARY]}).mutate(x=ibis._.x.cast("int64")),
    "ibis, date": lambda: ibis.memtable({"x": [CANARY]}).mutate(x=ibis._.x.cast("date")),
    "arrow, no text": broken_text,
    "arrow, a moment": lambda: pa.table({"x": pa.array([2**62], pa.timestamp("s")), "y": [CANARY]}),
    "arrow, bytes": lambda: pa.table({"x": [TEXT + b"\xff"]}),
}


def all_of(error: BaseException) -> str:
    """Whatever a program or a log could print of an error: its text, its causes, its trace."""
    found, seen = "", error
    while seen is not None:
        found += f"{seen}{seen!r}{seen.args}{vars(seen)}{''.join(traceback.format_exception(seen))}"
        seen = seen.__cause__ or seen.__context__  # type: ignore[assignment]
    return found


def refused(read: Callable[[], Any]) -> str:
    with pytest.raises(DaleniusError) as caught:
        read()
    return all_of(caught.value)


@pytest.mark.parametrize("name", BODIES)
def test_of_files_nothing_is_quoted(tmp_path: Path, name: str, run: Run) -> None:
    path = tmp_path / name
    path.write_bytes(BODIES[name])
    table = "people" if name.endswith(".duckdb") else None
    said = refused(lambda: open_people(Source(value="x", lower=0, file=path, table=table)).tally())
    if name != "text.jsonl":
        source = Source(value={"column": "x", "at_least": "2020-01-01"}, file=path, label="y")
        said += refused(lambda: open_people(source).tally())
    model = 'model = { kind = "independent", n = 2, probabilities = [0.3] }\nquery = { kind = "count" }\n'
    data = f'[data]\nvalue = "x"\nlower = 0\nfile = "{name}"\n' + ('table = "people"\n' if table else "")
    noise = 'noise = { kind = "geometric", scale = 1.0 }\nnotion = { kind = "information", epsilon = 1.0 }\n'
    (tmp_path / "spec.toml").write_text(model + noise + data, encoding="utf-8")
    ledger = ("--ledger", tmp_path / "l.sqlite", "--budget", "1")
    pages = ("--out", tmp_path / "page.html")
    commands = [("audit", "--verbose"), ("calibrate", "--verbose"), ("release", *ledger), ("explain", *pages)]
    for command, *options in commands:
        done = run(command, tmp_path / "spec.toml", *options)
        assert (done.code, done.out) == (2, ""), (command, done)
        said += done.err
    fits = (["moments", "--value", "x", "--lower", "0", "--upper", "1"], ["gaussian", "--columns", "x"])
    for fit in fits:
        more = ["--table", "people"] if table else []
        done = run("fit", "--data", path, "--model", *fit, *more)
        assert (done.code, done.out) == (2, ""), (fit, done)
        said += done.err
    assert CANARY not in said, name
    assert CANARY[:6] not in said, name
    assert not (tmp_path / "l.sqlite").exists() or TEXT not in (tmp_path / "l.sqlite").read_bytes()


@pytest.mark.parametrize("name", FRAMES)
def test_of_frames_nothing_is_quoted(name: str) -> None:
    said = refused(lambda: open_people(Source(value="x", lower=0), table=FRAMES[name]()).tally())
    assert CANARY not in said, said


def test_of_labels_and_columns_to_fit_nothing_is_quoted(tmp_path: Path) -> None:
    path, odd = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text(f"x,y,z\n1,{CANARY},1\n0,{CANARY},1\n1,b,{CANARY}\n", encoding="utf-8")
    odd.write_text(f"x,y\n1,a\n{CANARY},b\n", encoding="utf-8")
    model = dl.Independent(n=3, probabilities=[0.3], labels=["a", "b", "c"])
    spec = {"model": model, "query": {"kind": "count"}, "notion": {"kind": "information", "epsilon": 1.0}}
    labelled = {**spec, "data": {"file": str(path), "value": "x", "label": "y"}}
    whole = {**spec, "model": dl.Independent(n=3, probabilities=[0.3]), "data": {"file": str(path), "value": "y"}}
    reads: list[Callable[[], Any]] = [
        lambda: dl.quote(labelled, budget=1.0, ledger=str(tmp_path / "l.sqlite")),
        lambda: dl.quote(whole, budget=1.0, ledger=str(tmp_path / "l.sqlite")),
        lambda: fit_gaussian(read_columns(path, ["x", "z"])),
        lambda: fit_moments(read_columns(path, ["z"])["z"], 0, 1),
        lambda: fit_chain([[CANARY, CANARY]]),
        lambda: fit_network({"a": [CANARY, CANARY], "b": [0, 1]}),
        lambda: read_sequences(path, "x", "y"),
        lambda: read_sequences(path, "x", "x", "y"),
        lambda: read_sequences(path, "y", "x"),
        lambda: open_people(Source(file=odd, value={"column": "x", "below": 3})).tally(),
        lambda: open_people(Source(file=path, value="x", label="y", labels=["b"])).tally(),
        lambda: open_people(Source(file=path, value="x", person="y")).tally(),
    ]
    for read in reads:
        assert CANARY not in refused(read)


def test_of_a_workbook_nothing_is_quoted(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["x", CANARY], [None, None], [1, 2], [CANARY, 3]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert "numbers, to clip" in (
        said := refused(lambda: open_people(Source(file=tmp_path / "a.xlsx", value="x", lower=0)))
    )
    assert CANARY not in said


@pytest.mark.lengthy
def test_the_service_quotes_nothing(tmp_path: Path) -> None:
    for body in (*(BODIES[name] for name in BODIES if name.endswith(".csv")), people().encode() + TEXT + b"\n"):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        with serving(folder) as served:
            (folder / "people.csv").write_bytes(body)
            for path in ("", "/budget", "/history"):
                said = served.get(f"/api/v1/data/measles{path}", "ana@measles").text
                assert CANARY not in said
            answer = served.ask(ASK)
            assert answer.status_code >= 400
            assert CANARY not in answer.text + served.lines.getvalue()


def test_of_postgres_nothing_is_quoted(database: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE given AS SELECT '{CANARY}' AS y, '2' AS x")
        connection.execute("CREATE VIEW people AS SELECT y::int AS x, y FROM given")
        connection.execute("CREATE VIEW days AS SELECT y::date::text AS x, y FROM given")
        connection.execute("CREATE VIEW large AS SELECT 1::int * 2147483647 * x::int AS x, y FROM given")
    for table in ("people", "days", "large"):
        said = refused(lambda table=table: open_people(Source(url=database, table=table, value="x")).tally())  # type: ignore[misc]
        assert CANARY not in said


def test_an_error_of_ours_keeps_its_words() -> None:
    with pytest.raises(InputError, match=r"^data\.value: z, wanted one of the columns x$"):
        open_people(Source(value="z"), table=pd.DataFrame({"x": [1]}))
