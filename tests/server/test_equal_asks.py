"""Over the service too a question is one whatever its confidence, and a table has one budget whatever its name."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from dalenius.curator import Curator, policy_from
from dalenius.curator.data_set_policy import NotOpen
from dalenius.curator.group_commit import Attempt
from dalenius.curator.purchases import Purchase, pay
from dalenius.server import Role
from tests.curator.asking import kinds
from tests.curator.policies import ask, people, sections
from tests.server.served import ASK, serving

ESTIMATE = "/api/v1/data/measles/estimate"


@pytest.mark.lengthy
def test_another_confidence_has_the_same_answer_for_nothing(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        first = served.ask({**ASK, "confidence": 0.95}).json()
        spent, ends = served.spent(), dict[float, float]()
        for confidence in (0.5, 0.99, 0.95, 0.99, 0.5, 0.95):
            sent = {**ASK, "confidence": confidence}
            quoted = served.post(ESTIMATE, sent, "ana@measles").json()
            assert (quoted["free"], quoted["confidence"]) == (True, confidence)
            found = served.ask(sent).json()
            assert (found["repeated"], found["confidence"]) == (True, confidence)
            assert found["certificate"]["confidence"] == confidence
            assert (found["answers"], found["hash"]) == (first["answers"], first["hash"])
            ((_, high),) = found["interval"]
            assert ends.setdefault(confidence, high) == high
        assert ends[0.5] < ends[0.95] < ends[0.99]
        assert served.spent() == spent
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 1


def test_a_table_that_becomes_another_s_is_not_asked(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        (tmp_path / "mumps.csv").write_text(people().replace("h1,", "h9,"), encoding="utf-8")
        assert served.ask(who="bob@mumps", data="mumps").status_code == 200
        assert served.ask().status_code == 200
        shutil.copy(tmp_path / "people.csv", tmp_path / "mumps.csv")
        refused = served.ask({**ASK, "epsilon": 0.2}, who="bob@mumps", data="mumps")
        assert refused.status_code == 503
        assert "people" not in refused.text
        assert served.ask({**ASK, "epsilon": 0.2}).status_code == 200
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 3


def renamed() -> dict[str, Any]:
    """A policy of the same table under another name."""
    return {**sections(name="renamed", analysts=[{"name": "bob"}]), "service": {"requests_per_minute": 10_000}}


def test_a_table_that_a_ledger_knows_by_another_name_is_not_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(tmp_path) as served:
        assert served.ask().status_code == 200
    with serving(tmp_path, renamed()) as served:
        served.tokens["bob@renamed"] = served.made.make(Role.analyst, "bob", "renamed")[0]
        refused = served.ask(who="bob@renamed", data="renamed")
        assert refused.status_code == 503
        assert "measles" not in refused.text
    assert 'its ledger knows the same bytes as "measles"' in caplog.text
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 1


def test_answers_that_are_bought_together_are_refused_and_told_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    first = Curator(policy_from(sections()), tmp_path)
    first.session("bob", "measles").ask(ask())
    made = Curator(policy_from(renamed()), tmp_path)
    session = made.session("bob", "renamed")
    opened, _ = session.inquiry(ask())
    ready = [made.ready(opened, ask(epsilon=share), "bob") for share in (0.1, 0.2)]
    told: dict[int, Attempt[Any]] = {}
    pay(made.ledger, opened, [Purchase(session.request(each.cost.spec), each) for each in ready], told.__setitem__)
    for place in (0, 1):
        with pytest.raises(NotOpen):
            told[place].result()
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 1
    for each in (first, made):
        each.close()
