"""The ledger: durable, never overspent, one budget per data, first come first served."""

import sqlite3
from pathlib import Path

import pytest

from dalenius import InputError, Refused
from dalenius.curator import Budget, Ledger
from tests.curator.asking import changed, charged, costing, kinds

ONE = costing(1.0, 1.0)


def test_a_ledger_of_version_0_1_0_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    changed(path, "CREATE TABLE budgets (data VARCHAR NOT NULL, initial FLOAT NOT NULL, PRIMARY KEY (data))")
    before = path.read_bytes()
    for use in (lambda: charged(path, 7.0, ONE), lambda: Ledger(path).history()):
        with pytest.raises(InputError, match=r"^ledger: .*\(version 0\.1\.0 wrote it, which did not keep what"):
            use()
    assert path.read_bytes() == before


def test_what_is_refused_leaves_nothing(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    said = r"^this release would spend 1 of a budget of 0\.5 nats: 1 requested, 0\.5 left, 0\.5 too much$"
    with pytest.raises(Refused, match=said):
        charged(ledger, 0.5, ONE)
    assert charged(ledger, 1.0, ONE) == Budget(1.0, 1.0)


def tried(path: Path, budget: float) -> bool:
    try:
        charged(path, budget, ONE)
    except Refused:
        return False
    return True


def test_the_first_spends_its_leakage_and_later_ones_their_group_losses(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    entry = costing(0.25, 2.0)
    assert charged(ledger, 7.0, entry) == Budget(7.0, 0.25)
    second = charged(ledger, 7.0, entry)
    assert second.spent == pytest.approx(4.0, abs=1e-12)
    assert second.spent >= 4.0
    assert second.remaining == 7.0 - second.spent
    assert charged(ledger, 7.0, entry).spent == pytest.approx(6.0, abs=1e-12)
    with pytest.raises(
        Refused, match=r"^this release, after 3 earlier of the same data, would spend 8 of a budget of 7"
    ):
        charged(ledger, 7.0, entry)
    assert kinds(tmp_path / "ledger").count("debit") == 3


def test_a_strange_name_is_a_file_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "ledger?mode=memory", "a%20b&c#d.sqlite"):
        assert tried(Path(name), 1.0)
        assert not tried(Path(name), 1.0)
        assert (tmp_path / name).exists()


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


def test_a_spoilt_file_gives_one_line(tmp_path: Path) -> None:
    for spoil in (corrupted, cut_short, of_another_program):
        path = tmp_path / spoil.__name__
        spoil(path)
        before = path.read_bytes()
        for use in (lambda: charged(path, 9.0, ONE), lambda: Ledger(path).history()):  # noqa: B023
            with pytest.raises(InputError) as caught:
                use()
            assert str(caught.value).startswith(f"ledger: {path}, wanted ")
            assert "\n" not in str(caught.value)
        assert path.read_bytes() == before
