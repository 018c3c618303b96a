"""A table with totals under cell keys: attacked, released once and refused twice; a wrong table writes nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import dalenius

STREETS: dict[str, Any] = {
    "model": {
        "kind": "households",
        "types": [
            {"count": 1, "infected": [0.9, 0.04, 0.0, 0.0, 0.06], "members": {"A": 4}},
            {"count": 5, "infected": [0.9, 0.04, 0.0, 0.0, 0.06], "members": {"B": 4}},
        ],
    },
    "query": {
        "kind": "several",
        "names": ["street B", "total"],
        "queries": [{"kind": "count", "labels": ["B"]}, {"kind": "count"}],
    },
    "noise": {"kind": "cell_key", "table": "ptable.csv"},
    "notion": {"kind": "inferential", "epsilon": 2.0, "delta": 0.99},
    "data": {"name": "people", "file": "people.csv", "value": "ill", "label": "street"},
}
TABLE = "i;j;p\n0;0;1\n1;0;.3\n1;1;.4\n1;2;.3\n2;0;.1\n2;1;.2\n2;2;.4\n2;3;.2\n2;4;.1\n"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A spec beside its table, and people of whom four in street B are ill."""
    path = tmp_path / "streets.json"
    path.write_text(json.dumps(STREETS), encoding="utf-8")
    (tmp_path / "ptable.csv").write_text(TABLE, encoding="utf-8")
    rows = ["A,0"] * 4 + ["B,1"] * 4 + ["B,0"] * 16
    (tmp_path / "people.csv").write_text("\n".join(["street,ill", *rows]) + "\n", encoding="utf-8")
    return path


def test_the_attack_finds_that_a_street_is_empty(spec: Path) -> None:
    """Where street A has nobody ill, both answers are equal: the best guess is right more often than blindly."""
    found = dalenius("attack", spec, "--json").json
    assert found["success"] > 0.97


def test_equal_sets_go_out_alike_and_another_release_is_refused(spec: Path) -> None:
    done = dalenius("release", spec, "--allow-exact", "--json").json
    one, other = done["answers"]
    assert one == other
    assert any("the same people have the same noise" in each for each in done["certificate"]["hypotheses"])
    assert done["certificate"]["noise"]["rows"][1] == [[-1, 0.3], [0, 0.4], [1, 0.3]]
    assert dalenius("release", spec, "--allow-exact", "--json").json["answers"] == [one, other]
    again = {**STREETS, "query": {**STREETS["query"], "names": ["B", "all"]}}
    spec.write_text(json.dumps(again), encoding="utf-8")
    refused = dalenius("release", spec, "--allow-exact")
    assert refused.code == 1
    assert "would spend inf" in refused.err


def test_a_wrong_table_is_one_line_and_nothing_is_written(spec: Path) -> None:
    (spec.parent / "ptable.csv").write_text(TABLE.replace("1;2;.3", "1;2;.2"), encoding="utf-8")
    before = sorted(spec.parent.iterdir())
    refused = dalenius("release", spec, "--allow-exact")
    assert refused.code == 2
    wanted = "probabilities that sum to 1 for each i (for i = 1 the sum is 0.9)"
    assert refused.err.splitlines() == [f"dalenius: noise.table: ptable.csv, wanted {wanted}"]
    assert sorted(spec.parent.iterdir()) == before
