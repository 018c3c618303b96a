"""Models with intervals, and laws within them: what any law leaks is in the enclosure of the set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TypeAlias, final

from dalenius.absent.notions import DifferentialIdentifiability
from dalenius.models import AnyOf, Chain, Groups, GroupType, Households, Independent, Model, Network, Product, Table
from dalenius.noise import Noise
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion, RelativeEntropyPrivacy
from dalenius.queries import Query
from tests.conformance.table import truth_of
from tests.conformance.truth import Truth
from tests.reference import leakages
from tests.reference.channel import Real
from tests.reference.credal import grid

Ends: TypeAlias = tuple[tuple[str, str], ...]
"""A row of intervals, in decimals."""
Row: TypeAlias = Sequence[float | tuple[float, float]]


@final
@dataclass(frozen=True)
class Credal:
    """rows: of intervals; build: the model with these rows, of intervals or of numbers; steps: of the grid of each row
    that laws are taken from; near: how far above the worst of them, relatively, the upper end may lie; None where only
    that it is not below is known."""

    rows: tuple[Ends, ...]
    build: Callable[[Sequence[Row]], Model]
    steps: int
    near: float | None

    @property
    def model(self) -> Model:
        return self.build([tuple((float(low), float(high)) for low, high in row) for row in self.rows])

    @property
    def within(self) -> AnyOf:
        """Laws of the set, each row extreme or on a grid, whatever the others are."""
        each = [
            grid([Fraction(low) for low, _ in row], [Fraction(high) for _, high in row], self.steps)
            for row in self.rows
        ]
        return AnyOf(models=tuple(self.build([tuple(map(float, law)) for law in laws]) for laws in product(*each)))

    def truth(self, query: Query, noise: Noise) -> Truth:
        return truth_of(self.within, query, noise)


THREE: Ends = (("0.5", "0.7"), ("0.1", "0.3"), ("0.1", "0.3"))
BIT: Ends = (("0.3", "0.6"), ("0.4", "0.7"))
OTHER: Ends = (("0.6", "0.8"), ("0.2", "0.4"))
PAIRS = ((0, 0), (0, 1), (1, 1))


def _beside(rows: Sequence[Row]) -> Model:
    point = Independent(probabilities=(0.25,))
    return Product(parts=(Households(count=1, infected=tuple(rows[0])), point))


def _network(rows: Sequence[Row]) -> Model:
    child = {"name": "b", "parents": ["a"], "probabilities": list(rows[1:])}
    return Network(nodes=[{"name": "a", "probabilities": rows[0]}, child])


CREDAL: dict[str, Credal] = {
    "household": Credal((THREE,), lambda rows: Households(count=1, infected=tuple(rows[0])), 3, 0.02),
    "two groups": Credal(
        (THREE, THREE),
        lambda rows: Groups(types=tuple(GroupType(records=PAIRS, probabilities=tuple(row)) for row in rows)),
        1,
        0.05,
    ),
    "independent": Credal((BIT, OTHER), lambda rows: Independent(values=(0, 1), probabilities=tuple(rows)), 2, 0.02),
    "table": Credal((THREE,), lambda rows: Table(records=PAIRS, probabilities=tuple(rows[0])), 3, 0.02),
    "household beside a point": Credal((THREE,), _beside, 3, 0.02),
    "chain": Credal((BIT, OTHER, BIT), lambda rows: Chain(n=2, initial=rows[0], transition=tuple(rows[1:])), 1, 0.3),
    "network": Credal((BIT, OTHER, BIT), _network, 1, None),
}

Measure: TypeAlias = Callable[[Truth], Real]
SUPREMA: dict[str, tuple[Notion, Measure]] = {
    "inferential": (InferentialPrivacy(), lambda truth: truth.worst(leakages.inferential)),
    "information": (InformationPrivacy(), lambda truth: truth.worst(leakages.information)),
    "relative entropy": (RelativeEntropyPrivacy(), lambda truth: truth.worst(leakages.relative_entropy)),
    "identifiability": (
        DifferentialIdentifiability(alpha=0.5, beta=1.0),
        lambda truth: max(truth.worst(leakages.information), truth.worst(leakages.lowered)),
    ),
}
EPSILON = 0.4
DELTAS: dict[str, tuple[Notion, Measure]] = {
    "delta": (InferentialPrivacy(), lambda truth: truth.delta(EPSILON)),
    "information delta": (InformationPrivacy(), lambda truth: truth.raising(EPSILON)),
}
