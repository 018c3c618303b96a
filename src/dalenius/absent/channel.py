"""The channel of who is absent: W(τ|i) = noise(τ - q(D∖i)) (Theory §6).

Under Laplace and geometric noise, and none, suprema over outputs need no table of likelihoods (see `laws.absence`): a
million people with a million different answers take a fraction of a second.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import final

from dalenius.absent.exponential_sums import blur
from dalenius.absent.model import Missing
from dalenius.absent.posterior import AbsentSeen
from dalenius.absent.ratios import (
    Curve,
    Moved,
    lowered,
    lowered_curve,
    raised,
    raised_curve,
    suspected,
    suspected_curve,
)
from dalenius.absent.table import tabled
from dalenius.bounds import UNIT, Enclosure, around
from dalenius.channel.channel import Channel
from dalenius.channel.finite.channel import FiniteChannel
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.witness import Divergence, Found, Movement, Witness
from dalenius.errors import InputError, Meaningless
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer, Noise


@final
@dataclass(frozen=True)
class AbsentChannel(Channel):
    """The channel from who is absent to the noisy answer. InputError for geometric noise off the answers' lattice."""

    missing: Missing
    noise: Noise
    name: str = ""

    def __post_init__(self) -> None:
        if self.missing.lattice is None and self.missing.span > 0 and (self.noise.needs_lattice or not self.quick):
            wanted = "laplace: the answers lie on no lattice that is known"
            raise InputError("noise.kind", self.noise.kind, wanted)

    @property
    def quick(self) -> bool:
        """Whether the noise is one whose ratios need no table."""
        return self.noise.exponential or self.noise.adds_nothing

    @property
    def scale(self) -> float:
        """b; 0 without noise."""
        return 0.0 if self.noise.adds_nothing else self.noise.known_scale()

    def neighbours(self) -> Found:
        wanted = "identifiability, rho, inferential or information where the secret is who is absent"
        raise Meaningless("notion.kind", "differential", wanted)

    def ratio(self) -> Found:
        if not self.quick:
            return self._table.ratio()
        last = len(self.missing.offsets) - 1
        if last == 0:
            return Found(Enclosure(0.0, 0.0))
        # Θ/b: the two ends, at either of them.
        value = self.missing.span / self.scale if self.scale > 0 else inf
        bound = around(value, 16 * UNIT * blur(self.missing.offsets) * value if self.scale > 0 else 0.0)
        return Found(bound, self._witness(last, last, secret=self._named(last), against=self._named(0)))

    def ratio_at(self, delta: float) -> Found:
        return self._table.ratio_at(delta)

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return self._table.profile(epsilon, worth)

    def tradeoffs(self) -> Iterator[PairTradeoff]:
        return self._table.tradeoffs()

    def movement(self, lowering: float = 1.0) -> Movement:
        if not self.quick:
            return self._table.movement(lowering)
        return Movement.of(self._seen(self._raised), self._seen(self._lowered), lowering)

    def raised_at(self, delta: float) -> Found:
        return self._table.raised_at(delta)

    def lowered_at(self, delta: float) -> Found:
        return self._table.lowered_at(delta)

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return self._table.raising(epsilon, worth)

    def divergence(self) -> Divergence:
        return self._table.divergence()

    def information(self) -> Found:
        return self._table.information()

    def tail(self) -> SubjectTail:
        return self._table.tail()

    def divergences(self) -> Tail:
        return self._table.divergences()

    def divergence_at(self, delta: float) -> Found:
        return self._table.divergence_at(delta)

    def suspected(self) -> Found:
        return self._seen(self._suspected) if self.quick else self._table.suspected()

    def at(self, output: Sequence[Answer]) -> AbsentSeen:
        return AbsentSeen(self.missing, self.noise, self.name, self.quick, output)

    def finite(self, asked: str) -> FiniteChannel:
        return self._table

    def ratio_by_scale(self) -> Curve:
        """`ratio` at any scale b of the noise; this and the next three are in nats, and need `quick`."""
        return lambda scale: self.missing.span / scale

    def raised_by_scale(self) -> Curve:
        """`movement().raised` of the class that attains it at the noise's own scale: at others a lower bound."""
        return raised_curve(self.missing.prior, self.missing.offsets, self._raised.whose)

    def lowered_by_scale(self) -> Curve:
        """`movement().lowered`, likewise."""
        return lowered_curve(self.missing.prior, self.missing.offsets, self._lowered.seen)

    def suspected_by_scale(self) -> Curve:
        """`suspected`, likewise."""
        return suspected_curve(self.missing.prior, self.missing.offsets, self._suspected.whose)

    @cached_property
    def _raised(self) -> Moved:
        return raised(self.missing.prior, self.missing.offsets, self.scale)

    @cached_property
    def _lowered(self) -> Moved:
        return lowered(self.missing.prior, self.missing.offsets, self.scale)

    @cached_property
    def _suspected(self) -> Moved:
        return suspected(self.missing.prior, self.missing.offsets, self.scale)

    def _seen(self, moved: Moved) -> Found:
        return Found(moved.value, self._witness(moved.whose, moved.seen))

    def _witness(self, whose: int, seen: int, **ends: int | float) -> Witness:
        missing = self.missing
        people, answer = int(missing.people[whose]), f"{missing.answer(whose):.12g}"
        number = int(missing.firsts[whose])
        others = f", as that of {people - 1:,} more" if people > 1 else ""
        who = f"whose absence gives {answer}{others}" if number else f"one of {people:,} whose absence gives {answer}"
        alone = float(missing.prior.greatest) if missing.prior.least == missing.prior.greatest else None
        chance = 0.5 if alone is not None and "against" in ends else alone
        where = {"output": (missing.answer(seen),), "what": "absent person", "chance": chance} | ends
        return Witness(number, who, **where)  # type: ignore[arg-type]

    def _named(self, place: int) -> int | float:
        """A class by the number of its first person, or by its answer where the table gives counts only."""
        return int(self.missing.firsts[place]) or self.missing.answer(place)

    @cached_property
    def _table(self) -> FiniteChannel:
        return tabled(self.missing, self.noise, self.name)
