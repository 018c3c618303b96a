"""Every --help on a terminal of 60, 80 and 120 columns, in three encodings: no line is wider, nothing is said on
standard error, and every letter can be written."""

from itertools import product

import pytest

from dalenius.wings import COMMANDS
from tests.cli.terminal import ESCAPES
from tests.first_hour import inside

HELP = [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)]
WIDTHS = (60, 80, 120)
WRITTEN = {"UTF-8": "utf-8", "cp1252": "cp1252", "C": "ascii"}


def test_help_at_every_width(monkeypatch: pytest.MonkeyPatch) -> None:
    for place, turn in product(range(len(HELP)), range(len(WIDTHS))):
        width, encoding = WIDTHS[turn], list(WRITTEN.values())[(place + turn) % 3]
        monkeypatch.setenv("COLUMNS", str(width))
        done = inside.run(HELP[place], encoding=encoding)
        assert (done.code, done.err) == (0, "")
        assert done.out.strip()
        assert max(map(len, ESCAPES.sub("", done.out).split("\n"))) <= width
