"""What each method's noise leaks about a member of the family of ten, and what it costs, by strength of contagion.

At contagion 0 the model is of independent people. Above it they are one group of ten, so that the noise of group and
weak dependence jumps there. The optimum is over all mechanisms; at full contagion it publishes 0 whatever the answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import e, exp, log, nan
from typing import Any, Final, final

from matplotlib.lines import Line2D

import dalenius as dl
from dalenius.notions import Notion
from dalenius.plotting import looks_of
from papers.family import CONTAGIONS, community, release_of
from papers.figure import panels, save

METHODS: Final = ("independent", "group", "weak_dependence", "exact", "optimal")
EPSILONS: Final = (0.5, 1.0, 2.0)
ROUNDING: Final = 1e-9
LOOKS: Final = looks_of(METHODS)
FACTORS: Final = ((1.1, "1.1"), (1.5, "1.5"), (e, "e"), (10, "10"), (1e3, "10³"), (1e8, "10⁸"))
NOTHING: Final = 1e-9
"""Below it a leakage, in nats, is indistinguishable from 0, and not drawn."""
UNSEEN: Final = 1.0
"""The expected error of publishing 0 whatever the answer is: as many people as are ill on average."""


@final
@dataclass(frozen=True)
class Judged:
    """One method at one promise and contagion. sound: whether its hypotheses hold; leakage: in nats; error: expected,
    in people; scale: None where the noise has none."""

    epsilon: float
    contagion: float
    method: str
    sound: bool
    kind: str
    scale: float | None
    leakage: dl.Enclosure
    error: float

    @property
    def kept(self) -> bool:
        """Whether the promise is, with or without a proof beforehand."""
        return self.leakage.upper <= self.epsilon * (1 + ROUNDING)


def judge(promises: Sequence[Notion], contagions: Sequence[float] = CONTAGIONS) -> tuple[Judged, ...]:
    """Every method at every promise and contagion, but for promises that a method refuses: weak dependence promises
    nothing at ε below ln 2."""
    return tuple(
        found
        for promise in promises
        for contagion in contagions
        for method in METHODS
        if (found := _judged(promise, contagion, method)) is not None
    )


def rows(points: Sequence[Judged]) -> Iterator[tuple[object, ...]]:
    """The lines of a CSV."""
    yield (
        *("epsilon", "contagion", "community", "method", "sound", "kept", "noise", "scale"),
        *("leakage_lower", "leakage_upper", "factor", "expected_error"),
    )
    for at in points:
        scale = "" if at.scale is None else at.scale
        yield (
            *(at.epsilon, at.contagion, community(at.contagion), at.method, at.sound, at.kept, at.kind, scale),
            *(at.leakage.lower, at.leakage.upper, exp(at.leakage.upper), at.error),
        )


def draw(name: str, points: Sequence[Judged], leaks: str, factor: str) -> None:
    """Leakage and expected error over the contagion, a column for each promise. leaks: what the leakage is the log of,
    in words; factor: the name of that."""
    epsilons = sorted({at.epsilon for at in points})
    top = 2 * max(at.leakage.upper for at in points)
    figure, axes = panels(2, len(epsilons), (10.4, 7.0), sharex=True, sharey="row")
    above, below = axes[: len(epsilons)], axes[len(epsilons) :]
    for column, epsilon in enumerate(epsilons):
        own = [at for at in points if at.epsilon == epsilon]
        _leakages(above[column], own, epsilon, top)
        _errors(below[column], own, words=column == 0)
        above[column].set_title(f"promise: ε = {epsilon:g}", fontsize=10)
        below[column].set_xlabel("contagion: chance that an ill member\ninfects each other one")
    above[0].set_ylabel(f"worst {leaks}, nats")
    below[0].set_ylabel("expected error, people")
    _factors(above[-1], factor)
    grey: dict[str, Any] = {"color": "0.35", "linestyle": "none"}
    handles = [
        *(Line2D([], [], color=at.colour, marker=at.mark, markersize=5, label=named(key)) for key, at in LOOKS.items()),
        Line2D([], [], marker="o", markerfacecolor="white", label="kept, but not proven", **grey),
        Line2D([], [], marker="x", label="promise broken", **grey),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    save(name, figure)


def named(method: str) -> str:
    """For people."""
    return "naive (independent)" if method == "independent" else method.replace("_", " ")


def _judged(promise: Notion, contagion: float, method: str) -> Judged | None:
    assert promise.epsilon is not None
    try:
        found = dl.calibrate(release_of(contagion), promise, method)
    except dl.InputError as error:
        if error.key != "notion.epsilon":
            raise
        return None
    leakage, noise = dl.Enclosure(found.leakage.lower, found.leakage.upper), found.noise
    return Judged(
        promise.epsilon, contagion, method, found.sound, noise.kind, noise.scale, leakage, found.expected_error
    )


def _leakages(axes: Any, points: Sequence[Judged], epsilon: float, top: float) -> None:
    for method in METHODS:
        own = [at for at in points if at.method == method]
        _line(axes, own, [at.leakage.upper if at.leakage.upper > NOTHING else nan for at in own])
    axes.axhline(epsilon, color="0.5", linewidth=0.8, linestyle=":")
    axes.set(yscale="log", ylim=(0.04, top))
    axes.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    _dress(axes)


def _errors(axes: Any, points: Sequence[Judged], words: bool) -> None:
    for method in METHODS:
        own = [at for at in points if at.method == method]
        _line(axes, own, [at.error for at in own])
    axes.axhline(UNSEEN, color="0.5", linewidth=0.8, linestyle=":")
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_ylim(-0.01, 60)
    axes.set_yticks([0, 0.1, 1, 10], ["0", "0.1", "1", "10"])
    if words:
        axes.text(0.001, UNSEEN * 0.9, "publish 0, unseen", fontsize=8, color="0.35", va="top")
    _dress(axes)


def _line(axes: Any, points: Sequence[Judged], values: Sequence[float]) -> None:
    """Independence is a point of its own: any contagion at all makes ten people one group."""
    if not points:
        return
    colour, mark = LOOKS[points[0].method].colour, LOOKS[points[0].method].mark
    style: dict[str, Any] = {"color": colour, "markersize": 4.5, "linewidth": 1.2}
    places = [at.contagion for at in points]
    dependent = [i for i, place in enumerate(places) if place > 0]
    dashes = "-" if all(points[i].sound for i in dependent) else "--"
    axes.plot([places[i] for i in dependent], [values[i] for i in dependent], linestyle=dashes, **style)
    for shown, face in ((mark, colour), (mark, "white"), ("x", colour)):
        own = [
            i for i, at in enumerate(points) if (at.kept, at.sound or not at.kept) == (shown == mark, face == colour)
        ]
        chosen = {"marker": shown, "markerfacecolor": face, "linestyle": "none"}
        axes.plot([places[i] for i in own], [values[i] for i in own], **chosen, **style)


def _factors(axes: Any, factor: str) -> None:
    right = axes.twinx()
    right.set_yscale("log")
    right.set_yticks([log(value) for value, _ in FACTORS], [label for _, label in FACTORS])
    right.set_ylim(*axes.get_ylim())
    right.minorticks_off()
    right.set_ylabel(f"as a factor, {factor}")


def _dress(axes: Any) -> None:
    axes.set_xscale("symlog", linthresh=1e-3, linscale=0.4)
    axes.set_xlim(-3e-4, 1.4)
    axes.set_xticks([0, 0.001, 0.01, 0.1, 1], ["0", "0.001", "0.01", "0.1", "1"])
    axes.minorticks_off()
