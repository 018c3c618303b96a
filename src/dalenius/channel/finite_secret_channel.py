"""The channel of a secret with finitely many values: every quantity is read from one table of likelihoods.

A bit that is reported as it is three times of four leaks ln 3 = 1.0986 nats: an output's likelihoods are .75 and .25.
Suprema over a line of outputs, as under Gaussian noise, go by branch and bound on intervals of it.
"""

import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import Enclosure
from dalenius.channel import hockey_stick, quantities
from dalenius.channel.channel import Channel, RatioName, TailName
from dalenius.channel.finite_secret_posterior import FinitePosterior
from dalenius.channel.leakage import Divergence, Found, Largest, Leakage, Movement, SubjectTail, TestedPair, Witness
from dalenius.channel.likelihoods import Likelihoods
from dalenius.channel.limits import MOST_PIECES
from dalenius.errors import Meaningless
from dalenius.laws.law import Law, Piece
from dalenius.laws.leakage_of_one_output import Gain, PointwiseLoss, PosteriorDivergence
from dalenius.noise import Answer
from dalenius.plotting import COLOURS, given_axes, side_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes


LOSSES: Final[Mapping[TailName, Callable[[Array], PointwiseLoss]]] = {"gain": Gain, "divergence": PosteriorDivergence}
"""Makers of the loss of an output, by its name, from the logs of the prior."""


class ChannelOfLikelihoods(Likelihoods, Channel, abc.ABC):
    """A channel whose averages, and neighbours, are read from its own likelihoods, or from the known part of them."""

    def singly(self, quantity: str) -> Iterator[Channel]:
        yield self

    def neighbours(self) -> Found:
        return quantities.neighbours(self)

    def least_epsilon(self, of: RatioName, delta: float) -> Found:
        return hockey_stick.least_epsilon_of(self, of, delta, partial(self.without_delta, of))

    def without_delta(self, of: RatioName) -> Found:
        """Returns the leakage without a delta, in nats, of the likelihoods `of`: a bound of one with a delta."""
        return quantities.ratio(self) if of == "ratio" else getattr(quantities.movement(self, 1.0), of)

    def least_delta(self, of: RatioName, epsilon: float, least: float = 0.0, bound: float | None = None) -> Enclosure:
        return hockey_stick.least_delta_of(self, of, epsilon, least, bound)

    def tradeoffs(self) -> Iterator[TestedPair]:
        return hockey_stick.tradeoffs(self)

    def information(self) -> Found:
        return quantities.information(self)

    def finite(self, quantity: str) -> Self:
        return self


@final
@dataclass(frozen=True)
class FiniteChannel(ChannelOfLikelihoods):
    """The channel of one subject, by its likelihoods."""

    @property
    def complete(self) -> "FiniteChannel":
        """The channel itself: see `WindowChannel`."""
        return self

    def ratio(self) -> Found:
        return refined(lambda channel: {"": quantities.ratio(channel)}, self)[""]

    def movement(self, lowering: float = 1.0) -> Movement:
        return Movement(**refined(lambda channel: quantities.movement(channel, lowering)._asdict(), self))

    def divergence(self) -> Divergence:
        return Divergence(**refined(lambda channel: quantities.divergence(channel)._asdict(), self))

    def tail(self, of: TailName = "gain") -> SubjectTail:
        return SubjectTail(self.tail_of(LOSSES[of](self.log_prior)), quantities.maximal_leakage(self), self.witness())

    def at(self, output: Sequence[Answer]) -> FinitePosterior:
        return FinitePosterior(self, output)


_SHARP: Final = 1e-10
"""Wanted relative precision; a thousandth of it is the absolute one."""

_Read: TypeAlias = Callable[[Likelihoods], dict[str, Found]]
"""Reads maxima over the outputs at which a channel is evaluated, by name."""


def supremum(read: Callable[[Likelihoods], Leakage], channel: Likelihoods) -> Leakage:
    """Returns a leakage that is the supremum over outputs of a quasi-convex function of the posterior.

    The outputs may be a whole line.

    Args:
        read: The leakage's maximum over the outputs at which a channel is evaluated.
        channel: The likelihoods of every output, the line of real ones among them.
    """

    def numbers(evaluated: Likelihoods) -> dict[str, Found]:
        leakage = read(evaluated)
        own = Found(Enclosure(leakage.lower, leakage.upper), leakage.witness)
        return {"": own, **{name: Found(value) for name, value in leakage.companions.items()}}

    found = refined(numbers, channel)
    return Leakage.of(found.pop(""), **{name: each.value for name, each in found.items()})


