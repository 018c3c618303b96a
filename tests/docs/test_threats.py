"""The threat model: each test that a page cites is there, and what it says does not hold does not."""

import re
import sqlite3
from datetime import UTC, datetime, tzinfo
from hashlib import sha256
from pathlib import Path

import pytest

from dalenius import InputError
from dalenius.curator import Curator, Ledger, NotOpen, policy_from
from dalenius.server import Role, Tokens
from tests.curator.asking import asked, released
from tests.curator.policies import ask, people, sections
from tests.docs.page import REPOSITORY

CITED = re.compile(r"`(tests/[\w/]+?(?:\.py)?)(?:::(\w+))?`")
PAGES = sorted((REPOSITORY / "docs").rglob("*.md"))


def test_each_test_that_is_cited_is_there() -> None:
    for file, name in (cited for page in PAGES for cited in CITED.findall(page.read_text(encoding="utf-8"))):
        path = REPOSITORY / file
        assert path.exists(), file
        assert not name or f"def {name}(" in path.read_text(encoding="utf-8"), f"{file}::{name}"


def test_each_entry_of_the_threat_model_cites_one() -> None:
    page = (REPOSITORY / "docs/explanation/threats.md").read_text(encoding="utf-8")
    held, _, _ = page.partition("## What it does not protect from")
    entries = re.split(r"^\* ", held, flags=re.MULTILINE)[1:]
    assert len(entries) > 30
    assert [entry for entry in entries if not CITED.search(entry)] == []


def answered(folder: Path) -> str:
    """The certificate of an answer, as text; the table and the ledger are in the folder."""
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    done = Curator(policy_from(sections()), folder).session("ana", "measles").ask(ask())
    return str(done.published.certificate)


def test_a_ledger_has_a_digest_of_the_table_and_no_certificate_has(tmp_path: Path) -> None:
    certificate = answered(tmp_path)
    digest = sha256((tmp_path / "people.csv").read_bytes()).hexdigest()
    kept = "".join(link.text for link in Ledger(tmp_path / "ledger.sqlite").history().links)
    assert digest in kept
    assert digest not in certificate


def test_only_a_hash_from_elsewhere_shows_that_the_end_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    for spec in ("{}", "[]"):
        released(path, asked(spec=spec))
    newest = Ledger(path).history().links[-1].hash
    with sqlite3.connect(path) as file:
        (last,) = file.execute("SELECT max(number) FROM entries").fetchone()
        file.execute("DELETE FROM entries WHERE number > ?", (last - 2,))
    file.close()
    with pytest.raises(InputError, match="the ledger that it was"):
        Ledger(path).verified()
    path.with_name("ledger.head").unlink()  # by whoever did the one
    left = Ledger(path).verified()
    assert len(left.links) == last - 2
    assert newest not in [link.hash for link in left.links]


def test_a_clock_set_back_changes_no_order_of_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Back(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Back":
            return cls(1999, 1, 1, tzinfo=tz)

    path = tmp_path / "ledger"
    released(path, asked())
    before = datetime.now(UTC).isoformat()
    monkeypatch.setattr("dalenius.curator.ledger_storage.datetime", Back)
    released(path, asked(spec="[]"))
    times = [link.body["time"] for link in Ledger(path).history().links]
    assert times == sorted(times)
    assert times[-1] <= before
    assert times[0] > "2000"


def test_a_clock_set_back_revives_a_token_that_had_expired(tmp_path: Path) -> None:
    now = 1_000_000.0
    tokens = Tokens(tmp_path / "tokens", lambda: now)
    text, _ = tokens.make(Role.analyst, "ana", "measles", 1)
    now += 100_000
    assert tokens.find(text) is None
    now -= 50_000
    assert tokens.find(text) is not None


def test_that_a_table_is_not_as_the_policy_says_is_said_for_nothing(tmp_path: Path) -> None:
    """One bit of the data, which no budget counts, and no more: the sentence is the same whatever is amiss."""
    said = set()
    rows = people().splitlines()
    for number, spoilt in enumerate(([*rows[:-1], "h9,x"], ["home,place,age", *rows[1:]], [])):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        (folder / "people.csv").write_text("\n".join(spoilt) + "\n", encoding="utf-8")
        curator = Curator(policy_from(sections()), folder)
        with pytest.raises(NotOpen) as caught:
            curator.session("ana", "measles").ask(ask())
        said.add(str(caught.value))
        assert curator.budget("measles").spent == 0
    assert len(said) == 1
    assert answered(tmp_path)
