"""Every fault of a table is one line: the key, the value and what was wanted; of a CSV, the row or the encoding."""

import gzip
import hashlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from dalenius.errors import InputError
from dalenius.spec.data_section import Source
from dalenius.tables import open_people
from dalenius.tables.csv_files import fault_of
from dalenius.tables.missing_answers import WAYS
from tests.tables.written import Columns, opened, write

GOOD: Columns = {"home": ["a", "a", "b"], "class": ["1st", "2nd", "1st"], "x": [1.0, 2.5, 3.0]}


def refusal(folder: Path, form: str, columns: Columns, value: str = "x", **data: Any) -> str:
    with pytest.raises(InputError) as refused:
        opened(folder, form, columns, value, **data)
    return one_line(refused)


def refusal_of(folder: Path, **data: Any) -> str:
    with pytest.raises(InputError) as refused:
        open_people(Source(**({"value": "x"} | data)), folder)
    return one_line(refused)


def one_line(refused: pytest.ExceptionInfo[InputError]) -> str:
    message = str(refused.value)
    assert "\n" not in message
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    return message


def test_no_file(tmp_path: Path) -> None:
    assert refusal_of(tmp_path) == "data.file: missing, wanted the file that holds the people"
    assert refusal_of(tmp_path, file="no.csv") == f"data.file: {tmp_path}/no.csv, wanted a file that is there"
    for name in ("\0.csv", "x" * 300 + ".csv"):
        assert refusal_of(tmp_path, file=name).endswith(", wanted a file that is there")
        assert refusal_of(tmp_path, url=f"file://{name}".replace("\0", "%00")).endswith(", wanted a file that is there")
    (tmp_path / "folder.parquet").mkdir()
    wanted = "wanted a file, or a folder with Parquet files in it"
    assert refusal_of(tmp_path, file="folder.parquet") == f"data.file: {tmp_path}/folder.parquet, {wanted}"
    ends = (
        "wanted a file that ends in one of .csv, .csv.gz, .tsv, .tsv.gz, .jsonl, .jsonl.gz, .ndjson, .ndjson.gz, "
        ".parquet, .xlsx, .duckdb, .db, or a folder of Parquet files"
    )
    assert refusal_of(tmp_path, file="people.sav") == f"data.file: {tmp_path}/people.sav, {ends}"


def test_no_row_of_a_ragged_csv_is_passed_over(tmp_path: Path) -> None:
    for content in (b"x,y\n1,2\n3,4,5,6\n", b"x,y\n" + b"1,2\n" * 30_000 + b"3,4,5\n", b"a title\nx,y\n1,2\n"):
        (tmp_path / "x.csv").write_bytes(content)
        wanted = "wanted UTF-8 text with as many cells in every row as in the first ("
        assert refusal_of(tmp_path, file="x.csv").startswith(f"data.file: {tmp_path}/x.csv, {wanted}")


def test_a_csv_without_a_header_or_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"")
    assert refusal_of(tmp_path, file="x.csv").endswith("wanted a first line with the names of the columns")
    for text in ("sep=;\nx;ort\n1;Köln\n".encode("cp1252"), b'"sep=,"\r\nx,ort\r\n1,a\r\n'):
        (tmp_path / "x.csv").write_bytes(text)
        line = "names of the columns: delete the line above it, which is for Excel only"
        assert refusal_of(tmp_path, file="x.csv").endswith(line)
    (tmp_path / "x.csv").write_bytes("x,ort\n1,Köln\n".encode("latin-1"))
    way = '(row 1 is not: it looks like cp1252; encoding = "cp1252" in [data] or --encoding cp1252 reads it)'
    assert refusal_of(tmp_path, file="x.csv", label="ort").endswith(f"as in the first {way}")


def test_the_table_of_a_duckdb_file(tmp_path: Path) -> None:
    write(tmp_path, "duckdb", GOOD)
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute('CREATE TABLE "Older people" AS FROM people')
    wanted = "wanted one of the file's tables: Older people, people"
    assert refusal_of(tmp_path, file="people.duckdb") == f"data.table: missing, {wanted}"
    assert refusal_of(tmp_path, file="people.duckdb", table="dogs") == f"data.table: dogs, {wanted}"
    assert open_people(Source(file="people.duckdb", table="Older people", value="x"), tmp_path).size == 3


