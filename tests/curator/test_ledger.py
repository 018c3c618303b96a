"""The ledger: durable, never overspent, one budget per data, first come first served."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dalenius import InputError, Refused
from dalenius.curator import Budget, Ledger
from tests.cli import warm
from tests.curator.asking import changed, costing

ONE = costing(1.0, 1.0)


def test_a_ledger_of_version_0_1_0_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    changed(path, "CREATE TABLE budgets (data VARCHAR NOT NULL, initial FLOAT NOT NULL, PRIMARY KEY (data))")
    before = path.read_bytes()
    for use in (lambda: Ledger(path).debit("data", 7.0, ONE), lambda: Ledger(path).history()):
        with pytest.raises(InputError, match=r"^ledger: .*\(version 0\.1\.0 wrote it, which did not keep what"):
            use()
    assert path.read_bytes() == before


def spent(path: Path) -> int:
    connection = sqlite3.connect(path)
    (count,) = connection.execute("SELECT count(*) FROM releases").fetchone()
    connection.close()
    return int(count)


def tried(path: Path, budget: float) -> bool:
    try:
        Ledger(path).debit("data", budget, ONE)
    except Refused:
        return False
    return True


def test_the_first_spends_its_leakage_and_later_ones_their_group_losses(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    entry = costing(0.25, 2.0)
    assert ledger.debit("data", 7.0, entry) == Budget(7.0, 0.25)
    second = ledger.debit("data", 7.0, entry)
    assert second.spent == pytest.approx(4.0, abs=1e-12)
    assert second.spent >= 4.0
    assert second.remaining == 7.0 - second.spent
    assert ledger.debit("data", 7.0, entry).spent == pytest.approx(6.0, abs=1e-12)
    with pytest.raises(
        Refused, match=r"^this release, after 3 earlier of the same data, would spend 8 of a budget of 7"
    ):
        ledger.debit("data", 7.0, entry)
    assert spent(tmp_path / "ledger") == 3


def test_what_is_refused_leaves_nothing(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    said = r"^this release would spend 1 of a budget of 0\.5 nats: 1 requested, 0\.5 left, 0\.5 too much$"
    with pytest.raises(Refused, match=said):
        ledger.debit("data", 0.5, ONE)
    assert ledger.debit("data", 1.0, ONE) == Budget(1.0, 1.0)


def test_the_first_budget_stands(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    assert Ledger(path).debit("data", 2.5, ONE).initial == 2.5
    assert Ledger(path).debit("data", 100.0, ONE).initial == 2.5
    with pytest.raises(Refused):
        Ledger(path).debit("data", 100.0, ONE)


def test_different_data_have_separate_budgets(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    for data in ("one", "two", "three"):
        assert ledger.debit(data, 1.0, ONE) == Budget(1.0, 1.0)
        with pytest.raises(Refused):
            ledger.debit(data, 1.0, ONE)


def test_threads_do_not_overspend(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with ThreadPoolExecutor(8) as threads:
        allowed = sum(threads.map(lambda _: tried(path, 5.5), range(24)))
    assert allowed == 5
    assert spent(path) == 5


def debits(arguments: list[str]) -> None:
    """Prints how many of a dozen were allowed."""
    print(sum(tried(Path(arguments[0]), 10.5) for _ in range(12)))


def test_processes_do_not_overspend(tmp_path: Path) -> None:
    path, files = tmp_path / "ledger", [tmp_path / "one", tmp_path / "other"]
    running = [warm.started(debits, [str(path)], file, file.with_suffix(".err")) for file in files]
    assert [warm.ended(process) for process in running] == [0, 0]
    allowed = [int(file.read_text(encoding="utf-8")) for file in files]
    assert sum(allowed) == 10
    assert spent(path) == 10


@pytest.mark.parametrize("name", [":memory:", "ledger?mode=memory", "a%20b&c#d.sqlite"])
def test_a_strange_name_is_a_file_all_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert tried(Path(name), 1.0)
    assert not tried(Path(name), 1.0)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def corrupted(path: Path) -> None:
    path.write_bytes(b"this is no ledger at all, only a text. " * 100)


def cut_short(path: Path) -> None:
    tried(path, 9.0)
    path.write_bytes(path.read_bytes()[:5000])


def of_another_program(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE budgets (animal TEXT)")
    connection.commit()
    connection.close()


@pytest.mark.parametrize("spoil", [corrupted, cut_short, of_another_program])
def test_a_spoilt_file_gives_one_line(spoil: object, tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    assert callable(spoil)
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(InputError) as caught:
        Ledger(path).debit("data", 9.0, ONE)
    assert str(caught.value).startswith(f"ledger: {path}, wanted a SQLite file that can be written (")
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
