"""The budget belongs to the name: other bytes of the same people have the same, the same bytes have one name."""

import re
from pathlib import Path

import pytest

from dalenius import InputError, Refused
from dalenius.curator import Budget, Ledger, ledger_beside
from tests.curator.asking import asked, costing, entries, kinds, released


def test_other_bytes_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked("aaaabbbbccccdddd"))
    before = path.read_bytes()
    line = (
        'data set "people": its bytes (ddddccccbbbb) are not those of earlier releases (aaaabbbbcccc); if they are of '
        "the same people, --new-data asks them on the same budget, and if of others, [data] name is another"
    )
    with pytest.raises(Refused, match=f"^{re.escape(line)}$"):
        released(path, asked("ddddccccbbbbaaaa"))
    assert path.read_bytes() == before


def test_new_data_keep_what_was_spent(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked("one", budget=3.5))
    second = released(path, asked("two", budget=100.0, new_data=True))
    assert second.budget.initial == 3.5
    assert second.budget.spent == pytest.approx(2.0)
    assert not second.repeated
    assert released(path, asked("one", spec="[1]")).budget.spent == pytest.approx(3.0)  # the old bytes stay known
    with pytest.raises(
        Refused, match=r"^this release, after 3 earlier of the same data, would spend 4 of a budget of 3.5"
    ):
        released(path, asked("three", new_data=True))
    assert kinds(path).count("fingerprint") == 2  # what was refused is not known


def test_the_same_bytes_have_one_name(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked("bytes"))
    line = 'data set "copy": its ledger knows the same bytes as "people", and they have no second budget'
    for new_data in (False, True):
        with pytest.raises(Refused, match=f"^{re.escape(line)}$"):
            released(path, asked("bytes", name="copy", new_data=new_data))
    assert kinds(path) == ["budget", "fingerprint", "debit", "answer"]


def test_other_names_have_other_budgets(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    for name in ("people", "streets"):
        assert released(path, asked(name, name=name, budget=0.5)).budget == Budget(0.5, 0.5)
        with pytest.raises(Refused):
            released(path, asked(name, name=name, spec="[]"))


def test_a_budget_that_is_insisted_on_is_the_one_of_the_name(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked(budget=2.5, insisted=True))
    released(path, asked(budget=2.5, insisted=True, spec="[]"))
    for spec in ("{}", "[]", "[1]"):  # a repeated request too
        with pytest.raises(
            InputError, match=r'^budget: 3.0, wanted 2.5, what data set "people" was given in this ledger$'
        ):
            released(path, asked(budget=3.0, insisted=True, spec=spec))
    assert kinds(path).count("debit") == 2
    with pytest.raises(InputError, match=r"^budget: 3.0, wanted 2.5"):
        Ledger(path).earlier(asked(budget=3.0, insisted=True))


def test_no_sum_of_debits_is_rounded_down(tmp_path: Path) -> None:
    path, tenth = tmp_path / "ledger", costing(0.1, 0.1)
    for number in range(1, 10):
        spent = released(path, asked(spec=str(number), budget=1.0), cost=tenth).budget.spent
        assert spent * 10 >= number  # 0.1 as a double is above a tenth
    with pytest.raises(Refused, match="would spend 1 of a budget of 1 nats"):  # ten doubles of 0.1 are more than 1
        released(path, asked(spec="10", budget=1.0), cost=tenth)


def test_what_is_no_cost_is_refused(tmp_path: Path) -> None:
    for amounts in ((float("nan"), 1.0), (0.5, float("nan")), (-0.5, 1.0), (0.5, -1.0)):
        with pytest.raises(Refused, match="would spend"):
            released(tmp_path / "ledger", asked(), cost=costing(*amounts))
    assert kinds(tmp_path / "ledger") == []


def test_an_endless_loss_comes_back(tmp_path: Path) -> None:
    path, only = tmp_path / "ledger", costing(0.5, float("inf"), "noiseless")
    released(path, asked(), cost=only)
    assert entries(path)[2][1]["group_loss"] == "inf"
    with pytest.raises(Refused, match="would spend inf of a budget of 9 nats"):
        released(path, asked(spec="[]"))


def test_the_ledger_beside_the_data_is_the_one_that_knows_them(tmp_path: Path) -> None:
    table, other = tmp_path / "people.csv", tmp_path / "people.parquet"
    own = ledger_beside(table, asked("csv"))
    assert own.name == "people.csv.ledger.sqlite"
    released(own, asked("csv"))
    assert ledger_beside(other, asked("parquet")) == own
    assert ledger_beside(tmp_path / "copy.csv", asked("csv", name="copy")) == own
    assert ledger_beside(tmp_path / "streets.csv", asked("streets", name="streets")).name == "streets.csv.ledger.sqlite"
    released(tmp_path / "people.parquet.ledger.sqlite", asked("parquet"))
    line = (
        "ledger: missing, wanted one of people.csv.ledger.sqlite, people.parquet.ledger.sqlite, "
        "which all know data set 'people'"
    )
    with pytest.raises(InputError, match=f"^{re.escape(line)}$"):
        ledger_beside(table, asked("csv"))
