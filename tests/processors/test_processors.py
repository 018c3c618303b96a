"""The commands print the same on an old processor: numbers to all digits, witnesses, methods and reasons."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.page import REPOSITORY
from tests.pace import EXPLORE
from tests.processors.emulated import settings
from tests.processors.specs import commands, gathered, more

QUICK = ("README/households.toml", "examples/absent.toml", "examples/pair.toml", "examples/xor.toml")
PARTS = 6
"""That two processors end together."""
SHARE = 4
"""One spec of so many is printed, but where all are looked at."""


def printed(asked: list[list[str]], processor: dict[str, str]) -> dict[str, Any]:
    told = subprocess.run(
        [sys.executable, "-m", "tests.processors.printed"],
        cwd=REPOSITORY,
        env=os.environ | processor,
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def compare(specs: list[Path]) -> None:
    compare_commands([command for spec in specs for command in commands(spec)])


def compare_commands(asked: list[list[str]]) -> dict[str, Any]:
    here, elsewhere = printed(asked, {}), printed(asked, settings())
    assert here
    for command, answer in here.items():
        assert elsewhere[command] == answer, command
    return here


def test_the_settings_change_the_last_bits() -> None:
    """Else nothing would be shown by the others."""
    code = "import numpy as np; print(np.exp(np.linspace(-9, 9, 9999)).tobytes().hex())"
    told = [
        subprocess.run([sys.executable, "-c", code], env=os.environ | more, stdout=subprocess.PIPE, check=True).stdout
        for more in ({}, settings())
    ]
    if not settings()["NPY_DISABLE_CPU_FEATURES"]:
        pytest.skip("this processor has nothing beyond numpy's baseline")
    assert told[0] != told[1]


@pytest.mark.slow
@pytest.mark.parametrize("audits", [True, False])
def test_a_few_specs_tails_tests_posteriors_conversions_and_pages(tmp_path: Path, audits: bool) -> None:
    few = [path for path in gathered(tmp_path) if path.relative_to(tmp_path).as_posix() in QUICK]
    asked = [command for command in more(tmp_path) if (command[0] == "audit") == audits]
    found = compare_commands([*([] if audits else [each for spec in few for each in commands(spec)]), *asked])
    for command in map(" ".join, asked):
        answer, written = found[command]
        assert isinstance(answer, dict) or answer[0] == 0, command
        assert len(written) == sum(command.count(ending) for ending in (".png", ".html")), command


@pytest.mark.slow
@pytest.mark.parametrize("first", range(PARTS))
def test_every_spec_of_the_docs_and_examples(tmp_path: Path, first: int) -> None:
    compare(gathered(tmp_path)[first :: PARTS * (1 if EXPLORE else SHARE)])
