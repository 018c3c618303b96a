"""What no law is fitted to, and in which words that is said."""

from functools import partial
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from dalenius.certificates.fit import fit_moments
from dalenius.dependent.friends import fit_friends
from dalenius.dependent.graphs import clean_edges
from dalenius.errors import TooLarge
from dalenius.fitting import (
    benjamini_hochberg,
    fit_chain,
    fit_epidemic,
    fit_gaussian,
    fit_households,
    fit_independence,
    fit_network,
)
from dalenius.fitting.households import MOST_MEMBERS
from tests.cases import Refusals, check_refused

TWO: Any = {"a": [0, 1] * 10, "b": [0, 0, 1, 1] * 5}
HOMES: Any = {(2, 1): 5, (2, 0): 9}
STATES: Any = [0, 1, 1, 0]
LEVEL = "wanted a number above 0 and below 1"
REFUSED: Refusals = [
    (partial(fit_households, {(1, 0): 1}), "households: 1, wanted at least 2 households"),
    (
        partial(fit_households, {(1, 2): 3}),
        "households (1, 2): 3, wanted 0 to size infected, and a count of at least 0",
    ),
    (partial(fit_households, HOMES, 0.0), "smoothing: 0.0, wanted a finite number above 0"),
    (partial(fit_households, HOMES, inf), "smoothing: inf, wanted a finite number above 0"),
    (partial(fit_households, HOMES, credible=True), f"confidence: missing, {LEVEL} beside credible"),
    *(
        (partial(fit, given, confidence=confidence), f"confidence: {confidence}, {LEVEL}")
        for fit, given, confidence in (
            (fit_households, HOMES, 95.0),
            (fit_chain, STATES, nan),
            (fit_network, TWO, 0.0),
            (fit_independence, TWO, 1.0),
        )
    ),
    (partial(fit_chain, []), "sequences: none, wanted at least one sequence of at least 2 records"),
    (partial(fit_chain, [[0], [1]]), "sequences: one record in each, wanted a sequence of at least 2 records"),
    (partial(fit_chain, [3, 3, 3]), "value: 3, wanted at least two different values"),
    (partial(fit_chain, [0.0, nan]), "value: nan, wanted a finite number or a text in every row"),
    (partial(fit_chain, [0, None]), "value: nothing, wanted a finite number or a text in every row"),
    (partial(fit_chain, range(257)), "value: 257 different values, wanted at most 256: group them first"),
    (partial(fit_chain, [0, 1], initial="uniform"), "initial: uniform, wanted stationary or empirical"),  # type: ignore[arg-type]
    (partial(fit_network, {"a": [0, 1]}), "columns: a, wanted at least 2 columns"),
    (partial(fit_network, {"a": [0], "b": [1]}), "rows: 1, wanted at least 2 rows"),
    (
        partial(fit_network, {"a": [0, 1], "b": [0, 1, 1]}),
        "column b: 3 cells, wanted 2, as many as the first column has",
    ),
    (partial(fit_network, {"a": [0, 1], "b": [7, 7]}), "column b: 7, wanted at least two different values"),
    (partial(fit_independence, {"a": [0, 1], "b": [0, 1]}), "rows: 2, wanted at least 10 rows"),
    (partial(benjamini_hochberg, [0.5], 1.0), "level: 1.0, wanted a number between 0 and 1"),
    (partial(fit_gaussian, {}), "columns: none, wanted at least 1 columns"),
    (partial(fit_gaussian, {"a": ["x", "y", "z"]}), "column a: x, wanted a number in every row"),
    (
        partial(fit_gaussian, {"a": [1, 2, 3, 5, 8], "b": [2, 4, 6, 10, 16]}),
        "columns: a, b, wanted columns none of which is determined by the others",
    ),
    (partial(fit_moments, [0, 2, 1], 0, 1), "value: 2, wanted a number from 0 to 1, the public range, in every row"),
    (partial(fit_moments, [0, 1], 1, 1), "range: [1, 1], wanted finite ends…"),
    (
        partial(fit_moments, [0, 1] * 5, 0, 1),
        "rows: 10, wanted more, or less range: their deviation 0.527046 may be 0…",
    ),
    *(
        (partial(fit_friends, clean_edges(3, edges)[0], *given), message)
        for edges, given, message in (
            ([], (np.array([0, 1, 2]), np.eye(3)), "edges: none, wanted at least one"),
            ([(0, 1)], (np.array([0, 1]), np.eye(3)), "values: of 2 people, wanted one for each of 3"),
            ([(0, 1)], (np.array([0, 1, 99]), np.eye(3)), "values: 99, wanted one of 3, from 0"),
            (
                [(0, 1)],
                (np.array([0, 1, 2]), np.ones((4, 2))),
                "points: of shape (4, 2), wanted finite coordinates of…",
            ),
            (
                [(0, 1)],
                (np.array([0, 1, 2]), np.eye(3), np.zeros(3)),
                "weights: 0, wanted a weight above 0 of every value that a friend has",
            ),
        )
    ),
]


def test_what_has_no_fit_is_refused() -> None:
    check_refused(REFUSED)


def test_what_is_too_large_is_refused() -> None:
    counts = {(MOST_MEMBERS + 1, 0): 3, (2, 1): 1}
    assert fit_households(counts).epidemic is None
    with pytest.raises(
        TooLarge, match=r"^an epidemic: a household of 101 is too large, fit households of at most 100$"
    ):
        fit_epidemic(counts)
    with pytest.raises(TooLarge, match=r"^a value grid: 5001 values is too large, use a coarser one, of at most 5000$"):
        fit_friends(clean_edges(2, [(0, 1)])[0], np.array([0, 1]), np.zeros((5001, 2)))