def refined(read: _Read, channel: Likelihoods) -> dict[str, Found]:
    """Returns the quantities of a `channel`, to a relative 1e-10 on a line of outputs, if 3,000 pieces are enough.

    Every quantity that is attained at an output is a quasi-convex function of the posterior. On a piece its supremum
    lies between the maxima over some of its outputs and over its hull, likelihoods of which all of the piece's are
    mixtures. Pieces that cannot hold the largest are dropped, the others cut. `read` returns the maxima over the
    outputs at which a channel is evaluated, by name.
    """
    far_out = _at_infinity(read, channel)
    if far_out is not None:
        return far_out
    found = read(channel)
    line = channel.likelihood.line
    # The case of exponential noise and kernels: finitely many outputs stand for all. Gaussian noise has a line of them.
    if line is None or all(each.witness is None or each.witness.output is None for each in found.values()):
        return found
    bounds = read(channel.seeing(line.hull))
    search = _Search(read, channel, {name: each.value.upper for name, each in bounds.items()})
    pieces = list(line.pieces())
    # Because each round cuts the pieces that are open, these are more rounds than a double has digits.
    for _ in range(120):
        pieces = search.cut(pieces)
        if not pieces:
            break
    search.close(pieces)
    return search.found()


def _at_infinity(read: _Read, channel: Likelihoods) -> dict[str, Found] | None:
    """Returns the quantities at outputs at infinity, if they leak as much as could be.

    Every posterior is a mixture of those that are sure of a secret. None where they leak less, or no such law is
    known.
    """
    if channel.far_out is None:
        return None
    count = len(channel.secrets)
    sure = Law((0,), np.zeros(count), np.where(np.eye(count), 0.0, -np.inf), 0.0, points=np.zeros(count))
    outermost = channel.seeing(channel.far_out)
    found, most = read(outermost), read(channel.seeing(sure))
    tops = {name: max(each.value.upper, most[name].value.upper) for name, each in found.items()}
    if any(_enough(found[name].value.lower, 8 * outermost.error) < top for name, top in tops.items()):
        return None
    return {name: Found(Enclosure(each.value.lower, tops[name]), each.witness) for name, each in found.items()}


