"""Sizes beyond all use, and sizes that do not fit in memory: one line each, at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from tests.cases import in_turn
from tests.cli.command import Run, complaint

WHOLE: Final = "wanted a number of at most 1,000,000,000,000"
STEPS: Final = "[[0.2, 0.8], [0.7, 0.3]]"
CHAIN: Final = f'kind = "chain"\nn = {{n}}\ntransition = {STEPS}\ninitial = "stationary"\n'
SETS: Final = CHAIN.replace("[0.2, 0.8]", "[[0.1, 0.3], [0.7, 0.9]]").replace('"stationary"', "[0.5, 0.5]")
BITS: Final = 'kind = "independent"\nn = {n}\nprobabilities = [0.3]\n'
COUNT: Final = '[query]\nkind = "count"\n'
ASKED: Final = '[query]\nkind = "count"\n[noise]\nkind = "laplace"\nscale = 3.0\n'
PROMISED: Final = '[query]\nkind = "count"\n[notion]\nkind = "differential"\nepsilon = 1.0\n'

MODELS = {
    "people": (BITS, "model.n"),
    "steps": (CHAIN, "model.n"),
    "steps with intervals": (SETS, "model.n"),
    "households": ('kind = "households"\ncount = {n}\ninfected = [0.9, 0.1]\n', "model.count"),
    "households of a type": (
        'kind = "households"\ntypes = [{{ count = {n}, infected = [0.9, 0.1] }}]\n',
        "model.types 1.count",
    ),
    "groups": (
        'kind = "groups"\ntypes = [{{ count = {n}, records = [[0, 0], [1, 1]], probabilities = [0.9, 0.1] }}]\n',
        "model.types 1.count",
    ),
    "of a part": (
        'kind = "product"\nparts = [{{ kind = "independent", n = {n}, probabilities = [0.3] }}]\n',
        "model.parts 1.n",
    ),
    "pairs": ('kind = "pairwise"\nn = {n}\nvalues = [0, 1]\nprior = [0.5, 0.5]\n', "model.n"),
}


Said: TypeAlias = Callable[..., str]


@pytest.fixture
def said(tmp_path: Path, run: Run) -> Said:
    """The refusal of a command, given a model with its size, the rest of the spec, and the command."""

    def of(model: str, n: int, rest: str, *command: str) -> str:
        path = tmp_path / "spec.toml"
        path.write_text(f"[model]\n{model.format(n=n)}{rest}", encoding="utf-8")
        return complaint(run(command[0], path, *command[1:]))

    return of


@pytest.mark.parametrize("name", MODELS)
def test_more_than_a_million_millions(name: str, said: Said) -> None:
    model, key = MODELS[name]
    for n in (10**12 + 1, 10**30):
        assert said(model, n, ASKED, "audit") == f"{key}: {n}, {WHOLE}"


@in_turn({"command": ["audit", "compare", "convert"], "model": [CHAIN, SETS]})
def test_a_chain_that_does_not_fit_in_memory(model: str, command: str, said: Said) -> None:
    given = ("--epsilon", "0.5", "--neighbours", "replace") if command == "convert" else ()
    rest = {"audit": ASKED, "compare": PROMISED, "convert": COUNT}[command]
    for n in (10**7, 10**12):
        wanted = "use 4,194,304 at most, or several chains"
        line = f"model.n: a chain of {n:,} records of 2 values is too large, {wanted}"
        assert said(model, n, rest, command, *given) == line


def test_a_network_that_does_not_fit_in_memory(said: Said) -> None:
    line = said(MODELS["pairs"][0], 10**9, ASKED, "audit")
    assert line == "model.n: a network of 1,000,000,000 people is too large, use 16,777,216 at most"


@pytest.mark.parametrize("command", [("posterior", "--answers", "7"), ("calibrate", "--method", "optimal")])
def test_a_law_that_does_not_fit_in_memory(command: tuple[str, ...], said: Said) -> None:
    line = said(BITS, 10**7, ASKED if command[0] == "posterior" else PROMISED, *command)
    posterior = "the law of the answer: all that is outside a window is too large, ask about fewer people"
    optimal = "the optimal kernel: 27,772 likely answers under differential privacy is too large, use method "
    assert line.startswith(posterior if command[0] == "posterior" else optimal)
