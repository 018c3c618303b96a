"""The conformance table: a row per class, with what it means to the reference and examples of it.

A new model, query, noise or notion is a row here; `test_table.py` fails until it has one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any as Whatever
from typing import Generic, TypeVar, final

from dalenius.models import Any, Chain, Groups, Households, Independent, Model, Product, Table
from dalenius.noise import Geometric, Laplace, Noise, NoNoise
from dalenius.notions import (
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    MutualInformationPrivacy,
    RelativeEntropyPrivacy,
)
from dalenius.queries import Count, Histogram, Mean, Query, Several, Sum
from tests.conformance import notions, scores, worlds
from tests.conformance.truth import Truth
from tests.reference import channel, leakages

Example = TypeVar("Example")


@final
@dataclass(frozen=True)
class Row(Generic[Example]):
    """kind: the class; meaning: how the reference reads its spec; examples: by name."""

    kind: type
    meaning: Callable[..., Whatever]
    examples: dict[str, Example]


PAIR = Table(records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1])
XOR = Table(records=[[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], probabilities=[0.25] * 4)
FAMILY = Households(
    types=[
        {"count": 1, "infected": [0.7, 0.1, 0.05, 0.15], "members": {"adult": 2, "child": 1}},
        {"count": 1, "infected": [0.5, 0.0, 0.5], "members": {"child": 2}},
    ]
)

MODELS: tuple[Row[Model], ...] = (
    Row(
        Independent,
        worlds.independent,
        {
            "bits": Independent(probabilities=[0.3, 1e-12, 1.0, 0.0]),
            "alike bits": Independent(n=5, probabilities=[0.2]),
            "bits by rows": Independent(probabilities=[[0.9, 0.1], [0.25, 0.75], [0.9, 0.1]]),
            "values": Independent(values=[-1, 0.5, 2], probabilities=[[0.2, 0.3, 0.5], [0.0, 1e-12, 1 - 1e-12]]),
        },
    ),
    Row(
        Table,
        worlds.table,
        {
            "equal pair": PAIR,
            "exclusive or": XOR,
            "impossible rows": Table(
                records=[[0, 1], [1, 0], [2, 2], [1, 1]],
                probabilities=[0.5, 0.0, 0.25, 0.25],
            ),
            "words": Table(
                records=[["ill", "well"], ["well", "well"], ["ill", "ill"], [1, "dead"]],
                probabilities=[0.2, 0.5, 0.2, 0.1],
            ),
        },
    ),
    Row(
        Groups,
        worlds.groups,
        {
            "two types": Groups(
                types=[
                    {"count": 2, "records": [[0, 0], [1, 1], [0, 1]], "probabilities": [0.6, 0.3, 0.1]},
                    {"records": [[0], [1], [3]], "probabilities": [0.5, 0.4, 0.1]},
                ]
            )
        },
    ),
    Row(
        Households,
        worlds.households,
        {
            "one type": Households(count=2, infected=[0.9, 0.04, 0.0, 0.06]),
            "all or none": Households(count=1, infected=[0.5, 0.0, 0.0, 0.0, 0.5]),
            "labels": FAMILY,
            "three labels": Households(
                types=[{"count": 1, "infected": [0.6, 0.2, 0.1, 0.1], "members": {"a": 1, "b": 1, "1": 1}}]
            ),
        },
    ),
    Row(
        Chain,
        worlds.chain,
        {
            "chain": Chain(n=5, transition=[[0.8, 0.2], [0.4, 0.6]], initial="stationary"),
            "chain of three values": Chain(
                n=4,
                values=[0, 0.5, 2],
                transition=[[0.5, 0.5, 0.0], [0.1, 0.0, 0.9], [1e-12, 0.3, 0.7]],
                initial=[0.2, 0.0, 0.8],
            ),
            "chain by steps": Chain(
                n=3, transition=[[[0.9, 0.1], [0.2, 0.8]], [[1.0, 0.0], [0.5, 0.5]]], initial=[0.5, 0.5]
            ),
            "nearly constant chain": Chain(
                n=6, transition=[[1 - 1e-12, 1e-12], [1e-12, 1 - 1e-12]], initial="stationary"
            ),
        },
    ),
    Row(
        Product,
        worlds.product,
        {
            "nested": Product(
                parts=[
                    PAIR,
                    Product(parts=[Independent(probabilities=[0.4]), Households(count=1, infected=[0.5, 0, 0.5])]),
                ]
            ),
            "table beside households": Product(parts=[XOR, FAMILY]),
            "chain beside table": Product(
                parts=[Chain(n=3, transition=[[0.7, 0.3], [0.3, 0.7]], initial=[0.5, 0.5]), PAIR]
            ),
            "of any": Product(
                parts=[Any(models=[PAIR, Independent(n=2, probabilities=[0.5])]), Independent(probabilities=[0.1])]
            ),
        },
    ),
    Row(
        Any,
        worlds.worst_case,
        {
            "three beliefs": Any(
                models=[PAIR, Households(count=1, infected=[0.2, 0.5, 0.3]), Independent(n=2, probabilities=[0.01])]
            ),
            "in any": Any(models=[FAMILY, Any(models=[Product(parts=[FAMILY])])]),
        },
    ),
)

QUERIES: tuple[Row[Query], ...] = (
    Row(
        Count,
        scores.count,
        {
            "count": Count(),
            "count of values": Count(values=[0, 2]),
            "count of words": Count(values=["ill", "dead"]),
            "count per label": Count(per_label=True),
            "count of children": Count(labels=["child"]),
            "count of children, then adults": Count(labels=["child", "adult"], per_label=True),
        },
    ),
    Row(
        Sum,
        scores.total,
        {"sum": Sum(), "sum clipped": Sum(lower=0.25, upper=1.5), "sum per label": Sum(per_label=True, upper=0.5)},
    ),
    Row(
        Mean,
        scores.mean,
        {"mean": Mean(), "mean clipped": Mean(lower=-0.5, upper=0.75), "mean per label": Mean(per_label=True)},
    ),
)

QUERIES += (
    Row(Histogram, scores.histogram, {"histogram": Histogram(cells=[[0], [1]]), "one cell": Histogram(cells=[[0, 1]])}),
    Row(
        Several,
        scores.several,
        {
            "count and sum": Several(queries=[Count(), Sum(upper=1.5)]),
            "count twice": Several(queries=[Count(), Count()]),
        },
    ),
)

NOISES: tuple[Row[Noise], ...] = (
    Row(
        Laplace,
        lambda noise, step: channel.laplace(noise.scale),
        {"laplace": Laplace(scale=0.7)},
    ),
    Row(Geometric, lambda noise, step: channel.geometric(noise.scale, step), {"geometric": Geometric(scale=1.3)}),
    Row(NoNoise, lambda noise, step: channel.NONE, {"none": NoNoise()}),
)

NOTIONS: tuple[Row[notions.Check], ...] = (
    Row(DifferentialPrivacy, notions.differential, {"differential": notions.differential(DifferentialPrivacy())}),
    Row(
        InferentialPrivacy,
        leakages.inferential,
        {
            "inferential": notions.supremum(InferentialPrivacy(), leakages.inferential),
            "inferential with delta": notions.approximate(InferentialPrivacy(delta=0.05), 0.05),
            "delta at 0": notions.delta(0.0),
            "delta": notions.delta(0.4),
        },
    ),
    Row(
        InformationPrivacy,
        leakages.information,
        {
            "information": notions.supremum(
                InformationPrivacy(), leakages.information, two_sided=leakages.information_two_sided
            )
        },
    ),
    Row(
        RelativeEntropyPrivacy,
        leakages.relative_entropy,
        {
            "relative entropy": notions.supremum(
                RelativeEntropyPrivacy(), leakages.relative_entropy, reverse=leakages.relative_entropy_reverse
            )
        },
    ),
    Row(
        MutualInformationPrivacy,
        leakages.mutual_information,
        {"mutual information": notions.mutual_information(MutualInformationPrivacy())},
    ),
)

CHECKS: dict[str, notions.Check] = {name: check for row in NOTIONS for name, check in row.examples.items()}


def worlds_of(model: Model) -> list[worlds.World]:
    """What any model means."""
    meaning = _row(MODELS, model).meaning
    found: list[worlds.World] = meaning(model, worlds_of)
    return found


def truth_of(model: Model, query: Query, noise: Noise) -> Truth:
    """What the reference knows of a release. scores.Unfit where the query makes no sense."""
    return Truth(worlds_of(model), query, _row(QUERIES, query).meaning, noise, _row(NOISES, noise).meaning)


def examples(rows: tuple[Row[Example], ...]) -> dict[str, Example]:
    """All rows' examples, by name."""
    return {name: example for row in rows for name, example in row.examples.items()}


def _row(rows: tuple[Row[Example], ...], of: Example) -> Row[Example]:
    return next(row for row in rows if row.kind is type(of))
