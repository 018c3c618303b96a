"""Noise before the answer, against every record with every report, by every notion."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from dalenius.models import AnyOf, Independent, Model
from dalenius.noise import Kernel, Noise, NoNoise, RandomizedResponse
from dalenius.queries import Query, Reports
from tests.conformance.compare import compare
from tests.conformance.reported import ReportedTruth
from tests.conformance.scores import Unfit
from tests.conformance.table import (
    MODELS,
    NOISES,
    QUERIES,
    examples,
    row_of,
    truth_of as truth_without_noise,
    worlds_of,
)
from tests.pace import covering, slow
from tests.reference.joints import Value
from tests.reference.reported import Response, randomized_response

SKEWED = Kernel(answers=[0, 1], probabilities=[[0.9, 0.1], [0.3, 0.7]], each=True)
"""Each bit is changed with a chance of its own."""
COARSE = Kernel(answers=[0, 1], outputs=[0, 1, 5], probabilities=[[0.6, 0.0, 0.4], [0.0, 0.5, 0.5]], each=True)
"""Some say "5", which tells nothing, and others the truth."""


def response(noise: Noise, values: Sequence[Value]) -> Response:
    if isinstance(noise, RandomizedResponse):
        return randomized_response(values, Fraction(str(noise.keep)))
    assert isinstance(noise, Kernel)
    outputs = noise.outputs or tuple(noise.answers)
    rows = zip(noise.answers, noise.probabilities, strict=True)
    found = {answer: [Fraction(chance) for chance in row] for answer, row in rows}
    return {
        value: {told: chance / sum(found[value]) for told, chance in zip(outputs, found[value], strict=True)}
        for value in values
    }


def truth_of(model: Model, query: Query, noise: Noise) -> ReportedTruth:
    return ReportedTruth(worlds_of(model), query, row_of(QUERIES, query).meaning, noise, response)


ORDERED: dict[str, Query] = {"records in order": Reports(), "records of two": Reports(people=[2, 1])}
"""Reports in order go out without noise, or noised one by one: they are no row beside other noises."""
ASKED: dict[str, Query] = ORDERED | {
    name: query for name, query in examples(QUERIES).items() if name in ("count", "records shuffled", "max", "sum")
}


def _cases() -> list[tuple[str, str, str]]:
    found = []
    for name, model in examples(MODELS).items():
        size = max(len(world.people) for world in worlds_of(model))
        outcomes = max(len(world.joint) for world in worlds_of(model))
        values = max(len(person.values) for world in worlds_of(model) for person in world.people)
        if values**size * outcomes > 2000 or isinstance(model, AnyOf):
            continue
        for query in ASKED:
            try:
                truth_of(model, ASKED[query], RandomizedResponse(keep=0.75))
            except Unfit:
                continue
            found += [(name, query, noise) for noise in ("randomized response", "hardly noised")]
    return found


@pytest.mark.lengthy
@pytest.mark.parametrize(("model", "query", "noise"), covering(_cases()))
def test_against_every_report(model: str, query: str, noise: str) -> None:
    given = examples(MODELS)[model], ASKED[query], examples(NOISES)[noise]
    interior = frozenset({"differential"}) if query in ("sum", "max") else frozenset()
    compare(*given, None, truth_of(*given), but=interior)


@pytest.mark.parametrize("noise", [SKEWED, COARSE], ids=["skewed", "coarse"])
@pytest.mark.parametrize("query", ["records in order", "records shuffled", "count"])
@pytest.mark.parametrize("model", [slow("one type"), "equal pair", slow("diamond"), slow("labels")])
def test_any_matrix(model: str, query: str, noise: Kernel) -> None:
    given = examples(MODELS)[model], ASKED[query], noise
    compare(*given, None, truth_of(*given))


@pytest.mark.parametrize("query", ORDERED)
@pytest.mark.parametrize("model", ["one type", "chain", "diamond", "two children", "chain beside table"])
def test_records_themselves(model: str, query: str) -> None:
    """Without noise, by all that may be known of others too."""
    given = examples(MODELS)[model], ORDERED[query]
    compare(*given, NoNoise(), None, truth_without_noise(*given, NoNoise()))


def test_near_lies_are_rejected() -> None:
    given = examples(MODELS)["equal pair"], examples(QUERIES)["count"]
    compare(*given, RandomizedResponse(keep=0.75), None, truth_of(*given, RandomizedResponse(keep=0.75)))
    with pytest.raises(AssertionError):
        compare(*given, RandomizedResponse(keep=0.76), None, truth_of(*given, RandomizedResponse(keep=0.75)))


def test_alone_it_is_local_privacy() -> None:
    given = Independent(n=3, probabilities=[0.3]), ORDERED["records in order"]
    compare(*given, RandomizedResponse(keep=0.75), None, truth_of(*given, RandomizedResponse(keep=0.75)))
