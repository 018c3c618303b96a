"""Tables in the formats, encodings and spellings that people have: what is read, and what is refused."""

import datetime
import gzip
import hashlib
import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dalenius.errors import InputError
from dalenius.spec.data_section import Source
from dalenius.tables import People, open_people
from tests.cli.command import Run

Rows = list[dict[str, Any]]
ROWS: Final[Rows] = [
    {"ort": "Köln", "x": 1, "id": "01"},
    {"ort": "Łódź", "x": 0, "id": "1"},
    {"ort": "Köln", "x": 1, "id": "2"},
]
WESTERN: Final = [{**row, "ort": row["ort"].replace("Łódź", "Münster €")} for row in ROWS]
TALLY: Final = {("Köln", Fraction(1)): 2, ("Łódź", Fraction(0)): 1}


def separated(rows: Rows, mark: str = ",", end: str = "\n") -> str:
    lines = [mark.join(rows[0]), *(mark.join(str(cell) for cell in row.values()) for row in rows)]
    return end.join(lines) + end


def lines(rows: Rows) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def book(path: Path, **sheets: list[list[Any]]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def parts(folder: Path, *rows: Rows) -> None:
    folder.mkdir()
    for number, part in enumerate(rows):
        pq.write_table(pa.Table.from_pylist(part), folder / f"part-{number}.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").touch()


FORMS: Final[Mapping[str, Callable[[Path], object]]] = {
    "a.tsv": lambda path: path.write_text(separated(ROWS, "\t"), encoding="utf-8"),
    "a.tsv.gz": lambda path: path.write_bytes(gzip.compress(separated(ROWS, "\t").encode())),
    "a.csv.gz": lambda path: path.write_bytes(gzip.compress(separated(ROWS, ";").encode())),
    "B.CSV": lambda path: path.write_text(separated(ROWS, "|"), encoding="utf-8"),
    "marked.csv": lambda path: path.write_text(separated(ROWS), encoding="utf-8-sig"),
    "wide.csv": lambda path: path.write_text(separated(ROWS, ";"), encoding="utf-16"),
    "windows.csv": lambda path: path.write_bytes(separated(ROWS, end="\r\n").encode()),
    "mac.csv": lambda path: path.write_bytes(separated(ROWS, end="\r").encode()),
    "mixed.csv": lambda path: path.write_bytes(separated(ROWS).encode().replace(b"\n", b"\r\n", 1)),
    "a.jsonl": lambda path: path.write_text(lines(ROWS), encoding="utf-8"),
    "a.ndjson": lambda path: path.write_text("\n" + lines(ROWS), encoding="utf-8-sig"),
    "a.jsonl.gz": lambda path: path.write_bytes(gzip.compress(lines(ROWS).encode())),
    "a.xlsx": lambda path: book(path, Tabelle1=[list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
    "folder": lambda path: parts(path, ROWS[:2], ROWS[2:]),
    "spark.parquet": lambda path: parts(path, ROWS[:1], ROWS[1:]),
}


def opened(folder: Path, **data: Any) -> People:
    return open_people(Source(**({"value": "x", "label": "ort"} | data)), folder)


def refusal(folder: Path, **data: Any) -> str:
    with pytest.raises(InputError) as refused:
        opened(folder, **data)
    return str(refused.value)


@pytest.mark.parametrize("name", FORMS)
def test_every_format_has_the_same_people(tmp_path: Path, name: str) -> None:
    FORMS[name](tmp_path / name)
    people = opened(tmp_path, file=name, person="id")
    assert people.tally() == TALLY
    assert people.name == name.partition(".")[0]
    assert opened(tmp_path, url=f"file://{tmp_path}/{name}").tally() == TALLY


def test_an_encoding_that_is_named_is_read(tmp_path: Path, run: Run) -> None:
    for encoding in ("cp1252", "iso-8859-15", "mac_roman", "utf-16-le"):
        (tmp_path / "a.csv").write_text(separated(WESTERN, ";"), encoding=encoding)
        found = opened(tmp_path, file="a.csv", encoding=encoding).tally()
        assert found == {("Köln", Fraction(1)): 2, ("Münster €", Fraction(0)): 1}
    assert "looks like utf-16-le" in refusal(tmp_path, file="a.csv")
    (tmp_path / "a.jsonl").write_text(lines(WESTERN), encoding="cp1252")
    assert opened(tmp_path, file="a.jsonl", encoding="cp1252").size == 3
    assert "encoding: cp1253x, wanted the name of an encoding" in refusal(tmp_path, file="a.csv", encoding="cp1253x")
    model = 'model = { kind = "independent", n = 3, probabilities = [0.3] }\nquery = { kind = "count" }\n'
    spec = model + 'noise = { kind = "geometric", scale = 1.0 }\n[data]\nfile = "a.csv"\nvalue = "x"\n'
    (tmp_path / "a.csv").write_text(separated(WESTERN), encoding="cp1252")
    (tmp_path / "spec.toml").write_text(spec + 'label = "ort"\n', encoding="utf-8")
    assert "--encoding cp1252 reads it" in run("audit", tmp_path / "spec.toml").err
    labelled = model.replace("[0.3]", '[0.3], labels = ["Köln", "Münster €", "Köln"]')
    (tmp_path / "spec.toml").write_text(spec.replace(model, labelled) + 'label = "ort"\n', encoding="utf-8")
    assert run("audit", tmp_path / "spec.toml", "--encoding", "cp1252").code == 0
    assert "cp12, wanted the name of an encoding" in run("audit", tmp_path / "spec.toml", "--encoding", "cp12").err
    fit = ("fit", "--data", tmp_path / "a.csv", "--model", "network", "--columns", "ort,x")
    assert "cp1252" in run(*fit).err
    assert "Münster €" in run(*fit, "--encoding", "cp1252").out


def test_only_text_has_an_encoding(tmp_path: Path) -> None:
    for name in ("a.xlsx", "folder"):
        FORMS[name](tmp_path / name)
        said = refusal(tmp_path, file=name, encoding="cp1252")
        assert said == f"data.encoding: cp1252, wanted none: only a file of text has one, not {name}"


def test_decimal_commas_are_read_where_the_spec_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('x;ort\n1,5;a\n"2,25";b\n3;c\n', encoding="utf-8")
    said = refusal(tmp_path, file="a.csv", lower=0, upper=5)
    assert said.endswith('texts, 2 of them numbers with a decimal comma, which decimal = "," in [data] reads')
    people = opened(tmp_path, file="a.csv", decimal=",", lower=0, upper=5, step=0.25, label=None)
    assert people.tally() == {("", Fraction(3, 2)): 1, ("", Fraction(9, 4)): 1, ("", Fraction(3)): 1}
    for odd in ("1.234,5", "1.5", "1,2,3"):
        (tmp_path / "a.csv").write_text(f"x;ort\n1,5;a\n{odd};b\n", encoding="utf-8")
        assert "the column holds texts" in refusal(tmp_path, file="a.csv", decimal=",", lower=0)
    assert "decimal: ', wanted" in refusal(tmp_path, file="a.csv", decimal="'")


def test_numbers_in_quotes_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"x";"ort"\n"1";"a"\n"0";"b"\n', encoding="utf-8")
    assert opened(tmp_path, file="a.csv").tally() == {("a", Fraction(1)): 1, ("b", Fraction(0)): 1}


def test_a_long_row_is_read_and_a_longer_one_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"x,ort\n1,{'a' * 3_000_000}\n0,b\n", encoding="utf-8")
    assert opened(tmp_path, file="a.csv", label=None).size == 2
    (tmp_path / "a.csv").write_text(f"x,ort\n1,b\n0,{'a' * 17_000_000}\n", encoding="utf-8")
    assert refusal(tmp_path, file="a.csv").endswith("(row 2 has more than 16,000,000 bytes, limit tables.longest_row)")


def test_sheets_of_a_workbook(tmp_path: Path) -> None:
    days = [datetime.date(2020, 1, day) for day in (1, 2)]
    rows: list[list[Any]] = [["x", "ort", "tag"], [1, 1, days[0]], [0, "2a", days[1]]]
    book(tmp_path / "a.xlsx", Daten=rows, Notizen=[["ein Titel"], []])
    assert refusal(tmp_path, file="a.xlsx") == "data.table: missing, wanted one of its sheets: Daten, Notizen"
    people = opened(tmp_path, file="a.xlsx", table="Daten", value={"column": "tag", "at_least": "2020-01-02"})
    assert people.tally() == {("1", Fraction(0)): 1, ("2a", Fraction(1)): 1}
    content = hashlib.sha256((tmp_path / "a.xlsx").read_bytes()).digest()
    assert people.fingerprint() == hashlib.sha256(content + b"Daten").hexdigest()
    book(tmp_path / "b.xlsx", S=[["eine Liste", None], ["x", "ort"], [1, "a"]])
    assert "a first row of sheet S with the name of each column, each once" in refusal(tmp_path, file="b.xlsx")
    (tmp_path / "c.xlsx").write_bytes(b"no workbook")
    assert refusal(tmp_path, file="c.xlsx").endswith("can be read (it is damaged, cut off or of another format)")


def test_a_folder_of_parquet_files(tmp_path: Path) -> None:
    parts(tmp_path / "f", ROWS[:2], ROWS[2:])
    people = opened(tmp_path, file="f")
    first, mark = people.fingerprint(), people.mark()
    parts(tmp_path / "g", ROWS[:2], ROWS[2:])
    assert opened(tmp_path, file="g").fingerprint() == first
    pq.write_table(pa.Table.from_pylist(ROWS[:1]), tmp_path / "f" / "part-1.parquet")
    assert people.fingerprint() != first
    assert people.mark() != mark
    assert not people.unwritten(mark)
    pq.write_table(pa.Table.from_pylist([{**ROWS[0], "x": 0.5}]), tmp_path / "g" / "part-9.parquet")
    assert "the same columns in all its files (part-9.parquet has others" in refusal(tmp_path, file="g")
    (tmp_path / "f" / "more.csv").write_text("x,ort\n", encoding="utf-8")
    assert "a folder of Parquet files alone (there is more.csv)" in refusal(tmp_path, file="f")
    parts(tmp_path / "delta", ROWS)
    (tmp_path / "delta" / "_delta_log").mkdir()
    assert "beside _delta_log rows may be deleted" in refusal(tmp_path, file="delta")


def test_partitions_are_a_column_of_texts(tmp_path: Path) -> None:
    for ort in ("01", "2"):
        (tmp_path / "f" / f"ort={ort}").mkdir(parents=True)
        pq.write_table(pa.table({"x": [1, 0]}), tmp_path / "f" / f"ort={ort}" / "1.parquet")
    assert opened(tmp_path, file="f").labelled() == {"01": 2, "2": 2}


def test_lines_of_json(tmp_path: Path) -> None:
    cases = {
        '{"x": 1, "ort": "a"}\n{"x": 0}\n': "data.label: ort, wanted a cell in every row, 1 of 2 is missing",
        '{"x": 1, "ort": "a"}\n[1]\n': "(line 2 is no object)",
        '{"x": 1, "ort": "a"}\n{"x": 1\n': "(line 2 is no JSON)",
        '{"x": 1, "x": 2, "ort": "a"}\n': "(line 1 has a key twice)",
        '{"x": 1, "ort": {"a": 1}}\n{"x": 1, "ort": [1]}\n': "2 are lists or objects",
        "": "(it has no line)",
    }
    for text, said in cases.items():
        (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
        assert refusal(tmp_path, file="a.jsonl").endswith(said), text
    (tmp_path / "a.jsonl").write_text('{"x": 1, "ort": "01"}\n{"x": 1, "ort": 1}\n', encoding="utf-8")
    assert opened(tmp_path, file="a.jsonl").labelled() == {"01": 1, "1": 1}


def test_a_sparse_column_is_read() -> None:
    frame = pd.DataFrame({"x": pd.arrays.SparseArray([0, 1, 0]), "ort": ["a", "b", "a"]})
    assert open_people(Source(value="x", label="ort"), table=frame).tally()[("b", Fraction(1))] == 1


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**37])
def test_whole_numbers_beyond_64_bits_are_compared(tmp_path: Path, number: int) -> None:
    small = {"equals": 0, "below": number > 0, "at_most": number > 0, "above": number < 0, "at_least": number < 0}
    (tmp_path / "a.csv").write_text("x\n1\n5\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("x\n1.5\n-5\n", encoding="utf-8")
    for name in ("a.csv", "b.csv"):
        for comparison, holds in small.items():
            people = opened(tmp_path, file=name, label=None, value={"column": "x", comparison: number})
            assert people.tally() == {("", Fraction(int(holds))): 2}
    (tmp_path / "a.jsonl").write_text(f'{{"x": 1}}\n{{"x": {number}}}\n', encoding="utf-8")
    if abs(number) < 2**64:  # DuckDB reads longer ones as doubles
        same = opened(tmp_path, file="a.jsonl", label=None, value={"column": "x", "equals": number})
        assert same.tally() == {("", Fraction(1)): 1, ("", Fraction(0)): 1}


def test_numbers_of_more_digits_are_refused() -> None:
    for number in (10**38, 10**400):
        with pytest.raises(InputError, match="at most 38 digits"):
            Source(value={"column": "x", "equals": number})


def test_no_row_is_shown_where_the_names_are_missing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("17,Altstadt\n34,Neustadt\n", encoding="utf-8")
    said = refusal(tmp_path, file="a.csv")
    assert said.endswith("ort, wanted a first line with the names of the columns: it holds numbers")
