"""Ctrl-C at any moment is one line and 130; what cannot be written is no traceback, and no paid answer is lost."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from dalenius.cli.stopping import Interrupts
from tests.cli.command import COMMAND, EXAMPLES

OUTBREAK = EXAMPLES / "outbreak"
NOTHING = """
model = { kind = "independent", probabilities = [0.3, 0.5] }
query = { kind = "count" }
noise = { kind = "none" }
"""


class Dying:
    def __del__(self) -> None:
        raise KeyboardInterrupt


def _die() -> None:
    Dying()
    time.sleep(5)


def test_an_interrupt_that_python_drops_comes_again() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        with Interrupts() as interrupts:
            assert not interrupts.came
            with pytest.raises(KeyboardInterrupt):
                _die()
            assert interrupts.came
    finally:
        signal.signal(signal.SIGINT, before)


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
