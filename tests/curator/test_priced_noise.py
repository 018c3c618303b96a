"""A noise that was found in another process makes the release that would have been prepared here."""

import pickle
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dalenius.curator import Curator, Inquiry, Prepared, policy_from, prepared_from, priced_of, read_ask
from dalenius.curator.inquiry import ready_of
from tests.curator.policies import people, sections, with_measure

ASKS: list[dict[str, Any]] = [
    {"query": {"kind": "count"}, "epsilon": 0.1},
    {"query": {"kind": "count", "labels": ["y", "x"]}, "epsilon": 0.1},
    {"query": {"kind": "count"}, "epsilon": 0.1, "noise": {"kind": "geometric"}},
    {"query": {"kind": "count", "labels": ["y", "x"]}, "within": 10, "confidence": 0.9},
    {"query": {"kind": "sum", "weights": {"y": 2, "x": 1}}, "noise": {"kind": "laplace", "scale": 30}},
    {"query": {"kind": "several", "queries": [{"kind": "count", "labels": ["x", "y"]}]}, "epsilon": 0.2},
]


@pytest.mark.parametrize("sent", ASKS)
def test_the_release_is_the_same(sent: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    with closing(Curator(policy_from(sections(**with_measure(queries=None))), tmp_path)) as made:
        data = made.policy.data[0]
        opened = made.opened(data, data.measures[0])
        inquiry = Inquiry(data, data.measures[0], opened.public, read_ask({"measure": "ill", **sent}), "bob")
        wanted = ready_of(inquiry)
        found = prepared_from(pickle.loads(pickle.dumps(priced_of(inquiry))), inquiry, opened.bare, opened.convert)
        assert isinstance(found, Prepared)
        assert isinstance(wanted, Prepared)
        assert found.terms == wanted.terms
        assert found.calibration == wanted.calibration
        assert (found.confidence, found.advised) == (wanted.confidence, wanted.advised)
        assert replace(found.cost, convert=None) == replace(wanted.cost, convert=None)
        assert (found.cost.convert is None) == (wanted.cost.convert is None)
        for each in (found, wanted):
            assert (each.chosen.query, each.chosen.noise) == (wanted.chosen.query, wanted.calibration.noise)
        assert found.chosen.scores.names == wanted.chosen.scores.names
