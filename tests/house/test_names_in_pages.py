"""What the reference pages name in backticks is there: commands, options, methods, keys and paths, so that a reader who
follows them finds it."""

import re
from pathlib import Path

import pytest

from dalenius import wings
from tests.docs.page import REPOSITORY

PAGES = sorted((REPOSITORY / "docs" / "reference").glob("*.md"))
ERRATA = REPOSITORY / "docs" / "reference" / "errata.md"
NAMED = re.compile(r"`([^`\n]+)`")
IDENTIFIER = re.compile(r"[A-Za-z]\w*")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
ROOTS = ("papers/", "src/", "tests/", "docs/", "examples/", "benchmarks/")
OTHERS = frozenset({"--help", "--version", "--install-completion", "--show-completion"})
"""Options that the library for commands adds."""


def source(folder: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py")))


COMMANDS = {name.split()[0] for name in wings.COMMANDS} | {"help", "COMMAND"}
SOURCE = source(REPOSITORY / "src")
WORDS = frozenset(re.findall(r"\w+", SOURCE))


def prose(text: str) -> str:
    """The page without its blocks of code, which run as tests."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def is_option(option: str) -> bool:
    """Whether some command has it: named, or by the name of its parameter."""
    return option in OTHERS or option in SOURCE or option[2:].replace("-", "_") in WORDS


def missing(text: str) -> list[str]:
    """Options and paths that are not there."""
    found = []
    for named in NAMED.findall(prose(text)):
        found += [option for option in OPTION.findall(named) if not is_option(option)]
        if named.startswith(ROOTS) and not re.search(r"[\s*…<>$]", named) and not (REPOSITORY / named).exists():
            found.append(named)
    return found


def missing_words(row: str) -> list[str]:
    """Names of a line that neither the package nor a file that the line names has."""
    named = NAMED.findall(row)
    paths = [each for each in named if each.startswith(ROOTS)]
    known = WORDS | {word for path in paths for word in re.findall(r"\w+", (REPOSITORY / path).read_text("utf-8"))}
    words = (word for each in named if each not in paths for word in IDENTIFIER.findall(each))
    return [word for word in words if word not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_and_paths_of_a_page_are_there(page: Path) -> None:
    assert not missing(page.read_text(encoding="utf-8"))


def test_methods_and_commands_of_a_page_are_there() -> None:
    for page in PAGES:
        text = prose(page.read_text(encoding="utf-8"))
        said = set(re.findall(r"method `(\w+)`", text))
        assert said <= {*wings.METHODS}, page.name
        assert set(re.findall(r"`dalenius (\w[\w-]*)[^`]*`", text)) <= COMMANDS, page.name


def test_every_name_in_an_erratum_is_there() -> None:
    entries = re.split(r"^\* \*\*\[E", ERRATA.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    rows = [entry for entry in entries if "`" in entry]
    assert len(rows) > 10
    assert [word for row in rows for word in missing_words(row)] == []


def test_what_is_gone_is_found() -> None:
    assert missing("`--no-such-option`, `papers/gone.py`, `--json`") == ["--no-such-option", "papers/gone.py"]
    assert missing_words("`weak_dependence_sharp` of `papers/dependent/runs.py` with `gained`") == [
        "weak_dependence_sharp"
    ]
