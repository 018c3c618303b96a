"""The picture of a calibration: what the noise leaks by each promise, and what was promised.

A count that must keep 0.5 nats and leaks 0.416 has its mark left of a dashed line at 0.5.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalenius.errors import InputError
from dalenius.notions import Audit, Leakage, Notion

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_promises(kept: Sequence[tuple[Notion, Leakage]], ax: "Axes | None") -> "Axes":
    """Draws each promise's leakage, in nats, and a dashed line at its epsilon.

    Args:
        kept: The promises, each with its leakage.
        ax: The matplotlib axes to draw on; None for new ones.

    Raises:
        InputError: Where there is no promise, as of a noise that a certificate names.
    """
    if not kept:
        raise InputError("promises", "none", "a calibration that says what it promises")
    # Because two promises may be of one kind, with other secrets, the largest leakage stands for both.
    worst: dict[str, Leakage] = {}
    for notion, leakage in kept:
        if notion.kind not in worst or worst[notion.kind].upper < leakage.upper:
            worst[notion.kind] = leakage
    axes, kinds = Audit(worst).plot(ax), list(worst)
    promised = [(kinds.index(notion.kind), notion.epsilon) for notion, _ in kept if notion.epsilon is not None]
    for number, (place, epsilon) in enumerate(promised):
        label = "promised: at most" if number == 0 else "_"
        axes.plot(
            [epsilon, epsilon], [place - 0.4, place + 0.4], color="black", linestyle="--", linewidth=1.2, label=label
        )
    if promised:
        axes.set_xlim(right=max(axes.get_xlim()[1], 1.15 * max(epsilon for _, epsilon in promised)))
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False, fontsize=8.5)
    return axes
