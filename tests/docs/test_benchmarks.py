"""Every section of `make bench` is on docs/research/benchmarks.md, and no other. Nothing is measured here: what each
file of benchmarks calls its section is read from its text."""

import re
import sys
from pathlib import Path
from typing import Final

from benchmarks.__main__ import BENCHMARKS
from tests.docs.page import REPOSITORY

PAGE: Final = REPOSITORY / "docs/research/benchmarks.md"


def test_the_page_has_these_sections() -> None:
    files = {Path(str(sys.modules[run.__module__].__file__)) for run in BENCHMARKS.values()}
    texts = [file.read_text(encoding="utf-8") for file in files]
    written = {title for text in texts for title in re.findall(r'^ +title="(.+)",$', text, re.MULTILINE)}
    shown = set(re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert shown == written, "`python -m benchmarks --write` writes the page again"
    assert len(files) == len(BENCHMARKS) == len(shown)
