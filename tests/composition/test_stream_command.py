"""`dalenius stream`."""

import csv
from pathlib import Path

import pytest

from tests.cli.command import Run, complaint, dalenius

CHAIN = '[model]\nkind = "chain"\nn = 6\ntransition = [[0.8, 0.2], [0, 1]]\ninitial = [0.5, 0.5]\n'


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "model.toml"
    path.write_text(CHAIN, encoding="utf-8")
    return path


def test_losses_by_step(spec: Path) -> None:
    found = dalenius("stream", spec, "--epsilon", "0.1", "--reversed", "--json").json
    keys = {"naive", "sum", "worst_step", "any", "additive", "supremum", "in_words", "steps", "seconds"}
    assert set(found) == keys
    assert found["naive"] == 0.1
    assert found["sum"]["lower"] <= 0.6 <= found["sum"]["upper"]
    backward = [step["any"]["backward"]["upper"] for step in found["steps"]]
    assert backward == pytest.approx([0.1, 0.1808, 0.2471, 0.3024, 0.3488, 0.3881], abs=5e-5)
    assert [step["step"] for step in found["steps"]] == [1, 2, 3, 4, 5, 6]
    assert {step["epsilon"] for step in found["steps"]} == {0.1}
    assert found["supremum"]["backward"]["upper"] == pytest.approx(0.6459, abs=5e-5)
    assert found["supremum"]["total"] is None
    for step in found["steps"]:
        for side in ("backward", "forward", "total"):
            assert step["additive"][side]["lower"] <= step["additive"][side]["upper"] <= step["any"][side]["upper"]
    assert found["any"]["total"]["upper"] == max(step["any"]["total"]["upper"] for step in found["steps"])
    shown = dalenius("stream", spec, "--epsilon", "0.1", "--reversed")
    assert shown.code == 0, shown.err
    assert "0.388074" in shown.out
    assert "0.645907" in shown.out
    assert "none known: steps differ" in shown.out


def test_without_a_spec() -> None:
    found = dalenius(
        "stream", "--persistence", "1", "--values", "3", "--steps", "52", "--epsilon", "0.1", "--json"
    ).json
    assert found["any"]["total"]["upper"] == pytest.approx(5.2)
    assert found["supremum"]["total"] == {"lower": "inf", "upper": "inf"}
    shown = dalenius("stream", "--persistence", "1", "--steps", "520")
    assert "∞" in shown.out
    assert "e^520" in shown.out


def test_an_epsilon_a_step_and_a_picture(spec: Path, tmp_path: Path, run: Run) -> None:
    epsilons = "0.1,0.2,0.3,0.1,0.2,0.3"
    picture = tmp_path / "stream.svg"
    found = run("stream", spec, "--epsilon", epsilons, "--count", "1", "--plot", picture, "--json").json
    assert found["supremum"] == {"backward": None, "forward": None, "total": None}
    assert picture.exists()
    rows = list(csv.DictReader(picture.with_suffix(".csv").read_text(encoding="utf-8").splitlines()))
    assert [row["epsilon"] for row in rows] == epsilons.split(",")
    for row, step in zip(rows, found["steps"], strict=True):
        assert float(row["total"]) == pytest.approx(step["any"]["total"]["upper"], rel=1e-5)
        assert float(row["additive"]) == pytest.approx(step["additive"]["total"]["upper"], rel=1e-5)


def test_bad_input(spec: Path, tmp_path: Path, run: Run) -> None:
    other = tmp_path / "other.toml"
    other.write_text('[model]\nkind = "independent"\nn = 3\nprobabilities = [0.5]\n', encoding="utf-8")
    for arguments, message in (
        ([], "spec: missing, wanted one of a spec and a --persistence"),
        ([spec, "--persistence", "0.5"], f"spec: {spec}, wanted one of a spec and a --persistence"),
        (["--persistence", "1.5", "--steps", "3"], "persistence: 1.5, wanted a number from 0 to 1"),
        (["--persistence", "0.5", "--steps", "0"], "steps: 0, wanted a whole number of at least 1"),
        (["--persistence", "0.5", "--steps", str(10**12)], f"steps: {10**12}, wanted at most 2,000 answers"),
        (["--persistence", "0.5"], "steps: missing, wanted how many answers there are"),
        (["--persistence", "0.5", "--values", "1", "--steps", "3"], "values: 1, wanted a whole number of at least 2"),
        ([spec, "--epsilon", "0"], "epsilon: 0.0, wanted a number above 0, at most 1e+06"),
        ([spec, "--epsilon", "much"], "--epsilon: much, wanted a number above 0, or one a step with commas between"),
        ([spec, "--epsilon", "1,2", "--steps", "6"], "epsilon: 2 numbers, wanted one, or 6: one a step"),
        ([spec, "--count", "7"], "count: 7, wanted one of the values [0, 1]"),
        ([other], "model.kind: independent, wanted chain: one person's values, a record for each step"),
    ):
        assert complaint(run("stream", *arguments)) == message
