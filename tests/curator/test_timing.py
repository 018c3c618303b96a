"""What fails on the data is paid for and says one sentence, whatever it was; how long it takes is in `make bench`."""

import json
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.curator import Curator, Failed
from dalenius.curator.budgets import SENTENCE
from dalenius.tables import People
from tests.curator.asking import entries
from tests.curator.policies import ask, people, policy, with_measure

HEAD, *LINES = people().splitlines()
BAD = {
    "the first": [0],
    "the last": [len(LINES) - 1],
    "all": list(range(len(LINES))),
}
AGAIN = ("time", "fingerprint", "request", "salt")


def written(folder: Path, rows: list[int], value: str = "7") -> Curator:
    """A curator of a table in which these people's value is none that the model knows."""
    lines = list(LINES)
    for row in rows:
        home, place, _, age = lines[row].split(",")
        lines[row] = f"{home},{place},{value},{age}"
    folder.mkdir()
    (folder / "people.csv").write_text("\n".join([HEAD, *lines]) + "\n", encoding="utf-8")
    return Curator(policy(**with_measure(value="ill")), folder)


def failed(made: Curator, asked: dl.Ask) -> Failed:
    with pytest.raises(Failed) as caught:
        made.session("bob", "measles").ask(asked)
    return caught.value


def shown(folder: Path) -> list[Any]:
    """The ledger, without what is another's in any other table."""
    return [
        (kind, {key: value for key, value in body.items() if key not in AGAIN})
        for kind, body in entries(folder / "ledger.sqlite")
    ]


def test_failures_are_paid_and_alike_whatever_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[People] = []
    tally = People.tally

    def counted(table: People) -> Any:
        reads.append(table)
        return tally(table)

    monkeypatch.setattr(People, "tally", counted)
    ledgers, times = [], []
    for place, rows in enumerate(BAD.values()):
        made = written(tmp_path / str(place), rows)
        error = failed(made, ask(noise=dl.Geometric(scale=40.0)))
        assert str(error) == SENTENCE
        assert error.__cause__ is error.__context__ is None  # what it was is in no trace either
        times.append(len(reads))
        spent = made.session("bob", "measles").budget()
        assert failed(made, ask(noise=dl.Geometric(scale=40.0))).args == error.args
        assert made.session("bob", "measles").budget() == spent
        assert spent.data.spent > 0
        assert len(reads) == times[-1]  # the second time nothing is read
        ledgers.append(shown(tmp_path / str(place)))
    assert times == [1, 2, 3]
    assert ledgers[0] == ledgers[1] == ledgers[2]
    assert [kind for kind, _ in ledgers[0]] == ["budget", "debit", "answer"]
    assert ledgers[0][-1][1] == {"debit": 2, "failed": True}
    assert "7" not in json.dumps(ledgers[0][-1])


def test_what_a_failure_costs_is_what_its_answer_would(tmp_path: Path) -> None:
    bad, good = written(tmp_path / "bad", [3]), written(tmp_path / "good", [])
    for scale in (40.0, 50.0):
        asked = ask(noise=dl.Geometric(scale=scale))
        failed(bad, asked)
        told = good.session("bob", "measles").ask(asked)
        assert bad.session("bob", "measles").budget().data == told.budget
