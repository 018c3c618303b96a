"""`--plot`: a picture and its numbers, of every command that has it.

`dalenius audit --tradeoff`: the keys, the sentence, the files; what is refused.
"""

from math import exp
from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, dalenius, table, written

NOISE = '\n[noise]\nkind = "laplace"\nscale = 2.0\n'
HOMES = """
model = { kind = "households", types = [
    { count = 3, infected = [0.8, 0.2] }, { count = 2, infected = [0.7, 0.1, 0.2] },
] }
query = { kind = "count" }
notion = { kind = "information", epsilon = 1.0 }
"""


def test_audit(tmp_path: Path) -> None:
    picture, across, places = tmp_path / "leaks.svg", "group_size", [1, 2]
    shown = dalenius("audit", written(tmp_path, HOMES, NOISE), "--json", "--plot", picture).json["leakage"]
    assert picture.read_bytes().startswith(b"<?xml")
    rows = table(tmp_path / "leaks.csv")
    whole = {row["notion"]: row for row in rows if not row[across]}
    assert list(whole) == list(shown)
    for kind, row in whole.items():
        assert float(row["upper_nats"]) == pytest.approx(shown[kind]["upper"], rel=1e-7, abs=1e-12)
        assert row["promised_nats"] == ("1.0" if kind == "information" else "")
    apart = [row for row in rows if row["notion"] == "information" and row[across]]
    assert [int(row[across]) for row in apart] == places
    assert max(float(row["upper_nats"]) for row in apart) == pytest.approx(shown["information"]["upper"], rel=1e-7)


def test_convert(tmp_path: Path) -> None:
    spec, picture = written(tmp_path, HOMES), tmp_path / "left.png"
    guarantee = ("--neighbours", "replace", "--epsilon", "0.5")
    shown = dalenius("convert", spec, *guarantee, "--json", "--plot", picture).json
    assert picture.read_bytes().startswith(b"\x89PNG")
    at = next(row for row in table(tmp_path / "left.csv") if float(row["epsilon_nats"]) == 0.5)
    for kind in ("inferential", "information"):
        assert float(at[f"{kind}_epsilon_nats"]) == pytest.approx(shown[kind]["epsilon"], rel=2e-5, abs=1e-9)


def test_no_picture_of_what_is_not_there(tmp_path: Path, run: Run) -> None:
    promise = ["--neighbours", "replace", "--promise", "--at-epsilon", "1", "--plot", "left.png"]
    said = complaint(run("convert", written(tmp_path, HOMES), *promise))
    assert said == "--plot: left.png, wanted a guarantee, no --promise"


PAIR = EXAMPLES / "pair.toml"
ENDS = {"value", "lower", "upper", "witness"}


def test_the_keys(tmp_path: Path) -> None:
    """Two equal records, geometric noise of scale 1: the counts are 0 and 2."""
    shown = dalenius("audit", PAIR, "--json", "--tradeoff", tmp_path / "curve.png").json
    assert set(shown) == {"engine", "why", "seconds", "leakage", "advantage", "true_positives"}
    assert set(shown["advantage"]) == ENDS
    assert shown["advantage"]["lower"] <= shown["advantage"]["value"] <= shown["advantage"]["upper"]
    assert shown["advantage"]["value"] == pytest.approx(1 - exp(-1), abs=1e-9)
    (found,) = shown["true_positives"]
    assert set(found) == {"rate", *ENDS}
    assert found["rate"] == 0.01
    assert found["lower"] <= 0.01 * exp(2) <= found["upper"]
    assert found["upper"] - found["lower"] < 1e-9
    assert (found["witness"]["secret"], found["witness"]["against"]) == (0, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curve.csv", "curve.png"]


def test_the_sentence(tmp_path: Path) -> None:
    done = dalenius("audit", PAIR, "--tradeoff", tmp_path / "curve.svg")
    assert (done.code, done.err) == (0, "")
    assert "advantage of the best attacker: 0.632121, about person 1, a record of the table: 0 against 1" in done.out
    sentence = "An attacker who wrongly flags 1 % of those with value 1 finds at most 7.39 % of those with value 0."
    assert f"true positives at 1 % false alarms: 0.0738906. {sentence}" in done.out
