"""Leakage and expected error of each method over the strength of contagion: a column for each promise."""

from collections.abc import Sequence
from math import e, log, nan
from pathlib import Path
from typing import Any, Final

from dalenius.drawing import looks_of, save
from papers.by_method import METHODS, Judged

LOOKS: Final = looks_of(METHODS)
FACTORS: Final = ((1.1, "1.1"), (1.5, "1.5"), (e, "e"), (10, "10"), (1e3, "10³"), (1e8, "10⁸"))
NOTHING: Final = 1e-9
"""Below it a leakage, in nats, is indistinguishable from 0, and not drawn."""
UNSEEN: Final = 1.0
"""The expected error of publishing 0 whatever the answer is: as many people as are ill on average."""


def draw_methods(points: Sequence[Judged], leaks: str, factor: str, path: Path) -> None:
    """leaks: what the leakage is the log of, in words; factor: the name of that."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    epsilons = sorted({at.epsilon for at in points})
    top = 2 * max(at.leakage.upper for at in points)
    figure = Figure(figsize=(10.4, 7.0), layout="constrained")
    grid = figure.subplots(2, len(epsilons), sharex=True, sharey="row")
    for column, epsilon in enumerate(epsilons):
        own = [at for at in points if at.epsilon == epsilon]
        _leakages(grid[0, column], own, epsilon, top)
        _errors(grid[1, column], own, words=column == 0)
        grid[0, column].set_title(f"promise: ε = {epsilon:g}", fontsize=10)
    grid[0, 0].set_ylabel(f"worst {leaks}, nats")
    grid[1, 0].set_ylabel("expected error, people")
    _factors(grid[0, -1], factor)
    for axes in grid[1]:
        axes.set_xlabel("contagion: chance that an ill member\ninfects each other one")
    grey: dict[str, Any] = {"color": "0.35", "linestyle": "none"}
    handles = [
        *(
            Line2D([], [], color=look.colour, marker=look.mark, markersize=5, label=named(name))
            for name, look in LOOKS.items()
        ),
        Line2D([], [], marker="o", markerfacecolor="white", label="kept, but not proven", **grey),
        Line2D([], [], marker="x", label="promise broken", **grey),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    save(figure, path)


def named(method: str) -> str:
    """For people."""
    return "naive (independent)" if method == "independent" else method.replace("_", " ")


def _leakages(axes: Any, points: Sequence[Judged], epsilon: float, top: float) -> None:
    for method in METHODS:
        own = [at for at in points if at.method == method]
        _line(axes, own, [at.leakage.upper if at.leakage.upper > NOTHING else nan for at in own])
    axes.axhline(epsilon, color="0.5", linewidth=0.8, linestyle=":")
    axes.set_yscale("log")
    axes.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    axes.set_ylim(0.04, top)
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
    axes.grid(alpha=0.3)
