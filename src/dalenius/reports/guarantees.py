"""What guarantees leave where records depend on each other: a pipeline's, those of a stream of answers step by step,
and a promise's where the model is off; pictures and their numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from dalenius.bounds import down_to_digits, near_to_digits, up_to_digits
from dalenius.composition import Stream
from dalenius.conversion import Conversion, PrivacyProfile, PureProfile
from dalenius.drawing import COLOURS, Look, draw_line, floored, named_beside, new_axes, notion_looks_of, write_both
from dalenius.progress import steps
from dalenius.reports.robustness import Robustness

LEFT_DIGITS: Final = 6
DIGITS: Final = 9
OWN: Final = "the pipeline's own,\nbetween neighbours"
GREY: Final = Look("#666666", "", (0, (2, 2)))
STEPS: Final = ("step", "epsilon", "backward", "forward", "total", "additive", "sum")


@final
@dataclass(frozen=True)
class Left:
    """across: epsilons, in nats; own: the pipeline's guarantee there; left: what may leak, at most, by notion: of a
    pure guarantee of that epsilon the epsilon, else the delta at that epsilon. given: the guarantee's own epsilon."""

    across: tuple[float, ...]
    own: tuple[float, ...]
    left: Mapping[str, tuple[float, ...]]
    given: float | None


def left_by_epsilon(made: Mapping[str, Conversion], given: float) -> Left:
    """What pure guarantees around the given one leave."""
    # How many times the given epsilon the picture goes.
    across = tuple(float(each) for each in np.linspace(0.0, 2.0 * (given or 1.0), 9))
    found: dict[str, list[float]] = {name: [] for name in made}
    for epsilon in steps("guarantees", across):
        for name, each in made.items():
            found[name].append(each.with_profile(PureProfile(epsilon)).most(0.0))
    return Left(across, across, {name: tuple(values) for name, values in found.items()}, given)


def left_by_delta(curves: Mapping[str, Sequence[tuple[float, float]]], profile: PrivacyProfile) -> Left:
    """curves: by notion the deltas that the guarantee leaves, at the same epsilons."""
    across = tuple(epsilon for epsilon, _ in next(iter(curves.values())))
    left = {name: tuple(delta for _, delta in curve) for name, curve in curves.items()}
    return Left(across, tuple(min(1.0, profile.delta(epsilon)) for epsilon in across), left, None)


