"""The table's dimension of extremes: each kind of model with probabilities at the ends of what doubles hold.

Few records each, so that the reference enumerates them in fractions (every double is one, 5e-324 too). Chains and
households of thousands, whose probabilities are long products, are in `long_extremes.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from dalenius.absent.one_absent_model import Absent
from dalenius.channel import Adversary, Release
from dalenius.fields import RecordValue
from dalenius.linked.linked_data_sets import Linked
from dalenius.models import AnyOf, Chain, Groups, Households, Independent, Model, Network, Pedigree, Product, Table
from dalenius.models.epidemic import Epidemic
from dalenius.noise import Geometric, Kernel, Laplace, Noise
from dalenius.optimum.relocation_noise import Relocation
from dalenius.queries import Count, Histogram, Max, Mean, Min, Query, Stage, Sum
from tests.conformance.table import NOISES, OFFICE_RULES, Row, examples, truth_in, worlds_of
from tests.conformance.truth import Truth
from tests.conformance.worlds import World
from tests.reference.bayesian import given

LEAST = 5e-324
"""The least double above 0."""
SUBNORMAL = 1e-310
TINY = 1e-300
NEARLY = 1 - 1e-16


@final
@dataclass(frozen=True)
class Extreme:
    """What is asked of a model, and what the adversary knows: values by the person's number, from 1."""

    model: Model
    query: Query | None = field(default_factory=Count)
    known: Mapping[int, RecordValue] = field(default_factory=dict)

    def release(self, noise: Noise, engine: str | None = None) -> Release:
        adversary = Adversary(known={str(person): value for person, value in self.known.items()})
        return Release(self.model, self.query, noise, engine=engine, adversary=adversary)

    def truth(self, noise: Noise) -> Truth:
        """What the reference knows of the release."""
        assert self.query is not None
        known = {person - 1: value for person, value in self.known.items()}
        worlds = [World(given(world.joint, known), world.people) for world in worlds_of(self.model)]
        return truth_in(worlds, self.query, noise)


def households(infected: list[float], known: Mapping[int, RecordValue] | None = None, **fields: object) -> Extreme:
    """One household."""
    kind = {"count": 1, "infected": infected, **fields}
    return Extreme(Households(types=[kind]), known=known or {})


LATER = Stage(stage=2, query=Count())


def linked(infected: list[float], **link: object) -> Extreme:
    """One household at two stages."""
    within = Households(count=1, infected=infected)
    return Extreme(Linked(stages=2, within=within, coupling="chain", **link), LATER)


def row_of_nodes(n: int, first: list[float], steps: list[list[float]]) -> Network:
    """A chain, as a network."""
    others = ({"name": str(i), "parents": [str(i - 1)], "probabilities": steps} for i in range(2, n + 1))
    return Network(nodes=[{"name": "1", "probabilities": first}, *others])


def effect(first: list[float], second: list[float], either: list[list[float]]) -> Network:
    """Of two causes."""
    causes = [{"name": name, "probabilities": row} for name, row in (("first", first), ("second", second))]
    return Network(nodes=[*causes, {"name": "either", "parents": ["first", "second"], "probabilities": either}])


BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]
ONE_WAY = Chain(n=5, transition=[[1e-200, 1.0], [0.0, 1.0]], initial=[1.0, 0.0])
RARE_ROWS = Table(records=BITS, probabilities=[1.0, LEAST, SUBNORMAL, TINY])
ONCE_ILL = [[TINY, 1.0], [0.0, 1.0]]
PAST = [[1.0, 1e-200, 0, 0], [0, 1.0, 1e-200, 0], [0, 0, 1.0, 0], [0, 0, 1.0, 0]]
"""From 0 to 2 in two steps of 1e-200 each, or from 3 for certain."""
FAINT = [[[1 - 2e-16, 1e-16, 1e-16], [1e-16, 1 - 2e-16, 1e-16], [0.1, 0.9, 0.0]]]
FAINT += [[[0.2, 0.3, 0.5], [0.5, 0.25, 0.25], [1e-16, 1e-16, 1 - 2e-16]]]

