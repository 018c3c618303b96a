"""Streams as the public JSON of `dalenius stream`, and in words."""

from math import exp, isinf
from typing import Any, Final

from dalenius.bounds import Enclosure
from dalenius.composition import Leaked, Stream
from dalenius.spec.results import number, printed

LIKE: Final = 1e-6
"""Relative difference below which of two steps the first is named."""
SAYABLE: Final = 14.0
"""Nats above which a factor is said as a power of e."""


def stream_json(stream: Stream) -> dict[str, Any]:
    """any: by whatever private mechanisms, at most; additive: by noise of scale Δ/ε_t, if values are numbers."""
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
    noise = "with Laplace noise " if stream.additive is not None else ""
    alone = f"One answer alone moves the odds between two values of its step by a factor of up to {_fold(naive)}"
    if len(stream) == 1:
        return f"{alone}."
    return (
        f"{alone}; all {len(stream)} together {noise}those at step {worst_step(stream)} by up to {_fold(most)}, "
        f"{most / naive:.3g} times ε, and those between two whole histories by up to {_fold(found.process.upper)}."
    )


def _fold(nats: float) -> str:
    return f"{exp(nats):.4g}" if nats < SAYABLE else f"e^{nats:.4g}"


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
