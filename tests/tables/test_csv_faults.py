"""What is wrong with a CSV: the row or the encoding, never a cell; and cells that say that there is no value."""

import gzip
from fractions import Fraction
from pathlib import Path

import pytest

from dalenius.errors import InputError
from dalenius.tables import Source, open_people
from dalenius.tables.engine import fault_of
from tests.cases import in_turn

FAULTS = [
    (b"x,y\n1,2\n3,4,5\n", "row 2 has 3 cells, the first line has 2"),
    (b"x,y\n1,2\n3\n", "row 2 has 1 cells, the first line has 2"),
    (b'x,y\r\n"a\r\nb",2\r\n3,4,5\r\n', "row 2 has 3 cells, the first line has 2"),
    ("x,y\n1,2\n".encode("utf-16"), "it is UTF-16"),
    ("x,y\n1,2\n".encode("utf-16-le"), "it has zero bytes, as UTF-16 has"),
    ("x,y\n1,2\n".encode("utf-32"), "it is UTF-32"),
    ("x,y\n1,Köln\n".encode("latin-1"), "line 2 is not UTF-8: Latin-1 or Windows-1252?"),
    (b'x,y\n1,2\n"secret,2\n', "unexpected end of data"),
    ("\ufeffx,y\n1,2\n\n".encode(), None),
]


@in_turn({"content, fault": FAULTS, "name": ["x.csv", "x.csv.gz"]})
def test_fault(tmp_path: Path, content: bytes, fault: str | None, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert fault_of(tmp_path / name, ",") == fault


@pytest.mark.parametrize(("content", "fault"), [FAULTS[0], FAULTS[3], FAULTS[6]])
def test_the_message_has_it(tmp_path: Path, content: bytes, fault: str) -> None:
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(InputError) as refused:
        open_people(Source(file="x.csv", value="x", label="y"), tmp_path)
    assert str(refused.value).endswith(f"as many cells in every row as in the first ({fault})")


@in_turn({"cell": ["", "NA", "NaN"], "key, column": [("value", "x"), ("label", "y")]})
def test_no_value(tmp_path: Path, cell: str, key: str, column: str) -> None:
    row = f"{cell},a" if key == "value" else f"1,{cell}"
    (tmp_path / "x.csv").write_text(f"x,y\n1,a\n{row}\n0,b\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"data.{key}: {column}, wanted a cell in every row, 1 of 3 are missing"):
        open_people(Source(file="x.csv", value="x", label="y"), tmp_path)


def test_numbers_beside_missing_ones_stay_numbers(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x,y\n1,NA\n2,3.5\n", encoding="utf-8")
    assert open_people(Source(file="x.csv", value="x"), tmp_path).tally() == {
        ("", Fraction(1)): 1,
        ("", Fraction(2)): 1,
    }
    with pytest.raises(InputError, match="1 of 2 are missing"):
        open_people(Source(file="x.csv", value="y", lower=0, upper=5, step=0.5), tmp_path)
