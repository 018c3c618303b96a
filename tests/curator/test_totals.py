"""By default a data set has what the first promise says, and every certificate says what all answers say together."""

import json
from pathlib import Path
from typing import Any

import pytest

from dalenius.cli.release import recorded_json
from dalenius.curator import Ledger, Overspent, Recorded, accounts, release
from dalenius.curator.recorded_answers import risk_words
from dalenius.errors import Refused
from dalenius.notions import DifferentialPrivacy, InformationPrivacy, MutualInformationPrivacy

DATA = "home,ill\n" + "".join(f"{number // 3},{int(number % 7 == 0)}\n" for number in range(300))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ill.csv").write_text(DATA)
    return tmp_path


def asked(folder: Path, *promises: dict[str, Any], **rest: Any) -> Recorded:
    spec = {
        "model": {"kind": "households", "by": "home", "epidemic": {"community": 0.04, "household": 0.15}},
        "query": {"kind": "count"},
        "promises": list(promises),
        "data": {"file": "ill.csv", "value": {"column": "ill", "equals": 1}},
    }
    return release(spec, folder, **rest)


def doubling(factor: float) -> dict[str, Any]:
    return {"kind": "information", "factor": factor}


CAP = {"kind": "differential", "epsilon": 4.0}


def row(done: Recorded, name: str) -> str:
    return next(said for key, said in done.words if key == name)


def test_whoever_promises_a_factor_may_not_promise_it_again(folder: Path) -> None:
    first = asked(folder, doubling(2), CAP)
    assert first.budget.initial == pytest.approx(0.6931, abs=1e-4)
    with pytest.raises(Overspent):
        asked(folder, doubling(1.99), CAP)


def test_the_first_release_is_payable_whatever_the_cap(folder: Path) -> None:
    """Its noise keeps both; what it spends is counted in the first promise alone."""
    done = asked(folder, {"kind": "information", "factor": 1.2}, {"kind": "differential", "epsilon": 9.0})
    assert done.budget.spent <= done.budget.initial == pytest.approx(0.1823, abs=1e-4)


def test_the_cap_holds_for_all_releases_together(folder: Path) -> None:
    loose, tight = {"kind": "information", "epsilon": 3.0}, {"kind": "differential", "epsilon": 0.2}
    asked(folder, loose, tight)
    with pytest.raises(
        Refused, match=r"of a record to an adversary who knows all others, all releases together; promised are"
    ):
        asked(folder, loose | {"epsilon": 2.9}, tight)


def test_an_old_certificate_says_what_has_gone_out_since(folder: Path) -> None:
    first = asked(folder, doubling(2), budget=4.0)
    assert row(first, "all answers").startswith(
        "this was the only one of this data set: no chance grows more than 2-fold: a chance of 1 %"
    )
    second = asked(folder, doubling(1.5), budget=4.0)
    spent = second.published.certificate["spending"]
    assert spent["in_words"].startswith("this one and all before it together: no chance grows more than")
    assert row(second, "all answers") == spent["in_words"]
    again = asked(folder, doubling(2), budget=4.0)
    assert (again.repeated, again.since) == (True, 1)
    assert row(again, "by then").startswith("this was the only one")
    together = spent["in_words"].split(": ", 1)[1]
    assert row(again, "all answers") == f"one more release of these data since; all together: {together}"
    (account,) = accounts(Ledger(folder / "ill.csv.ledger.sqlite").history())
    assert [paid.recorded.since for paid in account.paid if paid.recorded is not None] == [1, 0]
    told = recorded_json(again, ())
    assert (told["since"], told["since_in_words"]) == (1, row(again, "all answers"))


def test_the_certificate_says_what_was_asked_of_what_and_when(folder: Path) -> None:
    done = asked(folder, doubling(2))
    certificate = done.published.certificate
    assert certificate["data_set"] == "ill"
    assert certificate["asked"] == "how many records are 1; a record is 1 where ill = 1, else 0"
    assert certificate["model"]["epidemic"] == {"community": 0.04, "household": 0.15}
    assert "from outside with 4 %, and from each housemate who has it with 15 %" in certificate["model_in_words"]
    assert certificate["released"].endswith("Z")
    assert json.loads(json.dumps(certificate)) == certificate
    assert (row(done, "asked"), row(done, "model")) == (certificate["asked"], certificate["model_in_words"])
    assert row(done, "data set") == "ill"


def test_an_answer_that_the_model_makes_next_to_impossible_is_said_to_be(folder: Path) -> None:
    """Everybody is ill, where the model expects one in twenty: the answers of other tests are no news."""
    assert "warning" not in asked(folder, doubling(2)).published.certificate
    (folder / "ill.csv").write_text(DATA.replace(",0", ",1"))
    done = asked(folder, doubling(1.9), new_data=True, ledger=folder / "other")
    said = done.published.certificate["warning"]
    assert said.startswith("the model makes this answer next to impossible (chance ")
    assert said.endswith("a promise under the model does not hold if the model is wrong")
    assert row(done, "warning") == said


def test_what_a_chance_becomes() -> None:
    for notion, words in (
        (DifferentialPrivacy(odds=3), "change at most 3-fold: a chance of 1 % becomes at most 2.95 %"),
        (InformationPrivacy(factor=200), "more than 200-fold: a chance of 0.1 % becomes at most 20 %"),
        (
            InformationPrivacy(factor=1.5, delta=0.01),
            "no chance grows more than 1.5-fold: a chance of 1 % becomes at most 1.5 %, except with probability 0.01",
        ),
    ):
        assert notion.epsilon is not None
        assert (risk_words(notion, notion.epsilon) or "").endswith(words)
    assert risk_words(MutualInformationPrivacy(), 1.0) is None, "an average says nothing of chances"
