"""Sizes beyond all use, and sizes that do not fit in memory: one line each, at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from tests.cli.command import Run, complaint, written

WHOLE: Final = "wanted a number of at most 1,000,000,000,000"
STEPS: Final = "[[0.2, 0.8], [0.7, 0.3]]"
CHAIN: Final = f'kind = "chain"\nn = {{n}}\ntransition = {STEPS}\ninitial = "stationary"\n'
SETS: Final = CHAIN.replace("[0.2, 0.8]", "[[0.1, 0.3], [0.7, 0.9]]").replace('"stationary"', "[0.5, 0.5]")
BITS: Final = 'kind = "independent"\nn = {n}\nprobabilities = [0.3]\n'
COUNT: Final = '[query]\nkind = "count"\n'
ASKED: Final = '[query]\nkind = "count"\n[noise]\nkind = "laplace"\nscale = 3.0\n'
PROMISED: Final = '[query]\nkind = "count"\n[notion]\nkind = "differential"\nepsilon = 1.0\n'

MODELS = {
    "model.n": (BITS, CHAIN, SETS, 'kind = "pairwise"\nn = {n}\nvalues = [0, 1]\nprior = [0.5, 0.5]\n'),
    "model.count": ('kind = "households"\ncount = {n}\ninfected = [0.9, 0.1]\n',),
    "model.types 1.count": (
        'kind = "households"\ntypes = [{{ count = {n}, infected = [0.9, 0.1] }}]\n',
        'kind = "groups"\ntypes = [{{ count = {n}, records = [[0, 0], [1, 1]], probabilities = [0.9, 0.1] }}]\n',
    ),
    "model.parts 1.n": ('kind = "product"\nparts = [{{ kind = "independent", n = {n}, probabilities = [0.3] }}]\n',),
}
"""By key of the size, models."""

Said: TypeAlias = Callable[..., str]


@pytest.fixture
def said(tmp_path: Path, run: Run) -> Said:
    """The refusal of a command, given a model with its size, the rest of the spec, and the command."""

    def of(model: str, n: int, rest: str, command: str, *more: str) -> str:
        return complaint(run(command, written(tmp_path, f"[model]\n{model.format(n=n)}{rest}"), *more))

    return of


def test_more_than_a_million_millions(said: Said) -> None:
    for key, models in MODELS.items():
        for model in models:
            assert said(model, 10**12 + 1, ASKED, "audit") == f"{key}: {10**12 + 1}, {WHOLE}"
    assert said(BITS, 10**30, ASKED, "audit") == f"model.n: {10**30}, {WHOLE}"


def test_what_does_not_fit_in_memory(said: Said) -> None:
    conversion = ("convert", "--epsilon", "0.5", "--neighbours", "replace")
    for model, rest, command in (
        (CHAIN, ASKED, ("audit",)),
        (SETS, PROMISED, ("compare",)),
        (CHAIN, COUNT, conversion),
    ):
        wanted = "use 4,194,304 at most, or several chains"
        line = f"model.n: a chain of 10,000,000 records of 2 values is too large, {wanted}"
        assert said(model, 10**7, rest, *command) == line
    line = said(MODELS["model.n"][-1], 10**9, ASKED, "audit")
    assert line == "model.n: a network of 1,000,000,000 people is too large, use 16,777,216 at most"
    assert said(BITS, 10**7, ASKED, "posterior", "--answers", "7").startswith(
        "the law of the answer: all that is outside a window is too large, ask about fewer people"
    )
    assert said(BITS, 10**7, PROMISED, "calibrate", "--method", "optimal").startswith(
        "the optimal kernel: 27,772 likely answers under differential privacy is too large, use method "
    )
