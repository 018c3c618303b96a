"""How far long work is: the stages, the forecast, and lines in a pipe where they are asked for.

What cannot be written is no traceback, and no paid answer is lost; of Ctrl-C see tests/first_hour.

What is wrong with what was asked is said before there is any work: of a place for files before the spec is read.
"""

import json
import os
import subprocess
import time
from importlib import import_module
from pathlib import Path

import pytest

from dalenius import progress
from dalenius.cli import output
from dalenius.progress import followed, steps
from tests.cli.command import COMMAND, EXAMPLES, Run, complaint, written
from tests.cli.test_bad_input import MODEL, QUERY


def test_stages_and_the_time_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    with followed() as course:
        assert (course.words(), course.seconds()) == ("", None)
        for method in steps("methods", ["a", "b", "c", "d"]):
            for part in steps("parts", [1, 2] if method == "b" else [1]):
                if (method, part) == ("b", 2):
                    assert course.words() == "methods 2 of 4, parts 2 of 2"
                    assert course.seconds() == (60.0, 45.0), "one of four is done in fifteen seconds"
                now[0] += 10.0 if method == "a" else 5.0
        assert (course.words(), course.stages) == ("", [])


def test_whom_nobody_follows_is_not_slowed() -> None:
    assert list(steps("parts", [1, 2, 3])) == [1, 2, 3]


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "BAR_AFTER", 0.0)
    monkeypatch.setattr(output, "LINE_EVERY", 0.05)
    monkeypatch.setattr(output, "LOOK_EVERY", 0.01)


def work() -> None:
    with output.working("releasing"):
        for _ in steps("parts", [1, 2, 3]):
            time.sleep(0.1)


@pytest.mark.usefixtures("hurried")
def test_lines_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with output.manner(lines=True):
        work()
    out, err = capsys.readouterr()
    assert out == ""
    assert "dalenius: releasing: parts 2 of 3, about 0 s left\n" in err


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("lines", [False, True])
def test_none_unasked_or_quiet(capsys: pytest.CaptureFixture[str], lines: bool) -> None:
    with output.manner(lines=lines, quiet=lines):
        work()
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment", [{"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_letters_that_cannot_be_written(tmp_path: Path, environment: dict[str, str]) -> None:
    spec = written(tmp_path, MODEL, QUERY, '[noise]\nkind = "none"\n')
    for more in ([], ["--json"]):
        arguments = [str(COMMAND), "audit", str(spec), *more]
        done = subprocess.run(arguments, capture_output=True, env=os.environ | environment, check=True)
        assert done.stderr == b""
        assert done.stdout.isascii()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk here is always full")
def test_a_full_disk_loses_no_answer(tmp_path: Path) -> None:
    outbreak, ledger = EXAMPLES / "outbreak/outbreak.toml", tmp_path / "l.sqlite"
    arguments = list(map(str, (COMMAND, "release", outbreak, "--ledger", ledger, "--json")))
    with open("/dev/full", "wb") as full:
        lost = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert lost.returncode == 2
    kept, why = lost.stderr.splitlines()[-2:]
    assert kept == "dalenius: the answers are entry 4 of the ledger: the same release shows them"
    assert why.startswith("dalenius: output: No space left on device")
    assert json.loads(subprocess.run(arguments, capture_output=True, check=True).stdout)["repeated"] is True


PAIR = EXAMPLES / "pair.toml"
SPECLESS = "no such spec.toml"
REPLACE = ("--neighbours", "replace", "--epsilon", "1")


FIT = ("fit", "--data", "none.csv", "--model", "moments", "--value", "age", "--lower", "0", "--upper", "9")
WRITING = {
    ("audit", SPECLESS, "--plot"): "x.png",
    ("audit", SPECLESS, "--tail"): "x.svg",
    ("audit", SPECLESS, "--tradeoff"): "x.pdf",
    ("calibrate", SPECLESS, "--plot"): "x.png",
    ("calibrate", SPECLESS, "--out"): "x.json",
    ("compare", SPECLESS, "--plot"): "x.png",
    ("convert", SPECLESS, *REPLACE, "--plot"): "x.png",
    ("stream", SPECLESS, "--epsilon", "1", "--plot"): "x.png",
    ("explain", SPECLESS, "--out"): "x.html",
    (*FIT, "--out"): "x.toml",
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


def test_before_the_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("work has begun")

    monkeypatch.setattr(import_module("dalenius.channel.posterior"), "_under", never)
    assert complaint(run("posterior", PAIR, "--answers", "many")) == "answers: many, wanted a number"


def test_a_scale_that_is_next_to_none(tmp_path: Path, run: Run) -> None:
    """No warning of an overflow stands beside the refusal."""
    noise = '[noise]\nkind = "laplace"\nscale = 5e-324\n[notion]\nkind = "rho"\nrho = 0.5\n'
    spec = written(tmp_path, '[model]\nkind = "absent"\nanswers = [362, 365]\n', noise)
    said = complaint(run("attack", spec))
    assert said == "noise.scale: 5e-324, wanted at least 1e-06 on this lattice (or kind = none; limit noise.decay)"
