"""The README and every page of docs/ do what they say."""

import csv
import shutil
import sys
from collections.abc import Collection
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.page import REPOSITORY, Page
from tests.postgres import Postgres

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
LONG = {
    "caps.md": (),  # tests/optimum/test_clamped.py finds caps in the quick suite
    "commands.md": ("calibrate",),
    "curator.md": (),  # tests/curator asks all of it in the quick suite
    "explain.md": (),  # tests/reports/test_explain.py writes its pages in the quick suite
    "first_report.md": (),  # tests/cli does the same to the outbreak, and to others, in the quick suite
    "review.md": ("What to write",),
    "households.md": (),  # tests/tables and tests/fitting read such columns in the quick suite
    "methods.md": ("A household that is ill together",),
    "absent.md": ("",),  # what stands above the first heading
    "paper.md": ("What was done",),
    "extend.md": (),  # tests/docs/test_idea.py installs its package in the quick suite
    "fitbit.md": (),
    "gas.md": (),  # needs the public data, as Hagelloch does: the slow suite runs them
    "attack.md": (),  # tests/attack/test_attack.py attacks in the quick suite
    "hagelloch.md": (),
    "identifiability.md": ("What α and β say", "How much noise", "The source's example of ten people", "Many answers"),
    "linked.md": ("Two ends that are theorems",),
    "network.md": ("Dependent sensitivity in your engine", "A model of the pairs"),
    "noiseless.md": (),  # tests/knowledge/test_noiseless.py has its numbers in the quick suite
    "noiseless_adult.md": (),
    "noiseless_gas.md": ("What the certificate says",),
    "unknown_models.md": (),  # tests/fitting/test_regions.py and tests/reports/test_robust.py in the quick suite
    "specs.md": ("[[promises]]: several promises at once", "[adversary]"),
    "compose.md": (),  # tests/composition/test_group.py composes in the quick suite
    "ten.md": ("Rare epidemics",),
    "questions.md": ("Three sums that reveal everything",),
    "optimum.md": ("Twelve households", "What it costs: rare, large errors"),
    "service.md": (),  # tests/server starts it, and asks
    "time_series.md": ("1. Learn how one day follows another, from past days", "2. The spec"),
    "every_month.md": (),  # tests/curator/test_schedule.py and test_plan.py count its months in the quick suite
    "keep_running.md": (),  # tests/curator/test_ledger_files.py copies and loses ledgers in the quick suite
    "organisation.md": (),  # tests/server starts the service, tests/curator/test_ledger.py verifies
}
"""Pages that take long, and which of their sections the quick suite runs; the slow one runs all."""
NEEDS = {
    "organisation.md": ("curl", "sqlite3"),
    "keep_running.md": ("sqlite3",),
    "programs.md": ("curl", "jq"),
}
"""Commands of the reader's machine that a page uses; it is skipped where one is missing."""


@pytest.mark.lengthy
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.name in LONG else [], id=str(path.relative_to(REPOSITORY)))
        for path in PAGES
    ],
)
def test_page_does_what_it_says(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if "$TOWN_LEDGER" in path.read_text(encoding="utf-8"):
        databases(request.getfixturevalue("postgres"), monkeypatch)
    run(path, tmp_path, monkeypatch)


def databases(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database with the people of the examples, and an empty one for a ledger; their URLs are in the environment."""
    tables = server.new()
    people = (REPOSITORY / "examples/outbreak/people.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(people.splitlines()))
    with server.connected(tables.rpartition("/")[2]) as connection:
        connection.execute("CREATE TABLE people (person int, household text, district text, ill int)")
        connection.cursor().executemany(
            "INSERT INTO people VALUES (%(person)s, %(household)s, %(district)s, %(ill)s)", rows
        )
    monkeypatch.setenv("TOWN_TABLES", tables)
    monkeypatch.setenv("TOWN_LEDGER", server.new())


@pytest.mark.parametrize("name", [name for name, sections in LONG.items() if sections])
def test_some_sections_of_a_long_page(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (page,) = (path for path in PAGES if path.name == name)
    run(page, tmp_path, monkeypatch, LONG[name])


def run(path: Path, here: Path, monkeypatch: pytest.MonkeyPatch, sections: Collection[str] | None = None) -> None:
    """Run a page, or some of its sections, in `here`, beside a link to the repository's examples."""
    for command in NEEDS.get(path.name, ()):
        if shutil.which(command) is None:
            pytest.skip(f"{path.name} uses {command}, which is not installed here")
    (here / "examples").symlink_to(REPOSITORY / "examples")
    module = ModuleType("dalenius_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # where classes defined on the page look for their names
    monkeypatch.chdir(here)
    Page(path, here, module).run(sections)
