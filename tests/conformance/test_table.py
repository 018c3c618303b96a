"""Every model, query, noise and notion of the table against the reference, by every engine."""

from zlib import crc32

import pytest

from dalenius import models, noise as noises, notions, queries
from dalenius.absent.one_absent_model import Absent
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.gaussian.mixture_model import GaussianMixture
from dalenius.gaussian.model import GaussianRecords
from dalenius.models import Sampled
from dalenius.pairs.pairwise_model import Pairwise
from dalenius.theorems.moment_model import Moments
from tests.conformance import table
from tests.conformance.compare import compare
from tests.conformance.scores import Unfit
from tests.conformance.shared import exact_truth, shared_truth
from tests.conformance.table import MODELS, NOISES, NOT_EVERYWHERE, NOTIONS, QUERIES, examples, fits
from tests.pace import covering, slow

REAL = {GaussianRecords, GaussianMixture}
"""Records that are real numbers cannot be enumerated: test_normal.py and tests/gaussian/test_mixture.py hold them to
quadrature."""
NO_LAW = {Moments}
"""Moments have no law, only certificates: tests/theorems holds those to exact laws."""
NO_JOINT_LAW = {Pairwise}
"""Of a network only the laws of pairs are known: test_pairwise.py holds its bounds to joint laws with these pairs."""
NO_RECORDS = {Absent}
"""Who is absent is another secret: test_absent.py enumerates it."""
DRAWN = {Sampled}
"""Who is in a sample is no record: test_sampled.py enumerates samples as well."""
LENGTHY = {
    ("table beside households", "max and count"),
    ("labelled chain", "min per label"),
    ("copies", "count at two stages"),
    ("networks apart", "count at two stages"),
    ("one way over the stages", "count at two stages"),
    ("persistent", "count at two stages"),
    ("households beside anybody", "count at two stages"),
}
"""Models and queries whose enumeration takes many seconds: only the slow suite has them."""


@pytest.mark.parametrize(
    ("kinds", "rows"),
    [
        (models.MODELS.own, MODELS),
        (queries.QUERIES.own, QUERIES),
        (noises.NOISES.own, NOISES),
        (notions.NOTIONS.own, NOTIONS),
    ],
)
def test_every_kind_has_a_row(kinds: tuple[type, ...], rows: tuple[table.Row[object], ...]) -> None:
    assert {row.kind for row in rows} == set(kinds) - REAL - NO_LAW - NO_JOINT_LAW - NO_RECORDS - DRAWN
    assert all(row.examples for row in rows)


EVERYWHERE = [noise for noise in examples(NOISES) if noise not in NOT_EVERYWHERE]


def _combinations() -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    """Model, query and noise; and the models and queries that do not fit each other."""
    fit, unfit = [], []
    for model in examples(MODELS):
        for query in examples(QUERIES):
            try:
                truth = exact_truth(model, query)
            except Unfit:
                unfit.append((model, query))
            else:
                # Because Laplace noise on five answers is enclosed to a hundredth only.
                here = EVERYWHERE if truth.axes <= 4 else [noise for noise in EVERYWHERE if noise != "laplace"]
                fit += [(model, query, noise) for noise in here if fits(query, noise)]
    return fit, unfit


FIT, UNFIT = _combinations()


def _in_turn(names: list[tuple[str, str, str]], share: int = 1) -> list[object]:
    """Every model, query and noise, the noises of a pair in turn, or of these cases one in so many; the slow suite has
    the rest."""
    order = list(examples(NOISES))
    turns = {pair: turn for turn, pair in enumerate(dict.fromkeys(each[:2] for each in names))}
    some = [noise for noise in order if noise in {noise for _, _, noise in names}]
    turn = [each for each in names if each[2] == some[turns[each[:2]] % len(some)]]
    taken = [each for each in turn if each[:2] not in LENGTHY]
    quick = [each for each in covering(taken) if each in taken][::share]
    return [each if each in quick else slow(each) for each in names]


@pytest.mark.parametrize(("model", "query", "noise"), _in_turn(FIT))
def test_against_the_reference(model: str, query: str, noise: str) -> None:
    """The laws do not depend on the noise, so that every engine meets some noise and convolution nearly all: Laplace
    noise on several answers, whose integrals take seconds, meets one of two engines in turn."""
    truth = shared_truth(model, query, noise)
    engines = ["enumeration", "convolution", "tilting"] if truth.even else ["convolution", "enumeration"]
    if noise == "laplace" and truth.axes > 1:
        turn = crc32(f"{model}, {query}".encode()) % 2
        engines = engines[turn : turn + 1]
    for engine in engines if noise == "laplace" else engines[:2]:
        compare(examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)[noise], engine, truth)


def _uneven() -> list[tuple[str, str, str]]:
    whole = [names for names in FIT if names[-1] != "geometric"]
    return [names for names in whole if exact_truth(*names[:2]).one_sum and not exact_truth(*names[:2]).even]


@pytest.mark.lengthy
@pytest.mark.parametrize(("model", "query", "noise"), _in_turn(_uneven(), share=3))
def test_tilting_over_holes(model: str, query: str, noise: str) -> None:
    """A mass the tilted transforms cannot tell from rounding is a doubt, not a number: wide, but never wrong."""
    truth = shared_truth(model, query, noise)
    release = examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)[noise]
    compare(*release, "tilting", truth, tight=False)


def _each_once(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """So few that each model and each query that does not fit somewhere is there."""
    found: list[tuple[str, str]] = []
    for model, query in pairs:
        if model not in {one for one, _ in found} or query not in {other for _, other in found}:
            found.append((model, query))
    return found


@pytest.mark.parametrize(("model", "query"), _each_once(UNFIT))
def test_what_makes_no_sense_is_refused(model: str, query: str) -> None:
    with pytest.raises(InputError, match=r"^query\."):
        Release(examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)["none"])
