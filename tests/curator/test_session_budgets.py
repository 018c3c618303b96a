"""Whatever is asked by whom, budgets hold, and what is estimated is what is paid."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dalenius as dl
from dalenius.curator import Budget, Ledger, Quote, Session
from dalenius.curator.curator import Curator
from dalenius.errors import Refused
from dalenius.tables import People, open_people
from tests.curator.asking import kinds
from tests.curator.policies import ask, curator, people, policy
from tests.pace import slow

POOL = [
    *(ask(dl.Count(per_label=each), epsilon=epsilon) for each in (False, True) for epsilon in (0.05, 0.11, 0.3, 0.7)),
    *(ask(dl.Count(labels=("x",)), noise=dl.Laplace(scale=scale)) for scale in (6.0, 20.0, 55.0)),
    ask(within=30.0),
    ask(dl.Count(values=(0,)), within=12.5, confidence=0.9),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Curator]:
    folder = tmp_path_factory.mktemp("curator")
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    made = Curator(policy(), folder)
    yield made
    made.close()


def estimated(session: Session, asked: dl.Ask) -> Quote | str:
    """Or why it is refused."""
    try:
        return session.estimate(asked)
    except Refused as error:
        return str(error)


@pytest.mark.parametrize("seed", [0, *(slow((seed,)) for seed in range(1, 10))])
def test_whatever_is_asked_no_budget_is_overspent_and_costs_are_as_estimated(
    shared: Curator, tmp_path: Path, seed: int
) -> None:
    shared.ledger = Ledger(tmp_path / "ledger.sqlite")
    random, refused = Random(seed), 0
    spent = Budget(1.0, 0.0)
    for _ in range(10):
        session = Session.at(shared, random.choice(["ana", "bob"]), "measles")
        asked = random.choice(POOL)
        quoted = estimated(session, asked)
        if isinstance(quoted, str):
            with pytest.raises(Refused) as caught:
                session.ask(asked)
            assert str(caught.value) == quoted
            assert session.budget().data == spent
            refused += 1
            continue
        done = session.ask(asked)
        assert (done.budget, done.own) == (quoted.budget, quoted.own)
        assert done.repeated == (quoted.free or quoted.shared)
        assert done.own is not None
        assert done.own.spent <= done.own.initial == (0.5 if session.analyst.name == "ana" else 1.0)
        assert session.budget().own == done.own
        assert spent.spent <= done.budget.spent <= done.budget.initial == 1.0
        spent = session.budget().data
        assert spent == done.budget
    assert refused or spent.spent > 0.2


@pytest.mark.slow
def test_threads_share_tables_and_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opens: list[Any] = []

    def opened(*given: Any, **more: Any) -> People:
        opens.append(given)
        return open_people(*given, **more)

    monkeypatch.setattr("dalenius.curator.opened.open_people", opened)
    made = curator(tmp_path)
    scales = [40.0 + number % 8 for number in range(24)]

    def one(place: int) -> Any:
        session = made.session("bob" if place % 2 else "ana", "measles")
        return session.ask(ask(noise=dl.Geometric(scale=scales[place]))).published.answers

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(one, range(24)))
    assert len(opens) == 1
    assert len({(scale, answers) for scale, answers in zip(scales, found, strict=True)}) == 8
    entries = kinds(tmp_path / "ledger.sqlite")
    assert entries.count("debit") == entries.count("answer") == 8
    assert made.budget("measles").spent <= 1.0
