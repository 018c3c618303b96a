"""What a network may not say, built in Python."""

from typing import Any

import pytest

from dalenius import InputError, Network

FAIR = [0.5, 0.5]
ROWS = [[0.7, 0.3], [0.2, 0.8]]
BAD: list[tuple[dict[str, Any], str]] = [
    ({}, r"Network: {}, wanted either nodes or file"),
    (
        {"nodes": [{"name": "a", "probabilities": FAIR}], "file": "x.bif"},
        r"Network: {.*}, wanted either nodes or file",
    ),
    ({"nodes": []}, r"Network.nodes: \[\], wanted 1 or more entries"),
    (
        {"nodes": [{"name": "a", "probabilities": [0.5, 0.4]}]},
        r"Network.nodes 1.probabilities: \[0.5, 0.4\], wanted probabilities that sum to 1 \(these sum to 0.9\)",
    ),
    (
        {
            "nodes": [
                {"name": "a", "probabilities": FAIR},
                {"name": "b", "parents": ["a"], "probabilities": [FAIR, [2, -1]]},
            ]
        },
        r"Network.nodes 2.probabilities row 2: \[2, -1\], wanted probabilities of at least 0 \(number 2 is -1.0\)",
    ),
    (
        {
            "nodes": [
                {"name": "a", "probabilities": FAIR},
                {"name": "b", "parents": ["a"], "probabilities": [FAIR, [1.0]]},
            ]
        },
        r"Network.nodes row 2: .*, wanted rows of 2 probabilities, one per value \(row 2 of node b has 1\)",
    ),
    (
        {"nodes": [{"name": "a", "values": [0, 1, 2], "probabilities": FAIR}]},
        r"Network.nodes row 1: .*, wanted rows of 3 probabilities, one per value \(row 1 of node a has 2\)",
    ),
    (
        {"nodes": [{"name": "a", "values": [1, 1], "probabilities": FAIR}]},
        r"Network.nodes row 1: .*, wanted distinct values \(node a has \[1, 1\]\)",
    ),
    (
        {"nodes": [{"name": "a", "parents": ["a"], "probabilities": ROWS}]},
        r"Network.nodes row 1: .*, wanted parents that are other nodes, each once \(node a has \['a'\]\)",
    ),
    (
        {
            "nodes": [
                {"name": "a", "probabilities": FAIR},
                {"name": "b", "parents": ["a", "a"], "probabilities": ROWS * 2},
            ]
        },
        r"Network.nodes row 2: .*, wanted parents that are other nodes, each once \(node b has \['a', 'a'\]\)",
    ),
    (
        {"nodes": [{"name": "a", "probabilities": FAIR}, {"name": "a", "probabilities": FAIR}]},
        r"Network.nodes: .*, wanted nodes of different names \(a is there twice\)",
    ),
    (
        {"nodes": [{"name": "a", "parents": ["c"], "probabilities": ROWS}]},
        r"Network.nodes: .*, wanted parents that are nodes \(node a has the parent c\)",
    ),
    (
        {"nodes": [{"name": "a", "probabilities": FAIR}, {"name": "b", "parents": ["a"], "probabilities": FAIR}]},
        r"Network.nodes: .*, wanted a row of probabilities for each assignment of the parents \(node b has 1 for 2\)",
    ),
    (
        {
            "nodes": [
                {"name": "a", "parents": ["c"], "probabilities": ROWS},
                {"name": "b", "parents": ["a"], "probabilities": ROWS},
                {"name": "c", "parents": ["b"], "probabilities": ROWS},
                {"name": "d", "parents": ["c"], "probabilities": ROWS},
            ]
        },
        r"Network.nodes: .*, wanted links without a cycle \(there is (a -> b -> c -> a|b -> c -> a.*|c -> a -> b.*)\)",
    ),
    ({"nodes": [{"name": "", "probabilities": FAIR}]}, r"Network.nodes 1.name: .*"),
    ({"nodes": [{"probabilities": FAIR}]}, r"Network.nodes 1.name: missing, wanted a value"),
    ({"nodes": [{"name": "a", "probabilities": "x"}]}, r"Network.nodes 1.probabilities: x, wanted a list"),
    ({"nodes": [{"name": "a", "probabilities": [["x", 1]]}]}, r"Network.nodes 1.probabilities 1 row 1: x, wanted .*"),
]


@pytest.mark.parametrize(("fields", "said"), BAD, ids=[said[-40:] for _, said in BAD])
def test_refusals(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=f"^{said}$") as caught:
        Network(**fields)
    assert "\n" not in str(caught.value)
