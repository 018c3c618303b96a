"""Whatever is asked by whom, budgets hold, and what is estimated is what is paid."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dalenius as dl
from dalenius.curator import Budget, Conflict, Failed, Ledger, Overspent, Quote, Session
from dalenius.curator.budgets import SENTENCE
from dalenius.curator.desk import Desk, Remembered
from dalenius.curator.noised import Prepared, prepared
from dalenius.errors import Refused
from dalenius.tables import People, open_people
from tests.curator.asking import kinds
from tests.curator.policies import ask, curator, people, policy, with_measure
from tests.pace import slow

POOL = [
    *(ask(dl.Count(per_label=each), epsilon=epsilon) for each in (False, True) for epsilon in (0.05, 0.11, 0.3, 0.7)),
    *(ask(dl.Count(labels=("x",)), noise=dl.Laplace(scale=scale)) for scale in (6.0, 20.0, 55.0)),
    ask(within=30.0),
    ask(dl.Count(values=(0,)), within=12.5, confidence=0.9),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("desk")
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    made = Desk(policy(), folder)
    yield made
    made.close()


def estimated(session: Session, asked: dl.Ask) -> Quote | str:
    """Or why it is refused."""
    try:
        return session.estimate(asked)
    except Refused as error:
        return str(error)


@pytest.mark.parametrize("seed", [0, 1, *(slow((seed,)) for seed in range(2, 10))])
def test_whatever_is_asked_no_budget_is_overspent_and_costs_are_as_estimated(
    shared: Desk, tmp_path: Path, seed: int
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


def test_what_was_estimated_is_remembered_and_the_oldest_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Any] = []

    def sought(*given: Any, **terms: Any) -> Prepared:
        found.append(given)
        return prepared(*given, **terms)

    monkeypatch.setattr("dalenius.curator.opened.prepared", sought)
    session = curator(tmp_path).session("ana", "measles")
    monkeypatch.setattr(session._desk, "_found", Remembered(2))
    for epsilon in (0.1, 0.1, 0.2, 0.1, 0.3, 0.2):
        session.estimate(ask(epsilon=epsilon))
    assert len(found) == 4


def test_what_another_was_told_costs_the_cap_alone(tmp_path: Path) -> None:
    made = curator(tmp_path)
    ana, bob = made.session("ana", "measles"), made.session("bob", "measles")
    first = ana.ask(ask(epsilon=0.4))
    quoted = bob.estimate(ask(epsilon=0.4))
    assert quoted.shared
    assert not quoted.free
    done = bob.ask(ask(epsilon=0.4))
    assert done.published.answers == first.published.answers
    assert done.budget == first.budget == quoted.budget
    assert done.own is not None
    assert done.own.spent == pytest.approx(0.4)
    assert [len(each.history()) for each in (ana, bob)] == [1, 1]


def test_a_cap_is_the_analysts_own(tmp_path: Path) -> None:
    made = curator(tmp_path)
    ana, bob = made.session("ana", "measles"), made.session("bob", "measles")
    with pytest.raises(Overspent) as caught:
        ana.ask(ask(epsilon=0.6))
    assert caught.value.whose == "analyst"
    assert caught.value.requested == pytest.approx(0.6)
    assert caught.value.remaining == 0.5
    assert not ana.history()
    bob.ask(ask(epsilon=0.6))
    with pytest.raises(Overspent) as caught:
        ana.ask(ask(dl.Count(per_label=True), epsilon=0.45))
    assert caught.value.whose == "data set"
    assert ana.budget().own.spent == 0


def test_failures_are_paid_for_and_say_nothing(tmp_path: Path) -> None:
    made = curator(tmp_path, **with_measure(value="ill"))
    head, first, *rows = people().splitlines()
    ill = first.split(",")
    ill[2] = "7"
    (tmp_path / "people.csv").write_text("\n".join([head, ",".join(ill), *rows]) + "\n", encoding="utf-8")
    session = made.session("ana", "measles")
    quoted = session.estimate(ask())
    for _ in range(2):
        with pytest.raises(Failed) as caught:
            session.ask(ask())
        assert str(caught.value) == SENTENCE
        assert (session.budget().own, session.budget().data) == (quoted.own, quoted.budget)
    (paid,) = session.history()
    assert paid.failed
    assert paid.recorded is None


def test_a_key_is_of_one_question(tmp_path: Path) -> None:
    session = curator(tmp_path).session("ana", "measles")
    first = session.ask(ask(), "monday")
    assert session.ask(ask(), "monday").published.answers == first.published.answers
    with pytest.raises(Conflict):
        session.ask(ask(epsilon=0.1), "monday")
    assert session.budget().data == first.budget
