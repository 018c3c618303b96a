"""Sessions whose requests come again, in another order, at once, or after the table was written."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.curator import Conflict, Curator, read_ask
from dalenius.curator.opened import Opened
from dalenius.errors import InputError, Refused, Unreachable
from tests.curator.asking import entries, kinds
from tests.curator.policies import ask, curator, people, policy

NAMES = ("ana", "bob")
LINES = people().splitlines()


def noised(scale: float) -> dl.Ask:
    return ask(noise=dl.Geometric(scale=scale))


def answers(done: Any) -> Any:
    return done.published.answers


def test_what_comes_again_is_answered_again_whoever_brings_it(tmp_path: Path) -> None:
    first = curator(tmp_path)
    told = answers(first.session("bob", "measles").ask(noised(40.0), key="one"))
    before = kinds(tmp_path / "ledger.sqlite")
    for made in (first, Curator(policy(), tmp_path)):  # as after a restart
        for key in ("one", None):
            assert answers(made.session("bob", "measles").ask(noised(40.0), key=key)) == told
    assert kinds(tmp_path / "ledger.sqlite") == before
    assert answers(first.session("ana", "measles").ask(noised(40.0), key="one")) == told  # a key is its owner's
    assert kinds(tmp_path / "ledger.sqlite") == [*before, "shared"]


def test_a_key_that_comes_with_another_ask_is_refused_and_nothing_is_paid(tmp_path: Path) -> None:
    session = curator(tmp_path).session("bob", "measles")
    session.ask(noised(40.0), key="one")
    before = kinds(tmp_path / "ledger.sqlite")
    with pytest.raises(Conflict):
        session.ask(noised(41.0), key="one")
    assert kinds(tmp_path / "ledger.sqlite") == before


@pytest.mark.slow
def test_in_whatever_order_the_same_is_spent(tmp_path: Path) -> None:
    spent = set()
    for place, order in enumerate(permutations((40.0, 55.0, 80.0))):
        folder = tmp_path / str(place)
        folder.mkdir()
        session = curator(folder).session("bob", "measles")
        for scale in order:
            session.ask(noised(scale))
        spent.add(session.budget().data.spent)
    assert len(spent) == 1


def test_a_table_that_was_written_is_opened_again(tmp_path: Path) -> None:
    """Its bytes are others, and so may be who lives with whom: neither the debit nor the noise is the old one's."""
    session = curator(tmp_path).session("bob", "measles")
    session.ask(noised(40.0))
    before = session.estimate(ask(epsilon=0.1)).calibration.noise.scale  # type: ignore[union-attr]
    (tmp_path / "people.csv").write_text("\n".join([LINES[0], *(f"h0,x,1,{place}" for place in range(6))]) + "\n")
    after = session.estimate(ask(epsilon=0.1)).calibration.noise.scale  # type: ignore[union-attr]
    assert after != before
    session.ask(noised(41.0))
    fingerprints = [body["fingerprint"] for kind, body in entries(tmp_path / "ledger.sqlite") if kind == "debit"]
    assert len(set(fingerprints)) == 2


@pytest.mark.parametrize("times", [1, 9])
def test_a_table_that_is_written_while_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Once, and what it costs is found again for those who are there now; each time, and nothing is paid."""
    ready, left = Curator.ready, list(range(times))

    def slowly(curator: Curator, opened: Opened, asked: dl.Ask, analyst: str) -> Any:
        found = ready(curator, opened, asked, analyst)
        if left:
            (tmp_path / "people.csv").write_text("\n".join(LINES[: -left.pop() - 1]) + "\n")
        return found

    session = curator(tmp_path).session("bob", "measles")
    monkeypatch.setattr(Curator, "ready", slowly)
    if times == 1:
        assert session.ask(noised(40.0)).published.certificate["people"] == 19
        return
    with pytest.raises(Unreachable, match=r"^data: measles, wanted a table whose people stay the same while"):
        session.ask(noised(40.0))
    assert not (tmp_path / "ledger.sqlite").exists()


def test_nobody_asks_for_exact_answers(tmp_path: Path) -> None:
    """This promise alone would allow them, and whoever knows all other records would learn the last one."""
    with pytest.raises(InputError, match=r"^ask\.noise: .*, wanted noise that adds something"):
        read_ask({"measure": "ill", "query": {"kind": "count"}, "noise": {"kind": "none"}})
    session = curator(tmp_path, notion={"kind": "mutual_information", "epsilon": 5.0}).session("bob", "measles")
    with pytest.raises(Refused, match="leaves an answer exact"):
        session.ask(ask(epsilon=5.0))
