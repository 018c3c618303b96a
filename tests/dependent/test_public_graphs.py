"""What docs/how-to/degrees.md says of two public graphs: accuracies of one draw, at ε = 0.9."""

import os
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from dalenius.dependent.graphs import Edges, clean_edges, degrees
from dalenius.dependent.learning import DegreeDistribution, degree_accuracy

DATA: Final = os.environ.get("DALENIUS_DATA")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(DATA is None, reason="DALENIUS_DATA is not set")]


def graph(name: str, delimiter: str | None, head: int) -> Edges:
    pairs = np.loadtxt(Path(DATA or "") / "graphs" / name, dtype=np.int64, delimiter=delimiter, skiprows=head)
    return clean_edges(int(pairs.max()) + 1, pairs)[0]


@pytest.mark.parametrize(
    ("name", "delimiter", "head", "said", "whole"),
    [
        ("facebook_combined.txt.gz", None, 0, {"cumulative": 0.92, "sequence": 0.73, "histogram": 0.70}, 0.35),
        ("musae_git_edges.csv.gz", ",", 1, {"cumulative": 0.99, "sequence": 0.95, "histogram": 0.94}, 0.79),
    ],
)
def test_accuracies(name: str, delimiter: str | None, head: int, said: dict[str, float], whole: float) -> None:
    edges = graph(name, delimiter, head)
    truth = np.bincount(degrees(edges))
    for mode, wanted in said.items():
        found = degree_accuracy(truth, DegreeDistribution(0.9, mode=mode).fit(edges).counts_)
        assert found == pytest.approx(wanted, abs=0.08)
    hidden = DegreeDistribution(0.9, neighbours="node", max_degree=50).fit(edges)
    assert degree_accuracy(truth, hidden.counts_) == pytest.approx(whole, abs=0.15)
