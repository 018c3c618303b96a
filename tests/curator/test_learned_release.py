"""Releases of what is learned: answers, certificate, debit, and what is refused before anything is paid."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dalenius as dl
from dalenius.curator import Ledger, Recorded
from dalenius.curator.budgets import Overspent
from dalenius.errors import InputError, Refused
from tests.cli.command import Run, complaint

DRAWS = np.random.default_rng(3)
AGE = np.concatenate([DRAWS.normal(30, 3, 2000), DRAWS.normal(60, 3, 2000)]).round(2)
TOWN = pd.DataFrame({"age": AGE, "hours": DRAWS.normal(40, 5, 4000).round(2), "pay": np.where(AGE > 45, "high", "low")})
EDGES = pd.DataFrame({"one": [f"p{i}" for i in range(3000)], "other": [f"p{(i + 1) % 3000}" for i in range(3000)]})
BOUNDS = [[10, 0], [90, 80]]
GROUPS: dict[str, Any] = {"kind": "kmeans", "columns": ["age", "hours"], "bounds": BOUNDS, "clusters": 2}
LINE: dict[str, Any] = {
    "kind": "classifier",
    "columns": ["age", "hours"],
    "bounds": BOUNDS,
    "label": "pay",
    "classes": ["low", "high"],
}
DEGREES: dict[str, Any] = {"kind": "degrees", "ends": ["one", "other"], "people": 3000, "max_degree": 4}
PAIRS: dict[str, Any] = {
    "kind": "pairwise",
    "n": 4000,
    "edges": [[1, 2], [2, 3], [3, 4]],
    "given": [[0.9, 0.1], [0.2, 0.8]],
}


def spec(query: dict[str, Any], epsilon: float = 4.0, **sections: Any) -> dict[str, Any]:
    kind = "inferential" if "dependence" in sections else "differential"
    return {"query": query, "notion": {"kind": kind, "epsilon": epsilon}, "data": {"name": "town"}, **sections}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def released(query: dict[str, Any], frame: pd.DataFrame, book: Path, **sections: Any) -> Recorded:
    terms = {name: sections.pop(name) for name in ("budget",) if name in sections}
    return dl.release(spec(query, **sections), data=frame, ledger=book, **terms)


def told(done: Recorded) -> dict[str, float]:
    return {label: float(each) for label, each in zip(done.published.labels, done.published.answers, strict=True)}


def test_centres_are_near_the_true_ones_and_the_same_again_costs_nothing(book: Path) -> None:
    apart = TOWN.assign(hours=np.where(AGE > 45, 70.0, 10.0))  # each centre to begin with is nearer to one of them
    done = released(GROUPS, apart, book, epsilon=40.0)
    found = told(done)
    assert sorted(round(found[f"centre {k} age"] / 30) for k in (1, 2)) == [1, 2]
    assert sum(found[f"people near centre {k}"] for k in (1, 2)) == pytest.approx(4000, abs=400)
    again = released(GROUPS, apart, book, epsilon=40.0)
    assert again.repeated
    assert again.published.answers == done.published.answers
    assert done.budget.spent == again.budget.spent == 40.0


def test_a_classifier_tells_the_labels_apart(book: Path) -> None:
    for learner in ("logistic", "svc"):
        found = told(released(LINE | {"learner": learner}, TOWN, book, budget=8.0))
        margin = (
            sum(found[f"weight of {name} for low"] * TOWN[name] for name in ("age", "hours"))
            + found["intercept for low"]
        )
        assert np.mean((margin > 0) == (TOWN.pay == "low")) > 0.9
    assert Ledger(book).budget("town").spent == 8.0


def test_more_than_two_classes_have_weights_each(book: Path) -> None:
    three = TOWN.assign(pay=np.where(AGE > 65, "top", TOWN.pay))
    found = told(released(LINE | {"classes": ["low", "high", "top"]}, three, book))
    assert {f"intercept for {name}" for name in ("low", "high", "top")} <= set(found)
    assert len(found) == 9


def test_degrees_are_counted(book: Path) -> None:
    found = told(released(DEGREES, EDGES, book))
    assert found["people with 2 edges"] > 2800
    assert sum(found.values()) == pytest.approx(3000)
    assert "people with 4 or more edges" in found


def test_degrees_that_hide_an_edge_add_up_with_nothing(book: Path) -> None:
    edges = DEGREES | {"neighbours": "edge"}
    assert released(edges, EDGES, book, epsilon=1.0, budget=100.0).budget.spent == 1.0
    with pytest.raises(Overspent):
        released(DEGREES, EDGES, book, epsilon=1.0, budget=100.0)


def test_the_certificate_says_what_the_estimator_guarantees(book: Path) -> None:
    done = released(GROUPS, TOWN, book, dependence={"method": "group", "size": 2})
    found = done.published.certificate
    own = dl.KMeans(2, epsilon=4.0, bounds=BOUNDS, method="group", dependence=2).guarantee
    assert found["guarantee"] == {key: each for key, each in own.shown().items() if key != "rests_on"} | {"proven": 4.0}
    losses = [each["times"] * each["sensitivity"] / each["scale"] for each in found["learned_noise"]]
    assert sum(losses) == pytest.approx(2.0, rel=1e-9)
    assert found["sound"]
    assert "warning" not in found
    assert set(own.rests_on) < set(found["hypotheses"])
    debit = next(iter(Ledger(book).history().debits.values())).body
    assert (debit["leakage"], debit["differential"], debit["records"]) == (4_000_000_000, 2_000_000_000, 2)


def test_releases_add_up_and_stop_at_the_budget(book: Path) -> None:
    released(GROUPS, TOWN, book, epsilon=1.0, budget=2.5)
    assert released(LINE, TOWN, book, epsilon=1.0, budget=2.5).budget.spent == 2.0
    with pytest.raises(Overspent, match=r"3 nats|0\.5 too much"):
        released(GROUPS | {"steps": 3}, TOWN, book, epsilon=1.0, budget=2.5)


def test_groups_add_what_a_group_loses(book: Path) -> None:
    group = {"method": "group", "size": 2}
    released(GROUPS, TOWN, book, epsilon=1.0, dependence=group, budget=9.0)
    done = released(GROUPS | {"steps": 3}, TOWN, book, epsilon=1.0, dependence=group, budget=9.0)
    assert done.budget.spent == 2.0
    # Another size says that there are other groups: each release counts for the larger one.
    done = released(LINE, TOWN, book, epsilon=1.0, dependence={"method": "group", "size": 4}, budget=9.0)
    assert done.budget.spent == pytest.approx(4 * (0.5 + 0.5 + 0.25))


def test_an_unsound_method_is_refused_and_marked_where_it_is_accepted(book: Path) -> None:
    unsound: dict[str, Any] = {"method": "dependence_coefficient"}
    with pytest.raises(Refused, match="accept_unsound = true"):
        released(GROUPS, TOWN, book, dependence=unsound, model=PAIRS)
    accepted = unsound | {"accept_unsound": True}
    # What is proven is more than what was promised: four people are connected.
    with pytest.raises(Overspent):
        released(GROUPS, TOWN, book, dependence=accepted, model=PAIRS)
    done = released(GROUPS, TOWN, book, dependence=accepted, model=PAIRS, budget=20.0)
    found = done.published.certificate
    own = found["guarantee"]
    assert not found["sound"]
    assert found["warning"].startswith("NOT SOUND")
    assert own["proven"] == pytest.approx(4 * own["record_epsilon"])
    assert own["proven"] > own["epsilon"] == 4.0
    assert done.budget.spent == pytest.approx(own["proven"])
    assert found["notion"]["epsilon"] == own["proven"]
    assert any(row[0] == "warning" for row in done.words)
    sound = released(
        GROUPS, TOWN, book, dependence={"method": "comonotone"}, model=PAIRS | {"n": 4000, "edges": [[1, 2]]}
    )
    assert sound.published.certificate["sound"]


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({"query": GROUPS | {"bounds": [[10], [90, 80]]}}, "bounds for each of the 2 columns"),
        ({"query": GROUPS | {"columns": ["age", "age"]}}, "each column once"),
        ({"query": GROUPS | {"columns": ["age", "hous"]}}, "did you mean hours"),
        ({"query": GROUPS | {"columns": ["age", "pay"]}}, "a column of numbers"),
        ({"query": GROUPS | {"clusters": 0}}, "query.clusters"),
        ({"query": GROUPS | {"clusters": 4001}}, "at most the 4000 people there are"),
        ({"query": GROUPS | {"bounds": [5, 5]}}, "a lower bound below the upper one"),
        ({"query": LINE | {"classes": ["low", "top"]}}, "one of query.classes in every row (2,0"),
        ({"query": LINE | {"learner": "forest"}}, "query.learner"),
        ({"dependence": {"method": "magic"}}, "method one of independent, group"),
        ({"dependence": {"method": "group", "size": 2}}, "notion differential beside method independent"),
        ({"dependence": {"size": 2}}, "size beside method group only"),
        ({"model": PAIRS}, "no model beside method independent"),
        ({"notion": {"kind": "information", "epsilon": 1}}, "notion one of differential"),
        ({"data": {}}, "data.name: missing"),
    ],
)
def test_what_makes_no_sense_is_refused_for_nothing(changed: dict[str, Any], wanted: str, book: Path) -> None:
    with pytest.raises(InputError) as caught:
        dl.release(spec(GROUPS) | changed, data=TOWN, ledger=book)
    assert wanted in str(caught.value)
    assert "\n" not in str(caught.value)
    assert Ledger(book).budget("town").spent == 0


def test_more_people_with_edges_than_there_are_is_refused_for_nothing(book: Path) -> None:
    with pytest.raises(InputError, match=r"query\.people: 10, wanted at least the 3,000 that have edges"):
        released(DEGREES | {"people": 10}, EDGES, book)
    assert Ledger(book).budget("town").spent == 0


def test_missing_cells_are_refused(book: Path) -> None:
    with pytest.raises(InputError, match="data column age: 1 cells, wanted a value in every row"):
        released(GROUPS, TOWN.assign(age=TOWN.age.where(TOWN.index != 7)), book)


def test_a_price_is_said_before_anything_is_paid(book: Path) -> None:
    quoted = dl.quote(spec(GROUPS), data=TOWN, ledger=book, budget=10.0)
    assert not quoted.free
    assert (quoted.budget.spent, quoted.budget.remaining) == (4.0, 6.0)
    assert Ledger(book).budget("town").spent == 0
    released(GROUPS, TOWN, book, budget=10.0)
    assert dl.quote(spec(GROUPS), data=TOWN, ledger=book, budget=10.0).free


def test_the_command_releases_a_spec_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    TOWN.to_csv("town.csv", index=False)
    Path("spec.json").write_text(json.dumps(spec(GROUPS) | {"data": {"file": "town.csv"}}), encoding="utf-8")
    assert "4 nats" in run("release", "spec.json", "--cost").out
    done = run("release", "spec.json", "--json").json
    assert done["certificate"]["guarantee"]["method"] == "independent"
    assert len(done["answers"]) == 6
    assert "entry" in run("release", "spec.json").out
    assert Path("town.csv.ledger.sqlite").exists()
    assert "none: what is learned has no delta" in complaint(run("release", "spec.json", "--budget-delta", "0.1"))
