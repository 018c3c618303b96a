"""Several questions, each with a noise of its own, by enumeration in mpmath: what all outputs together leak.

A model is a list of (records, probability); a question is a function of the records and a noise. Imports nothing of
ours.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from tests.reference.channel import Noise, log_ratio, mp, real

Rows = Sequence[tuple[tuple[int, ...], Fraction]]
Asked = tuple[Callable[[tuple[int, ...]], int], Noise]


@dataclass(frozen=True)
class Together:
    """The channel of one person's record."""

    rows: Rows
    asked: Sequence[Asked]
    person: int

    @property
    def prior(self) -> dict[int, Fraction]:
        found: dict[int, Fraction] = {}
        for records, chance in self.rows:
            if chance:
                found[records[self.person]] = found.get(records[self.person], Fraction(0)) + chance
        return found

    def likelihoods(self, output: Sequence[Any]) -> dict[int, Any]:
        """W(y|s), of an output whose coordinates are fractions or mpf."""
        found = dict.fromkeys(self.prior, mp.mpf(0))
        for records, chance in self.rows:
            if chance:
                weight = real(chance / self.prior[records[self.person]])
                for (ask, noise), value in zip(self.asked, output, strict=True):
                    weight *= noise.weight(value, Fraction(ask(records)))
                found[records[self.person]] += weight
        return found

    def mixture(self, found: dict[int, Any]) -> Any:
        """W(y)."""
        return sum(real(self.prior[s]) * w for s, w in found.items())

    def worst(self, value: Callable[[dict[int, Any]], Any]) -> Any:
        """The largest over the grid of all whole numbers of each answer's range, on which suprema are under Laplace and
        geometric noise: beyond its ends no ratio changes."""
        values = [[ask(records) for records, chance in self.rows if chance] for ask, _ in self.asked]
        axes = [[Fraction(v) for v in range(min(each), max(each) + 1)] for each in values]
        seen = map(self.likelihoods, product(*axes))
        return max(value(found) for found in seen if max(found.values()) > 0)

    def inferential(self) -> Any:
        return self.worst(lambda found: log_ratio(max(found.values()), min(found.values())))

    def information(self) -> Any:
        return self.worst(lambda found: mp.log(max(found.values()) / self.mixture(found)))

    def mutual_information(self) -> Any:
        """Over all outputs; Laplace noise by quadrature, on one question at the most."""
        return self._summed(lambda found: self._entropy(found))

    def profile(self, one: int, other: int, epsilon: float) -> Any:
        """δ(ε) of one secret against another, all questions with geometric noise or none."""
        factor = mp.exp(mp.mpf(epsilon))
        return self._summed(lambda found: max(found[one] - factor * found[other], mp.mpf(0)))

    def _entropy(self, found: dict[int, Any]) -> Any:
        mixed = self.mixture(found)
        return sum(real(self.prior[s]) * w * mp.log(w / mixed) for s, w in found.items() if w > 0)

    def _summed(self, value: Callable[[dict[int, Any]], Any]) -> Any:
        axes = [self._axis(place) for place in range(len(self.asked))]
        lines = [place for place, (_, noise) in enumerate(self.asked) if noise.density]
        if len(lines) > 1:
            raise ValueError("quadrature over one question only")
        others = [axis for place, axis in enumerate(axes) if place not in lines]
        total = mp.mpf(0)
        for chosen in product(*others):
            points, weight = [point for point, _ in chosen], mp.fprod(own for _, own in chosen)
            if not lines:
                total += weight * value(self.likelihoods(points))
                continue
            place = lines[0]

            def along(y: Any, points: list[Fraction] = points, place: int = place) -> Any:
                return value(self.likelihoods([*points[:place], y, *points[place:]]))

            knots = [mp.mpf(int(point)) for point, _ in axes[place]]
            total += weight * mp.quad(along, [-mp.inf, *knots, mp.inf])
        return total

    def _axis(self, place: int) -> list[tuple[Fraction, Any]]:
        """Outputs over the answer's range, by how much each counts; knots where there is a density."""
        ask, noise = self.asked[place]
        values = [ask(records) for records, chance in self.rows if chance]
        return noise.along([Fraction(v) for v in range(min(values), max(values) + 1)])
