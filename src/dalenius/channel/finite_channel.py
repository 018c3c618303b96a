"""The channel of a secret with finitely many values: every quantity is read from one table of likelihoods.

A bit that is reported as it is three times of four leaks ln 3 = 1.0986 nats: an output's likelihoods are .75 and .25.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self, final

from dalenius.bounds import Enclosure
from dalenius.channel import hockey_stick, quantities
from dalenius.channel.channel import Channel, RatioName, TailName
from dalenius.channel.finite_posterior import FiniteSeen
from dalenius.channel.hockey_stick import refined
from dalenius.channel.leakage import Divergence, Found, Movement, SubjectTail, TestedPair
from dalenius.channel.likelihoods import Likelihoods
from dalenius.drawing import COLOURS, given_axes, named_beside
from dalenius.errors import Meaningless
from dalenius.laws.law import Array
from dalenius.laws.pointwise_losses import Gain, PointwiseLoss, PosteriorDivergence
from dalenius.noise import Answer

if TYPE_CHECKING:
    from matplotlib.axes import Axes


LOSSES: Final[Mapping[TailName, Callable[[Array], PointwiseLoss]]] = {"gain": Gain, "divergence": PosteriorDivergence}
"""By name what an output leaks, from the logs of the prior."""


@final
@dataclass(frozen=True)
class FiniteChannel(Likelihoods, Channel):
    """The channel of one subject, by its likelihoods."""

    @property
    def complete(self) -> "FiniteChannel":
        """Itself: see `WindowChannel`."""
        return self

    def singly(self, quantity: str) -> Iterator[Channel]:
        yield self

    def neighbours(self) -> Found:
        return quantities.neighbours(self)

    def ratio(self) -> Found:
        return refined(lambda channel: {"": quantities.ratio(channel)}, self)[""]

    def least_epsilon(self, of: RatioName, delta: float) -> Found:
        return hockey_stick.least_epsilon_of(self, of, delta)

    def least_delta(self, of: RatioName, epsilon: float) -> Enclosure:
        return hockey_stick.least_delta_of(self, of, epsilon)

    def tradeoffs(self) -> Iterator[TestedPair]:
        return hockey_stick.tradeoffs(self)

    def movement(self, lowering: float = 1.0) -> Movement:
        return Movement(**refined(lambda channel: quantities.movement(channel, lowering)._asdict(), self))

    def divergence(self) -> Divergence:
        return Divergence(**refined(lambda channel: quantities.divergence(channel)._asdict(), self))

    def information(self) -> Found:
        return quantities.information(self)

    def tail(self, of: TailName = "gain") -> SubjectTail:
        return SubjectTail(self.tail_of(LOSSES[of](self.log_prior)), quantities.maximal_leakage(self), self.witness())

    def at(self, output: Sequence[Answer]) -> FiniteSeen:
        return FiniteSeen(self, output)

    def finite(self, quantity: str) -> Self:
        return self


_MARKS: Final = ("o", "s", "^", "D", "v", "P")
_DASHES: Final = ("-", "--", "-.", (0, (1, 1.4)), (0, (7, 2)), (0, (5, 1, 1, 1)))


def draw_beliefs(channels: Sequence[FiniteChannel], ax: "Axes | None" = None) -> "Axes":
    """Of the person about whom a single answer leaks most: the probability of each value of their record, before (thin)
    and after each output on the lattice of the answers. Meaningless for several answers, and of nobody."""
    # A curve over two answers would be a surface.
    own = [channel for channel in channels if len(channel.lattice.steps) == 1]
    if not own or len({channel.axes for channel in channels}) > 1:
        raise Meaningless("answers", "several, or none that a record moves", "one answer, for a picture")
    worst = max(own, key=lambda channel: channel.movement().raised.value.upper)
    outputs = _outputs(worst)
    values = [worst.at((output,)).updates[0].values for output in outputs]
    chosen = _most_moved([[each.posterior.middle / each.prior for each in row] for row in values])
    # Words have no places along an axis: they stand side by side.
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
    named_beside(axes)
    return axes


def _outputs(channel: FiniteChannel) -> list[Answer]:
    """Points of the box of outputs, its ends among them."""
    (start,), (length,) = channel.likelihood.start, channel.likelihood.box
    # Outputs that are drawn, at most.
    step = max(1, -(-(length - 1) // 60))
    indices = sorted({*range(start, start + length, step), start + length - 1})
    return [channel.mechanism.output((index,))[0] for index in indices]


def _most_moved(factors: Sequence[Sequence[float]]) -> list[int]:
    """The values, by place, whose chances grow most at any output; in their own order."""
    most = [max(row[secret] for row in factors) for secret in range(len(factors[0]))]
    # Values of a record whose probability is drawn.
    return sorted(sorted(range(len(most)), key=lambda secret: -most[secret])[:6])
