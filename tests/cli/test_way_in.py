"""The ways in: -h, help, python -m, standard input, completion, quiet; and what is mistyped.

Classes of authors outside the project: by the name of a module, or by the entry points of an installed package.

Sizes beyond all use, and sizes that do not fit in memory: one line each, at once.
"""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from dalenius.calibration import METHODS, methods
from tests.cli.command import COMMAND, EXAMPLES, Run, complaint, dalenius, installed, written
from tests.cli.test_bad_input import NOTION, QUERY

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


MODEL_OF_MINE = """
from typing import Literal, final

from dalenius.joints.joint import Joint
from dalenius.models import Independent, Model


class Coins(Model):
    kind: {annotation} = "{kind}"
    n: int

    def joints(self) -> tuple[Joint, ...]:
        return Independent(n=self.n, probabilities=[0.5]).joints()
"""
METHOD_OF_MINE = """
from dalenius.calibration import ExactMethod, Method


class Mine(Method):
    name = "{name}"

    def __init__(self{arguments}) -> None:
        pass

    def calibrate(self, release, notion):
        return ExactMethod().calibrate(release, notion)
"""
COINS = MODEL_OF_MINE.format(annotation='Literal["coins"]', kind="coins")
SPEC = '[model]\nkind = "coins"\nn = 3\n' + QUERY + NOTION

Write = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file into a folder that is the current one."""
    monkeypatch.chdir(tmp_path)

    def written(name: str, text: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    written("spec.toml", SPEC)
    return written


def test_module_in_the_current_folder(write: Write) -> None:
    write("my_coins.py", COINS)
    write("my_method.py", METHOD_OF_MINE.format(name="mine", arguments=""))
    plugins = ["--plugin", "my_coins", "--plugin", "my_method"]
    found = dalenius("calibrate", "spec.toml", "--json", "--method", "mine", *plugins).json
    write("written_out.toml", SPEC.replace('"coins"', '"independent"').replace("n = 3", "n = 3\nprobabilities = [0.5]"))
    assert found["noise"] == dalenius("calibrate", "written_out.toml", "--json").json["noise"]
    rows = dalenius("compare", "spec.toml", "--json", *plugins).json["methods"]
    assert [row["method"] for row in rows] == [*(method.name for method in METHODS), "mine"]


@pytest.mark.slow
def test_entry_points_of_an_installed_package(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("there/my_installed_coins.py", COINS)
    write("there/my_installed_method.py", METHOD_OF_MINE.format(name="mine", arguments=""))
    write("there/mine-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    points = "[dalenius.models]\na = my_installed_coins:Coins\n[dalenius.methods]\nb = my_installed_method:Mine\n"
    write("there/mine-1.0.dist-info/entry_points.txt", points)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "there"), prepend=":")
    rows = installed("compare", "spec.toml", "--json").json["methods"]
    assert rows[-1]["method"] == "mine"
    write("there/mine-1.0.dist-info/entry_points.txt", "[dalenius.models]\na = my_installed_coins:Heads\n")
    said = complaint(installed("compare", "spec.toml"))
    assert said.startswith(
        "entry point dalenius.models: my_installed_coins:Heads, wanted something that can be imported"
    )


def test_module_is_forgotten_afterwards(write: Write, run: Run) -> None:
    write("my_forgotten_coins.py", COINS)
    assert run("calibrate", "spec.toml", "--plugin", "my_forgotten_coins").code == 0
    assert complaint(run("calibrate", "spec.toml")).startswith("model.kind: coins, wanted one of")


HOUSEHOLDS_AGAIN = MODEL_OF_MINE.format(annotation='Literal["households"]', kind="households")
BAD: dict[tuple[str, str], str] = {
    ("nowhere", ""): "--plugin: nowhere, wanted a module that can be imported (No module named 'nowhere')",
    (".relative", ""): "--plugin: .relative, wanted a module that can be imported (TypeError: ",
    ("my_slip", "1 / 0"): "--plugin: my_slip, wanted a module that can be imported (ZeroDivisionError: ",
    ("my_other_households", HOUSEHOLDS_AGAIN): (
        "kind: households, wanted a kind that dalenius.models.households does not have already"
    ),
    ("my_nameless", MODEL_OF_MINE.format(annotation="str", kind="coins")): (
        'kind: my_nameless.Coins, wanted a class with kind: Literal["..."] = "..."'
    ),
    ("my_group", METHOD_OF_MINE.format(name="group", arguments="")): (
        "method: group, wanted another name than my_group.Mine has"
    ),
    ("my_reading", METHOD_OF_MINE.format(name="mine", arguments=", reading")): (
        "method: my_reading.Mine, wanted a class that is made without arguments"
    ),
}


def test_bad_module(write: Write, run: Run) -> None:
    write("spec.toml", SPEC.replace('"coins"\nn = 3', '"independent"\nprobabilities = [0.5]'))
    for (name, text), said in BAD.items():
        if text:
            write(f"{name}.py", text)
        assert complaint(run("compare", "spec.toml", "--plugin", name)).startswith(said)
    assert methods() == METHODS


CHAIN: Final = 'kind = "chain"\nn = 10_000_000\ntransition = [[0.2, 0.8], [0.7, 0.3]]\ninitial = "stationary"\n'
BITS: Final = 'kind = "independent"\nn = 10_000_000\nprobabilities = [0.3]\n'
PEOPLE: Final = 'kind = "pairwise"\nn = 1_000_000_000\nvalues = [0, 1]\nprior = [0.5, 0.5]\n'
ASKED: Final = QUERY + '[noise]\nkind = "laplace"\nscale = 3.0\n'
PROMISED: Final = QUERY + '[notion]\nkind = "differential"\nepsilon = 1.0\n'
TOO_LARGE = (
    (
        ("audit",),
        CHAIN + ASKED,
        "model.n: a chain of 10,000,000 records of 2 values is too large, use 4,194,304 at most, or several chains",
    ),
    (("audit",), PEOPLE + ASKED, "model.n: a network of 1,000,000,000 people is too large, use 16,777,216 at most"),
    (
        ("posterior", "--answers", "7"),
        BITS + ASKED,
        "the law of the answer: all that is outside a window is too large, ask about fewer people",
    ),
    (
        ("calibrate", "--method", "optimal"),
        BITS + PROMISED,
        "the optimal kernel: 27,772 likely answers under differential privacy is too large, use method ",
    ),
)


def test_what_does_not_fit_in_memory(tmp_path: Path, run: Run) -> None:
    for (command, *more), text, said in TOO_LARGE:
        assert complaint(run(command, written(tmp_path, "[model]\n", text), *more)).startswith(said)
