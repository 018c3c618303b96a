"""What a pipeline's guarantee leaves where records depend on each other: a picture and its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from dalenius.bounds import up_to_digits
from dalenius.conversion import Conversion, PrivacyProfile, PureProfile
from dalenius.drawing import Look, check_picture, floored, notion_looks_of, with_ends, with_floor
from dalenius.drawing.written import write_both, write_rows
from dalenius.stages import steps

POINTS: Final = 9
FURTHER: Final = 2.0
"""How many times the given epsilon the picture goes."""
LEAST: Final = 1e-9
"""Of the largest delta: below it a smaller one is not looked for."""
DIGITS: Final = 6
OWN: Final = "the pipeline's own,\nbetween neighbours"
GREY: Final = Look("#666666", "", (0, (2, 2)))


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
    across = tuple(float(each) for each in np.linspace(0.0, FURTHER * (given or 1.0), POINTS))
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
    check_picture(path)
    what = "epsilon_nats" if found.given is not None else "delta"
    names = ["epsilon_nats", f"own_{what}", *(f"{name}_{what}" for name in found.left)]
    columns = zip(found.across, found.own, *found.left.values(), strict=True)
    rows = [[across, *(up_to_digits(each, DIGITS) for each in values)] for across, *values in columns]
    return write_both(path, lambda draft: write_rows(draft, names, rows), lambda: _picture(found))


def _picture(found: Left) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    lines = [(OWN, GREY, found.own)]
    looks = notion_looks_of(found.left)
    lines += [(f"{name.replace('_', ' ')},\nunder the model", looks[name], own) for name, own in found.left.items()]
    log, floor = found.given is None, floored((each for _, _, own in lines for each in own), LEAST)
    ends = []
    for words, look, own in lines:
        known = [
            (at, max(value, floor) if log else value)
            for at, value in zip(found.across, own, strict=True)
            if isfinite(value)
        ]
        if known:
            axes.plot(*zip(*known, strict=True), linewidth=1.6, markersize=5, **look.line())
            ends.append((*known[-1], words, look.colour))
    _dress(axes, found, floor if log else None, [value for _, _, own in lines for value in own])
    with_ends(axes, ends)
    return figure


def _dress(axes: Any, found: Left, floor: float | None, values: Sequence[float]) -> None:
    axes.grid(alpha=0.3)
    if floor is None:
        axes.set(xlabel="ε of the pipeline (nats)", ylabel="ε that can leak of one record (nats)")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        if found.given:
            axes.axvline(found.given, color="black", linewidth=1.0, zorder=1)
            words = f" given: ε = {found.given:g}"
            axes.annotate(words, (found.given, 0.96), xycoords=("data", "axes fraction"), fontsize=8.5)
        return
    axes.set(xlabel="ε (nats)", ylabel="δ that can leak of one record (a probability)")
    if floor:
        axes.set(yscale="log", ylim=(floor / 1.5, 1.6 * max(values)))
    if floor and any(value < floor for value in values):
        with_floor(axes, floor)
