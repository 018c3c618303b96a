"""What cannot be written is no traceback, and no paid answer is lost; of Ctrl-C see tests/first_hour."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, EXAMPLES

OUTBREAK = EXAMPLES / "outbreak"
NOTHING = """
[model]
kind = "independent"
probabilities = [0.3, 0.5]
[query]
kind = "count"
[noise]
kind = "none"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment", [{"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_letters_that_cannot_be_written(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "spec.toml").write_text(NOTHING, encoding="utf-8")
    for more in ([], ["--json"]):
        arguments = [str(COMMAND), "audit", str(tmp_path / "spec.toml"), *more]
        done = subprocess.run(arguments, capture_output=True, env=os.environ | environment, check=True)
        assert done.stderr == b""
        assert done.stdout.isascii()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk here is always full")
def test_a_full_disk_loses_no_answer(tmp_path: Path) -> None:
    arguments = [
        str(COMMAND),
        "release",
        str(OUTBREAK / "outbreak.toml"),
        "--ledger",
        str(tmp_path / "l.sqlite"),
        "--json",
    ]
    with open("/dev/full", "wb") as full:
        lost = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert lost.returncode == 2
    kept, why = lost.stderr.splitlines()[-2:]
    assert kept == "dalenius: the answers are entry 4 of the ledger: the same release shows them"
    assert why.startswith("dalenius: output: No space left on device")
    assert json.loads(subprocess.run(arguments, capture_output=True, check=True).stdout)["repeated"] is True
