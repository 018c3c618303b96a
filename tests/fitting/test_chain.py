"""Transition matrices from simulated chains, the likelihood by enumeration, and the test of order 2."""

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np
import pytest
from scipy.stats.contingency import chi2_contingency

from dalenius.fitting import fit_chain
from dalenius.laws.law import IntArray


def remembering(steps: int, weight: float, draw: np.random.Generator) -> IntArray:
    """A binary chain of order 2: 1 is likelier by `weight` where the record before the last was 1."""
    states = [0, 1]
    for u in draw.random(steps - 2).tolist():
        states.append(int(u < 0.5 + weight * (2 * states[-2] - 1)))
    return np.array(states)


def test_smoothing_and_first_records_by_hand() -> None:
    fit = fit_chain([["a", "b", "b"], ["b", "a"], ["b"]], smoothing=2.0, initial="empirical")
    # Moves: a→b, b→b, b→a; first records a, b, b; a pseudo-count of 1 each.
    assert fit.model.transition == pytest.approx(np.array([[1 / 3, 2 / 3], [1 / 2, 1 / 2]]))
    assert fit.model.initial == pytest.approx((2 / 5, 3 / 5))
    assert (fit.model.n, fit.observations, fit.sequences, fit.transitions) == (3, 6, 3, 3)
    wanted = log(2 / 5) + 2 * log(3 / 5) + log(2 / 3) + 2 * log(1 / 2)
    assert fit.log_likelihood == pytest.approx(wanted, rel=1e-12)


def test_likelihood_is_the_models() -> None:
    draw = np.random.default_rng(2)
    sequences = draw.integers(0, 3, (4, 5))
    fit = fit_chain(sequences, 0.5)
    slots, logs = fit.model.law().outcomes()
    chances = dict(zip(map(tuple, slots.tolist()), logs.tolist(), strict=True))
    assert len(chances) == 3**5
    assert sum(np.exp(logs)) == pytest.approx(1)
    assert fit.log_likelihood == pytest.approx(sum(chances[tuple(each)] for each in sequences.tolist()), rel=1e-10)


def enumerated(sequences: Sequence[Sequence[int]]) -> float:
    """2 Σ over triples of log [ p̂(c | a, b) / p̂(c | b) ], the likelihoods of both orders term by term."""
    triples = [tuple(each[i : i + 3]) for each in sequences for i in range(len(each) - 2)]
    abc = Counter(triples)
    ab, bc, b = Counter(t[:2] for t in triples), Counter(t[1:] for t in triples), Counter(t[1] for t in triples)
    return 2 * sum(log(abc[t] / ab[t[:2]]) - log(bc[t[1:]] / b[t[1]]) for t in triples)


def test_second_order_by_enumeration_and_by_scipy() -> None:
    sequences = np.random.default_rng(3).integers(0, 3, (5, 200)).tolist()
    found = fit_chain(sequences).order_two
    assert found.statistic == pytest.approx(enumerated(sequences), rel=1e-9)
    assert found.degrees_of_freedom == 3 * 2**2
    tables = np.zeros((3, 3, 3), dtype=np.int64)
    for each in sequences:
        for a, b, c in zip(each, each[1:], each[2:], strict=False):
            tables[b, a, c] += 1
    wanted = [chi2_contingency(table, correction=False, lambda_="log-likelihood") for table in tables]
    assert found.statistic == pytest.approx(sum(each.statistic for each in wanted), rel=1e-9)
    assert found.smallest_expected == pytest.approx(min(each.expected_freq.min() for each in wanted))


def test_neighbours_that_never_occur_have_no_freedom() -> None:
    found = fit_chain([0, 1, 2] * 50).order_two  # a cycle: the neighbours of a record are certain
    assert (found.statistic, found.degrees_of_freedom, found.p_value) == (0, 0, None)


def test_too_short_for_order_two() -> None:
    found = fit_chain([[0, 1], [1, 1]]).order_two
    assert (found.degrees_of_freedom, found.p_value, found.smallest_expected) == (0, None, None)


def test_a_chain_of_order_two_is_told_from_one_of_order_one() -> None:
    draw = np.random.default_rng(5)
    for weight in (0.0, 0.1):
        fit = fit_chain(remembering(4000, weight, draw))
        assert fit.order_two.p_value is not None
        assert (fit.order_two.p_value < 1e-6) == (weight > 0)


def test_one_sequence_in_any_form_is_the_same() -> None:
    plain = fit_chain([0, 1, 1, 0, 1])
    assert fit_chain(np.array([0, 1, 1, 0, 1])) == plain
    assert fit_chain([[0, 1, 1, 0, 1]]) == plain
    assert fit_chain(np.array([[False, True, True, False, True]])) == plain
