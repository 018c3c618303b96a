"""What the benchmark of tables with totals calls."""

from collections.abc import Sequence
from typing import Final

from dalenius import CellKey, Count, Households, HouseholdType, Release, Several, audit
from dalenius.noise import Noise
from dalenius.queries import Query

INFECTED: Final = (0.9, 0.04, 0.0, 0.0, 0.06)


def two_streets(d: int, v: float) -> dict[str, float]:
    """The count of street B and the total, each twice: one household in street A and twenty in street B."""
    types = [HouseholdType(count=n, infected=INFECTED, members={street: 4}) for street, n in (("A", 1), ("B", 20))]
    street, total = Count(labels=("B",)), Count()
    return _leakages(Households(types=types), [street, total, street, total], CellKey(d=d, v=v))


def two_by_two(d: int, v: float) -> dict[str, float]:
    """Adults and children of two streets, a household in each: four cells, the totals of rows and columns, and all."""
    types = [
        HouseholdType(count=1, infected=INFECTED, members={f"{street} adult": 2, f"{street} child": 2})
        for street in ("A", "B")
    ]
    pairs = [
        [f"{street} {who}" for street in streets for who in whom]
        for streets in (("A",), ("B",), ("A", "B"))
        for whom in (("adult",), ("child",), ("adult", "child"))
    ]
    return _leakages(Households(types=types), [Count(labels=tuple(labels)) for labels in pairs], CellKey(d=d, v=v))


def _leakages(homes: Households, asked: Sequence[Query], noise: Noise) -> dict[str, float]:
    found = audit(Release(homes, Several(queries=tuple(asked)), noise)).leakages
    return {name: each.upper for name, each in found.items()}
