"""Runs a Markdown page as its reader would: writes its files, types its commands, executes its Python."""

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Collection
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from tests.cli import warm
from tests.docs.background import Services
from tests.docs.blocks import Block, Command, agrees, blocks_of, commands_of
from tests.docs.packages import install
from tests.pace import Pace

REPOSITORY = Path(__file__).resolve().parents[2]
NOT_RUN = re.compile(r"(make|pip|git)\b")
"""Commands that set up the reader's machine."""
PLAIN = re.compile(r"dalenius( [\w./,=-]+)+")
"""Commands that no shell is needed for."""
INSTALLED = "pip install ."
"""This one is: the package that the page has written, in a folder where its later commands find it."""
PATIENCE = 300
"""Seconds a command may take."""


class Page:
    """A page being run in the folder `here`, which must be the current directory for its Python blocks."""

    def __init__(self, path: Path, here: Path, module: ModuleType) -> None:
        self.path, self.here, self.module = path, here, module
        self.installed = here / "installed"
        self.services = Services(here)
        self._typed = False

    def run(self, sections: Collection[str] | None = None) -> None:
        """Run all blocks in order; AssertionError names the page and line of the first that does not do as written.

        sections: the headings of the second level under which code is run ("" is above them), by default all; files are
        written anyway.
        """
        try:
            self._run_all(sections)
            self.services.stop()
        finally:
            self.services.kill()

    def _run_all(self, sections: Collection[str] | None) -> None:
        text = self.path.read_text(encoding="utf-8")
        blocks, headings = list(blocks_of(text)), _headings(text)
        if sections is not None and not set(sections) <= set(headings.values()):
            raise ValueError(f"{self.path.name} has no {sorted(set(sections) - set(headings.values()))}")
        for block, following in zip_longest(blocks, blocks[1:]):
            if _is_file(block):
                self._write(block)
            elif sections is None or headings[max(line for line in headings if line < block.line)] in sections:
                self._run(block, following)

    def write_files(self) -> None:
        """All files that the page shows, and nothing else."""
        for block in blocks_of(self.path.read_text(encoding="utf-8")):
            if _is_file(block):
                self._write(block)

    def _run(self, block: Block, following: Block | None) -> None:
        match block.tag:
            case "console":
                self._type(block)
            case "python":
                self._execute(block, following)

    def _write(self, block: Block) -> None:
        first, _, rest = block.text.partition("\n")
        target = self.here / first.removeprefix("# file: ").strip()
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(rest if block.tag == "csv" else block.text, encoding="utf-8")

    def _type(self, block: Block) -> None:
        if "DALENIUS_DATA" in block.text and not os.environ.get("DALENIUS_DATA"):
            return
        for command in commands_of(block):
            if command.shell.strip() == INSTALLED:
                install(self.here, self.installed)
            elif command.shell.rstrip().endswith(" &"):
                environment = _reader_environment(self.installed)
                self.services.start(command.shell, command.expected, self.here, environment)
            elif not NOT_RUN.match(command.shell):
                self._check(command)

    def _check(self, command: Command) -> None:
        code, said = self._said(command.shell.strip())
        where = f"{self.path.name}:{command.line}: $ {command.shell.rstrip()}"
        assert code == command.exit_code, f"{where}\nexit {code}, wanted {command.exit_code}\n{said}"
        if command.expected.strip():
            assert agrees(command.expected, said), _difference(where, command.expected, said)

    def _said(self, shell: str) -> tuple[int, str]:
        """Exit code and output. A plain command is forked from one that has started. In the slow suite the first of a
        page is typed, as is what is not plain or looks for the page's own package: the installed command runs."""
        environment = _reader_environment(self.installed)
        plain = PLAIN.fullmatch(shell) is not None
        forked = plain and (not Pace.full or (self._typed and not self.installed.exists()))
        self._typed |= plain
        if forked:
            with TemporaryDirectory() as room:
                said = Path(room, "said")
                process = warm.started(warm.dalenius, shell.split()[1:], said, said, environment)
                return warm.ended(process), said.read_text(encoding="utf-8")
        done = subprocess.run(
            ["bash", "-c", shell],
            cwd=self.here,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=PATIENCE,
        )
        return done.returncode, done.stdout

    def _execute(self, block: Block, following: Block | None) -> None:
        source = "\n" * (block.line - 1) + block.text  # so that a traceback names the page's own line
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, str(self.path), "exec"), self.module.__dict__)
        if following is not None and following.follows and following.tag == "text":
            where = f"{self.path.name}:{following.line}"
            assert agrees(following.text, printed.getvalue()), _difference(where, following.text, printed.getvalue())


def _headings(page: str) -> dict[int, str]:
    """The headings of the second level by line; above the first of them, none."""
    lines = enumerate(page.splitlines(), start=1)
    return {0: ""} | {number: line.removeprefix("## ") for number, line in lines if line.startswith("## ")}


def _is_file(block: Block) -> bool:
    return block.tag in ("toml", "csv", "python") and re.match(r"# file: \S+\s*\n", block.text) is not None


def _reader_environment(installed: Path) -> dict[str, str]:
    tools = str(Path(sys.executable).parent)
    path = os.pathsep.join([tools, os.environ["PATH"]])
    found = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PATH": path, "PYTHONPATH": found, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONUTF8": "1"}


def _difference(where: str, expected: str, printed: str) -> str:
    return f"{where}\n--- the page says\n{expected}--- it printed\n{printed}"
