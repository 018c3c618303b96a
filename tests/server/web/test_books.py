"""What owners see, what auditors see, and what neither does.

Odds, bars and fields, each by itself.
"""

import json
import re
import sqlite3
from decimal import Decimal, localcontext
from html import unescape
from math import inf

import pytest

from dalenius.notions import InferentialPrivacy, MutualInformationPrivacy
from dalenius.server.analyst_view import afterwards, believed, example, promise
from dalenius.server.form import ENTRIES, Misread
from tests.server.web.visited import NAME, Visited, text_of

ASK = "/data/Measles%2C%20winter/ask"


@pytest.fixture(scope="module")
def asked(pages: Visited) -> Visited:
    """Two answers have been given."""
    pages.sign_in("ana")
    pages.ask(ASK)
    pages.ask(ASK, measure="days", kind="mean", epsilon="0.1")
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
    assert asked.get("/ledger").text.count("<td>debit</td>") == 2


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
        assert "50 % 88.1 % " in text_of(asked.get("/promises").text), "e²/(1 + e²) = 0.8808, rounded up"
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
    assert "Of 2 releases the worst says most about person" in said
    assert "member of a household of 4" in said
    assert "the odds between two values change at most 1.649-fold" in said
    assert said.index("ill: how many") < said.index("days: "), "the one that leaks most first"


def test_an_owner_of_one_data_set_sees_no_other(asked: Visited) -> None:
    asked.sign_in("mona")
    for place in ("/ledger", "/exposed", "/promises"):
        assert NAME not in text_of(asked.get(place).text)
    assert "mumps" in text_of(asked.get("/promises").text)


def test_entries_come_in_pages(asked: Visited, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalenius.server.owner.PAGE", 2)
    asked.sign_in("otto")
    number = len(asked.curator.ledger.history().links)
    first, second = (text_of(asked.get(f"/ledger?page={page}").text) for page in (1, 2))
    assert f"1 to 2 of {number} entries" in first
    assert f"3 to 4 of {number} entries" in second
    assert "Older entries" in first
    assert "Newer entries" not in first
    assert "Newer entries" in second
    for nonsense in ("0", "-1", "x", "9" * 30, "²"):
        assert text_of(asked.get(f"/ledger?page={nonsense}").text).count("1 to 2 of") == 1


def test_a_ledger_that_was_altered_is_not_verified(own: Visited) -> None:
    own.sign_in("ana")
    own.ask(ASK, measure="days", kind="mean", epsilon="0.1")
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
    assert "None yet" in text_of(found.text), "nothing of it is shown"


BLANK = "\N{NO-BREAK SPACE}"


def test_odds_and_chances_are_rounded_up_and_tell_something() -> None:
    with localcontext(prec=60):
        for epsilon in (1e-9, 0.1, 1.0, 7.0, 20.0):
            power = Decimal(epsilon).exp()
            said = example(InferentialPrivacy(epsilon=epsilon), epsilon)
            assert said is not None
            odds = Decimal(said.split("at most ")[1].split("-fold")[0])
            before = Decimal(said.split("thought ")[1].split(BLANK)[0]) / 100
            after = Decimal(said.split("they think at most ")[1].split(BLANK)[0]) / 100
            truth = power * before / (1 - before + power * before)
            assert power <= odds <= power * Decimal("1.001")
            assert truth <= after <= truth * Decimal("1.01")
            assert after <= Decimal("0.6"), "nobody learns from what may become certain"
        assert (
            example(InferentialPrivacy(epsilon=1.0), inf) == "What somebody thought of a person may become a certainty."
        )


def test_with_a_delta_the_better_guess_is_what_is_bounded() -> None:
    notion = InferentialPrivacy(epsilon=1.0, delta=0.01)
    said = example(notion, 1.0)
    assert (
        said
        == f"Somebody who guesses between two equally likely values of a person is right with at most 73.4{BLANK}%."
    )
    power = Decimal(1).exp()
    assert (power + Decimal("0.01")) / (power + 1) <= Decimal("0.734")
    assert believed(notion, 0.5) == ()


def test_what_says_nothing_of_chances_says_its_nats() -> None:
    notion = MutualInformationPrivacy(epsilon=0.1)
    assert example(notion, 0.1) is None
    assert "0.1 nats" in promise(notion).said
    assert afterwards(notion, 0.1, 0.1) == ["This answer alone leaks at most 0.1 nats of any person."]


def test_fields_are_read() -> None:
    for name, text, read in (
        ("values", '1, 2.5,"north, east"', [1, 2.5, "north, east"]),
        ("cells", "0\n\n1, 2\n", [[0], [1, 2]]),
        ("weights", "north = 2\na=b = -.5", {"north": 2.0, "a=b": -0.5}),
        ("labels", "1, Hill", ["1", "Hill"]),
        ("lower", " -3. ", -3.0),
    ):
        assert ENTRIES[name].read(text) == read
    for name, text in (
        ("values", "1,,2"),
        ("weights", "= 2"),
        *(("lower", each) for each in ("nan", "1_0", "1,5", "١")),
    ):
        with pytest.raises(Misread):
            ENTRIES[name].read(text)
