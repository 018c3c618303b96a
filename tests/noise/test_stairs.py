"""Additive noise from outside whose loss is no rate times a distance: however little an answer moves, it may cross a
stair."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
import pytest

from dalenius.calibration import calibrate
from dalenius.channel import Release
from dalenius.errors import DaleniusError
from dalenius.laws.lattice import Lattice
from dalenius.laws.neighbouring_data import Neighbours
from dalenius.models import Independent
from dalenius.noise import Laplace, Noise, Shape, separate
from dalenius.noise.error_law import ErrorLaw
from dalenius.notions import DifferentialPrivacy
from dalenius.queries import Histogram


@final
class Stairs(Noise):
    """Of two whole numbers each. `scale_for` is that of one answer, whatever their number: a mistake."""

    kind: Literal["stairs"] = "stairs"

    @property
    def shape(self) -> Shape:
        return Shape(additive=True)

    def mechanism(self, lattice: Lattice) -> Any:
        raise NotImplementedError

    def error(self, step: Fraction) -> ErrorLaw:
        raise NotImplementedError

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        return float(sum(-(-distance // 2) * 2 for distance in distances)) / self.known_scale()

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        raise NotImplementedError

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        return float(-(-distance // 2) * 2 / Fraction(epsilon))

    def with_scale(self, scale: float) -> "Stairs":
        return Stairs(scale=scale)


def test_beside_another_noise_each_counts_by_itself() -> None:
    """A record moves both by one: a stair of 2 nats, and 1 nat. Not 2 for the worse of the two, nor infinitely much."""
    both = separate([Stairs(scale=1.0), Laplace(scale=1.0)])
    assert both.group_loss(Fraction(2), 2) >= 3
    bits, one = np.array([[0, 0], [1, 1]]), (Fraction(1), Fraction(1))
    found = both.mechanism(Lattice(one)).neighbour_loss(Neighbours(one, one, bits, ((bits, 2),), ("sum", "sum")))
    assert found.lower <= 3 <= found.upper < 3 + 1e-9


def test_a_scale_that_does_not_keep_its_word_is_refused() -> None:
    """A changed record moves two cells by one each: two stairs of 1 nat, where 1 is promised."""
    release = Release(Independent(n=3, probabilities=[0.5]), Histogram(cells=[[0], [1]]), Stairs())
    with pytest.raises(DaleniusError, match=r"^noise stairs at scale 2 leaks up to 2 nats, promised 1$"):
        calibrate(release, DifferentialPrivacy(epsilon=1.0), method="group")
