"""Streams as the public JSON of `dalenius stream`, and in words."""

from math import isinf
from typing import Any, Final

from dalenius.bounds import Enclosure
from dalenius.composition import Leaked, Stream
from dalenius.spec.results import factor, number, printed

LIKE: Final = 1e-6
"""Relative difference below which of two steps the first is named."""


def stream_json(stream: Stream) -> dict[str, Any]:
    """any: by whatever private mechanisms, at most; additive: by noise of scale Δ/ε_t, null where no answer is known."""
    limits = {name: None if value is None else _ends(value) for name, value in stream.limits.items()}
    return {
        "naive": stream.naive,
        "sum": _ends(stream.summed),
        "worst_step": worst_step(stream),
        "any": _largest(stream.worst),
        "additive": None if stream.additive is None else _largest(stream.additive),
        "supremum": limits,
        "in_words": in_words(stream),
        "steps": [_step(stream, step) for step in range(len(stream))],
    }


def worst_step(stream: Stream) -> int:
    """The first step, from 1, about whose value as much as about any leaks."""
    upper = stream.worst.total.upper
    return int((upper >= upper.max() * (1 - LIKE)).argmax()) + 1


def in_words(stream: Stream) -> str:
    """What was promised, and what the odds are."""
    found = stream.additive or stream.worst
    most, naive = found.total.largest.upper, stream.naive
    promised = f"Each answer alone moves the odds between two values by at most a factor of {factor(naive):.4g}"
    kind = "noise of this size moves" if stream.additive is not None else "mechanisms with this promise move"
    return (
        f"{promised}; all {len(stream)} answers of {kind} the odds at step {worst_step(stream)} by up to "
        f"{factor(most):.4g} ({most / naive:.3g} times ε), and those between two histories by up to {_times(found)}."
    )


def _times(found: Leaked) -> str:
    return f"{factor(found.process.upper):.4g}"


def _largest(found: Leaked) -> dict[str, Any]:
    sides = {"backward": found.backward, "forward": found.forward, "total": found.total}
    return {**{name: _ends(losses.largest) for name, losses in sides.items()}, "process": _ends(found.process)}


def _step(stream: Stream, step: int) -> dict[str, Any]:
    shown: dict[str, Any] = {"step": step + 1, "epsilon": float(stream.epsilons[step])}
    for name, found in (("any", stream.worst), ("additive", stream.additive)):
        if found is not None:
            sides = {"backward": found.backward, "forward": found.forward, "total": found.total}
            shown[name] = {side: _ends(losses[step]) for side, losses in sides.items()}
    return shown


def _ends(value: Enclosure) -> dict[str, Any]:
    """The two ends, rounded outwards to the digits that are reliable."""
    if isinf(value.upper):
        return {"lower": number(value.lower), "upper": number(value.upper)}
    lower, _, upper = printed(value)
    return {"lower": number(lower), "upper": number(upper)}
