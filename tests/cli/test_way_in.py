"""The ways in: -h, help, python -m, standard input, completion, quiet; and what is mistyped."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, EXAMPLES, Run, complaint, dalenius, written

PAIR = EXAMPLES / "pair.toml"


def test_help_by_other_names(run: Run) -> None:
    done = run("audit", "--help")
    assert (done.code, done.err) == (0, "")
    assert run("audit", "-h").out == run("help", "audit").out == done.out
    assert run("help").out == run("-h").out


@pytest.mark.slow
def test_as_a_module() -> None:
    said = subprocess.run([sys.executable, "-m", "dalenius", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize("form", ["toml", "json"])
def test_a_spec_from_standard_input(form: str) -> None:
    text = PAIR.read_text(encoding="utf-8")
    given = text if form == "toml" else json.dumps(tomllib.loads(text))
    done = subprocess.run(
        [COMMAND, "audit", "-", "--json"], input=given.encode(), capture_output=True, check=True, cwd=EXAMPLES
    )
    assert json.loads(done.stdout)["leakage"] == dalenius("audit", PAIR, "--json").json["leakage"]


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "offered"), [("dalenius rel", "release"), ("dalenius compare --pl", "--plot")])
def test_completion(typed: str, offered: str) -> None:
    words = typed.split()
    environment = {"_DALENIUS_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run([COMMAND], capture_output=True, text=True, env=os.environ | environment, check=False)
    assert offered in done.stdout.split()


def test_quiet(tmp_path: Path) -> None:
    table = tmp_path / "past.csv"
    table.write_text("x\n" + "0\n1\n1\n" * 20, encoding="utf-8")
    loud, quiet = (
        dalenius("fit", "--data", table, "--model", "moments", "--value", "x", "--lower", "0", "--upper", "1", *more)
        for more in ((), ("--quiet",))
    )
    assert loud.err.startswith("dalenius: ")
    assert (quiet.code, quiet.err) == (0, "")
    assert quiet.out == loud.out


MISTYPED = {
    ("scale = 1.0", "scael = 1.0"): "wanted one of the keys of noise: kind, scale (did you mean scale?)",
    ("[noise]", "[nois]"): "(did you mean noise?)",
    ('"geometric"', '"geometrc"'): "(did you mean geometric?)",
    ("scale = 1.0", "scale = true"): "noise.scale: true, wanted a number, not true or false",
    ("scale = 1.0", "scale = { of = [1, 'a'] }"): 'noise.scale: { of = [1, "a"] }, wanted a number',
}


def test_what_is_mistyped(run: Run, tmp_path: Path) -> None:
    for (right, wrong), said in MISTYPED.items():
        spec = written(tmp_path, PAIR.read_text(encoding="utf-8").replace(right, wrong))
        assert complaint(run("audit", spec)).endswith(said)
