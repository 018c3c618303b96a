"""The ledger: durable, never overspent, one budget per data, first come first served.

Whatever is altered in a ledger is seen when it is next opened, and nothing is released from it.

`dalenius ledger`: what was released, what is left, and whether the entries are as they were written.
"""

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from dalenius import InputError, Refused
from dalenius.curator import Budget, Ledger
from dalenius.curator.hash_chained_entries import Broken, Link, next_link, verified_chain
from tests.cli.command import Done, Run, complaint, written
from tests.curator.asking import COST, asked, changed, charged, costing, drawn, kinds, released

ONE = costing(1.0, 1.0)


def test_the_first_spends_its_leakage_and_later_ones_their_group_losses(tmp_path: Path) -> None:
    ledger, entry = tmp_path / "ledger", costing(0.25, 2.0)
    said = r"^this release would spend 1 of a budget of 0\.5 nats: 1 requested, 0\.5 left, 0\.5 too much$"
    with pytest.raises(Refused, match=said):
        charged(ledger, 0.5, ONE)
    assert charged(ledger, 7.0, entry) == Budget(7.0, 0.25)
    second = charged(ledger, 7.0, entry)
    assert second.spent == pytest.approx(4.0, abs=1e-12)
    assert second.spent >= 4.0
    assert second.remaining == 7.0 - second.spent
    assert charged(ledger, 7.0, entry).spent == pytest.approx(6.0, abs=1e-12)
    said = r"^this release, after 3 earlier of the same data, would spend 8 of a budget of 7"
    with pytest.raises(Refused, match=said):
        charged(ledger, 7.0, entry)
    assert kinds(ledger).count("debit") == 3


def test_a_spoilt_file_gives_one_line(tmp_path: Path) -> None:
    text, cut, another = (tmp_path / name for name in ("text", "cut", "another"))
    text.write_bytes(b"this is no ledger at all, only a text. " * 100)
    charged(cut, 9.0, ONE)
    cut.write_bytes(cut.read_bytes()[:5000])
    changed(another, "CREATE TABLE budgets (animal TEXT)")
    for path in (text, cut, another):
        before = path.read_bytes()
        for use in (lambda: charged(path, 9.0, ONE), lambda: Ledger(path).history()):  # noqa: B023
            with pytest.raises(InputError) as caught:
                use()
            assert str(caught.value).startswith(f"ledger: {path}, wanted ")
            assert "\n" not in str(caught.value)
        assert path.read_bytes() == before


ALTERED = {
    "a smaller debit": ("UPDATE entries SET body = replace(body, '500000000', '100000000') WHERE number = 3", 3),
    "a debit for an answer": ("UPDATE entries SET kind = 'answer' WHERE number = 3", 3),
    "a hash": ("UPDATE entries SET hash = upper(hash) WHERE number = 6", 6),
    "the first that is gone": ("DELETE FROM entries WHERE number = 1", 1),
    "gone without a gap": ("UPDATE entries SET number = number - 10 WHERE number > 3", 1),
    "an entry that was put in": ("INSERT INTO entries VALUES (7, 'budget', '{\"data\":\"x\",\"initial\":9}', 'ff')", 7),
}


def test_what_is_altered_is_seen(tmp_path: Path) -> None:
    for case, (statement, number) in ALTERED.items():
        path = tmp_path / case
        for spec in ("{}", "[]"):
            released(path, asked(spec=spec))
        assert Ledger(path).earlier(asked()) is not None
        changed(path, statement)
        line = f"ledger: {path}, wanted a SQLite file that can be written (entry {number} is not as it was written)"
        for use in (lambda: released(path, asked(spec="[1]")), lambda: Ledger(path).earlier(asked())):  # noqa: B023
            with pytest.raises(InputError, match=f"^{re.escape(line)}$"):
                use()  # type: ignore[no-untyped-call]


