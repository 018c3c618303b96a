"""The glossary has a line for all that an audit prints, and its words are in order.

Whoever is cited by name and year is in the bibliography.

What the code cites is there: `Theory §n` in docs/research/theory.md, `Result n.m` there or on a page beside.

Every link between the project's own pages, pictures and files leads somewhere.

Every figure is there for print too.

Every option of every command is on the page of commands: in the command's own section, or in the head for all.
"""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from dalenius.cli.main import application
from dalenius.notions import NOTIONS
from dalenius.wings import COMMANDS
from tests.cli.command import here
from tests.docs.page import REPOSITORY

PAGE: Final = REPOSITORY / "docs/reference/glossary.md"
PAIR: Final = REPOSITORY / "examples/pair.toml"
ABSENT: Final = REPOSITORY / "examples/absent.toml"
EVERYWHERE: Final = {"epsilon", "lower", "upper", "in_words", "witness"}
"""Keys of every leakage."""


def explained() -> set[str]:
    """The first cells of the page's tables; of several names in one, each."""
    cells = re.findall(r"^\| ([^|]+?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.strip("` ") for cell in cells for name in (cell, *cell.split(", "))}


def test_every_line_and_column_of_an_audit_is_explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = re.findall(r"[\w, ]*\w(?= +┃)", here(capsys, monkeypatch, "audit", PAIR).out.split("┡")[0])
    columns = [name.strip() for name in columns]
    assert "probability, near" in columns
    rho = ABSENT.read_text(encoding="utf-8")
    absent = tmp_path / "absent.toml"
    absent.write_text(rho.replace('kind = "rho"\nrho = 0.2', 'kind = "identifiability"\nalpha = 0.5\nbeta = 1.0'))
    companions = set()
    for spec in (PAIR, ABSENT, absent):
        found = json.loads(here(capsys, monkeypatch, "audit", spec, "--json").out)["leakage"]
        companions |= {name for leakage in found.values() for name in leakage} - EVERYWHERE
    assert {"two_sided", "reverse", "raised", "lowered", "posterior"} <= companions
    kinds = {str(kind.model_fields["kind"].default) for kind in NOTIONS.own}
    # Those keys are of the JSON alone: a table says in words where only bounds are known.
    shown = {name for name in companions if not name.endswith("is_bound")}
    assert {*columns, *kinds, *shown, "nat"} - explained() == set()


PAGE_OF_BIBLIOGRAPHY: Final = REPOSITORY / "docs/reference/bibliography.md"
NAME: Final = r"[A-Z][a-zà-ž]+"
CITED: Final = re.compile(
    rf"\b({NAME})(?:(?:, {NAME})*,? (?:and|&) {NAME}| et al\.)'?s? \(?(?:arXiv )?((?:18|19|20)\d\d)\b"
)
"""Several authors and a year: one name and a year may be a month."""


def cited(text: str) -> set[tuple[str, str]]:
    return {(name, year) for name, year in CITED.findall(" ".join(text.split()))}


def known() -> set[tuple[str, str]]:
    """The first name and each year of the bold names."""
    names = re.findall(r"^\* \*\*(.+?)\*\*:", PAGE_OF_BIBLIOGRAPHY.read_text(encoding="utf-8"), re.MULTILINE)
    return {(name.split()[0].strip(","), year) for name in names for year in re.findall(r"\d{4}", name)}


def test_who_is_cited_is_in_the_bibliography() -> None:
    files = [*(REPOSITORY / "docs").rglob("*.md"), *(REPOSITORY / "src").rglob("*.py"), REPOSITORY / "README.md"]
    found = {each for file in files if file != PAGE_OF_BIBLIOGRAPHY for each in cited(file.read_text(encoding="utf-8"))}
    assert len(found) > 30
    assert found - known() == set()


PAGE_OF_CITATIONS: Final = REPOSITORY / "docs/research/theory.md"
SECTIONS: Final = re.compile(r"\bTheory((?:,?\s+§\d+(?:\s*[-–]\s*§\d+)?)+)")
RESULTS: Final = re.compile(r"\bResult\s+(\d+\.\d+)")
FOLDERS: Final = ("src", "tests", "benchmarks", "papers", "examples", "docs")
KINDS: Final = (".py", ".md")


def cited_of_citations(text: str) -> set[str]:
    """§n and n.m."""
    sections = {number for several in SECTIONS.findall(text) for number in re.findall(r"§\d+", several)}
    return sections | set(RESULTS.findall(text))


def stated() -> set[str]:
    page = PAGE_OF_CITATIONS.read_text(encoding="utf-8")
    return {*re.findall(r"^## (§\d+) ", page, re.MULTILINE), *results()}


def results() -> list[str]:
    """The numbers of the results on all pages of explanation and research."""
    pages = [*PAGE_OF_CITATIONS.parent.glob("*.md"), *(REPOSITORY / "docs/explanation").glob("*.md")]
    texts = [path.read_text(encoding="utf-8") for path in sorted(pages)]
    return [number for text in texts for number in re.findall(r"^\*\*Result (\d+\.\d+) \(", text, re.MULTILINE)]


def files() -> list[Path]:
    found = (path for folder in FOLDERS for path in (REPOSITORY / folder).rglob("*") if path.suffix in KINDS)
    return sorted(path for path in found if path != Path(__file__))


def test_what_is_cited_is_on_the_page() -> None:
    known, found = stated(), {path: cited_of_citations(path.read_text(encoding="utf-8")) for path in files()}
    missing = {str(path.relative_to(REPOSITORY)): sorted(those - known) for path, those in found.items()}
    assert {path: those for path, those in missing.items() if those} == {}
    assert sum(map(len, found.values())) > 80  # that something was looked for


def test_no_two_results_have_one_number() -> None:
    assert len(set(results())) == len(results())


PAGES: Final = [*sorted(REPOSITORY.glob("*.md")), *sorted((REPOSITORY / "docs").rglob("*.md"))]
LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE: Final = re.compile(r"[a-z]+:")
FENCED: Final = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What a page's headings are called in a link, as GitHub and its like make it of them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead(page: Path, text: str) -> list[str]:
    """The links of that text, on that page, that lead nowhere."""
    found = []
    for link in LINK.findall(FENCED.sub("", text)):
        if ELSEWHERE.match(link):
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


def test_links_lead_somewhere() -> None:
    assert {page.name: found for page in PAGES if (found := dead(page, page.read_text(encoding="utf-8")))} == {}


def test_every_page_is_in_the_index() -> None:
    index = REPOSITORY / "docs/README.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text("utf-8"))}
    assert set((REPOSITORY / "docs").rglob("*.md")) - linked == {index}


PAGE_OF_OPTIONS: Final = REPOSITORY / "docs/reference/commands.md"


def said(name: str) -> set[str]:
    head, *parts = re.split(r"^## ", PAGE_OF_OPTIONS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sections = {title: text for title, _, text in (part.partition("\n") for part in parts)}
    assert name in sections, f"{PAGE_OF_OPTIONS.name} has a section for each command"
    return set(re.findall(r"--[a-z-]+", head + sections[name]))


@pytest.fixture(scope="module")
def commands() -> Any:
    """All commands by name, as click has them."""
    group: Any = typer.main.get_command(application())
    return group.commands


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_on_the_page(name: str, commands: Any) -> None:
    options = {option for each in commands[name].params for option in each.opts if option.startswith("--")}
    assert options - said(name) == set()