EXTREMES: tuple[Row[Extreme], ...] = (
    Row(
        Independent,
        dict,
        {
            "rare bits": Extreme(Independent(probabilities=[TINY, SUBNORMAL, LEAST, 0.5])),
            "rare bits alike": Extreme(Independent(n=5, probabilities=[1e-200])),
            "nearly sure bits": Extreme(Independent(probabilities=[NEARLY, 1e-16, 0.3])),
            "rare values": Extreme(
                Independent(values=[0, 1, 3], probabilities=[[1.0, TINY, LEAST], [SUBNORMAL, 0.5, 0.5]]), Sum()
            ),
            "the most of rare values": Extreme(
                Independent(values=[0, 1, 3], probabilities=[[1.0, TINY, LEAST], [1.0, SUBNORMAL, 1e-16]]), Max()
            ),
        },
    ),
    Row(
        Table,
        dict,
        {
            "one answer but for 1e-16": Extreme(Table(records=[[0], [1]], probabilities=[1.0, 1e-16])),
            "one answer but for 1e-310": Extreme(Table(records=[[0], [1]], probabilities=[1.0, SUBNORMAL])),
            "rare rows": Extreme(RARE_ROWS),
            "rare rows, one known": Extreme(RARE_ROWS, known={1: 1}),
            "rare ends": Extreme(
                Table(
                    records=[[0, 0, 0], [0, 1, 1], [1, 0, 1], [2, 2, 2]], probabilities=[LEAST, 0.5, 0.5 - 1e-16, TINY]
                ),
                Sum(),
            ),
            "the least of rare rows": Extreme(RARE_ROWS, Min()),
        },
    ),
    Row(
        Groups,
        dict,
        {
            "rare groups": Extreme(
                Groups(
                    types=[
                        {"count": 2, "records": [[0, 0], [1, 1], [0, 1]], "probabilities": [1.0, TINY, LEAST]},
                        {"records": [[0], [1], [3]], "probabilities": [0.5, 0.5, SUBNORMAL]},
                    ]
                ),
                Sum(),
            )
        },
    ),
    Row(
        Households,
        dict,
        {
            "one at the least double": households([1.0, LEAST, 0.0]),
            "not one but for the least double": households([0.0, LEAST, 1.0]),
            "between at the least double": households([0.5, LEAST, 0.5]),
            "of four, between at the least": households([0.5, 1e-323, 0.0, 0.0, 0.5]),
            "two alike at the least": households([1.0, LEAST, LEAST, 0.0]),
            "subnormal ends": households([1.0, 2e-323, 0.0, LEAST]),
            "subnormal in the middle": households([1.0, 5e-322, 1e-321, 1e-322]),
            "five subnormal": households([1.0, 1e-318, 1e-318, 2e-318, 1e-319]),
            "one known to be well": households([1.0, 0.0, 0.0, LEAST, TINY], {1: 0}),
            "one known to be ill": households([1.0, 0.0, 0.0, LEAST, TINY], {1: 1}),
            "one known, with labels": households([1.0, 0.0, 0.0, LEAST, TINY], {1: 1}, members={"a": 2, "b": 2}),
            "hardly ever one, never two": households([1.0, LEAST, 0.0, 1e-320], {1: 1}),
            "rare with labels": households([1.0, TINY, 0.0, LEAST], members={"a": 1, "b": 2}),
            "two rare types": Extreme(
                Households(
                    types=[
                        {"count": 2, "infected": [1.0, TINY, SUBNORMAL]},
                        {"count": 1, "infected": [1e-16, NEARLY, LEAST], "members": {"a": 1, "b": 1}},
                    ]
                )
            ),
            "a rare epidemic": households(list(Epidemic(community=1e-80, household=1e-40).infected(4))),
        },
    ),
    Row(
        Pedigree,
        dict,
        {
            "a rare allele": Extreme(Pedigree(people=[("a", "", ""), ("b", "a", "")], allele_frequency=1e-70)),
            "cousins and a rare allele": Extreme(
                Pedigree(
                    people=[("a", "", ""), ("b", "a", ""), ("c", "a", ""), ("d", "b", "c")], allele_frequency=1e-60
                )
            ),
        },
    ),
    Row(
        Chain,
        dict,
        {
            "one way": Extreme(ONE_WAY),
            "one way, one known": Extreme(ONE_WAY, known={3: 1}),
            "absorbing but for 1e-300": Extreme(
                Chain(n=4, transition=[[1.0, 0.0], [1.0, TINY]], initial=[0.5, 0.5]), Mean()
            ),
            "nearly absorbing": Extreme(Chain(n=5, transition=[[0.5, 0.5], [TINY, 1.0]], initial=[0.5, 0.5])),
            "sticky": Extreme(Chain(n=5, transition=[[NEARLY, 1e-16], [1e-16, NEARLY]], initial="stationary")),
            "sticky to the least": Extreme(Chain(n=4, transition=[[1.0, LEAST], [LEAST, 1.0]], initial="stationary")),
            "faint states": Extreme(Chain(n=3, transition=FAINT, initial=[1e-307, 1e-307, 1.0]), Sum()),
            "always three": Extreme(
                Chain(n=3, transition=FAINT, initial=[1e-307, 1e-307, 1.0]), Histogram(cells=[[0, 1, 2]])
            ),
            "a rare past, known": Extreme(
                Chain(n=4, values=[0, 1, 2, 3], transition=PAST, initial=[0.5, 0.0, 0.0, 0.5]), Sum(), {3: 2}
            ),
            "by steps": Extreme(
                Chain(n=3, transition=[[[TINY, 1.0], [LEAST, 1.0]], [[1.0, SUBNORMAL], [0.0, 1.0]]], initial=[0.5, 0.5])
            ),
            "the most of one way": Extreme(ONE_WAY, Max()),
        },
    ),
    Row(
        Network,
        dict,
        {
            "one way as a network": Extreme(row_of_nodes(4, [1.0, 0.0], ONCE_ILL)),
            "rare causes": Extreme(
                effect([1.0, LEAST], [SUBNORMAL, 1.0], [[1.0, TINY], [1e-16, NEARLY], [LEAST, 1.0], [0.0, 1.0]])
            ),
            "rare causes, effect known": Extreme(
                effect([1.0, LEAST], [1.0, SUBNORMAL], [[1.0, 0.0], [0.5, 0.5], [TINY, 1.0], [0.0, 1.0]]), known={3: 1}
            ),
        },
    ),
    Row(
        Product,
        dict,
        {
            "rare rows beside one way": Extreme(
                Product(parts=[RARE_ROWS, Chain(n=3, transition=ONCE_ILL, initial=[1.0, 0.0])])
            ),
            "one way beside a bit": Extreme(Product(parts=[ONE_WAY, Independent(probabilities=[0.5])])),
        },
    ),
    Row(
        Linked,
        dict,
        {
            "rare rows twice": Extreme(Linked(stages=2, within=RARE_ROWS, coupling="copies"), LATER),
            "rare ills that stay": linked([1.0, LEAST, TINY], persistence=0.5),
            "ills that hardly ever stay": linked([0.5, 0.25, 0.25], persistence=SUBNORMAL),
            "ills that nearly stay": linked([0.5, 0.25, 0.25], persistence=NEARLY),
            "ill by a rare step": linked([0.5, 0.5, 0.0], transition=[[1.0, LEAST], [TINY, 1.0]]),
        },
    ),
    Row(
        AnyOf,
        dict,
        {
            "one way among others": Extreme(
                AnyOf(
                    models=[ONE_WAY, Independent(n=5, probabilities=[1e-200]), Independent(n=5, probabilities=[NEARLY])]
                )
            )
        },
    ),
)

