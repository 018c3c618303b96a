"""A token opens what it is of, until it ends; its text is nowhere on the disk."""

import os
import sqlite3
from pathlib import Path

import pytest

from dalenius.errors import InputError
from dalenius.server import Role, Tokens, tokens_beside
from dalenius.server.tokens import LONGEST


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tokens(tmp_path: Path, clock: Clock) -> Tokens:
    return Tokens(tokens_beside(tmp_path / "policy.toml"), clock)


def test_what_was_made_is_found(tokens: Tokens) -> None:
    text, made = tokens.make(Role.analyst, "ana", "measles")
    assert tokens.find(text) == made == tokens.again(made.id)
    assert (made.role, made.name, made.data, made.revoked) == (Role.analyst, "ana", "measles", None)
    assert tokens.path.name == "policy.tokens.sqlite"
    assert (made.reaches("measles"), made.reaches("mumps")) == (True, False)
    assert Tokens(tokens.path, lambda: made.made).find(text) == made  # another process


def test_the_file_has_no_text_of_a_token_and_is_of_its_owner_alone(tokens: Tokens) -> None:
    before = os.umask(0)
    try:
        text, made = tokens.make(Role.owner, "olga", "*")
    finally:
        os.umask(before)
    secret = text.removeprefix(f"dal_{made.id}_")
    assert len(secret) == 43
    assert secret.encode() not in tokens.path.read_bytes()
    assert tokens.path.stat().st_mode & 0o777 == 0o600
    tokens.path.chmod(0o604)
    with pytest.raises(InputError, match=r"^tokens: .*policy\.tokens\.sqlite, wanted a file that nobody else may read"):
        tokens.find(text)


def test_it_ends_when_it_is_revoked(tokens: Tokens, clock: Clock) -> None:
    text, made = tokens.make(Role.owner, "olga", "*")
    other, _ = tokens.make(Role.owner, "otto", "*")
    clock.now += 5
    assert Tokens(tokens.path, clock).revoke(made.id).revoked == clock.now  # another process
    assert tokens.find(text) is None
    assert tokens.again(made.id) is None
    assert tokens.find(other) is not None
    assert [token.revoked for token in tokens.all()] == [clock.now, None]
    clock.now += 5
    assert tokens.revoke(made.id).revoked == clock.now - 5


def test_a_clock_that_was_ahead_once_ends_what_was_shown_then_and_nothing_else(tokens: Tokens, clock: Clock) -> None:
    (shown, _), (kept, _) = (tokens.make(Role.owner, name, "*") for name in ("olga", "otto"))
    true, clock.now = clock.now, clock.now + 10 * 365 * 86400
    assert tokens.find(shown) is None
    clock.now = true + 1
    assert tokens.find(shown) is None
    assert tokens.find(kept) is not None
    text, made = tokens.make(Role.owner, "olga", "*")
    assert made.made == clock.now
    assert tokens.find(text) == made
    assert [(each.revoked, each.ended) for each in tokens.all()] == [(None, True), (None, False), (None, False)]


def test_what_has_ended_when_another_is_made_stays_ended(tokens: Tokens, clock: Clock) -> None:
    text, _ = tokens.make(Role.owner, "olga", "*", days=1)
    clock.now += 2 * 86400
    tokens.make(Role.owner, "otto", "*")
    clock.now -= 1.5 * 86400
    assert tokens.find(text) is None
    assert tokens.revoke(tokens.all()[0].id).ended


def test_nobody_is_let_in_where_the_file_is_gone(tokens: Tokens) -> None:
    text, _ = tokens.make(Role.owner, "olga", "*")
    tokens.path.unlink()
    assert tokens.find(text) is None
    assert not tokens.path.exists()


def test_nothing_like_a_token_is_one(tokens: Tokens) -> None:
    text, made = tokens.make(Role.owner, "olga", "*")
    other, _ = tokens.make(Role.owner, "otto", "*")
    swapped = f"dal_{made.id}_{other[-43:]}"
    last = text[:-1] + ("A" if text[-1] != "A" else "B")
    odd = ["", "dal_", made.id, text[4:], text.upper(), f"{text}\n", f" {text}", text + "A", swapped, last, "\udcff"]
    assert [tokens.find(each) for each in odd] == [None] * len(odd)


def test_bad_terms_are_named(tokens: Tokens, tmp_path: Path) -> None:
    for role, name, data, days, message in (
        (Role.owner, "a\nb", "*", 1, "name: a b, wanted a name of printable characters"),
        (Role.owner, "olga", " x", 1, "data: x, wanted a name of printable characters"),
        (Role.owner, "olga", "*", LONGEST + 1, "days: 3651.0, wanted a number above 0"),
        (Role.owner, "olga", "*", float("nan"), "days: nan, wanted a number above 0"),
        (Role.analyst, "ana", "*", 1, "data: *, wanted the name of one data set"),
    ):
        with pytest.raises(InputError) as refused:
            tokens.make(role, name, data, days)
        assert str(refused.value).startswith(message)
    assert not tokens.path.exists()
    with pytest.raises(InputError, match=r"wanted a file that can be written \(No such file"):
        Tokens(tmp_path / "none" / "t.sqlite").make(Role.owner, "olga", "*")
    tokens.path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 200)
    tokens.path.chmod(0o600)
    with pytest.raises(InputError, match=r"wanted a file of tokens"):
        tokens.all()


def test_a_role_that_there_is_not_opens_nothing(tokens: Tokens) -> None:
    text, made = tokens.make(Role.auditor, "otto", "*")
    with sqlite3.connect(tokens.path) as file:
        file.execute("UPDATE tokens SET role = 'root'")
    file.close()
    for look, given in ((tokens.find, text), (tokens.again, made.id)):
        with pytest.raises(InputError, match=r"^tokens: root, wanted one of analyst, owner, auditor"):
            look(given)