@final
class _Search:
    """A search by branch and bound. All fields are by name of the quantity.

    best: attained at outputs so far; above: an upper bound for all dropped pieces; conceded: the upper bound of those
    that rounding alone keeps above the best: pieces no higher need not be cut. A witness is the first of those that
    may be the worst: pieces from left to right, then their parts.
    """

    def __init__(self, read: _Read, channel: Likelihoods, bounds: dict[str, float]) -> None:
        self._read, self._channel, self._bounds = read, channel, bounds
        self._first = {name: Largest[Witness | None]() for name in bounds}
        self._best = dict.fromkeys(bounds, 0.0)
        self._above = dict.fromkeys(bounds, 0.0)
        self._conceded = dict.fromkeys(bounds, 0.0)
        self._count = 0

    def cut(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Returns the parts of those pieces that may hold a supremum."""
        doubts = [self._look(piece) for piece in pieces]
        self._count += len(pieces)
        found: list[Piece] = []
        looked_at = [(piece, self._tops(piece), doubt) for piece, doubt in zip(pieces, doubts, strict=True)]
        for _, tops, doubt in looked_at:
            for name, top in tops.items():
                # Because cutting would not end where rounding alone keeps the top above the best.
                if top <= _enough(self._best[name], doubt):
                    self._conceded[name] = max(self._conceded[name], top)
        for piece, tops, _ in looked_at:
            is_open = any(top > self._conceded[name] for name, top in tops.items())
            # So that the search ends: after so many pieces the open ones are given up, and their tops count as upper
            # ends.
            parts = piece.parts() if is_open and self._count < MOST_PIECES else ()
            found += parts
            if not parts:
                self._drop(tops)
        return found

    def close(self, pieces: Sequence[Piece]) -> None:
        """Drops the pieces left when the rounds are used up."""
        for piece in pieces:
            self._drop(self._tops(piece))

    def found(self) -> dict[str, Found]:
        """Returns each quantity with both ends: the best output, and the highest dropped bound."""
        return {
            name: Found(Enclosure(low, max(low, self._above[name])), self._first[name].first)
            for name, low in self._best.items()
        }

    def _look(self, piece: Piece) -> float:
        """Records the maxima at the piece's outputs; returns how far rounding alone may separate its two bounds."""
        channel = self._channel.seeing(piece.sampled)
        for name, each in self._read(channel).items():
            self._first[name].add(each.value, each.witness)
            self._best[name] = max(self._best[name], each.value.lower)
        return 8 * channel.error

    def _tops(self, piece: Piece) -> dict[str, float]:
        most = self._read(self._channel.seeing(piece.hull))
        return {name: min(each.value.upper, self._bounds[name]) for name, each in most.items()}

    def _drop(self, tops: dict[str, float]) -> None:
        for name, top in tops.items():
            self._above[name] = max(self._above[name], top)


def _enough(best: float, doubt: float) -> float:
    return best + max(_SHARP * best, _SHARP / 1000) + doubt


_MARKS: Final = ("o", "s", "^", "D", "v", "P")
_DASHES: Final = ("-", "--", "-.", (0, (1, 1.4)), (0, (7, 2)), (0, (5, 1, 1, 1)))


def draw_beliefs(channels: Sequence[FiniteChannel], ax: "Axes | None" = None) -> "Axes":
    """Draws the beliefs about the person about whom a single answer leaks most.

    The picture has the probability of each value of their record, before (thin) and after each output on the lattice
    of the answers. Meaningless for several answers, and for nobody.

    Args:
        channels: The channels of a release.
        ax: The matplotlib axes to draw on; None for new ones.
    """
    # Because a curve over two answers would be a surface.
    own = [channel for channel in channels if len(channel.lattice.steps) == 1]
    if not own or len({channel.axes for channel in channels}) > 1:
        raise Meaningless("answers", "several, or none that a record moves", "one answer, for a picture")
    worst = max(own, key=lambda channel: channel.movement().raised.value.upper)
    outputs = _outputs(worst)
    values = [worst.at((output,)).updates[0].values for output in outputs]
    chosen = _most_moved([[each.posterior.middle / each.prior for each in row] for row in values])
    # Because words have no places along an axis, they stand side by side.
    words = any(isinstance(output, str) for output in outputs)
    across = list(range(len(outputs))) if words else [float(output) for output in outputs]
    axes = given_axes(ax)
    for place, secret in enumerate(chosen):
        style: dict[str, Any] = {"color": COLOURS[place], "linestyle": _DASHES[place]}
        heights = [row[secret].posterior.middle for row in values]
        value = values[0][secret].value
        axes.plot(across, heights, linewidth=1.5, marker=_MARKS[place], markersize=3.5, label=f"{value}", **style)
        axes.axhline(values[0][secret].prior, linewidth=0.7, zorder=1, **style)
    if words:
        axes.set_xticks(across, [str(output) for output in outputs])
    axes.set(ylim=(0, 1), xlabel="published answer" if words else "published answer (the query's unit)")
    axes.set_ylabel("probability of the value; thin: before")
    axes.set_title(f"{worst.subject.what} of {worst.subject.who}", fontsize=10)
    axes.grid(alpha=0.3)
    side_legend(axes)
    return axes


def _outputs(channel: FiniteChannel) -> list[Answer]:
    """Returns points of the box of outputs, its ends among them."""
    (start,), (length,) = channel.likelihood.start, channel.likelihood.box
    # Because more than some sixty points look the same in a picture.
    step = max(1, -(-(length - 1) // 60))
    indices = sorted({*range(start, start + length, step), start + length - 1})
    return [channel.mechanism.output((index,))[0] for index in indices]


def _most_moved(factors: Sequence[Sequence[float]]) -> list[int]:
    """Returns the places of the values whose chances grow most at any output, in their own order."""
    most = [max(row[secret] for row in factors) for secret in range(len(factors[0]))]
    # Because each value costs a look, six at most.
    return sorted(sorted(range(len(most)), key=lambda secret: -most[secret])[:6])