ABSENT: dict[str, Absent] = {
    "rare at an end": Absent(answers=(0, 3, 5), prior=(0.5, 0.5, SUBNORMAL)),
    "rare in the middle": Absent(answers=(0, 3, 5), prior=(0.5, LEAST, 0.5)),
    "all but one rare": Absent(answers=(0, 7, 0, 7), prior=(1.0, TINY, SUBNORMAL, LEAST)),
    "nearly sure": Absent(answers=(1, 2, 4), prior=(NEARLY, 1e-16, 0.0)),
    "far apart": Absent(answers=(0, 831), prior=(0.3, 0.7)),
    "very far apart": Absent(answers=(-799, 109), prior=(1.293e-05, 0.99998707)),
    "two of one answer": Absent(answers=(0, 7, 0, 7), prior=(0.25, 0.2, 0.5, 0.05)),
}
"""Who is absent, with priors that are."""


def uneven_rows(rows: int) -> tuple[tuple[float, ...], ...]:
    """Rows of a kernel with three outputs, the last of them next to never."""
    kinds = ((1.0, TINY, LEAST), (0.5, 0.5, SUBNORMAL), (1e-16, NEARLY, TINY), (0.25, 0.75, 0.0))
    return tuple(kinds[row % len(kinds)] for row in range(rows))


NOISE_EXTREMES: dict[str, Noise] = {
    **{name: noise for name, noise in examples(NOISES).items() if not noise.shape.hides_neighbours},
    "kernel": Kernel(answers=tuple(range(12)), probabilities=uneven_rows(12)),
    "relocation": Relocation(
        lower=0, upper=2, leaves=[1e-16, 1], moves=[[0.5, 0.5], [1.0, 1e-150]], shares=[[1e-140, 1.0], [1]]
    ),
    "little laplace": Laplace(scale=1e-3),
    "much laplace": Laplace(scale=1e6),
    "little geometric": Geometric(scale=1e-3),
}
"""Each noise of the table but those of several answers together, and others that are harder."""
ON_INTEGERS = frozenset({"kernel", "clamped", "relocation"}) | OFFICE_RULES
"""Noises that are made for answers on the integers; a kernel of theirs is a row for each to the reference."""
