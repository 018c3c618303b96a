"""Suprema over a line of outputs, by branch and bound on pieces of it."""

from collections.abc import Callable, Sequence
from typing import Final, final

from dalenius.bounds import Enclosure
from dalenius.channel import Channel
from dalenius.channel.leakage import Largest, Leakage, Witness
from dalenius.laws.law import Piece

SHARP: Final = 1e-10
"""Relatively; and a thousandth of it absolutely."""
ROUNDS: Final = 120
MOST: Final = 3000

Read = Callable[[Channel], Leakage]


def sharpened(read: Read, channel: Channel) -> Leakage:
    """What a notion reads from a channel; a supremum over a line, to SHARP where that takes no more than MOST pieces.

    Every notion that is attained at an output is a quasi-convex function of the posterior: on a piece it lies between
    its peaks over outputs that occur and over likelihoods whose mixtures all the piece's are. Pieces that cannot hold
    the largest are dropped, the others cut.
    """
    found = read(channel)
    line = channel.likelihood.line
    if line is None or found.witness is None or found.witness.output is None:
        return found
    bounds = _numbers(read(channel.seeing(line.hull)))
    search = _Search(read, channel, {name: number.upper for name, number in bounds.items()})
    pieces = list(line.pieces())
    for _ in range(ROUNDS):
        pieces = search.cut(pieces)
        if not pieces:
            break
    search.close(pieces)
    return search.leakage()


@final
class _Search:
    """best: attained by outputs seen so far; above: no dropped piece is above it; both by name of the number. The
    witness is the first that was seen of those that may be the worst: pieces from left to right, then their parts."""

    def __init__(self, read: Read, channel: Channel, bounds: dict[str, float]) -> None:
        self._read, self._channel, self._bounds = read, channel, bounds
        self._first = Largest[Witness | None]()
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
        """No time for these."""
        for piece in pieces:
            self._drop(self._tops(piece))

    def leakage(self) -> Leakage:
        ends = {name: Enclosure(low, max(low, self._above[name])) for name, low in self._best.items()}
        main = ends.pop("")
        return Leakage(main.lower, main.upper, self._first.first, ends)

    def _look(self, piece: Piece) -> float:
        """Notes what the piece's outputs attain; how far rounding alone may part its lower and upper ends."""
        channel = self._channel.seeing(piece.seen)
        leakage = self._read(channel)
        self._first.add(Enclosure(leakage.lower, leakage.upper), leakage.witness)
        for name, number in _numbers(leakage).items():
            self._best[name] = max(self._best[name], number.lower)
        return 8 * channel.error

    def _tops(self, piece: Piece) -> dict[str, float]:
        most = _numbers(self._read(self._channel.seeing(piece.hull)))
        return {name: min(number.upper, self._bounds[name]) for name, number in most.items()}

    def _is_open(self, tops: dict[str, float], doubt: float) -> bool:
        return any(top > _enough(self._best[name], doubt) for name, top in tops.items())

    def _drop(self, tops: dict[str, float]) -> None:
        for name, top in tops.items():
            self._above[name] = max(self._above[name], top)


def _numbers(leakage: Leakage) -> dict[str, Enclosure]:
    return {"": Enclosure(leakage.lower, leakage.upper), **leakage.companions}


def _enough(best: float, doubt: float) -> float:
    return best + max(SHARP * best, SHARP / 1000) + doubt
