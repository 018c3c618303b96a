"""Leakage by size of household (or other group) under several noises: a picture and its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import isfinite
from pathlib import Path
from typing import Any, Final, final

from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.reports.files import write_both, write_rows

# Okabe–Ito colours, distinguished in grey by their markers.
COLOURS: Final = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "p", "d")


@final
@dataclass(frozen=True)
class Curve:
    """name and noise of a release; leakage: nats by size of the group a person's record depends on."""

    name: str
    noise: Noise
    leakage: Mapping[int, float]


def curve(name: str, release: Release, notion: Notion) -> Curve:
    """The largest leakage among the people of each group size."""
    found: dict[int, float] = {}
    for channel in release.channels():
        size = channel.subject.dependents
        found[size] = max(found.get(size, 0.0), notion.leakage_of(channel).upper)
    return Curve(name, release.noise, dict(sorted(found.items())))


def draw_by_group(curves: Sequence[Curve], notion: Notion, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise InputError("plot", str(path), "a file ending in .png, .svg or .pdf")
    return write_both(path, lambda draft: _write_rows(curves, notion, draft), lambda: _picture(curves, notion))


def _write_rows(curves: Sequence[Curve], notion: Notion, path: Path) -> None:
    names = ["method", "noise", "scale", "group_size", f"{notion.kind}_leakage_nats", "promised_nats"]
    rows = (
        [each.name, each.noise.kind, each.noise.scale or 0.0, size, leakage, notion.epsilon]
        for each in curves
        for size, leakage in each.leakage.items()
    )
    write_rows(path, names, rows)


def _picture(curves: Sequence[Curve], notion: Notion) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    for each, colour, marker in zip(curves, cycle(COLOURS), cycle(MARKERS), strict=False):
        sizes = [size for size, leakage in each.leakage.items() if isfinite(leakage)]
        label = f"{each.name} ({each.noise.kind}, scale {each.noise.scale or 0:.3g})"
        leakages = [each.leakage[size] for size in sizes]
        axes.plot(sizes, leakages, color=colour, marker=marker, label=label, linewidth=1.6, markersize=6)
    if notion.epsilon is not None:
        axes.axhline(
            notion.epsilon, color="black", linestyle="--", linewidth=1.2, label=f"promised ε = {notion.epsilon:g}"
        )
    axes.set_xlabel("people in the household (records that depend on each other)")
    axes.set_ylabel(f"{notion.kind.replace('_', ' ')} leakage (nats)")
    axes.set_xticks(sorted({size for each in curves for size in each.leakage}))
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    return figure
