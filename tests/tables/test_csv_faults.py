"""What is wrong with a CSV: the row or the encoding, never a cell; and cells that say that there is no value."""

import gzip
from fractions import Fraction
from pathlib import Path

import pytest

from dalenius.errors import InputError
from dalenius.tables import Source, open_people
from dalenius.tables.csv_faults import fault_of

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


def test_fault(tmp_path: Path) -> None:
    for content, fault in FAULTS:
        (tmp_path / "x.csv").write_bytes(content)
        (tmp_path / "x.csv.gz").write_bytes(gzip.compress(content))
        assert fault_of(tmp_path / "x.csv", ",") == fault_of(tmp_path / "x.csv.gz", ",") == fault


def test_the_message_has_it(tmp_path: Path) -> None:
    content, fault = FAULTS[0]
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(InputError) as refused:
        open_people(Source(file="x.csv", value="x", label="y"), tmp_path)
    assert str(refused.value).endswith(f"as many cells in every row as in the first ({fault})")


def test_no_value(tmp_path: Path) -> None:
    for row, key in ((",a", "value: x"), ("NA,a", "value: x"), ("1,NaN", "label: y")):
        (tmp_path / "x.csv").write_text(f"x,y\n1,a\n{row}\n0,b\n", encoding="utf-8")
        with pytest.raises(InputError, match=f"data.{key}, wanted a cell in every row, 1 of 3 are missing"):
            open_people(Source(file="x.csv", value="x", label="y"), tmp_path)


def test_numbers_beside_missing_ones_stay_numbers(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x,y\n1,NA\n2,3.5\n", encoding="utf-8")
    assert open_people(Source(file="x.csv", value="x"), tmp_path).tally() == {
        ("", Fraction(1)): 1,
        ("", Fraction(2)): 1,
    }
    with pytest.raises(InputError, match="1 of 2 are missing"):
        open_people(Source(file="x.csv", value="y", lower=0, upper=5, step=0.5), tmp_path)
