"""A page for whoever signs says what a ledger holds of the table, and what becomes of this release."""

import re
from html import unescape
from pathlib import Path

import pytest

import dalenius as dl
from dalenius import Refused
from dalenius.curator import Ledger
from dalenius.reports.judged_spec import judge
from dalenius.reports.page import page
from dalenius.spec import read_spec
from tests.cli.command import complaint, here
from tests.curator.policies import ask, curator, people

ALONE = "Nothing else is released from the same data."


def spec_in(folder: Path, name: str, labels: str = "", more: str = "epsilon = 1.0") -> Path:
    """A count of the village, of people with these labels alone."""
    path = folder / f"{name}.toml"
    query = f'[query]\nkind = "count"\n{labels}\n'
    model = '[model]\nkind = "households"\nby = "home"\nepidemic = {community = 0.1, household = 0.6}\n'
    data = '[data]\nfile = "people.csv"\nvalue = "ill"\nlabel = "place"\n'
    path.write_text(f'{model}{query}[notion]\nkind = "inferential"\n{more}\n{data}', encoding="utf-8")
    return path


def said(spec: Path, ledger: str | None = None) -> str:
    """All that the page says, without its markup."""
    html = page(judge(read_spec(spec), "", spec.parent, ledger=ledger))
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html.partition("<main>")[2])).split())


@pytest.fixture
def village(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    return tmp_path


def test_without_a_ledger_nothing_else_is_supposed_to_go_out(village: Path) -> None:
    found = said(spec_in(village, "all"))
    assert ALONE in found
    assert "What was released before" not in found
    assert "This promise is kept." in found


def test_a_release_that_the_ledger_refuses_is_said_to_be_refused(village: Path) -> None:
    dl.release(spec_in(village, "all"))
    second = spec_in(village, "some", 'labels = ["x"]')
    with pytest.raises(Refused) as refused:
        dl.release(second)
    found = said(second)
    assert ALONE not in found
    assert "Nothing else is released from the same data outside the ledger people.csv.ledger.sqlite" in found
    assert f"The ledger refuses this release: {refused.value}." in found
    assert "has one release of data set people; 1 of 1 nats are spent." in found
    assert "This promise is kept by this release alone." in found
    assert "This promise is kept." not in found
    assert str(village) not in found, "whoever gets the page is not told in which folder the table is"


def test_a_release_that_went_out_is_said_to_be_free(village: Path) -> None:
    first = spec_in(village, "all")
    entry = dl.release(first).entry
    found = said(first)
    assert f"This release was published, as entry {entry}: the same answers again are free." in found
    assert ALONE not in found


def test_a_release_that_is_paid_for_says_what_all_would_have_spent(village: Path) -> None:
    dl.release(spec_in(village, "all", more="epsilon = 0.2"), budget=3.0)
    second = spec_in(village, "some", 'labels = ["x"]', "epsilon = 0.2")
    found = said(second)
    after = dl.release(second).budget
    assert f"all releases together would have spent {after.spent:.6g} of 3 nats." in found


def test_the_ledger_of_a_policy_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It knows the bytes by the policy's name, by which the release would be another's."""
    curator(tmp_path).session("ana", "measles").ask(ask())
    spec, out = spec_in(tmp_path, "all"), tmp_path / "page.html"
    assert here(capsys, monkeypatch, "explain", spec, "--out", out, "--ledger", tmp_path / "ledger.sqlite").code == 0
    found = unescape(out.read_text(encoding="utf-8"))
    assert "one release of data set measles" in found
    assert 'The ledger refuses this release: data set "people": its ledger knows the same bytes as "measles"' in found
    assert ALONE not in found


def test_a_ledger_of_other_people_is_told_apart(village: Path) -> None:
    dl.release(spec_in(village, "all"), ledger=village / "here")
    (village / "people.csv").write_text(people() + "h9,x,0,9\n", encoding="utf-8")
    other = spec_in(village, "other")
    other.write_text(other.read_text().replace("[data]\n", '[data]\nname = "town"\n'), encoding="utf-8")
    found = said(other, str(village / "here"))
    assert "What was released before" not in found
    assert f"outside the ledger {village / 'here'}" in found


def test_explaining_writes_nothing_into_the_ledger(village: Path) -> None:
    dl.release(spec_in(village, "all"))
    path = village / "people.csv.ledger.sqlite"
    before = Ledger(path).history().last
    said(spec_in(village, "some", 'labels = ["x"]'))
    assert Ledger(path).history().last == before


def test_a_ledger_that_is_not_there_is_named(
    village: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, spec = village / "page.html", spec_in(village, "all")
    found = here(capsys, monkeypatch, "explain", spec, "--out", out, "--ledger", village / "none")
    assert complaint(found) == f"--ledger: {village / 'none'}, wanted a ledger that is there"
    bare = village / "bare.toml"
    bare.write_text(spec.read_text().partition("[data]")[0].replace('by = "home"\nepidemic', "count = 2\ninfected"))
    bare.write_text(bare.read_text().replace("{community = 0.1, household = 0.6}", "[0.9, 0.05, 0.05]"))
    found = here(capsys, monkeypatch, "explain", bare, "--out", out, "--ledger", village / "none")
    assert complaint(found).startswith("--ledger: given, wanted a section [data], or --data")
