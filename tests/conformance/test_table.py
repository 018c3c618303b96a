"""Every model, query, noise and notion of the table against the reference, by every engine."""

from functools import cache
from typing import get_args

import pytest

from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.models import AnyModel
from dalenius.noise import AnyNoise
from dalenius.notions import AnyNotion
from dalenius.queries import AnyQuery
from tests.conformance import table
from tests.conformance.compare import compare
from tests.conformance.scores import Unfit
from tests.conformance.table import MODELS, NOISES, NOTIONS, QUERIES, examples, truth_of
from tests.conformance.truth import Truth


@pytest.mark.parametrize(
    ("union", "rows"), [(AnyModel, MODELS), (AnyQuery, QUERIES), (AnyNoise, NOISES), (AnyNotion, NOTIONS)]
)
def test_every_kind_has_a_row(union: object, rows: tuple[table.Row[object], ...]) -> None:
    assert {row.kind for row in rows} == set(get_args(union))
    assert all(row.examples for row in rows)


@cache
def _truth(model: str, query: str, noise: str) -> Truth:
    return truth_of(examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)[noise])


def _combinations() -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    """Model, query and noise; and the models and queries that do not fit each other."""
    fit, unfit = [], []
    for model in examples(MODELS):
        for query in examples(QUERIES):
            try:
                _truth(model, query, "none")
            except Unfit:
                unfit.append((model, query))
            else:
                fit += [(model, query, noise) for noise in examples(NOISES)]
    return fit, unfit


FIT, UNFIT = _combinations()


@pytest.mark.parametrize(("model", "query", "noise"), FIT)
def test_against_the_reference(model: str, query: str, noise: str) -> None:
    """The laws do not depend on the noise, so that every engine meets one noise and enumeration meets all."""
    truth = _truth(model, query, noise)
    engines = ("enumeration", "convolution", "tilting") if truth.even else ("enumeration", "convolution")
    for engine in engines if noise == "laplace" else engines[:1]:
        compare(examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)[noise], engine, truth)


def _uneven() -> list[tuple[str, str, str]]:
    whole = [names for names in FIT if names[-1] != "geometric"]
    return [names for names in whole if _truth(*names).axes == 1 and not _truth(*names).even]


@pytest.mark.parametrize(("model", "query", "noise"), _uneven())
def test_tilting_over_holes(model: str, query: str, noise: str) -> None:
    """A mass the tilted transforms cannot tell from rounding is a doubt, not a number: wide, but never wrong."""
    truth = _truth(model, query, noise)
    release = examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)[noise]
    compare(*release, "tilting", truth, tight=False)


@pytest.mark.parametrize(("model", "query"), UNFIT)
def test_what_makes_no_sense_is_refused(model: str, query: str) -> None:
    with pytest.raises(InputError, match=r"^query\."):
        Release(examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)["none"])
