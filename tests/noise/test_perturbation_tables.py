"""Perturbation tables in the files of R's ptable and of the ONS: what they mean, and what is refused."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.curator.learned_ask import read_ask
from dalenius.errors import InputError
from dalenius.noise import CellKey
from dalenius.spec import read_spec
from dalenius.spec.spec import canonical

R_TABLE = """i;j;p;v;p_int_lb;p_int_ub;type
0;0;1.00000000;0;0.00000000;1.00000000;all
1;0;0.36250000;-1;0.00000000;0.36250000;all
1;1;0.36250000;0;0.36250000;0.72500000;all
1;2;0.18750000;1;0.72500000;0.91250000;all
1;3;0.08750000;2;0.91250000;1.00000000;all
2;0;0.05154609;-2;0.00000000;0.05154609;all
2;1;0.24381564;-1;0.05154609;0.29536173;all
2;2;0.40927654;0;0.29536173;0.70463827;all
2;3;0.24381564;1;0.70463827;0.94845391;all
2;4;0.05154609;2;0.94845391;1.00000000;all
"""
"""As `pt_export` writes the table of D = 2, V = 0.9."""


def _ons(move: Callable[[int, int], int], last: int = 750, keys: int = 4) -> str:
    lines = [f"{count},{key},{move(count, key)}" for count in range(1, last + 1) for key in range(keys)]
    return "\n".join(['"pcv","ckey","pvalue"', *lines]) + "\n"


def _read(folder: Path, text: str) -> CellKey:
    path = folder / "ptable.csv"
    path.write_text(text, encoding="utf-8")
    return CellKey(table=path)


def test_the_table_of_r_is_the_one_of_greatest_entropy(tmp_path: Path) -> None:
    found, ours = _read(tmp_path, R_TABLE), CellKey(d=2, v=0.9)
    for count in (*range(5), 1000):
        assert found.row(Fraction(count)) == ours.row(Fraction(count))
        assert found.row(Fraction(-count)) == ours.row(Fraction(-count))
    assert found.farthest == 2
    homes = dl.Households(count=3, infected=[0.8, 0.1, 0.1])
    one, other = (dl.delta_of(dl.Release(homes, "count", noise), 1.0) for noise in (found, ours))
    assert one == other


def test_row_numbers_of_r_are_passed_over(tmp_path: Path) -> None:
    lines = R_TABLE.replace(";", ",").splitlines()
    unnamed = "\n".join([lines[0], *(f'"{number}",{line}' for number, line in enumerate(lines[1:], 1))])
    assert _read(tmp_path, unnamed).row(Fraction(1)) == CellKey(d=2, v=0.9).row(Fraction(1))
    named = "\n".join(['"",' + lines[0], *(f'"{number}",{line}' for number, line in enumerate(lines[1:], 1))])
    assert _read(tmp_path, named).row(Fraction(1)) == CellKey(d=2, v=0.9).row(Fraction(1))


def test_the_ten_five_rule_of_the_ons(tmp_path: Path) -> None:
    """The table that comes with the tool: below 10 to 0, others to the nearest 5, whatever the key."""
    found = _read(tmp_path, _ons(lambda count, key: -count if count < 10 else (0, -1, -2, 2, 1)[count % 5]))
    for count in (0, 3, 9, 10, 12, 13, 749, 750, 751, 1002, 10_003):
        wanted = 0 if count < 10 else 5 * ((count + 2) // 5)
        assert found.row(Fraction(count)) == {wanted: 1}


def test_keys_of_the_ons_are_equally_likely_and_its_last_250_rows_repeat(tmp_path: Path) -> None:
    found = _read(tmp_path, _ons(lambda count, key: (count == 502) + (key == 0)))
    assert found.row(Fraction(7)) == {8: Fraction(1, 4), 7: Fraction(3, 4)}
    for count in (502, 752, 1002):
        assert found.row(Fraction(count)) == {count + 2: Fraction(1, 4), count + 1: Fraction(3, 4)}
    assert found.row(Fraction(0)) == {0: 1}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (R_TABLE.replace("0.36250000;-1", "0.3;-1"), r"sum to 1 for each i \(for i = 1 the sum is 0\.9375\)"),
        ("i;j;p\n0;0;1\n3;3;1\n", r"rows for every count from 0 to 3 \(count 1 has none\)"),
        ("i;j;p\n", r"rows for every count from 0 to 0 \(count 0 has none\)"),
        (R_TABLE.replace("type", "label"), r"no other columns than .* \(there is label\)"),
        ("i;p\n0;1\n", r"the columns i, j, p of R's ptable, or pcv, ckey, pvalue of the ONS \(no j\)"),
        (R_TABLE.replace("0.18750000;1", "x;1"), "a number as p in line 5"),
        (R_TABLE.replace("0.18750000;1", "1e400;1"), "a number as p in line 5"),
        (R_TABLE.replace("1;2;0.1875", "1;2.5;0.1875"), "a whole number as j in line 5"),
        (R_TABLE.replace("0.18750000;1", "-0.18750000;1"), "a probability and a j of at least 0 in line 5"),
        (R_TABLE.replace("0.18750000;1", "0.18750000;2"), "a v that is j - i in line 5"),
        (R_TABLE.replace("1;3;0.08750000;2", "1;2;0.08750000;1"), r"one row for each i and j \(line 6 repeats one\)"),
        (R_TABLE.replace("all\n1;0", "even\n1;0"), r"a table of counts, of type all \(line 2 has another type\)"),
        (R_TABLE + "2;5\n", "7 cells in line 12, as in the first"),
        ("i;j;p\n0;0;.5\n0;1;.5\n", "one output for the count 0"),
        (_ons(lambda count, key: 0, last=749), r"rows for every count from 0 to 750 \(count 750 has none\)"),
        (_ons(lambda count, key: 0, last=751), r"rows for the counts from 0 to 750 only \(there is 751\)"),
        (_ons(lambda count, key: 0).replace("\n7,3,0", ""), r"each ckey from 0 to 3 \(pcv 7 has 3 of 4\)"),
        (_ons(lambda count, key: 0).replace("\n7,3,0", "\n7,2,0"), r"each pcv and ckey \(line 29 repeats one\)"),
        (_ons(lambda count, key: -2), "a ckey, and a count after the move, of at least 0 in line 2"),
        (_ons(lambda count, key: 0).replace("pvalue", "value"), r"\(no pvalue\)"),
    ],
)
def test_wrong_tables_are_refused_in_one_line(tmp_path: Path, text: str, wanted: str) -> None:
    with pytest.raises(InputError, match=rf"^noise\.table: ptable\.csv, wanted .*{wanted}") as caught:
        _read(tmp_path, text).row(Fraction(1))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, r"d and v, or a table"),
        ({"d": 2}, r"d and v, or a table"),
        ({"v": 2.0, "table": "ptable.csv"}, r"d and v, or a table"),
        ({"d": 2, "v": 0.9, "table": "ptable.csv"}, r"d and v, or a table \(there are d and table\)"),
        ({"rows": [[[0, 1]]], "period": 2}, "a period of at most 1, the number of rows"),
        ({"rows": [[[0, 1]], []]}, "one move or more in each row, each once"),
        ({"rows": [[[0, 1], [0, 2]]]}, "one move or more in each row, each once"),
        ({"rows": [[[0, 1], [1, 2]]]}, "exactly one move for the count 0"),
        ({"rows": [[[0, -1]]]}, "a finite number above 0"),
    ],
)
def test_wrong_sections_are_refused(given: dict[str, object], wanted: str) -> None:
    with pytest.raises(InputError, match=rf"CellKey.*{wanted}"):
        CellKey(**given)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"noise\.table: .*nowhere\.csv, wanted a file that can be read"):
        CellKey(table=tmp_path / "nowhere.csv").row(Fraction(1))


def test_a_spec_finds_its_table_and_outlives_it(tmp_path: Path) -> None:
    """Paths are relative to the spec's folder; the canonical text has the rows, and its noise is the same."""
    _read(tmp_path, R_TABLE)
    spec = {
        "model": {"kind": "independent", "n": 3, "probabilities": [0.3]},
        "query": {"kind": "count"},
        "noise": {"kind": "steps", "steps": [{"kind": "cell_key", "table": "ptable.csv"}]},
    }
    (tmp_path / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    found = read_spec(tmp_path / "spec.json")
    kept = read_spec(json.loads(canonical(found)))
    assert kept.noise is not None
    assert "ptable" not in canonical(found)
    assert dl.audit(kept.audited()).leakages == dl.audit(found.audited()).leakages


def test_an_analyst_names_no_file_of_the_server() -> None:
    ask = {"measure": "ill", "query": {"kind": "count"}, "noise": {"kind": "cell_key", "table": "/etc/passwd"}}
    for noise in (ask["noise"], {"kind": "steps", "steps": [ask["noise"]]}):
        with pytest.raises(InputError, match=r"ask\.noise: .*noise that reads no file"):
            read_ask({**ask, "noise": noise})
