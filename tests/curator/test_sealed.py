"""Certificates and hashes say nothing of the table's bytes to whoever could try what they might be."""

import json
from datetime import UTC, datetime, tzinfo
from hashlib import sha256
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.curator import Ledger
from dalenius.curator.publication import sealed

SPEC = """
data = { file = "people.csv", value = "ill" }
model = { kind = "independent", n = 4, probabilities = [0.5] }
query = { kind = "count" }
notion = { kind = "inferential", epsilon = 1.0 }
"""


def released(folder: Path) -> tuple[dict[str, object], str]:
    """The certificate of a release from a new ledger, and the hash of its entry."""
    folder.mkdir()
    (folder / "people.csv").write_text("ill\n0\n1\n1\n0\n", encoding="utf-8")
    (folder / "spec.toml").write_text(SPEC, encoding="utf-8")
    done = dl.release(dl.read_spec(folder / "spec.toml"), folder, ledger=folder / "ledger")
    return dict(done.published.certificate), done.hash


def test_what_goes_out_says_nothing_of_the_bytes(tmp_path: Path) -> None:
    certificate, _ = released(tmp_path / "one")
    digest = sha256((tmp_path / "one" / "people.csv").read_bytes()).hexdigest()
    assert digest not in json.dumps(certificate)
    (debit,) = (link.body for link in Ledger(tmp_path / "one" / "ledger").history().links if link.kind == "debit")
    assert debit["fingerprint"] == digest
    assert certificate["data"] == sealed(digest, debit["salt"])
    assert certificate["data"] == sha256(f"{debit['salt']} {digest}".encode()).hexdigest()
    assert len(bytes.fromhex(debit["salt"])) == 32
    assert debit["salt"] not in json.dumps(certificate)


def test_hashes_hang_on_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same people, asked the same at the same moment, with the same noise: nobody can compute the hash."""

    class Then(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Then":
            return cls(2026, 1, 1, tzinfo=UTC)

    for module in ("storage", "publication"):
        monkeypatch.setattr(f"dalenius.curator.{module}.datetime", Then)
    monkeypatch.setattr("dalenius.noise.Geometric.draw", lambda *_: (2,))
    found = [released(tmp_path / name) for name in ("one", "two")]
    assert found[0][1] != found[1][1]
    monkeypatch.setattr("dalenius.curator.ledger.token_hex", lambda count: "00" * count)
    found = [released(tmp_path / name) for name in ("three", "four")]
    assert found[0][1] == found[1][1]  # without the salt nothing else would hide it
