"""What owners see, what auditors see, and what neither does."""

import json
import re
import sqlite3
from html import unescape

import pytest

from tests.server.web.visited import NAME, Visited, text_of

ASK = "/data/Measles%2C%20winter/ask"


@pytest.fixture(scope="module")
def asked(pages: Visited) -> Visited:
    """Two answers have been given."""
    pages.sign_in("ana")
    pages.ask(ASK)
    pages.ask(ASK, measure="days", query='{"kind": "mean"}', epsilon="0.1")
    pages.client.cookies.clear()
    return pages


def test_the_owner_sees_entries_and_spending(asked: Visited) -> None:
    asked.sign_in("olga")
    said = text_of(asked.get("/ledger").text)
    last = asked.curator.ledger.history().last
    assert last is not None
    for wanted in ("Verified", f"All {last.number} entries are as they were written", last.hash, "Spending", NAME):
        assert wanted in said
    assert "All analysts together" in said
    assert asked.get("/ledger").text.count("/ledger/") == 2


def test_owners_and_auditors_see_what_went_out(asked: Visited) -> None:
    """The same as over the API: every answer with its certificate, spending and promises."""
    for who in ("olga", "otto"):
        asked.sign_in(who)
        page = asked.get("/ledger").text
        said = text_of(page)
        assert "Verified" in said
        assert "Spending" in said
        assert ("/exposed" in page) == (who == "olga")
        places = sorted(set(re.findall(r'href="(/ledger/\d+)"', page)))
        assert len(places) == 2
        headers = {"Authorization": f"Bearer {asked.tokens[who]}"}
        listed = asked.client.get("/api/v1/data/Measles%2C%20winter/history", headers=headers).json()["releases"]
        assert places == sorted(f"/ledger/{each['release']['entry']}" for each in listed)
        for each in listed:
            found = asked.get(f"/ledger/{each['release']['entry']}")
            assert found.status_code == 200
            shown = re.search(r"<pre[^>]*>(.*?)</pre>", found.text, re.DOTALL)
            assert shown is not None
            assert json.loads(unescape(shown[1])) == each["release"]["certificate"]
            assert f"entry {each['release']['entry']}, hash {each['release']['hash']}" in text_of(found.text)
            assert "Ask something else" not in found.text
        assert "change at most 7.39-fold, a chance of 1 % stays at or below 6.95 %" in said, "e²/(99 + e²)"
    assert [asked.get(place).status_code for place in ("/exposed", "/data/mumps")] == [403, 403], "of the auditor"


def test_answers_of_other_data_sets_are_not_there(asked: Visited) -> None:
    asked.sign_in("olga")
    places = re.findall(r'href="(/ledger/\d+)"', asked.get("/ledger").text)
    asked.sign_in("mona")
    for place in (*places, "/ledger/0", "/ledger/x"):
        assert asked.get(place).status_code == 404
    asked.sign_in("ana")
    assert asked.get(places[0]).status_code == 403


def test_the_owner_sees_who_is_most_exposed(asked: Visited) -> None:
    asked.sign_in("olga")
    said = text_of(asked.get("/exposed").text)
    assert "person" in said
    assert "member of a household of 4" in said
    assert "the odds between two values change at most 1.649-fold" in said
    assert said.index("ill: how many") < said.index("days: "), "the one that leaks most first"


def test_an_owner_of_one_data_set_sees_no_other(asked: Visited) -> None:
    asked.sign_in("mona")
    for place in ("/ledger", "/exposed"):
        assert NAME not in text_of(asked.get(place).text)
    assert "mumps" in text_of(asked.get("/ledger").text)


def test_a_ledger_that_was_altered_is_not_verified(own: Visited) -> None:
    own.sign_in("ana")
    own.ask(ASK, measure="days", query='{"kind": "mean"}', epsilon="0.1")
    own.sign_in("otto")
    assert "Verified All" in text_of(own.get("/ledger").text)
    (path,) = own.made.path.parent.glob("ledger*.sqlite")
    with sqlite3.connect(path) as file:
        (table,) = (
            name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'") if "entr" in name
        )
        columns = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
        body = next(name for name in columns if name in ("body", "text"))
        file.execute(f"UPDATE {table} SET {body} = replace({body}, '0.1', '0.0')")
    file.close()
    found = own.get("/ledger")
    assert found.status_code == 200
    assert "Not verified" in text_of(found.text)
    assert NAME not in text_of(found.text), "nothing of it is shown"
