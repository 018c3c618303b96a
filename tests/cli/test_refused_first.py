"""What is wrong with what was asked is said before there is any work: of a place for files before the spec is read."""

import importlib
from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, written

PAIR = EXAMPLES / "pair.toml"
SPECLESS = "no such spec.toml"
REPLACE = ("--neighbours", "replace", "--epsilon", "1")


FIT = ("fit", "--data", "none.csv", "--model", "moments", "--value", "age", "--lower", "0", "--upper", "9")
WRITING = {
    ("audit", SPECLESS, "--plot"): "x.png",
    ("audit", SPECLESS, "--tail"): "x.svg",
    ("audit", SPECLESS, "--tradeoff"): "x.pdf",
    ("audit", SPECLESS, "--robust", "1", "--robust-curve"): "x.png",
    ("calibrate", SPECLESS, "--plot"): "x.png",
    ("calibrate", SPECLESS, "--out"): "x.json",
    ("compare", SPECLESS, "--plot"): "x.png",
    ("convert", SPECLESS, *REPLACE, "--plot"): "x.png",
    ("stream", SPECLESS, "--epsilon", "1", "--plot"): "x.png",
    ("release", SPECLESS, "--plot"): "x.png",
    ("explain", SPECLESS, "--out"): "x.html",
    (*FIT, "--out"): "x.toml",
    ("attack", "--locations", "none.csv", "--scale", "1", "--out"): "x.csv",
}


def test_where_nothing_can_be_written(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("no folder", encoding="utf-8")
    for arguments, file in WRITING.items():
        Path(file).mkdir(exist_ok=True)
        for place, why in {
            f"nowhere/{file}": "No such file or directory",
            f"taken/{file}": "Not a directory",
            file: "it is a folder",
        }.items():
            said = complaint(run(*arguments, place))
            assert said == f"file: {place}, wanted a place that can be written ({why})", arguments


WORK = {
    "dalenius.attack.command.bayes_attacks": (
        ("attack", PAIR, "--runs", "0"),
        "runs: 0, wanted a number from 1 to 10,000,000",
    ),
    "dalenius.channel.posterior._under": (
        ("posterior", PAIR, "--answers", "many"),
        "answers: many, wanted a number",
    ),
}


def test_before_the_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("work has begun")

    for work, (arguments, wrong) in WORK.items():
        module, _, name = work.rpartition(".")
        monkeypatch.setattr(importlib.import_module(module), name, never)
        assert complaint(run(*arguments)) == wrong


def test_a_scale_that_is_next_to_none(tmp_path: Path, run: Run) -> None:
    """No warning of an overflow stands beside the refusal."""
    noise = '[noise]\nkind = "laplace"\nscale = 5e-324\n[notion]\nkind = "rho"\nrho = 0.5\n'
    spec = written(tmp_path, '[model]\nkind = "absent"\nanswers = [362, 365]\n', noise)
    said = complaint(run("attack", spec))
    assert said == "noise.scale: 5e-324, wanted at least 1e-06 on this lattice (or kind = none)"
