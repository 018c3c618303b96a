"""What owners see, what auditors see, and what neither does."""

import pytest

from tests.curator.asking import changed
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


def test_owners_and_auditors_see_what_went_out(asked: Visited) -> None:
    """The same as over the API: every answer, spending and promises."""
    for who in ("olga", "otto"):
        asked.sign_in(who)
        said, last = text_of(asked.get("/ledger").text), asked.curator.ledger.history().last
        assert last is not None
        for wanted in (f"All {last.number} entries are as they were written", last.hash, "Spending", NAME):
            assert wanted in said
        assert "Verified" in said
        assert "All analysts together" in said
        headers = {"Authorization": f"Bearer {asked.tokens[who]}"}
        listed = asked.client.get("/api/v1/data/Measles%2C%20winter/history", headers=headers).json()["releases"]
        assert len(listed) == 2
        for each in listed:
            found = each["release"]
            assert f"{found['entry']} {found['certificate']['measure']}: " in said
            assert f" {found['answers'][0]:,.10g} " in said
        assert "change at most 7.39-fold, a chance of 1 % stays at or below 6.95 %" in said, "e²/(99 + e²)"
        assert asked.get("/data/mumps").status_code == 403
    asked.sign_in("ana")
    assert asked.get("/ledger").status_code == 403


def test_an_owner_of_one_data_set_sees_no_other(asked: Visited) -> None:
    asked.sign_in("mona")
    assert NAME not in text_of(asked.get("/ledger").text)
    assert "mumps" in text_of(asked.get("/ledger").text)


def test_a_ledger_that_was_altered_is_not_verified(own: Visited) -> None:
    own.sign_in("ana")
    own.ask(ASK, measure="days", query='{"kind": "mean"}', epsilon="0.1")
    own.sign_in("otto")
    assert "Verified All" in text_of(own.get("/ledger").text)
    (path,) = own.made.path.parent.glob("ledger*.sqlite")
    changed(path, "UPDATE entries SET body = replace(body, '0.1', '0.0')")
    found = own.get("/ledger")
    assert found.status_code == 200
    assert "Not verified" in text_of(found.text)
    assert NAME not in text_of(found.text), "nothing of it is shown"
