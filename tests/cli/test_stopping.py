"""Ctrl-C at any moment is one line and 130; what cannot be written is no traceback, and no paid answer is lost."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, EXAMPLES

READY = "import os; from dalenius.__main__ import main; os.write(1, b'.'); main()"
MOMENTS = [random.Random(19).uniform(0.0, 1.5) for _ in range(6)]
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
def test_at_any_moment() -> None:
    for moment in MOMENTS:
        arguments = [sys.executable, "-c", READY, "compare", str(OUTBREAK / "outbreak.toml")]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.read(1)
            time.sleep(moment)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (130, b"dalenius: stopped\n"), moment


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
