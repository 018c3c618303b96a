"""Every shell command that a page shows is typed by `Page`, or is here by name with the reason why not."""

from pathlib import Path

from tests.docs.blocks import blocks_of, commands_of
from tests.docs.page import INSTALLED, NOT_RUN, REPOSITORY
from tests.docs.test_docs import PAGES

NOT_TYPED = {
    ("benchmarks.md", "make bench"): "hours of benchmarks: tests/docs/test_benchmarks.py reads what they wrote",
    ("service.md", "pip install 'dalenius[server]'"): "it is installed where the tests are",
}
"""Commands that set up the reader's machine."""
NOT_CONSOLES = {
    ("first_report.md", "python3 -m venv .venv"): "it is installed where the tests are; `make bare` does it anew",
    ("first_report.md", "py -m venv .venv"): "the same on another system",
    ("organisation.md", "python3 -m venv /opt/dalenius"): "the machine's own folders, as root",
    ("organisation.md", "TOWN_TABLES=postgresql://reader:secret@db.example.org/town"): "lines of a file of secrets",
    (
        "web.md",
        "dalenius token make policy.toml --analyst ana   # prints a token, once",
    ): "tests/server/web visits it",
    ("service.md", "dalenius serve policy.toml"): "tests/server starts it, and asks what the next line asks",
}
"""Blocks of shell that show what to type, or to write, and not what comes of it; by their first line."""
SHELLS = ("sh", "bash", "shell", "zsh", "powershell")
TAGS = {"console", "toml", "csv", "json", "python", "python no-run", "text", "ini", "nginx", "caddyfile", "", *SHELLS}
OTHERS = [REPOSITORY / "CONTRIBUTING.md", REPOSITORY / "CHANGELOG.md"]


def skipped(path: Path) -> list[tuple[str, str]]:
    """The commands of the page that are not typed."""
    blocks = list(blocks_of(path.read_text(encoding="utf-8")))
    commands = [each.shell.strip() for block in blocks if block.tag == "console" for each in commands_of(block)]
    return [(path.name, each) for each in commands if NOT_RUN.match(each) and each != INSTALLED]


def shown(path: Path) -> list[tuple[str, str]]:
    """The first lines of the page's blocks of shell that are no consoles."""
    blocks = blocks_of(path.read_text(encoding="utf-8"))
    return [(path.name, block.text.splitlines()[0]) for block in blocks if block.tag in SHELLS]


def test_each_command_that_is_not_typed_is_named() -> None:
    assert sorted(each for path in PAGES for each in skipped(path)) == sorted(NOT_TYPED)
    assert sorted(each for path in PAGES for each in shown(path)) == sorted(NOT_CONSOLES)


def test_no_block_hides_a_command_under_another_tag() -> None:
    pages = [*PAGES, *OTHERS]
    for path, block in ((page, block) for page in pages for block in blocks_of(page.read_text(encoding="utf-8"))):
        assert block.tag in TAGS, f"{path.name}:{block.line}"
        hidden = [line for line in block.text.splitlines() if line.startswith("$ ")]
        assert block.tag == "console" or not hidden, f"{path.name}:{block.line}: {hidden}"
        assert block.tag != "console" or path not in OTHERS, f"{path.name}:{block.line}: nobody runs it"
