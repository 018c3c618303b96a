"""The channel of a set of laws through a mechanism of finitely many outputs, additive or not (Result 21.20)."""

from collections.abc import Callable
from functools import cached_property
from math import inf
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.credal.channel import CredalChannel, two_points
from dalenius.channel.credal.population import Population
from dalenius.channel.credal.set_channel import SetChannel
from dalenius.channel.credal.worst import Largest, WorstOfMember
from dalenius.channel.leakage import worst_of
from dalenius.channel.witness import Divergence, Found, Movement, Witness
from dalenius.errors import Meaningless, TooLarge
from dalenius.laws.law import Array, Law
from dalenius.noise import Noise
from dalenius.queries import Scores

FAINTEST: Final = 390.0
"""Nats: beyond, doubles cannot hold them times the probability of an answer."""
NOTHING: Final = Found(Enclosure(0.0, 0.0))


@final
class MechanismChannel(SetChannel):
    """Every enclosure is of the worst law of the set, every group with one of its own: of all that the other groups
    can have it is attained at extreme laws, of the own group's on an edge, and both are gone through.

    alone: the channel of what additive noise leaks, for the differences of single records.
    """

    def __init__(self, population: Population, alone: CredalChannel, scores: Scores, noise: Noise) -> None:
        self._population, self._alone, self._scores, self._noise = population, alone, scores, noise

    def neighbours(self) -> Found:
        return self._alone.neighbours()

    def ratio(self) -> Found:
        pairs = (((each, (s, t)), each.largest(s, t)) for each in self._members for s, t in each.pairs)
        return self._worst(dict(pairs))

    def movement(self, lowering: float = 1.0) -> Movement:
        return Movement.of(self._raised, self._lowered, lowering)

    @cached_property
    def _raised(self) -> Found:
        return self._each(lambda each, s: each.largest(s, None))

    @cached_property
    def _lowered(self) -> Found:
        return self._each(lambda each, s: each.largest(None, s))

    def _each(self, largest: Callable[[WorstOfMember, int], Largest]) -> Found:
        every = ((each, s) for each in self._members for s in range(each.secrets))
        return self._worst({(each, (s, None)): largest(each, s) for each, s in every})

    def _worst(self, found: dict[tuple[WorstOfMember, tuple[int, int | None]], Largest]) -> Found:
        return worst_of([NOTHING, *(self._found(each, *names, best) for (each, names), best in found.items())])

    def _found(self, each: WorstOfMember, secret: int, against: int | None, best: Largest) -> Found:
        subject = each.subject
        other = None if against is None else subject.secrets[against]
        output = self._noise.output((self._first + best.output,), self._scores.lattice)
        witness = Witness(subject.person, subject.who, subject.secrets[secret], other, output, self._scores.names)
        off = self._error + self._population.error + 16 * UNIT * (best.lower if best.lower < inf else 0.0)
        return Found(Enclosure(max(best.lower - off, 0.0), max(best.upper + off, 0.0)), witness)

    def knowing(self) -> Found:
        """At least what is leaked to whoever knows nobody's record; above, nothing is known."""
        found = self.ratio()
        return Found(Enclosure(found.value.lower, inf if self._members else 0.0), found.witness)

    def divergence(self) -> Divergence:
        """Above: as of additive noise (Result 21.7). Below, nothing is known."""
        raised, lowered = self._raised.value.upper, self._lowered.value.upper
        each = ((_mean(raised, lowered), self._raised), (_mean(lowered, raised), self._lowered))
        forward, reverse = (Found(Enclosure(0.0, most), found.witness) for most, found in each)
        return Divergence(forward, reverse)

    @cached_property
    def _members(self) -> list[WorstOfMember]:
        rows = self._law[0]
        return [WorstOfMember(self._population, place, member, rows) for place, member in self._population.members()]

    @property
    def _first(self) -> int:
        return self._law[1]

    @property
    def _error(self) -> float:
        return self._law[2]

    @cached_property
    def _law(self) -> tuple[Array, int, float]:
        """The mechanism's rows (answers, outputs), each column up to a factor, the first output's index, and by how
        much the log of a ratio of two entries may be off."""
        population = self._population
        possible = population.possible
        points = np.full((len(possible), population.count), -inf)
        points[np.arange(len(possible)), possible] = 0.0
        law = self._noise.likelihood(
            Law((population.start,), np.zeros(population.count), points, 0.0), self._scores.lattice
        )
        if law.line is not None or law.points is not None or law.floor is not None:
            raise Meaningless("noise.kind", self._noise.kind, "laplace, geometric or finitely many outputs")
        rows = np.zeros((population.count, law.box[0]))
        logs = law.relative - np.max(law.relative, axis=0, keepdims=True, initial=-700.0)
        if (least := float(np.min(logs, where=np.isfinite(logs), initial=0.0))) < -FAINTEST:
            size = f"probabilities of outputs that differ by e^{-least:.0f}"
            raise TooLarge("the worst law of a set", size, "use laplace or geometric noise")
        rows[possible] = np.exp(logs)
        return rows, law.start[0], 2 * law.error


def _mean(far: float, near: float) -> float:
    return far if inf in (far, near) else two_points(far, near)
