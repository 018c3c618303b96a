"""Suprema over a line of outputs, by branch and bound on intervals of it."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, final

from dalenius.bounds import Enclosure
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.leakage import Found, Largest, Leakage, Witness
from dalenius.laws.law import Piece

SHARP: Final = 1e-10
"""The relative precision wanted; a thousandth of it is the absolute one."""
ROUNDS: Final = 120
MOST: Final = 3000

Read: TypeAlias = Callable[[Likelihoods], dict[str, Found]]
"""Maxima over the outputs at which a channel is evaluated, by name."""


def supremum(read: Callable[[Likelihoods], Leakage], channel: Likelihoods) -> Leakage:
    """A leakage that is the supremum over outputs of a quasi-convex function of the posterior, also on a whole line of
    outputs. read: its maximum over the outputs at which the given channel is evaluated."""

    def numbers(seen: Likelihoods) -> dict[str, Found]:
        leakage = read(seen)
        own = Found(Enclosure(leakage.lower, leakage.upper), leakage.witness)
        return {"": own, **{name: Found(value) for name, value in leakage.companions.items()}}

    found = refined(numbers, channel)
    return Leakage.of(found.pop(""), **{name: each.value for name, each in found.items()})


def refined(read: Read, channel: Likelihoods) -> dict[str, Found]:
    """The quantities of a channel; on a line of outputs, to SHARP where no more than MOST pieces are needed.

    Every quantity that is attained at an output is a quasi-convex function of the posterior: on a piece its supremum
    lies between the maxima over some of its outputs and over its hull, likelihoods of which all of the piece's are
    mixtures. Pieces that cannot hold the largest are dropped, the others cut.
    """
    found = read(channel)
    line = channel.likelihood.line
    if line is None or all(each.witness is None or each.witness.output is None for each in found.values()):
        return found
    bounds = read(channel.seeing(line.hull))
    search = _Search(read, channel, {name: each.value.upper for name, each in bounds.items()})
    pieces = list(line.pieces())
    for _ in range(ROUNDS):
        pieces = search.cut(pieces)
        if not pieces:
            break
    search.close(pieces)
    return search.found()


@final
class _Search:
    """best: attained at outputs so far; above: an upper bound for all dropped pieces; both by name of the quantity. A
    witness is the first of those that may be the worst: pieces from left to right, then their parts."""

    def __init__(self, read: Read, channel: Likelihoods, bounds: dict[str, float]) -> None:
        self._read, self._channel, self._bounds = read, channel, bounds
        self._first = {name: Largest[Witness | None]() for name in bounds}
        self._best = dict.fromkeys(bounds, 0.0)
        self._above = dict.fromkeys(bounds, 0.0)
        self._count = 0

    def cut(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The parts of those pieces that may hold a supremum."""
        doubts = [self._look(piece) for piece in pieces]
        self._count += len(pieces)
        found: list[Piece] = []
        for piece, doubt in zip(pieces, doubts, strict=True):
            tops = self._tops(piece)
            parts = piece.parts() if self._is_open(tops, doubt) and self._count < MOST else ()
            found += parts
            if not parts:
                self._drop(tops)
        return found

    def close(self, pieces: Sequence[Piece]) -> None:
        """Drops the pieces left when the rounds are used up."""
        for piece in pieces:
            self._drop(self._tops(piece))

    def found(self) -> dict[str, Found]:
        return {
            name: Found(Enclosure(low, max(low, self._above[name])), self._first[name].first)
            for name, low in self._best.items()
        }

    def _look(self, piece: Piece) -> float:
        """Records the maxima at the piece's outputs; returns how far rounding alone may separate its two bounds."""
        channel = self._channel.seeing(piece.seen)
        for name, each in self._read(channel).items():
            self._first[name].add(each.value, each.witness)
            self._best[name] = max(self._best[name], each.value.lower)
        return 8 * channel.error

    def _tops(self, piece: Piece) -> dict[str, float]:
        most = self._read(self._channel.seeing(piece.hull))
        return {name: min(each.value.upper, self._bounds[name]) for name, each in most.items()}

    def _is_open(self, tops: dict[str, float], doubt: float) -> bool:
        return any(top > _enough(self._best[name], doubt) for name, top in tops.items())

    def _drop(self, tops: dict[str, float]) -> None:
        for name, top in tops.items():
            self._above[name] = max(self._above[name], top)


def _enough(best: float, doubt: float) -> float:
    return best + max(SHARP * best, SHARP / 1000) + doubt
