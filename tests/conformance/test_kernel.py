"""Explicit stochastic matrices against the reference, on every model and query of the table."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Kernel
from tests.conformance.compare import compare
from tests.conformance.scores import Unfit
from tests.conformance.shared import exact_truth
from tests.conformance.table import MODELS, QUERIES, examples, truth_of
from tests.conformance.truth import Truth
from tests.pace import covering

MOST_CELLS = 16


def support(model: str, query: str) -> tuple[Truth, list[Fraction]]:
    truth = exact_truth(model, query)
    return truth, sorted({coordinate for answer in truth.answers for coordinate in answer})


def kernel_on(answers: list[Fraction], seed: int, zeros: bool) -> Kernel:
    """Three outputs; some entries tiny, and where asked some 0."""
    generator = np.random.default_rng(seed)
    rows = generator.dirichlet(np.ones(3), size=len(answers)) ** generator.choice([1, 1, 9], size=(len(answers), 1))
    if zeros:
        rows[generator.random(rows.shape) < 0.3] = 0.0
        rows[:, 0] += rows.sum(axis=1) == 0
    rows /= rows.sum(axis=1, keepdims=True)
    return Kernel(answers=tuple(map(float, answers)), probabilities=tuple(map(tuple, rows.tolist())))


def decimal(answers: list[Fraction]) -> bool:
    return all(Fraction(str(float(answer))) == answer for answer in answers)


def combinations() -> list[tuple[str, str]]:
    found = []
    for model in examples(MODELS):
        for query in examples(QUERIES):
            try:
                truth, answers = support(model, query)
            except Unfit:
                continue
            if truth.axes <= 2 and decimal(answers) and len(answers) ** truth.axes <= MOST_CELLS:
                found.append((model, query))
    return found


COMBINATIONS = combinations()


@pytest.mark.parametrize(
    ("model", "query"),
    covering(COMBINATIONS),
)
def test_against_the_reference(model: str, query: str) -> None:
    given = examples(MODELS)[model], examples(QUERIES)[query]
    truth, answers = support(model, query)
    seed = len(model) + 7 * len(query)
    noise = kernel_on(answers, seed, zeros=seed % 2 == 0)
    several = frozenset({"differential"}) if truth.axes > 1 else frozenset()
    compare(*given, noise, "enumeration", truth_of(*given, noise), but=several)


def test_near_lies_are_rejected() -> None:
    """One probability off by a millionth."""
    given = examples(MODELS)["equal pair"], examples(QUERIES)["sum"]
    rows = [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]
    honest = Kernel(answers=[0, 2], probabilities=rows)
    lie = Kernel(answers=[0, 2], probabilities=[rows[0], [0.1 + 1e-6, 0.6 - 1e-6, 0.3]])
    compare(*given, honest, None, truth_of(*given, honest))
    with pytest.raises(AssertionError):
        compare(*given, lie, None, truth_of(*given, honest))


def test_an_answer_without_a_row_is_named() -> None:
    release = Release(
        examples(MODELS)["equal pair"],
        examples(QUERIES)["sum"],
        Kernel(answers=[0, 1], probabilities=[[1, 0], [0, 1]]),
    )
    wanted = r"^noise.answers: \[0.0, 1.0\], wanted a row for every answer that can occur \(2 has none\)$"
    with pytest.raises(InputError, match=wanted):
        list(release.channels())
