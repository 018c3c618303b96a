"""`dalenius audit --tradeoff`: the keys, the sentence, the files; what is refused."""

from math import exp
from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, dalenius, written

PAIR = EXAMPLES / "pair.toml"
ENDS = {"value", "lower", "upper", "witness"}
MOMENTS = '[model]\nkind = "moments"\nn = 40000\nvariance = 4.0\nthird = 9.0\nrange = 10\n[query]\nkind = "sum"\n'


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


def test_moments_are_refused(tmp_path: Path, run: Run) -> None:
    curve = tmp_path / "curve.png"
    found = complaint(run("audit", written(tmp_path, MOMENTS), "--tradeoff", curve))
    assert found == "--tradeoff: model moments, wanted a model whose laws are known"
    assert not list(tmp_path.glob("curve.*"))