def test_a_missing_column(tmp_path: Path) -> None:
    for key in ("household", "label", "value"):
        message = refusal(tmp_path, "csv", GOOD, **({"value": "x"} | {key: "nowhere"}))
        assert message == f"data.{key}: nowhere, wanted one of the columns home, class, x"


def test_no_rows(form: str, tmp_path: Path) -> None:
    empty = {"home": pa.array([], "string"), "x": pa.array([], "int64")}
    message = refusal(tmp_path, form, empty, household="home")
    assert message == f"data.file: {tmp_path}/people.{form}, wanted a table with at least one row"


def test_missing_cells(form: str, tmp_path: Path) -> None:
    for key, column in (("household", "home"), ("label", "class"), ("value", "x")):
        columns = dict(GOOD) | {column: [None, *GOOD[column][1:-1], None]}
        message = refusal(tmp_path, form, columns, household="home", label="class")
        assert message.startswith(f"data.{key}: {column}, wanted a cell in every row, 2 of 3 are missing")
        assert message.endswith(WAYS) == (key == "value")
    clipped = refusal(tmp_path, form, {"x": [1, None]}, lower=0, upper=5, step=1)
    assert clipped == f"data.value: x, wanted a cell in every row, 1 of 2 is missing {WAYS}"


def test_a_value_that_is_no_number(tmp_path: Path) -> None:
    parts: list[dict[str, Any]] = [{"lower": 0}, {"upper": 2}, {"step": 1}]
    for part in parts:
        message = refusal(tmp_path, "csv", {"x": ["1", "many", "3"]}, **part)
        holds = "the column holds texts, 1 of 3 is no number (row 2)"
        assert message == f"data.value: x, wanted numbers, to clip or quantise; {holds}"


def test_a_value_too_large_for_its_step(form: str, tmp_path: Path) -> None:
    message = refusal(tmp_path, form, {"x": [1e300, 1.0]}, step=1e-9)
    assert message == "data.value: x, wanted a finite number of steps below 9e+15 in every row, 1 of 2 is not (row 1)"
    clipped = opened(tmp_path, "csv", {"x": [1e300, 1.0]}, "x", step=1, upper=5)
    assert clipped.tally() == {("", Fraction(5)): 1, ("", Fraction(1)): 1}


def test_the_fingerprint(tmp_path: Path) -> None:
    people = opened(tmp_path, "csv", GOOD, "x")
    content = (tmp_path / "people.csv").read_bytes()
    assert people.fingerprint() == hashlib.sha256(content).hexdigest()
    (tmp_path / "people.csv").write_bytes(content + b"c,1st,9\n")
    assert people.fingerprint() != hashlib.sha256(content).hexdigest()


def test_a_file_that_went_away(tmp_path: Path) -> None:
    people = opened(tmp_path, "parquet", GOOD, "x")
    (tmp_path / "people.parquet").unlink()
    for question in (people.fingerprint, people.tally):
        with pytest.raises(InputError, match=r"^data\."):
            question()


FAULTS = [
    (b"x,y\n1,2\n3,4,5\n", "row 2 has 3 cells, the first line has 2"),
    (b"x,y\n1,2\n3\n", "row 2 has 1 cells, the first line has 2"),
    (b'x,y\r\n"a\r\nb",2\r\n3,4,5\r\n', "row 2 has 3 cells, the first line has 2"),
    (
        "x,y\n1,Köln\n".encode("latin-1"),
        'row 1 is not: it looks like cp1252; encoding = "cp1252" in [data] or --encoding cp1252 reads it',
    ),
    (b'x,y\n1,2\n"secret,2\n', "row 2 has a quote that is not closed, or closed in the middle of a cell"),
    ("\ufeffx,y\n1,2\n\n".encode(), None),
]


def test_fault(tmp_path: Path) -> None:
    for content, fault in FAULTS:
        (tmp_path / "x.csv").write_bytes(content)
        (tmp_path / "x.csv.gz").write_bytes(gzip.compress(content))
        assert fault_of(tmp_path / "x.csv", ",") == fault_of(tmp_path / "x.csv.gz", ",") == fault


def test_no_value(tmp_path: Path) -> None:
    for row, key in ((",a", "value: x"), ("NA,a", "value: x"), ("1,NaN", "label: y")):
        (tmp_path / "x.csv").write_text(f"x,y\n1,a\n{row}\n0,b\n", encoding="utf-8")
        with pytest.raises(InputError, match=f"data.{key}, wanted a cell in every row, 1 of 3 is missing"):
            open_people(Source(file="x.csv", value="x", label="y"), tmp_path)
