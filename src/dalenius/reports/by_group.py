"""Leakage by size of household (or other group), or by position in a chain, under several noises: a picture and its
numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, final

from dalenius.calibration import METHODS, Calibration, named
from dalenius.channel import Release
from dalenius.drawing import check_picture, looks_of, with_ends
from dalenius.drawing.written import write_both, write_rows
from dalenius.joints.joint import Subject
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.stages import steps

Across: TypeAlias = Literal["group_size", "position", "person"]
WORDS: Final[Mapping[Across, str]] = {
    "group_size": "people in the household (records that depend on each other)",
    "position": "position in the chain",
    "person": "person (by number)",
}
BESIDE: Final = ("independent", "group", "exact")
"""The methods that a picture of a calibration shows beside the one chosen."""
MARKED: Final = 40
"""Points of a line from which on it has no marks."""


@final
@dataclass(frozen=True)
class Curve:
    """name and noise of a release; leakage: nats by what is across: the size of the group a person's record depends on,
    the position in the chain, or the person's number."""

    name: str
    noise: Noise
    leakage: Mapping[int, float]
    across: Across = "group_size"


def across_of(subjects: Sequence[Subject]) -> Across:
    """By position where all records have one; by person where groups of one size differ in nothing else."""
    if subjects and all(subject.positions for subject in subjects):
        return "position"
    return "group_size" if len({subject.dependents for subject in subjects}) != 1 or len(subjects) < 2 else "person"


def places_of(subject: Subject, across: Across) -> tuple[int, ...]:
    """Where the class stands; of a row of positions alike the two ends."""
    if across == "position":
        return tuple(sorted({end for row in subject.positions for end in row}))
    return (subject.dependents,) if across == "group_size" else (subject.person,)


def by_place(leakages: Iterable[tuple[Subject, float]], across: Across) -> dict[int, float]:
    """The largest of each place, in order."""
    found: dict[int, float] = {}
    for subject, leakage in leakages:
        for place in places_of(subject, across):
            found[place] = max(found.get(place, -inf), leakage)
    return dict(sorted(found.items()))


def curve(name: str, release: Release, notion: Notion) -> Curve:
    """The largest leakage among the people of each group size, or at each position of a chain."""
    leaks = [(channel.subject, notion.leakage_of(channel).upper) for channel in release.channels()]
    across = across_of([subject for subject, _ in leaks])
    return Curve(name, release.noise, by_place(leaks, across), across)


def draw_by_group(curves: Sequence[Curve], notion: Notion, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    check_picture(path)
    return write_both(path, lambda draft: _write_rows(curves, notion, draft), lambda: _picture(curves, notion))


def calibration_figure(release: Release, notion: Notion, result: Calibration, path: Path) -> tuple[Path, Path]:
    """The same of a calibration, beside methods that everybody knows. What was calibrated is not calibrated again: of
    long laws that is most of the time."""
    found = {
        name: result.noise if name == result.method else named(METHODS, name).calibrate(release, notion).noise
        for name in dict.fromkeys((*BESIDE, result.method))
    }
    curves = [curve(name, release.with_noise(found[name]), notion) for name in steps("curves", tuple(found))]
    return draw_by_group(curves, notion, path)


def _write_rows(curves: Sequence[Curve], notion: Notion, path: Path) -> None:
    across = curves[0].across if curves else "group_size"
    names = ["method", "noise", "scale", across, f"{notion.kind}_leakage_nats", "promised_nats"]
    rows = (
        [each.name, each.noise.kind, each.noise.scale or 0.0, place, leakage, notion.epsilon]
        for each in curves
        for place, leakage in each.leakage.items()
    )
    write_rows(path, names, rows)


def _picture(curves: Sequence[Curve], notion: Notion) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    looks, endless = looks_of(each.name for each in curves), []
    ends: list[tuple[float, float, str, str]] = []
    for each in curves:
        known = [(place, leakage) for place, leakage in each.leakage.items() if isfinite(leakage)]
        look, words = looks[each.name], f"{each.name.replace('_', ' ')}\n({_noise(each.noise)})"
        if not known:
            endless.append(each.name.replace("_", " "))
            continue
        line = look.line() | ({"marker": ""} if len(known) > MARKED else {})
        axes.plot(*zip(*known, strict=True), linewidth=1.6, markersize=6, **line)
        ends.append((*known[-1], words, look.colour))
    if notion.epsilon is not None:
        axes.axhline(notion.epsilon, color="black", linestyle=(0, (4, 3)), linewidth=1.0, zorder=1)
    if endless:
        axes.set_title(f"without bound, and not drawn: {', '.join(endless)}", fontsize=9)
    dress(axes, curves[0].across if curves else "group_size", {place for each in curves for place in each.leakage})
    axes.set_ylabel(f"{notion.kind.replace('_', ' ')} leakage (nats)")
    axes.set_ylim(bottom=0)
    if notion.epsilon is not None:
        ends.append((axes.get_xlim()[1], notion.epsilon, f"promised ε = {notion.epsilon:g}", "black"))
    with_ends(axes, ends)
    return figure


def dress(axes: Any, across: Across, places: Iterable[int]) -> None:
    """What lies across, with whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    found = sorted(set(places))
    axes.set_xlabel(WORDS[across])
    if len(found) <= 8:
        axes.set_xticks(found)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    if len(found) == 1:
        axes.set_xlim(found[0] - 1, found[0] + 1)
    axes.grid(alpha=0.3)


def _noise(noise: Noise) -> str:
    return noise.kind if noise.scale is None else f"{noise.kind}, scale {noise.scale:.3g}"
