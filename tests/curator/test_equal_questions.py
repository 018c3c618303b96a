"""Equal questions are one, however they are written; how sure an interval is to be is no part of the question."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius import InputError
from dalenius.curator import Curator, Session, policy_from, read_ask
from tests.cli.command import here
from tests.curator.asking import around, kinds
from tests.curator.policies import ask, curator, people, sections, village, with_measure

AGES = {
    "name": "age",
    "value": "age",
    "lower": 0,
    "upper": 2,
    "step": 1,
    "model": {"kind": "independent", "n": 20, "values": [0, 1, 2], "probabilities": [0.5, 0.25, 0.25]},
}


@pytest.fixture
def bob(tmp_path: Path) -> Iterator[Session]:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    with closing(Curator(policy_from(sections(**with_measure(queries=None))), tmp_path)) as made:
        yield made.session("bob", "measles")


@pytest.fixture
def ages(tmp_path: Path) -> Iterator[Session]:
    """People without labels, of whom each has one of three values."""
    (tmp_path / "people.csv").write_text("age\n" + "0\n1\n1\n2\n" * 5, encoding="utf-8")
    given = sections(measures=[AGES], source={"file": "people.csv"})
    with closing(Curator(policy_from(given), tmp_path)) as made:
        yield made.session("bob", "measles")


def asked(bob: Session, query: Any, measure: str = "ill", **terms: Any) -> Any:
    """As JSON sends it."""
    sent = json.dumps({"measure": measure, "query": query, **(terms or {"epsilon": 0.1})})
    return bob.ask(read_ask(json.loads(sent)))


EQUAL: list[list[dict[str, Any]]] = [
    [
        {"kind": "count"},
        {"kind": "count", "values": [1]},
        {"kind": "count", "values": [1.0], "per_label": False, "labels": None},
        {"labels": ["y", "x"], "kind": "count"},
        {"kind": "count", "labels": ["x", "y"]},
    ],
    [{"kind": "count", "per_label": True}, {"kind": "count", "per_label": True, "labels": ["y", "x"]}],
    [
        {"kind": "several", "queries": [{"kind": "count", "labels": ["x"]}, {"kind": "count"}]},
        {"kind": "several", "queries": [{"kind": "count", "labels": ["x"]}, {"kind": "count", "labels": ["y", "x"]}]},
    ],
    [
        {"kind": "sum", "weights": {"x": 1, "y": -0.0}},
        {"kind": "sum", "weights": {"y": 0, "x": 1.0}, "lower": None},
    ],
    [{"kind": "sum", "lower": -0.0, "upper": 1}, {"kind": "sum", "upper": 1.0, "lower": 0}],
]


@pytest.mark.parametrize("forms", EQUAL)
def test_equal_questions_get_one_answer(forms: list[dict[str, Any]], bob: Session) -> None:
    first, *others = [asked(bob, each) for each in forms]
    assert not first.repeated
    for other in others:
        assert other.repeated
        assert other.published.answers == first.published.answers
        assert other.budget == first.budget


def test_values_in_another_order_are_the_same_question(ages: Session) -> None:
    first = asked(ages, {"kind": "count", "values": [2, 1]}, "age")
    assert asked(ages, {"kind": "count", "values": [1.0, 2]}, "age").repeated
    assert asked(ages, {"kind": "histogram", "cells": [[0], [2, 1]]}, "age").published.labels == ("0", "1 or 2")
    assert asked(ages, {"kind": "histogram", "cells": [[-0.0], [1, 2]]}, "age").repeated
    assert not first.repeated


@pytest.mark.parametrize("terms", [{"epsilon": 0.1}, {"within": 30}])
def test_the_usual_noise_may_be_named(terms: dict[str, Any], bob: Session) -> None:
    first = asked(bob, {"kind": "count"}, **terms)
    second = asked(bob, {"kind": "count"}, noise={"kind": "geometric"}, **terms)
    assert second.repeated
    assert second.published.answers == first.published.answers
    assert not asked(bob, {"kind": "count"}, noise={"kind": "laplace"}, **terms).repeated


def test_other_questions_have_other_answers(bob: Session) -> None:
    queries = [{"kind": "count"}, {"kind": "count", "labels": ["x"]}, {"kind": "count", "labels": ["y"]}]
    queries += [{"kind": "count", "per_label": True}, {"kind": "count", "values": [0]}]
    assert not any(asked(bob, each, epsilon=0.05).repeated for each in queries)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"kind": "count", "labels": []}, "ask.query.labels: [], wanted 1 or more entries"),
        ({"kind": "sum", "labels": []}, "ask.query.labels: [], wanted 1 or more entries"),
        ({"kind": "count", "labels": ["x", "x"]}, "wanted each of them once ('x' is there twice)"),
        ({"kind": "sum", "labels": ["x", "y", "x"]}, "wanted each of them once ('x' is there twice)"),
        ({"kind": "count", "labels": ["x"] * 5000}, "wanted each of them once ('x' is there twice)"),
        ({"kind": "count", "values": [1, 1.0]}, "wanted each of them once (1.0 is there twice)"),
        ({"kind": "several", "queries": [{"kind": "count", "labels": []}]}, "labels: [], wanted 1 or more entries"),
        (
            {"kind": "count", "values": [0, 1]},
            "ask.query: count, wanted a question whose answer some record can change",
        ),
        ({"kind": "histogram", "cells": [[0, 1]]}, "wanted a question whose answer some record can change"),
        ({"kind": "sum", "lower": 5, "upper": 6}, "wanted a question whose answer some record can change"),
        ({"kind": "sum", "weights": {"x": 0, "y": 0}}, "wanted a question whose answer some record can change"),
    ],
)
def test_a_question_about_nobody_is_refused_and_not_recorded(
    query: dict[str, Any], said: str, bob: Session, tmp_path: Path
) -> None:
    """Its answer would go out exactly, for nothing; where the number of people is not public it is that number."""
    for terms in ({"epsilon": 0.1}, {"noise": {"kind": "geometric", "scale": 5}}, {"within": 10}):
        with pytest.raises(InputError) as caught:
            asked(bob, query, **terms)
        assert said in str(caught.value)
    assert kinds(tmp_path / "ledger.sqlite") == []


def test_a_spec_about_nobody_is_refused() -> None:
    for labels in ([], ["a", "a"]):
        with pytest.raises(InputError):
            dl.Count(labels=labels)
        with pytest.raises(InputError):
            dl.Max(labels=labels)


def half_width(scale: float, confidence: float) -> int:
    """The least m with Pr[|k| > m] at most 1 - confidence, for integers k of mass proportional to e^(-|k|/scale)."""
    a, m = exp(-1 / scale), 0
    while 2 * a ** (m + 1) / (1 + a) > 1 - confidence:
        m += 1
    return m


def _of_the_question(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """All that does not hang on how sure an interval is to be."""
    of_intervals = ("confidence", "interval", "relative", "advice", "sentences")
    sentences = {key: said for key, said in certificate["sentences"].items() if key not in of_intervals}
    return {"sentences": sentences, **{key: said for key, said in certificate.items() if key not in of_intervals}}


def test_the_same_question_with_another_confidence_has_its_own_interval(bob: Session) -> None:
    first = bob.ask(ask())
    (answer,), scale = first.published.answers, first.published.certificate["noise"]["scale"]
    assert isinstance(answer, Fraction)
    for confidence in (0.5, 0.99, 0.95, 0.5):
        again = bob.ask(ask(epsilon=0.2, confidence=confidence))
        assert again.repeated
        assert again.published.answers == (answer,)
        assert (again.budget, again.entry, again.hash) == (first.budget, first.entry, first.hash)
        found, wide = again.published.certificate, half_width(scale, confidence)
        assert found["confidence"] == confidence
        assert found["interval"] == [around(answer, wide)]
        (said,) = [row[1] for row in again.published.words if row[0] == "interval"]
        assert said.startswith(f"each holds the exact answer in at least {100 * confidence:g} % of such releases")
        assert said.endswith("; no exact answer is below 0") == (-wide <= answer <= wide)
        assert _of_the_question(found) == _of_the_question(first.published.certificate)


def test_an_interval_of_a_table_that_has_changed_since_keeps_what_was_said(tmp_path: Path) -> None:
    """Its noise was of other people: what it says of itself stays true."""
    with closing(curator(tmp_path)) as made:
        bob = made.session("bob", "measles")
        first = bob.ask(ask())
        (tmp_path / "people.csv").write_text(people() + "h9,x,0,90\nh9,y,1,91\n", encoding="utf-8")
        again = bob.ask(ask(epsilon=0.2, confidence=0.5))
        assert again.repeated
        assert again.published.answers == first.published.answers
        scale, said = again.published.certificate["noise"]["scale"], again.published.certificate
        (answer,) = again.published.answers
        assert not isinstance(answer, str)
        low, high = said["interval"][0]
        wide = half_width(scale, said["confidence"])
        assert low <= around(answer, wide)[0]
        assert high >= around(answer, wide)[1]


def test_a_release_again_with_another_confidence_has_its_own_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    spec = village(file="people.csv")
    first = dl.release(spec, tmp_path)
    again = dl.release(spec, tmp_path, confidence=0.5)
    assert again.repeated
    assert again.published.answers == first.published.answers
    (answer,), noise = again.published.answers, again.published.certificate["noise"]
    assert not isinstance(answer, str)
    wide = half_width(noise["scale"], 0.5)
    assert again.published.certificate["interval"] == [around(answer, wide)]
    assert again.budget == first.budget
    written = {"kind": "households", "by": "home", "epidemic": {"community": 0.1, "household": 0.3}}
    sent = {"model": written, "query": {"kind": "count"}, "notion": {"kind": "information", "epsilon": 0.5}}
    sent["data"] = {"name": "village", "value": "ill", "file": "people.csv"}
    (tmp_path / "spec.json").write_text(json.dumps(sent), encoding="utf-8")
    done = here(capsys, monkeypatch, "release", tmp_path / "spec.json", "--json", "--confidence", "0.5")
    assert done.code == 0
    assert json.loads(done.out)["interval"] == again.published.certificate["interval"]
    assert json.loads(done.out)["repeated"] is True
