"""What somebody types in the first hour: the commands of the README and the tutorials, and every --help."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dalenius.wings import COMMANDS
from tests.docs.blocks import blocks_of, commands_of
from tests.docs.page import REPOSITORY

PAGES: Final = (REPOSITORY / "README.md", *sorted((REPOSITORY / "docs" / "tutorial").glob("*.md")))
PLAIN: Final = re.compile(r"dalenius( [\w./,=-]+)+")
"""No shell is needed for it."""
HELP: Final = [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)]


def typed(folder: Path) -> Iterator[list[str]]:
    """The arguments of each command of the pages that ends well and by itself, and needs no data set beside it (the
    tests of the pages run those too). Files that a page shows are written there as it goes."""
    (folder / "examples").symlink_to(REPOSITORY / "examples")
    for page in PAGES:
        for block in blocks_of(page.read_text(encoding="utf-8")):
            named = re.match(r"# file: (\S+)\s*\n", block.text)
            if named:
                (folder / named[1]).parent.mkdir(parents=True, exist_ok=True)
                (folder / named[1]).write_text(block.text[named.end() :], encoding="utf-8")
            for command in commands_of(block) if block.tag == "console" else ():
                if PLAIN.fullmatch(command.shell.strip()) and command.exit_code == 0:
                    yield command.shell.split()[1:]
