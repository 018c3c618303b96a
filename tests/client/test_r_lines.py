"""The lines of R on the page of programs ask a real service, where R, httr2 and jsonlite are; else they are skipped.

The page's lines of Python and curl are run with the page itself (tests/docs/test_docs.py).
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.curator.asking import kinds
from tests.docs.blocks import blocks_of
from tests.docs.page import REPOSITORY
from tests.server.process import running

PAGE = REPOSITORY / "docs/how-to/programs.md"


def lines_of_r() -> str:
    (found,) = [block.text for block in blocks_of(PAGE.read_text(encoding="utf-8")) if block.tag == "r"]
    return found


def test_there_are_at_most_eight_lines_that_are_closed() -> None:
    """Without R this is all that is known of their syntax: brackets and quotes match."""
    text = lines_of_r()
    assert len(text.splitlines()) <= 8
    assert all(text.count(one) == text.count(other) for one, other in ("()", "[]", "{}"))
    assert text.count('"') % 2 == 0


def test_the_lines_ask_and_keep_the_certificate(tmp_path: Path) -> None:
    rscript = shutil.which("Rscript")
    needed = "library(httr2); library(jsonlite)"
    if rscript is None or subprocess.run([rscript, "-e", needed], capture_output=True).returncode:
        pytest.skip("R with httr2 and jsonlite is not installed here")
    with running(tmp_path) as service:
        (tmp_path / "ana.token").write_text(service.token)
        lines = lines_of_r().replace("http://127.0.0.1:8764", service.url).replace("epsilon = 1)", "epsilon = 0.2)")
        (tmp_path / "ask.R").write_text(lines)
        done = subprocess.run([rscript, "ask.R"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "answer.json").read_text())
    for label, answer in zip(told["labels"], told["answers"], strict=True):
        assert any(label in line and str(answer) in line for line in done.stdout.splitlines()), done.stdout
    assert json.loads((tmp_path / "certificate.json").read_text())["asked"] == told["certificate"]["asked"]
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 1