def draw_conversion(found: Left, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    what = "epsilon_nats" if found.given is not None else "delta"
    names = ["epsilon_nats", f"own_{what}", *(f"{name}_{what}" for name in found.left)]
    columns = zip(found.across, found.own, *found.left.values(), strict=True)
    rows = [[across, *(up_to_digits(each, LEFT_DIGITS) for each in values)] for across, *values in columns]
    return write_both(path, names, rows, lambda: _converted(found))


def _converted(found: Left) -> Any:
    figure, (axes,) = new_axes()
    draw_line(axes, zip(found.across, found.own, strict=True), OWN, GREY)
    for name, look in notion_looks_of(found.left).items():
        points = zip(found.across, found.left[name], strict=True)
        draw_line(axes, points, f"{name.replace('_', ' ')},\nunder the model", look)
    if found.given is not None:
        axes.axvline(found.given, color="black", linewidth=1.0, zorder=1, label=f"given: ε = {found.given:g}")
        axes.set(xlabel="ε of the pipeline (nats)", ylabel="ε that can leak of one record (nats)")
        axes.set(xlim=(0, None), ylim=(0, None))
    else:
        axes.set(xlabel="ε (nats)", ylabel="δ that can leak of one record (a probability)")
        values = [each for own in (found.own, *found.left.values()) for each in own]
        # Of the largest delta: below it a smaller one is not looked for.
        if floor := floored(values, 1e-9):
            axes.set(yscale="log", ylim=(floor / 1.5, 1.6 * max(values)))
    named_beside(axes)
    return figure


def draw_by_step(stream: Stream, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers, in nats; both paths.
    additive: the total with noise of scale Δ/ε_t, empty where no answer is known; sum: of the ε so far.
    """
    return write_both(path, STEPS, _steps(stream), lambda: _by_step(stream))


def _steps(stream: Stream) -> list[list[object]]:
    any_, added = stream.worst, stream.additive
    sides = (any_.backward.upper, any_.forward.upper, any_.total.upper)
    sums = np.cumsum(stream.epsilons)
    return [
        [
            step + 1,
            f"{stream.epsilons[step]:.6g}",
            *(f"{side[step]:.6g}" for side in sides),
            "" if added is None else f"{added.total.upper[step]:.6g}",
            f"{sums[step]:.6g}",
        ]
        for step in range(len(stream))
    ]


def _by_step(stream: Stream) -> Any:
    figure, (axes,) = new_axes()
    lines = [
        (stream.worst.total.upper, "-", "by all answers"),
        (stream.worst.backward.upper, "--", "by those so far"),
        (stream.worst.forward.upper, "-.", "by those from then on"),
    ]
    if stream.additive is not None:
        lines.append((stream.additive.total.upper, ":", "by all, with noise of scale Δ/ε"))
    for colour, (numbers, dashes, label) in zip(COLOURS, lines, strict=False):
        draw_line(axes, enumerate(numbers, 1), label, Look(colour, ".", dashes))
    draw_line(axes, enumerate(stream.epsilons, 1), "ε of the step", Look("0.4", ""))
    axes.locator_params(axis="x", integer=True)
    axes.set(xlabel="step", ylabel="what leaks of the step's value (nats)", ylim=(0, None))
    axes.legend(frameon=False, fontsize=8)
    return figure


def draw_robustness(found: Robustness, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    names = ["log_factor", *(f"{kind}_{end}_nats" for kind in found.curve[0].leakage for end in ("lower", "upper"))]
    names.append("close_adversaries_nats")
    return write_both(path, names, _distances(found), lambda: _robustness(found), "--robust-curve")


def _distances(found: Robustness) -> Iterator[list[float]]:
    for at in found.curve:
        ends = [
            end
            for each in at.leakage.values()
            for end in (down_to_digits(each.lower, DIGITS), up_to_digits(each.upper, DIGITS))
        ]
        yield [near_to_digits(at.log_factor, DIGITS), *ends, up_to_digits(at.close, DIGITS)]


def _robustness(found: Robustness) -> Any:
    figure, (axes,) = new_axes()
    places = [at.log_factor for at in found.curve]
    for kind, look in notion_looks_of(found.curve[0].leakage).items():
        leaks = [at.leakage[kind] for at in found.curve]
        if all(isfinite(each.upper) for each in leaks):
            draw_line(axes, zip(places, (each.upper for each in leaks), strict=True), kind.replace("_", " "), look)
            lower, upper = zip(*((each.lower, each.upper) for each in leaks), strict=True)
            axes.fill_between(places, lower, upper, color=look.colour, alpha=0.25, linewidth=0)
    if all(isfinite(at.close) for at in found.curve):
        close = ((at.log_factor, at.close) for at in found.curve)
        draw_line(axes, close, "close adversaries: ε + 2Δ (inferential)", Look("0.45", "", ":"))
    for each in found.broken:
        label = f"promised: {each.notion.kind.replace('_', ' ')} ≤ {each.epsilon:g}"
        axes.axhline(each.epsilon, color="black", linestyle="--", linewidth=1.2, label=label)
    axes.set(xlabel="r: every probability of the model may be off by a factor e^±r", ylabel="leakage (nats)")
    # The theorem's bound leaves the picture where it says little: of a long chain at once.
    tall = [each.upper for at in found.curve for each in at.leakage.values() if isfinite(each.upper)]
    axes.set_ylim(0, 1.35 * max([*tall, *(each.epsilon for each in found.broken)], default=1.0))
    axes.legend(frameon=False, fontsize=8)
    return figure
