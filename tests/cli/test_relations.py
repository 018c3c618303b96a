"""`dalenius audit --relations`: the keys, the table; what is refused."""

from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, dalenius, written

SIDE = {"quantity", "epsilon", "lower", "upper"}
MOMENTS = '[model]\nkind = "moments"\nn = 40000\nvariance = 4.0\nthird = 9.0\nrange = 10\n[query]\nkind = "sum"\n'


def test_the_keys() -> None:
    shown = dalenius("audit", EXAMPLES / "xor.toml", "--json", "--relations").json
    assert set(shown) == {"engine", "why", "seconds", "leakage", "relations"}
    assert set(shown["relations"]) == {"arrows", "left_out"}
    assert shown["relations"]["left_out"] == []
    for arrow in shown["relations"]["arrows"]:
        assert set(arrow) == {"from", "to", "always", "holds", "source"}
        assert set(arrow["from"]) == set(arrow["to"]) == SIDE
        assert arrow["holds"] or not arrow["always"]
        for side in (arrow["from"], arrow["to"]):
            assert side["lower"] <= side["epsilon"] <= side["upper"]
    by_ends = {(each["from"]["quantity"], each["to"]["quantity"]): each for each in shown["relations"]["arrows"]}
    denied = by_ends["differential", "inferential"]
    assert (denied["always"], denied["holds"], denied["from"]["epsilon"]) == (False, False, 1)
    assert denied["to"]["epsilon"] == pytest.approx(1.433781, abs=1e-6)
    assert "relations" not in dalenius("audit", EXAMPLES / "xor.toml", "--json").json


def test_the_table(run: Run, tmp_path: Path) -> None:
    done = run("audit", EXAMPLES / "xor.toml", "--relations")
    assert (done.code, done.err) == (0, "")
    (row,) = [line for line in done.out.splitlines() if line.startswith("│ inferential           │ information ")]
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        "inferential",
        "information",
        "1.433781",
        "0.479322",
        "always",
        "holds",
        "IP Prop 1 a",
    ]
    absent = '[model]\nkind = "absent"\nanswers = [1, 2, 2]\n[noise]\nkind = "geometric"\nscale = 1.0\n'
    said = run("audit", written(tmp_path, absent), "--relations").out
    assert "given_others is left out: model.kind: absent, wanted records with finitely many values" in said


def test_moments_are_refused(tmp_path: Path, run: Run) -> None:
    found = complaint(run("audit", written(tmp_path, MOMENTS), "--relations"))
    assert found == "--relations: model moments, wanted a model whose laws are known"
