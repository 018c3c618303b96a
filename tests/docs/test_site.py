"""The site has every page, the reference of Python every public name, and the citation the package's version.

Every shell command that a page shows is typed by `Page`, or is here by name with the reason why not.

`make demo` does what it says, to the end of the service.

What a user reads stays readable: proofs, cases and measurements go to docs/research, which does not count.

Every section of `make bench` is on docs/research/benchmarks.md, and no other. Nothing is measured here: what each
file of benchmarks calls its section is read from its text.
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest

import dalenius as dl
from tests.docs.blocks import blocks_of, commands_of
from tests.docs.limits import section
from tests.docs.page import INSTALLED, NOT_RUN, REPOSITORY
from tests.docs.test_docs import PAGES


def test_every_page_is_in_the_navigation() -> None:
    nav = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"- (?:[^:\n]+: )?(\S+\.md)$", nav, re.MULTILINE)
    docs = REPOSITORY / "docs"
    there = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}
    assert there == {name for name in named if not name.startswith("repository/")}
    assert len(named) == len(set(named))


def test_no_group_of_the_navigation_has_more_pages_than_one_takes_in() -> None:
    nav = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    # A group is a run of pages with the same indent below one name.
    groups = re.split(r"^ *- [^:\n]+:$", nav, flags=re.MULTILINE)
    sizes = [len(re.findall(r"\.md$", group, re.MULTILINE)) for group in groups]
    assert len(sizes) > 10
    assert max(sizes) <= 8


def test_how_tos_begin_with_what_one_gets() -> None:
    pages = sorted((REPOSITORY / "docs/how-to").glob("*.md"))
    begins = {page.name: page.read_text(encoding="utf-8").splitlines()[2][:12] for page in pages}
    assert set(begins.values()) == {"**You get** "}, begins


def test_the_home_has_a_sentence_with_a_page_and_minutes_for_each_reader() -> None:
    home = (REPOSITORY / "docs/README.md").read_text(encoding="utf-8")
    for reader in ("Statistician", "Privacy engineer", "Researcher", "Data protection officer"):
        (said,) = re.findall(rf"^\* \*\*{reader}\*\*: (.*(?:\n  .*)*)", home, re.MULTILINE)
        assert re.search(r"\]\([\w/-]+\.md\)", said)
        assert re.search(r"\d+\s+minutes|an hour", said)
    assert home.index("meaning.md") < home.index("figures/idea.svg") < home.index("**Statistician**")


SOUGHT: Final = ("docker", "notebook", "encoding", "monthly", "verify", "epsilon")


@pytest.mark.parametrize("word", SOUGHT)
def test_a_page_for_users_has_each_word_that_they_look_for(word: str) -> None:
    """Only whole words: the site's search finds what begins with them too."""
    pages = [page for folder in FOLDERS for page in (REPOSITORY / "docs" / folder).rglob("*.md")]
    pages += [REPOSITORY / "docs/meaning.md"]
    texts = (re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S) for page in pages)
    assert any(re.search(rf"\b{word}\b", text, re.IGNORECASE) for text in texts)


def test_the_reference_has_every_public_name() -> None:
    page = (REPOSITORY / "docs/reference/python.md").read_text(encoding="utf-8")
    named = re.findall(r"^::: dalenius\.(\w+)$", page, re.MULTILINE)
    modules = {"learning"}
    assert set(named) == set(dl.__all__) - modules - {"__version__"}
    assert len(named) == len(set(named))


def test_the_citation_is_of_this_version() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation
    assert all(f"name: {author['name']}" in citation for author in project["authors"])


NOT_TYPED = {
    ("benchmarks.md", "make bench"): "hours of benchmarks: tests/docs/test_site.py reads what they wrote",
    ("service.md", "pip install 'dalenius[server]'"): "it is installed where the tests are",
    ("programs.md", "pip install 'dalenius[client]'"): "the same",
}
"""Commands that set up the reader's machine."""
NOT_CONSOLES = {
    ("first_report.md", "python3 -m venv .venv"): "it is installed where the tests are; `make bare` does it anew",
    ("first_report.md", "py -m venv .venv"): "the same on another system",
    (
        "explain.md",
        'dalenius sheet people.ledger.sqlite --entry 4 --out sheet.pdf --reason "Household study 2025"',
    ): "it needs a browser: tests/reports/test_sheet.py prints sheets",
    ("organisation.md", "python3 -m venv /opt/dalenius"): "the machine's own folders, as root",
    ("organisation.md", "TOWN_TABLES=postgresql://reader:secret@db.example.org/town"): "lines of a file of secrets",
    ("containers.md", "cd examples/deploy"): "it starts containers: tests/deploy runs what they run",
    ("containers.md", "podman compose exec postgres pg_dump -U ledger ledger > ledger.sql"): "the same",
    ("containers.md", "useradd --system dalenius"): "the machine's own folders, as root",
    ("web.md", "dalenius token make policy.toml --analyst ana   # prints a token, once"): "tests/server/web visits it",
    ("service.md", "dalenius serve policy.toml"): "tests/server starts it, and asks what the next line asks",
}
"""Blocks of shell that show what to type, or to write, and not what comes of it; by their first line."""
SHELLS = ("sh", "bash", "shell", "zsh", "powershell")
TAGS = {
    "console",
    "toml",
    "csv",
    "json",
    "python",
    "python no-run",
    "text",
    "r",
    "ini",
    "nginx",
    "caddyfile",
    "",
    *SHELLS,
}
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


@pytest.mark.slow
def test_code_is_at_most_100_columns_wide() -> None:
    """The site shows so many; what a command prints, and what is typed in one line, may be wider."""
    wide = [
        (str(path), line)
        for path in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
        for block in blocks_of(path.read_text(encoding="utf-8"))
        if block.tag.partition(" ")[0] in ("python", "toml", "csv")
        for line in block.text.splitlines()
        if len(line) > 100
    ]
    assert not wide


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


FOLDERS: Final = ("tutorial", "how-to", "explanation", "reference")
MOST: Final = 105_000
"""Words on all their pages together, code included, but for the tables of limits: these are generated, and looked up.
Lines would reward long lines and wide tables."""


def test_pages_for_users_are_few_enough_to_read() -> None:
    pages = (page for folder in FOLDERS for page in (REPOSITORY / "docs" / folder).rglob("*.md"))
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) - len(section().split()) <= MOST
