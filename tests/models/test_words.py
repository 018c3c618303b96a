"""What each model takes the records for, in a sentence with its numbers."""

import pytest

from dalenius import wings
from dalenius.spec import read_spec

COIN = {"kind": "independent", "n": 2, "probabilities": [0.5]}

SAID = {
    "independent": (
        {"kind": "independent", "n": 1000, "probabilities": [0.1]},
        "1,000 records, none of which depends on another; each is: 0 with 90 %, 1 with 10 %",
    ),
    "households": (
        {"kind": "households", "by": "home", "epidemic": {"community": 0.04, "household": [0.1, 0.15]}},
        "who lives with whom is read from column home; a person is taken to catch it from outside with 4 %, and from "
        "each housemate who has it with 10 % to 15 %; households do not depend on each other",
    ),
    "groups": (
        {"kind": "groups", "types": [{"count": 3, "records": [[0, 0], [1, 1]], "probabilities": [0.9, 0.1]}]},
        "3 groups of 2 records that depend on each other: (0, 0) with 90 %, (1, 1) with 10 %; groups do not depend on "
        "each other",
    ),
    "chain": (
        {"kind": "chain", "n": 365, "transition": [[0.9, 0.1], [0.2, 0.8]], "initial": "stationary"},
        "365 records in a row, each of which depends on the one before; after 0: 0 with 90 %, 1 with 10 %; after 1: "
        "0 with 20 %, 1 with 80 %; the first as in the long run",
    ),
    "table": (
        {"kind": "table", "records": [[0, 0], [1, 1]], "probabilities": [0.9, 0.1]},
        "2 records that depend on each other: (0, 0) with 90 %, (1, 1) with 10 %",
    ),
    "network": (
        {
            "kind": "network",
            "nodes": [
                {"name": "a", "probabilities": [0.9, 0.1]},
                {"name": "b", "parents": ["a"], "probabilities": [[0.9, 0.1], [0.5, 0.5]]},
            ],
        },
        "2 records in a network: a: 0 with 90 %, 1 with 10 %; b depends on a",
    ),
    "pairwise": (
        {"kind": "pairwise", "n": 3, "values": [0, 1], "edges": [[1, 2]], "given": [[0.9, 0.1], [0.1, 0.9]]},
        "3 records, each one of 0, 1; of a linked pair of people it is known how their records go together, and no law "
        "of all",
    ),
    "product": (
        {"kind": "product", "parts": [COIN, COIN]},
        "people of several parts, which do not depend on each other: (1) 2 records, none of which depends on another; "
        "each is: 0 with 50 %, 1 with 50 %; (2) 2 records, none of which depends on another; each is: 0 with 50 %, "
        "1 with 50 %",
    ),
    "any": (
        {"kind": "any", "models": [COIN]},
        "any one of these, whichever is worst: (1) 2 records, none of which depends on another; each is: 0 with 50 %, "
        "1 with 50 %",
    ),
    "gaussian": (
        {"kind": "gaussian", "mean": [1, 1], "covariance": [[4, 1], [1, 4]]},
        "2 normal records, means 1; deviations 2; they depend on each other as the given covariances say",
    ),
    "absent": (
        {"kind": "absent", "answers": [3, 4]},
        "one person is absent from the table, and everybody else's record is known; each is as likely as any other",
    ),
    "moments": (
        {"kind": "moments", "n": 100, "neighbourhood": 3, "variance": 0.2, "range": 1.0, "known_fraction": 0.1},
        "100 records of unknown law, of variance 0.2 on average, within a range of 1; each depends on at most 2 "
        "others; 10 % of them may be known",
    ),
    "linked": (
        {"kind": "linked", "stages": ["May", "June"], "within": COIN, "coupling": "chain", "persistence": 0.9},
        "the same people at May, June; within the first: 2 records, none of which depends on another; each is: 0 with "
        "50 %, 1 with 50 %; from one to the next a person's value stays with 90 %, and else is drawn anew",
    ),
}


@pytest.mark.parametrize("kind", wings.MODELS)
def test_in_words(kind: str) -> None:
    model, words = SAID[kind]
    assert read_spec({"model": model, "query": {"kind": "count"}}).model.words == words
