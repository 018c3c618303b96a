"""`dalenius release`: answers with a certificate, a ledger that is never overspent."""

import re
import sqlite3
from pathlib import Path

import pytest

from dalenius import Conversion, PureProfile, read_spec
from dalenius.curator import release
from dalenius.spec import bound
from tests.cli.command import Run, complaint, dalenius

PEOPLE = """household,district,ill
a,Hill,1
a,Hill,1
a,Mill,0
b,Mill,0
b,Mill,0
c,Hill,1
d,Mill,0
d,Hill,0
"""
SPEC = """
model = { kind = "households", by = "household", epidemic = { community = 0.1, household = 0.4 } }
query = { kind = "count", per_label = true }
notion = { kind = "information", epsilon = 1.0 }
[data]
file = "people.csv"
value = "ill"
label = "district"
"""
CERTIFICATE = {
    *("notion", "method", "sound", "why", "noise", "expected_error", "leakage", "in_words"),
    *("differential", "bayesian", "bayesian_is_bound", "confidence", "interval", "relative", "advice"),
    *("hypotheses", "outcome", "risk", "people", "data", "dalenius", "spending"),
    *("asked", "query", "model", "model_in_words", "data_set", "released"),
}
SHOWN = {"answers", "labels", "confidence", "interval", "relative", "advice", "certificate", "budget"}


def written(folder: Path, extra: str = "") -> Path:
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "spec.toml").write_text(SPEC + extra, encoding="utf-8")
    return folder / "spec.toml"


def rows(ledger: Path) -> list[tuple[str, float]]:
    with sqlite3.connect(ledger) as connection:
        found = connection.execute("SELECT notion, leakage FROM releases").fetchall()
    connection.close()
    return found


def test_answers_certificate_and_budget(tmp_path: Path) -> None:
    """And the ledger stands beside the data and refuses a second release."""
    shown = dalenius("release", written(tmp_path), "--json").json
    assert set(shown) == SHOWN
    assert shown["labels"] == ["Hill", "Mill"]
    noise = shown["certificate"]["noise"]
    assert noise["kind"] == "geometric"
    for answer, truth in zip(shown["answers"], [3, 0], strict=True):
        assert isinstance(answer, int)
        assert abs(answer - truth) <= 60 * noise["scale"]
    assert set(shown["certificate"]) == CERTIFICATE
    assert shown["certificate"]["sound"] is True
    assert shown["certificate"]["people"] == 8
    assert shown["certificate"]["notion"] == {"kind": "information", "epsilon": 1.0}
    assert "who lives with whom is public" in shown["certificate"]["hypotheses"]
    assert "everybody's district is public" in shown["certificate"]["hypotheses"]
    assert set(shown["budget"]) == {"initial", "spent", "remaining", "route", "delta", "spent_delta"}
    leakage = shown["certificate"]["leakage"]["upper"]
    assert shown["budget"]["initial"] == 1.0
    assert shown["budget"]["spent"] == pytest.approx(leakage, rel=1e-9)
    assert shown["budget"]["spent"] <= leakage
    assert shown["budget"]["remaining"] == 1 - shown["budget"]["spent"]
    ledger = tmp_path / "people.csv.ledger.sqlite"
    recorded = [("information", shown["budget"]["spent"])]
    assert rows(ledger) == recorded
    other = tmp_path / "other.toml"  # the same again would be told what it was told before
    other.write_text(SPEC.replace("epsilon = 1.0", "epsilon = 0.5"), encoding="utf-8")
    said = complaint(dalenius("release", other, "--json"), code=1)
    assert said.startswith("this release, after 1 earlier of the same data, would spend ")
    assert re.search(r" of a budget of 1 nats: 1\.\d+ requested, 0 left, 1\.\d+ too much$", said)
    assert rows(ledger) == recorded


def test_a_budget_allows_a_second(tmp_path: Path, run: Run) -> None:
    spec, ledger = written(tmp_path), tmp_path / "other.sqlite"
    arguments = ("release", spec, "--ledger", ledger, "--budget", "20")
    one = run(*arguments, "--json").json
    assert one["budget"]["initial"] == 20
    assert one["budget"]["spent"] <= 1
    spec.write_text(SPEC.replace("epsilon = 1.0", "epsilon = 0.5"), encoding="utf-8")
    second = run(*arguments, "--json").json
    two = second["budget"]
    losses = [3 / each["certificate"]["noise"]["scale"] for each in (one, second)]  # a household of three may change
    assert two["spent"] < sum(losses)
    assert two["route"] == second["certificate"]["spending"]["route"] == "conversion"
    scales = [each["certificate"]["noise"]["scale"] for each in (one, second)]
    model = bound(read_spec(spec), tmp_path)[0].model
    truth = Conversion(model, PureProfile(sum(1 / scale for scale in scales)), "replace").epsilon(0.0).value
    assert two["spent"] >= truth.lower
    assert two["remaining"] == 20 - two["spent"]
    assert len(rows(ledger)) == 2
    assert not (tmp_path / "people.csv.ledger.sqlite").exists()


def test_a_given_scale_that_breaks_the_promise_is_refused(tmp_path: Path, run: Run) -> None:
    spec = written(tmp_path, '[noise]\nkind = "geometric"\nscale = 0.25\n')
    said = complaint(run("release", spec, "--json"), code=1)
    assert said.startswith("geometric noise of scale 0.25 leaks ")
    assert said.endswith("nats (information), the promise is 1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "spec.toml"]


def test_another_table_by_data(tmp_path: Path, run: Run) -> None:
    spec, other = written(tmp_path), tmp_path / "others.csv"
    other.write_text(PEOPLE + "e,Hill,1\n", encoding="utf-8")
    shown = run("release", spec, "--data", other, "--json").json
    assert shown["certificate"]["people"] == 9
    assert (tmp_path / "others.csv.ledger.sqlite").exists()
    assert not (tmp_path / "people.csv.ledger.sqlite").exists()


def test_python_and_the_command_share_the_ledger(tmp_path: Path) -> None:
    written(tmp_path)
    done = release(read_spec(tmp_path / "spec.toml"), tmp_path)
    assert not done.repeated
    shown = dalenius("release", tmp_path / "spec.toml", "--json").json
    assert shown["repeated"]
    assert shown["answers"] == [float(each) for each in done.published.answers]
    assert shown["certificate"] == dict(done.published.certificate)
    assert shown["budget"]["spent"] == done.budget.spent
    hypotheses = shown["certificate"]["hypotheses"]
    assert "who lives with whom is public" in hypotheses
    assert hypotheses[-1].startswith("nothing else is released from the same data")
