"""The site has every page, the reference of Python every public name, and the citation the package's version."""

import re
import tomllib

import dalenius as dl
from tests.docs.page import REPOSITORY


def test_every_page_is_in_the_navigation() -> None:
    nav = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"- (?:[\w ]+: )?(\S+\.md)$", nav, re.MULTILINE)
    docs = REPOSITORY / "docs"
    there = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}
    assert there == {name for name in named if not name.startswith("repository/")}
    assert len(named) == len(set(named))


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
