"""Leakage against how far the truth may be from the model: a picture and its numbers."""

from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from dalenius.bounds import down_to_digits, near_to_digits, up_to_digits
from dalenius.drawing import check_picture, notion_looks_of
from dalenius.drawing.written import write_both, write_rows
from dalenius.notions.robustness import Robustness

DIGITS = 9


def draw_robustness(found: Robustness, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    check_picture(path, "--robust-curve")
    names = ["log_factor", *(f"{kind}_{end}_nats" for kind in found.curve[0].leakage for end in ("lower", "upper"))]
    names.append("close_adversaries_nats")
    return write_both(path, lambda draft: write_rows(draft, names, _rows(found)), lambda: _picture(found))


def _rows(found: Robustness) -> Iterator[list[float]]:
    for at in found.curve:
        ends = [
            end
            for each in at.leakage.values()
            for end in (down_to_digits(each.lower, DIGITS), up_to_digits(each.upper, DIGITS))
        ]
        yield [near_to_digits(at.log_factor, DIGITS), *ends, up_to_digits(at.close, DIGITS)]


def _picture(found: Robustness) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    places = [at.log_factor for at in found.curve]
    for kind, look in notion_looks_of(found.curve[0].leakage).items():
        lower = [at.leakage[kind].lower for at in found.curve]
        upper = [at.leakage[kind].upper for at in found.curve]
        if all(map(isfinite, upper)):
            axes.fill_between(places, lower, upper, color=look.colour, alpha=0.25, linewidth=0)
            axes.plot(places, upper, linewidth=1.6, label=kind.replace("_", " "), **look.line())
    if all(isfinite(at.close) for at in found.curve):
        close = [at.close for at in found.curve]
        axes.plot(places, close, color="0.45", linestyle=":", label="close adversaries: ε + 2Δ (inferential)")
    for each in found.broken:
        label = f"promised: {each.notion.kind.replace('_', ' ')} ≤ {each.epsilon:g}"
        axes.axhline(each.epsilon, color="black", linestyle="--", linewidth=1.2, label=label)
    axes.set_xlabel("r: every probability of the model may be off by a factor e^±r")
    axes.set_ylabel("leakage (nats)")
    # The theorem's bound leaves the picture where it says little: of a long chain at once.
    tall = [each.upper for at in found.curve for each in at.leakage.values() if isfinite(each.upper)]
    axes.set_ylim(0, 1.35 * max([*tall, *(each.epsilon for each in found.broken)], default=1.0))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8)
    return figure
