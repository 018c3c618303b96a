"""A request may be killed at any time: no answer without its debit, no draw either, and the ledger goes on."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

from tests.cli import warm
from tests.curator import faults_killed
from tests.curator.faults_killed import PHASES
from tests.pace import slow
from tests.postgres import Postgres

MEMORY: Final = Path("/dev/shm")
CAUGHT: Final = {
    "draws_first": "drawn without a debit",
    "tells_first": "told what is not recorded",
    "draws_again": "drawn without a debit",
}
"""Curators that must not pass, and what gives them away."""


LENGTH: Final = 40
"""Runs of a ledger."""


def killed(folder: Path, runs: int, release: str, addresses: list[str] | None = None) -> dict[str, Any]:
    """addresses: of the ledgers, and one more that is measured; by default files in the folder."""
    out, err, number = folder / "out", folder / "err", -(-runs // LENGTH)
    ledgers = addresses or [str(folder / f"ledger {place}") for place in range(number + 1)]
    arguments = [release, str(runs), str(LENGTH), *ledgers]
    code = warm.ended(warm.started(faults_killed.main, arguments, out, err))
    assert code == 0, err.read_text(encoding="utf-8")
    found = json.loads(out.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.fixture
def quickly() -> Iterator[Path]:
    """A folder in memory, where there is one: what is written there outlives a killed process as well."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)


def check(found: dict[str, Any], *kinds: str) -> None:
    """Nothing was wrong, and every phase was hit by kills of these kinds."""
    assert found["wrong"] == []
    hit = {phase for kind in kinds for phase, count in found[kind].items() if count}
    assert hit == set(PHASES), found


def test_killed_at_some_times(tmp_path: Path) -> None:
    check(killed(tmp_path, 56, "honest"), "killed", "stopped")


@pytest.mark.slow
def test_killed_a_thousand_times(quickly: Path) -> None:
    found = killed(quickly, 1000, "honest")
    check(found, "killed")
    check(found, "stopped")
    assert 500 < sum(found["killed"].values()) + sum(found["stopped"].values()) <= 1000  # the others were quicker


@pytest.mark.slow
def test_killed_before_a_postgresql_ledger(postgres: Postgres, tmp_path: Path) -> None:
    found = killed(tmp_path, 120, "honest", [postgres.new() for _ in range(4)])
    check(found, "killed", "stopped")


@pytest.mark.parametrize("release", ["draws_first", *map(slow, list(CAUGHT)[1:])])
def test_a_curator_that_pays_late_is_caught(release: str, quickly: Path) -> None:
    found = killed(quickly, 56 if release == "draws_first" else 160, release)
    assert CAUGHT[release] in found["wrong"], found


def test_what_would_be_wrong_with_a_ledger() -> None:
    """By hand: the reading that the others rely on."""
    wrong = list(faults_killed.problems([(2, "debit", '{"group_loss": 16000000000}', "no hash")], draws=2))
    assert wrong == ["entry 1 is not linked to the one before it", "the budget is overspent", "drawn without a debit"]
