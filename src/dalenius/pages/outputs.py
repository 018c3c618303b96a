"""The outputs that really occur: one answer's, from one small quantile to the other."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from dalenius.channel.finite.channel import FiniteChannel
from dalenius.channel.update import Seen
from dalenius.errors import InputError

SELDOM: Final = 0.001
"""The probability beyond either end."""
POINTS: Final = 160
FARTHEST: Final = 2**60
GAP: Final = 256
"""How many lattice points in a row may be no outputs."""


@final
@dataclass(frozen=True)
class Output:
    """value: in the query's unit; seen: what it says."""

    value: Fraction
    seen: Seen


@final
class Outputs:
    """Of a channel of one answer, a number. InputError (outputs) where there is none, or nothing is known of how likely
    its outputs are."""

    def __init__(self, channel: FiniteChannel, answers: int) -> None:
        if len(channel.axes) != 1:
            raise InputError(
                "outputs", f"{len(channel.axes)} numbers", "a single answer that this person's record moves"
            )
        if any(isinstance(each, str) for each in channel.output(0)):
            raise InputError("outputs", "words", "numbers, which have an order")
        self._channel, self._answers = channel, answers
        self._step = channel.lattice.steps[0]
        noise = channel.noise
        self.separate = noise.needs_lattice or noise.adds_nothing
        """Whether outputs lie on the answers' lattice."""

    def occurring(self) -> list[Output]:
        """Evenly from the SELDOM quantile to that of 1 - SELDOM, both rounded outwards to the answers' lattice: all its
        points between them, or if they are many, POINTS of them."""
        low, high = self._quantile(SELDOM, -1), self._quantile(SELDOM, 1)
        span = high - low
        if self.separate or span >= POINTS:
            places = sorted(
                {low + span * k // min(span, POINTS) for k in range(min(span, POINTS) + 1)} if span else {low}
            )
            values = [place * self._step for place in places]
        else:
            parts = span * (POINTS // max(span, 1) + 1)  # so that the lattice, where suprema are, is among them
            values = [(low + Fraction(span * k, max(parts, 1))) * self._step for k in range(parts + 1)]
        found = [Output(value, seen) for value in values if (seen := self._seen(value)) is not None]
        if not found:
            raise InputError("outputs", "none", "outputs whose probability is known")
        return found

    def _quantile(self, chance: float, side: int) -> int:
        """The lattice index beyond which, on that side, an output lies with at most that probability; the last output
        where there is none beyond."""
        channel = self._channel
        start, box = channel.likelihood.start[0], channel.likelihood.box[0]
        inner, outer = (start + box - 1, start) if side < 0 else (start, start + box - 1)
        reach = 1
        while reach < FARTHEST and (beyond := self._beyond(outer, side)) is not None and beyond > chance:
            inner, outer, reach = outer, outer + side * reach, 2 * reach
        while abs(outer - inner) > 1:
            middle = (outer + inner) // 2
            beyond = self._beyond(middle, side)
            # No output at all lies farther out than the last one that is possible.
            inner, outer = (middle, outer) if beyond is not None and beyond > chance else (inner, middle)
        found = (place for place in (outer, *self._inwards(inner, side)) if self._seen(place * self._step) is not None)
        return next(found, inner)

    def _beyond(self, index: int, side: int) -> float | None:
        """The probability of outputs as far out as this one, or farther; of the next one inwards that can occur."""
        for place in self._inwards(index, side):
            seen = self._seen(place * self._step)
            if seen is not None:
                sides = seen.sides()[0]
                if sides is None:
                    raise InputError("outputs", "no tails", "a noise that says how likely its outputs are")
                return (sides.at_most if side < 0 else sides.at_least).upper
        return None

    def _inwards(self, index: int, side: int) -> range:
        return range(index, index - side * (GAP + 1), -side)

    def _seen(self, value: Fraction) -> Seen | None:
        """None for an output that cannot occur."""
        try:
            return self._channel.at([value] * self._answers)
        except InputError as error:
            if error.key != "answers":
                raise
            return None
