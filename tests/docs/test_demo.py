"""`make demo` does what it says, to the end of the service."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page import REPOSITORY


@pytest.mark.slow
def test_the_demonstration_ends_with_an_answer_of_the_service(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", str(REPOSITORY / "examples/outbreak/demo.sh"), str(tmp_path / "out")],
        env={**os.environ, "PATH": path, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    asked = done.stdout.partition("4. The same people behind a service")[2]
    assert "how many are ill, per district: costs 1 nats" in asked
    assert "left of the data set's budget: 0.5 of 1.5 nats" in asked
    assert "3 entries, each as it was written" in asked
    assert "dalenius serve examples/outbreak/policy.toml" in asked.splitlines()[-1]
