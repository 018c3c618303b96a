"""What somebody types in the first hour: the commands of the README and the tutorials, and every --help."""

import re
from pathlib import Path
from typing import Final

from dalenius.cli.main import COMMANDS
from tests.docs.blocks import blocks_of, commands_of
from tests.docs.page import REPOSITORY

PAGES: Final = (REPOSITORY / "README.md", *sorted((REPOSITORY / "docs" / "tutorial").glob("*.md")))
PLAIN: Final = re.compile(r"dalenius( [\w./,=-]+)+")
"""No shell is needed for it."""
SPEC: Final = "examples/outbreak/outbreak.toml"
OUTBREAK: Final = [["calibrate", SPEC], ["release", SPEC, "--ledger", "l.sqlite"], ["compare", SPEC]]
"""What the demonstration asks."""
HELP: Final = [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)]


def typed() -> list[list[str]]:
    """The arguments of each command of the pages that ends well and by itself, and needs no data set beside it (the
    tests of the pages run those too)."""
    found: dict[tuple[str, ...], None] = {}
    for page in PAGES:
        for block in blocks_of(page.read_text(encoding="utf-8")):
            for command in commands_of(block) if block.tag == "console" else ():
                if PLAIN.fullmatch(command.shell.strip()) and command.exit_code == 0:
                    found[tuple(command.shell.split()[1:])] = None
    return [list(arguments) for arguments in found] + OUTBREAK


def write_files(folder: Path) -> None:
    """Those that the pages show, and a way to the examples."""
    (folder / "examples").symlink_to(REPOSITORY / "examples")
    for page in PAGES:
        for block in blocks_of(page.read_text(encoding="utf-8")):
            named = re.match(r"# file: (\S+)\s*\n", block.text)
            if named:
                (folder / named[1]).parent.mkdir(parents=True, exist_ok=True)
                (folder / named[1]).write_text(block.text[named.end() :], encoding="utf-8")
