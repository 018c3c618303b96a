"""The worst law of a set for a mechanism with finitely many outputs (Results 21.20 and 21.21)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.channel.credal.population import Population
from dalenius.errors import TooLarge
from dalenius.joints import Subject
from dalenius.joints.groups.block import Member
from dalenius.laws.credal.edges import Edges, Given, RatioOnEdges, largest_excess
from dalenius.laws.law import Array

NEAR: Final = 1e-9
AT_ONCE: Final = 300_000
MOST_PROBLEMS: Final = 30_000_000
SLACK: Final = 1e-14
"""Relative, then 8 times as much, until an upper end is certain."""


@final
@dataclass(frozen=True)
class LawOfSet:
    """That extreme law of the rest (see `Population.rests`), and this law (m,) of the group."""

    rest: int
    own: Array


@final
@dataclass(frozen=True)
class Largest:
    """lower <= the largest log-ratio <= upper; law: at which lower is, or as near to it as one likes; output: where."""

    lower: float
    upper: float
    law: LawOfSet
    output: int


@final
class WorstOfMember:
    """What is leaked of one class of people: rows (answers, outputs), of the mechanism, from the least answer on."""

    def __init__(self, population: Population, place: int, member: Member, rows: Array) -> None:
        self.population, self._group = population, population.groups[place]
        self._rest = population.rests[place].masses
        self.member, self.place = member, place
        self._rows = rows
        self._linear = self._group.linear(member)
        self._joint = self._linear @ self.edges.vertices.T
        if (size := self.problems) > MOST_PROBLEMS:
            what = f"{len(self._rest):,} laws of the rest, {rows.shape[1]:,} outputs"
            wanted = "use fewer groups, or laplace or geometric noise"
            raise TooLarge("the worst law of a set", f"{what} ({size:,} problems)", wanted)

    @property
    def edges(self) -> Edges:
        return self._group.edges

    @property
    def problems(self) -> int:
        """How many quotients there are to look at, for one pair of secrets."""
        return len(self._rest) * int(self._rows.shape[1]) * len(self.edges)

    @cached_property
    def subject(self) -> Subject:
        return self._group.group.subject(self.member)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Of secrets that must not be distinguished, both ways."""
        return self._group.group.pairs(self.subject)

    @property
    def secrets(self) -> int:
        """How many."""
        return len(self._joint)

    @cached_property
    def chance(self) -> Array:
        """Pr[s] at the extreme laws (secrets, v)."""
        return np.asarray(self._joint.sum(axis=1))

    def largest(self, secret: int | None, against: int | None) -> Largest:
        """log Pr[y | s] / Pr[y | s'] over the set and all outputs; None: of any secret, Pr[y]."""
        best, law, output = 0.0, LawOfSet(0, self._group.middle), 0
        parts = []
        for first, seen in self._parts():
            ratio = RatioOnEdges.of(self._given(seen, secret), self._given(seen, against))
            values, shares = ratio.best
            parts.append(ratio)
            if (most := float(values.max(initial=0.0))) > best:
                row, output, edge = map(int, np.unravel_index(int(values.argmax()), values.shape))
                own = self._law(edge, float(shares[row, output, edge]))
                best, law = most, LawOfSet(first + row, own)
        with np.errstate(divide="ignore"):
            low = float(np.log(best)) if best > 0 else 0.0
        return Largest(low, self._above(parts, best), law, output)

    def _above(self, parts: list[RatioOnEdges], best: float) -> float:
        if not np.isfinite(best):
            return np.inf
        slack = SLACK
        while slack < 1:
            level = max(best, 1e-300) * (1 + slack)
            parts = [each for each in parts if not each.below(level)]
            if not parts:
                return float(np.log(level))
            slack *= 8
        return np.inf

    def excess(self, secret: int, against: int | None, factor: float) -> tuple[Array, list[LawOfSet]]:
        """The largest Pr[y | s] - factor·Pr[y | s'] of each output (outputs,) on edges, and the laws where it is."""
        found = np.full(self._rows.shape[1], -np.inf)
        where: list[LawOfSet] = [LawOfSet(0, self._group.middle)] * len(found)
        for first, seen in self._parts():
            values, shares = largest_excess(self._given(seen, secret), self._given(seen, against), factor)
            flat = values.transpose(1, 0, 2).reshape(len(found), -1)
            places = np.argmax(flat, axis=1)
            for output in np.flatnonzero(flat[np.arange(len(found)), places] > found).tolist():
                row, edge = divmod(int(places[output]), len(self.edges))
                found[output] = values[row, output, edge]
                where[output] = LawOfSet(first + row, self._law(edge, float(shares[row, output, edge])))
        return found, where

    def _law(self, edge: int, share: float) -> Array:
        """On the edge; not quite at an end where a secret is impossible."""
        found = self.edges.law(edge, share)
        if (self._linear.sum(axis=1) @ found > 0).all():
            return found
        return self.edges.law(edge, min(max(share, NEAR), 1 - NEAR))

    def laws_at(self, law: LawOfSet) -> tuple[Array, Array]:
        """Pr[answer | s] (secrets, answers), from the least answer on, and Pr[s] (secrets,): under that law."""
        joint = self._linear @ law.own
        rest = self._rest[law.rest]
        masses = np.array([np.convolve(each, rest) for each in joint])
        return masses / np.maximum(joint.sum(axis=1), 1e-300)[:, None], joint.sum(axis=1)

    def _given(self, seen: Array, secret: int | None) -> Given:
        if secret is None:
            return self.edges.given(seen.sum(axis=0), np.ones(len(self.edges.vertices)))
        return self.edges.given(seen[secret], self.chance[secret])

    def _parts(self) -> Iterator[tuple[int, Array]]:
        """Pr[s, y] (secrets, rests, outputs, v) for some of the laws of the rest, with the place of the first."""
        width, length = self._group.width, self._rest.shape[1]
        each = max(1, AT_ONCE // max(1, self._rows.shape[1] * len(self.edges)))
        for first in range(0, len(self._rest), each):
            rest = self._rest[first : first + each]
            moved = np.stack([rest @ self._rows[value : value + length] for value in range(width)], axis=-1)
            yield first, np.einsum("ryk,skv->sryv", moved, self._joint, optimize=True)


def largest_mean(population: Population, values: Array) -> tuple[float, Array]:
    """The largest mean of a function (answers,) of everybody's answer, and the law (answers,) at which it is."""
    means = population.whole.masses @ values
    place = int(means.argmax())
    return float(means[place]), np.asarray(population.whole.masses[place])
