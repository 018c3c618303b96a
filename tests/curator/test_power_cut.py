"""The power may go at any time: what was told is in the ledger, which opens."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest

from dalenius import InputError
from dalenius.curator import Ledger
from tests.curator.asking import rows_in_sqlite
from tests.curator.power import Call, cuts, laid, traced
from tests.curator.written import ahead, problems
from tests.pace import slow

RELEASES: Final = 4


def asked_by(tmp_path_factory: pytest.TempPathFactory, together: int) -> list[Call]:
    """What was asked of the disk by four releases from a new ledger, so many paid for at once."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed (Debian: apt-get install strace)")
    folder = tmp_path_factory.mktemp("power") / "books"
    folder.mkdir()
    try:
        return traced(folder / "ledger", RELEASES, together)
    except RuntimeError as error:
        pytest.skip(f"strace cannot look here: {error}")


@pytest.fixture(scope="module")
def asked_for(tmp_path_factory: pytest.TempPathFactory) -> list[Call]:
    return asked_by(tmp_path_factory, 1)


@pytest.fixture(scope="module")
def asked_for_at_once(tmp_path_factory: pytest.TempPathFactory) -> list[Call]:
    return asked_by(tmp_path_factory, 2)


def judged(asked_for: list[Call], times: int, folder: Path) -> Iterator[str]:
    """Of what kind each state of the disk is."""
    random = Random(1)
    for told, disk in cuts(asked_for, times, random):
        laid(disk.somehow(random), folder)
        yield verdict(told, folder / "ledger")


def verdict(told: list[str], ledger: Path) -> str:
    """First as whoever starts again would find it, then without the package."""
    try:
        Ledger(ledger).history()
    except InputError:
        return "not opened"
    try:
        rows = rows_in_sqlite(str(ledger))
    except Exception:
        return "not read"
    if wrong := [*problems(rows, 0, budget=99.0), *ahead(str(ledger), rows)]:
        return wrong[0]
    return "whole" if {row[3] for row in rows}.issuperset(told) else "lost"


@pytest.mark.lengthy
def test_what_is_traced_is_what_happens(asked_for: list[Call]) -> None:
    kinds = Counter(call.kind for call in asked_for)
    assert kinds["told"] == RELEASES
    assert kinds["sync"] > 6 * RELEASES
    assert {call.name for call in asked_for} >= {"", "ledger", "ledger-journal", "ledger.head.new"}
    assert [call.to for call in asked_for if call.kind == "link"] == ["ledger"]
    disk = next(disk for told, disk in list(cuts(asked_for, 1, Random(1)))[-1:])
    assert sorted(disk.now) == ["ledger", "ledger.head"]


@pytest.mark.lengthy
@pytest.mark.parametrize("times", [1, slow(40)])
def test_wherever_the_power_goes_nothing_is_lost(times: int, asked_for: list[Call], tmp_path: Path) -> None:
    assert Counter(judged(asked_for, times, tmp_path / "left")) == {"whole": times * len(asked_for)}


@pytest.mark.lengthy
@pytest.mark.parametrize("times", [1, slow(40)])
def test_nothing_is_lost_of_releases_that_are_paid_for_at_once(
    times: int, asked_for_at_once: list[Call], asked_for: list[Call], tmp_path: Path
) -> None:
    synced, alone = (sum(call.kind == "sync" for call in each) for each in (asked_for_at_once, asked_for))
    assert RELEASES < synced < alone
    assert Counter(call.kind for call in asked_for_at_once)["told"] == RELEASES
    assert Counter(judged(asked_for_at_once, times, tmp_path / "left")) == {"whole": times * len(asked_for_at_once)}


@pytest.mark.parametrize(
    ("unsynced", "what"),
    [
        ({"ledger", "ledger-journal", "ledger.head.new", ""}, "lost"),
        slow(({"ledger"}, "lost")),
        slow(({""}, "lost")),
        slow(({"ledger-journal"}, "not opened")),
        slow(({"ledger.head.new"}, "not opened")),
    ],
)
def test_a_disk_that_does_not_sync_is_caught(
    unsynced: set[str], what: str, asked_for: list[Call], tmp_path: Path
) -> None:
    done = [call for call in asked_for if call.kind != "sync" or call.name not in unsynced]
    assert what in judged(done, 4, tmp_path / "left")