def test_two_that_change_places_are_seen() -> None:
    first = next_link(None, "budget", {"a": 1})
    second = next_link(first, "budget", {"a": 2})
    third = next_link(second, "budget", {"a": 3})
    assert verified_chain([first, second, third]) == (first, second, third)
    moved = [first, Link(2, third.kind, third.text, third.hash), Link(3, second.kind, second.text, second.hash)]
    with pytest.raises(Broken, match="entry 2"):
        verified_chain(moved)


SPEC = """
model = { kind = "households", by = "home", epidemic = { community = 0.1, household = 0.3 } }
query = { kind = "count" }
notion = { kind = "inferential", epsilon = EPSILON }
data = { file = "people.csv", value = "ill", name = "village" }
"""
PEOPLE = "home,ill\n" + "".join(f"{n // 3},{n % 4 == 0:d}\n" for n in range(24))


class Books:
    """A folder with a table, and commands about it."""

    def __init__(self, folder: Path, run: Run) -> None:
        self.folder, self.run = folder, run
        self.file, self.spec = folder / "people.csv.ledger.sqlite", folder / "spec.toml"
        (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")

    def ask(self, epsilon: float, *more: str) -> Done:
        written(self.folder, SPEC.replace("EPSILON", str(epsilon)))
        return self.run("release", self.spec, "--budget", "4", *more)

    def release(self, epsilon: float) -> Any:
        return self.ask(epsilon, "--json").json

    def quote(self, epsilon: float) -> Any:
        return self.ask(epsilon, "--cost", "--json").json

    def ledger(self, *arguments: object) -> Done:
        return self.run("ledger", *map(str, arguments))

    def lose(self, entry: int) -> None:
        with sqlite3.connect(self.file) as connection:
            connection.execute("DELETE FROM entries WHERE number = ?", [entry])


@pytest.fixture
def books(tmp_path: Path, run: Run) -> Books:
    return Books(tmp_path, run)


def test_show_has_what_the_releases_said(books: Books) -> None:
    made = [books.release(epsilon) for epsilon in (1.0, 0.5)]
    found = books.ledger("show", books.file, "--json").json
    (village,) = found["data_sets"]
    assert village["data"] == "village"
    assert village["budget"] == made[1]["budget"]
    assert [each["entry"] for each in village["releases"]] == [3, 5]
    assert [each["answered_by"] for each in village["releases"]] == [4, 6]
    assert [each["leakage"] for each in village["releases"]] == pytest.approx([1.0, 0.5], abs=1e-6)
    assert [each["asked"] for each in village["releases"]] == [each["certificate"]["asked"] for each in made]
    shown = " ".join(books.ledger("show", books.file).out.split())
    for each in village["releases"]:
        assert f"{each['entry']} │ {each['asked'][:20]}" in shown
        assert each["time"].replace("T", " ")[:16] in shown
    assert found["entries"] == 6
    answers = [json.loads(line)["body"] for line in books.ledger("export", books.file).out.splitlines()[3::2]]
    assert [each["certificate"] for each in answers] == [each["certificate"] for each in made]


def test_a_quote_is_what_is_then_paid(books: Books) -> None:
    assert not books.quote(1.0)["free"]
    assert not books.file.exists()
    quoted = [books.quote(1.0)]
    made = [books.release(1.0)]
    before = books.file.read_bytes()
    quoted.append(books.quote(0.5))
    assert books.quote(1.0) == {
        **dict.fromkeys(("cost", "noise", "expected_error", "advice", "confidence", "risk")),
        "half_width": {},
        "free": True,
        "budget": made[0]["budget"],
    }
    assert books.file.read_bytes() == before
    made.append(books.release(0.5))
    for quote, paid in zip(quoted, made, strict=True):
        assert quote["budget"] == paid["budget"]
        assert quote["noise"] == paid["certificate"]["noise"]
    (village,) = books.ledger("show", books.file, "--json").json["data_sets"]
    for quote, entry in zip(quoted, village["releases"], strict=True):
        assert quote["cost"] == {key: entry[key] for key in ("leakage", "group_loss")}


def test_a_quote_is_refused_as_the_release_would_be(books: Books) -> None:
    books.release(2.0)
    before = books.file.read_bytes()
    quoted, paid = books.ask(3.5, "--cost"), books.ask(3.5)
    assert (quoted.code, quoted.err) == (paid.code, paid.err)
    assert quoted.code == 1
    other = books.run("release", books.spec, "--budget", "5", "--cost")
    assert 'wanted 4.0, what data set "village" was given in this ledger' in complaint(other)
    assert books.file.read_bytes() == before


def test_what_was_lost_is_said(books: Books) -> None:
    """As after a kill between the debit and the record of the answer."""
    books.release(1.0)
    books.lose(4)
    found = books.ledger("show", books.file, "--json").json
    assert found["data_sets"][0]["releases"][0]["answered_by"] is None
    assert found["data_sets"][0]["budget"]["spent"] == pytest.approx(1.0, abs=1e-6)
    assert "lost, or not kept" in books.ledger("show", books.file).out


def test_verify_and_export(books: Books) -> None:
    books.release(1.0)
    entries = [json.loads(line) for line in books.ledger("export", books.file).out.splitlines()]
    assert [each["kind"] for each in entries] == ["budget", "fingerprint", "debit", "answer"]
    found = books.ledger("verify", books.file, "--hash", entries[1]["hash"], "--json").json
    assert found == {"entries": 4, "hash": entries[3]["hash"], "verified": True, "entry": 2}
    spaced = f" {entries[1]['hash'].upper()}"
    assert books.ledger("verify", books.file, "--hash", spaced, "--json").json == found
    begun = entries[1]["hash"][:16]
    said = books.ledger("verify", books.file, "--hash", begun).err
    assert "this is not a full hash; it begins like entry 2)" in said
    assert "(this is not a full hash)" in books.ledger("verify", books.file, "--hash", f"{begun}x").err
    books.lose(4)
    assert books.ledger("verify", books.file).code == 0
    gone = books.ledger("verify", books.file, "--hash", entries[3]["hash"])
    assert gone.code == 2
    assert "entries are missing here, or this is another ledger" in gone.err


BAD = {
    ("show", "nothing.sqlite"): "ledger: nothing.sqlite, wanted a file that is there",
    ("show", "people.csv"): "file is not a database",
    ("show", "LEDGER", "--hash", "ab"): "--hash: ab, wanted nothing with show: it belongs to verify",
    ("burn", "LEDGER"): "'burn' is not one of",
    ("copy", "LEDGER"): "to: missing, wanted the new ledger of copy, a file or a URL",
    ("show", "LEDGER", "LEDGER"): "to: another ledger, wanted the new ledger of copy",
    ("copy", "LEDGER", "LEDGER"): "wanted a new ledger: this one has entries",
}


def test_bad_input(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    books.release(1.0)
    monkeypatch.chdir(books.folder)
    for arguments, message in BAD.items():
        given = [str(books.file) if each == "LEDGER" else each for each in arguments]
        assert message in complaint(books.ledger(*given))


def test_show_states_analysts(books: Books) -> None:
    ledger = Ledger(books.file)
    for analyst, cap in (("ana", 2.0), ("ben", 0.5)):
        ledger.release(asked(analyst=analyst, cap=cap), COST, drawn("a"))
    (people,) = books.ledger("show", books.file, "--json").json["data_sets"]
    assert [(each["analyst"], each["budget"]["initial"], each["budget"]["spent"]) for each in people["analysts"]] == [
        ("ana", 2.0, 0.5),
        ("ben", 0.5, 0.5),
    ]
    assert people["releases"][0]["told"] == ["ana", "ben"]
    assert people["releases"][0]["time"].endswith("Z")
    assert people["releases"][0]["failed"] is False
    shown = books.ledger("show", books.file).out
    assert "ana, ben" in shown
    assert "0.5 of 2 nats spent, 1.5 left" in shown
