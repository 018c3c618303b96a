"""`dalenius audit --tail` and `--how-likely`: how likely outputs are that leak much."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import EXAMPLES, dalenius, dalenius_once, sections

PAIR = EXAMPLES / "pair.toml"
ENCLOSED = {"epsilon", "lower", "upper"}
HOUSEHOLDS: dict[str, Any] = {
    "model": {"kind": "households", "count": 250, "infected": [0.9, 0.04, 0.0, 0.0, 0.06]},
    "query": {"kind": "count"},
    "noise": {"kind": "geometric", "scale": 1},
}


def test_tail_is_only_there_when_asked_for() -> None:
    assert "tail" not in dalenius_once("audit", PAIR, "--json").json
    shown = dalenius("audit", PAIR, "--json", "--how-likely").json["tail"]
    assert set(shown) == {"person", "who", "median", "q99", "q999999", "mean", "maximal_leakage"}
    assert all(set(each) == ENCLOSED for name, each in shown.items() if name not in ("person", "who"))
    assert shown["mean"]["epsilon"] <= shown["q999999"]["epsilon"] <= 1.505972
    assert (shown["person"], shown["who"]) == (1, "a record of the table")


def test_the_worst_hardly_ever_happens(tmp_path: Path) -> None:
    shown = dalenius("audit", sections(tmp_path, HOUSEHOLDS), "--json", "--how-likely").json
    information = shown["leakage"]["information"]
    assert information["epsilon"] == pytest.approx(2.399081, abs=1e-6)
    assert 0 < information["witness"]["probability"] < 1e-230
    assert information["witness"]["probability"] < information["witness"]["near"] < 1e-100
    assert shown["tail"]["q999999"]["epsilon"] == pytest.approx(0.778853, abs=1e-6)
    assert shown["tail"]["maximal_leakage"]["epsilon"] == pytest.approx(0.088604, abs=1e-6)
    text = dalenius("audit", sections(tmp_path, HOUSEHOLDS), "--how-likely").out
    assert "all but one in a million at most 0.778853" in text
    assert "8.33e-245, 1.93e-116" in text
    assert "near: the probability that an output leaks at least 90% of the leakage" in text


def test_probabilities_below_the_doubles_have_a_log(tmp_path: Path) -> None:
    given = sections(tmp_path, HOUSEHOLDS | {"model": HOUSEHOLDS["model"] | {"count": 2500}})
    witness = dalenius("audit", given, "--json").json["leakage"]["information"]["witness"]
    assert witness["log_probability"] < -2000
    assert witness["probability"] < 1e-300
    assert "10^-" in dalenius("audit", given).out
