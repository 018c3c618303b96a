"""`dalenius token`, and what `dalenius serve` complains of."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dalenius.server import Role, Tokens, tokens_beside
from tests.cli.command import Done, complaint, here
from tests.server.process import policy_in

Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    policy = policy_in(tmp_path)
    return lambda command, action, *more: here(
        capsys, monkeypatch, command, *([action] if action else []), policy, *more
    )


def test_a_token_is_made_listed_and_revoked(run: Run, tmp_path: Path) -> None:
    made = run("token", "make", "--analyst", "ana", "--days", "10")
    text = made.out.strip()
    tokens = Tokens(tokens_beside(tmp_path / "policy.toml"))
    found = tokens.find(text)
    assert found is not None
    assert (found.role, found.name, found.data) == (Role.analyst, "ana", "measles")
    assert found.expires - found.made == 10 * 86400
    assert "this is shown once" in made.err
    assert text not in made.err
    listed = run("token", "list")
    assert text not in listed.out
    assert all(word in listed.out for word in (found.id, "analyst", "ana", "measles"))
    assert f"token {found.id}, analyst ana" in run("token", "revoke", found.id).out
    assert tokens.find(text) is None
    assert "revoked" in run("token", "list").out


def test_what_is_wrong_is_said_in_a_line(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments, message in (
        ("token make", "token: missing, wanted one of --analyst, --owner and --auditor"),
        ("token make --owner a --analyst ana", "token: --analyst and --owner, wanted one of --analyst"),
        ("token make --analyst carl", "analyst: carl, wanted one of the analysts of data set 'measles'"),
        ("token make --analyst ana --data mumps", "data: mumps, wanted one of the policy's data sets: measles"),
        ("token make --owner olga --days 0", "days: 0.0, wanted a number above 0 and at most 3650"),
        ("token revoke", "ID: missing, wanted the id of a token, as list shows it"),
        ("token revoke x", "id: x, wanted the id of a token"),
        ("token list --days 3", "--days: given, wanted nothing with list: it belongs to make"),
    ):
        assert complaint(run(*arguments.split())).startswith(message)
    assert complaint(run("serve", "", "--port", "99999")).startswith("--port: 99999, wanted a port from 0 to 65535")
    none = tmp_path / "none.toml"
    said = complaint(here(capsys, monkeypatch, "serve", none))
    assert said.startswith(f"policy: {none}, wanted a file that can be read")


def test_a_table_that_is_not_what_the_policy_says_stops_it(run: Run, tmp_path: Path) -> None:
    Tokens(tokens_beside(tmp_path / "policy.toml")).make(Role.owner, "olga", "*")
    (tmp_path / "people.csv").write_text("home,place,sick\nh1,x,1\n")
    said = complaint(run("serve", "", "--port", "0"))
    assert said.startswith("data.value: ill, wanted one of the columns home, place, sick")


def test_the_extra_that_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in list(sys.modules):
        if name.partition(".")[0] == "uvicorn" or name == "dalenius.server.running":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    said = complaint(run("serve", ""))
    assert said == "serve: uvicorn, wanted a package of the extra server: pip install 'dalenius[server]'"
