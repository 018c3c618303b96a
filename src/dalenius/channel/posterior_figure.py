"""What published answers say of one person, as a picture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from dalenius.channel.finite.channel import FiniteChannel
from dalenius.drawing import COLOURS, given_axes, named_beside
from dalenius.errors import Meaningless
from dalenius.noise import Answer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS: Final = ("o", "s", "^", "D", "v", "P")
DASHES: Final = ("-", "--", "-.", (0, (1, 1.4)), (0, (7, 2)), (0, (5, 1, 1, 1)))


def draw_beliefs(channels: Sequence[FiniteChannel], ax: "Axes | None" = None) -> "Axes":
    """Of the person about whom a single answer leaks most: the probability of each value of their record, before (thin)
    and after each output on the lattice of the answers. Meaningless for several answers, and of nobody."""
    own = [channel for channel in channels if len(channel.lattice.steps) == 1]
    if not own or len({channel.axes for channel in channels}) > 1:
        raise Meaningless("answers", "several, or none that a record moves", "one answer, for a picture")
    worst = max(own, key=lambda channel: channel.movement().raised.value.upper)
    outputs = _outputs(worst)
    values = [worst.at((output,)).updates[0].values for output in outputs]
    chosen = _most_moved([[each.posterior.middle / each.prior for each in row] for row in values])
    words = any(isinstance(output, str) for output in outputs)
    across = list(range(len(outputs))) if words else [float(output) for output in outputs]
    axes = given_axes(ax)
    for place, secret in enumerate(chosen):
        style: dict[str, Any] = {"color": COLOURS[place], "linestyle": DASHES[place]}
        heights = [row[secret].posterior.middle for row in values]
        value = values[0][secret].value
        axes.plot(across, heights, linewidth=1.5, marker=MARKS[place], markersize=3.5, label=f"{value}", **style)
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
    return [channel.noise.output((index,), channel.lattice)[0] for index in indices]


def _most_moved(factors: Sequence[Sequence[float]]) -> list[int]:
    """The values, by place, whose chances grow most at any output; in their own order."""
    most = [max(row[secret] for row in factors) for secret in range(len(factors[0]))]
    # Values of a record whose probability is drawn.
    return sorted(sorted(range(len(most)), key=lambda secret: -most[secret])[:6])
