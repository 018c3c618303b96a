"""A database's URL: read in one way by tables and ledgers, and no part of a password is in any message."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings, strategies as st

from dalenius.curator import Ledger, policy_from
from dalenius.errors import DaleniusError
from dalenius.spec import sections_of
from dalenius.spec.data_section import Source
from dalenius.tables import open_people
from dalenius.tables.servers import ServerAddress, server_address
from tests.curator.policies import sections

LETTERS = "QXZJVKWÜ"
"""Of no word that a message has."""
PASSWORDS = st.text(st.sampled_from(LETTERS + "@/%:#?& '\"\\=;[]$^"), min_size=3, max_size=24).filter(
    lambda word: sum(letter in LETTERS for letter in word) >= 3
)
WHERE = "@127.0.0.1:1/region"


def pieces(password: str) -> Iterator[str]:
    """What is in no message: three characters in a row, of which two are of no word."""
    for each in (password, quote(password, safe="")):
        for place in range(len(each) - 2):
            piece = each[place : place + 3]
            if sum(letter in LETTERS for letter in piece) >= 2:
                yield piece


def said(use: Callable[[], object]) -> str:
    with pytest.raises(DaleniusError) as refused:
        use()
    return str(refused.value) + repr(refused.value) + str(vars(refused.value))


def written(folder: Path, url: str) -> None:
    (folder / "spec.toml").write_text(f"[data]\nurl = {json.dumps(url, ensure_ascii=False)} spoilt\n", encoding="utf-8")


def messages(url: str, folder: Path) -> Iterator[str]:
    """Of whatever takes it."""
    yield said(lambda: open_people(Source(url=url, table="people", value="x")))
    yield said(lambda: Ledger(url).history())
    yield said(lambda: policy_from(sections() | {"ledger": url, "data": []}))
    yield said(lambda: Ledger(url.replace("postgresql", "mysql")))
    yield said(lambda: policy_from(sections(source={"file": url, "label": "ward"})))
    yield said(lambda: policy_from(sections(source={"url": url, "label": "ward", "what": 1})))
    written(folder, url)
    yield said(lambda: sections_of(folder / "spec.toml"))


@settings(max_examples=60, deadline=None)
@given(PASSWORDS, st.sampled_from(["escaped", "as it is", "once more", "no user", "unknown host"]))
@example("XQZ@VJK", "as it is")
@example("XQZ/VJK%WÜ", "as it is")
@example("Q%ZZ", "as it is")
def test_no_part_of_a_password_is_in_a_message(
    tmp_path_factory: pytest.TempPathFactory, password: str, how: str
) -> None:
    word = {"as it is": password, "once more": quote(quote(password, safe=""))}.get(how, quote(password, safe=""))
    url = f"postgresql://{'' if how == 'no user' else 'reader:'}{word}{WHERE}"
    if how == "unknown host":
        url = url.replace("127.0.0.1", "nowhere.invalid")
    for message in messages(url, tmp_path_factory.getbasetemp()):
        assert [piece for piece in pieces(password) if piece in message] == []


@settings(max_examples=200, deadline=None)
@given(PASSWORDS)
def test_what_is_escaped_is_read_and_what_is_not_is_refused(password: str) -> None:
    found = server_address(f"postgresql://reader:{quote(password, safe='')}{WHERE}?sslmode=disable", "data.url")
    whole = ServerAddress("127.0.0.1", 1, "region", "reader", password, (("sslmode", "disable"),))
    assert found == whole
    assert str(found) == "postgresql://127.0.0.1:1/region"
    assert not any(piece in repr(found) for piece in pieces(password))
    if set(password) & set("@/#? []"):
        message = said(lambda: server_address(f"postgresql://reader:{password}{WHERE}", "data.url"))
        assert message.startswith("data.url: postgresql://…, wanted postgresql://HOST:PORT/DATABASE; before the host")


def test_what_is_shown() -> None:
    for url, shown in (
        ("postgresql:///town", "postgresql:///town"),
        ("postgres://h", "postgresql://h/"),
        ("postgresql://[::1]:5432/town", "postgresql://[::1]:5432/town"),
        ("postgresql://u:a:b@h/t%20n?x=%40", "postgresql://h/t n"),
        ("postgresql://%2Frun%2Fpg/town", "postgresql:///run/pg/town"),
    ):
        assert str(server_address(url, "url")) == shown
