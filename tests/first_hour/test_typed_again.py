"""Stumbles of newcomers that were typed again: each is answered before anything is signed or paid."""

from pathlib import Path

import pytest

from tests.cli.command import Done, complaint, here
from tests.curator.policies import people
from tests.server.process import policy_in

SPEC = """
[model]
kind = "households"
by = "home"
epidemic = { community = 0.1, household = 0.3 }
[query]
kind = "count"
[[promises]]
kind = "information"
factor = 2
[data]
file = "people.csv"
value = "ill"
"""


@pytest.fixture
def room(tmp_path: Path) -> Path:
    (tmp_path / "spec.toml").write_text(SPEC)
    (tmp_path / "people.csv").write_text(people())
    return tmp_path


def said_in_german(room: Path) -> None:
    cells = [line.split(",") for line in people().splitlines()]
    text = [",".join([home, place, {"1": "ja", "0": "nein"}.get(ill, ill), age]) for home, place, ill, age in cells]
    (room / "people.csv").write_text("\n".join(text) + "\n")


@pytest.mark.parametrize("command", ["calibrate", "compare", "explain"])
def test_a_column_of_words_is_refused_before_anything_is_signed(
    command: str, room: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    more = ["--out", str(room / "page.html")] if command == "explain" else []
    said_in_german(room)
    said = complaint(here(capsys, monkeypatch, command, room / "spec.toml", *more))
    assert "data.value: ill, wanted numbers, as the model's records are: the column holds texts; " in said
    assert said.rstrip().endswith('value = { column = "ill", equals = "…" } asks who has one of them')
    assert not (room / "page.html").exists()
    assert "ja" not in said.split()


def test_words_for_yes_and_no_are_taken(
    room: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said_in_german(room)
    (room / "people.csv").write_text((room / "people.csv").read_text().replace(",ja,", ",yes,").replace("nein", "no"))
    assert here(capsys, monkeypatch, "calibrate", room / "spec.toml").code == 0


def test_a_refusal_says_what_the_answer_would_leak_alone(
    room: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here(capsys, monkeypatch, "release", room / "spec.toml").code == 0
    (room / "spec.toml").write_text(SPEC.replace("factor = 2", "factor = 1.9"))
    refused = here(capsys, monkeypatch, "release", room / "spec.toml")
    assert refused.code == 1
    assert "too much; alone it would leak 0.64185" in refused.err


def test_the_analysts_of_a_policy_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(name: str) -> Done:
        return here(capsys, monkeypatch, "token", "make", policy_in(tmp_path), "--analyst", name)

    wanted = "wanted one of the analysts of data set 'measles': ana, bob"
    assert complaint(made("carl")).rstrip().endswith(f"analyst: carl, {wanted}")
    assert complaint(made("anna")).rstrip().endswith(f"{wanted} (did you mean ana?)")


def test_a_hash_with_a_mistake_is_no_accusation(
    room: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here(capsys, monkeypatch, "release", room / "spec.toml").code == 0
    ledger = room / "people.csv.ledger.sqlite"
    digest = here(capsys, monkeypatch, "ledger", "verify", ledger, "--json").json["hash"]
    mistyped = digest[:-1] + ("0" if digest[-1] != "0" else "1")
    said = complaint(here(capsys, monkeypatch, "ledger", "verify", ledger, "--hash", mistyped))
    assert "it differs from that of entry 4 in some characters, or this is another ledger" in said
