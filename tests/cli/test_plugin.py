"""Classes of authors outside the project: by the name of a module, or by the entry points of an installed package."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dalenius.calibration import METHODS, methods
from tests.cli.command import Run, complaint, dalenius, installed
from tests.cli.test_bad_input import NOTION, QUERY

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
