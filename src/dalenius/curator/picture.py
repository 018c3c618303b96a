"""A release as a picture and a table, beside what is printed of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from dalenius.curator.drawn import ends_of
from dalenius.curator.publication import Publication
from dalenius.drawing import check_picture, write_both
from dalenius.drawing.written import write_rows

NAMES: Final = ("label", "answer", "lower", "upper", "confidence")
TALLEST: Final = 12.0
"""Inches."""


def draw_release(published: Publication, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.
    Meaningless for answers that are words."""
    check_picture(path)
    figure = _picture(published)
    return write_both(path, lambda draft: write_rows(draft, NAMES, _rows(published)), lambda: figure)


def _rows(published: Publication) -> Iterator[list[object]]:
    intervals = published.certificate.get("interval", [None] * len(published.answers))
    confidence = published.certificate.get("confidence", "")
    for label, answer, interval in zip(published.labels, published.answers, intervals, strict=True):
        pair = ends_of(interval)
        yield [label, float(answer), *(("", "", "") if pair is None else (*pair, confidence))]


def _picture(published: Publication) -> Any:
    from matplotlib.figure import Figure

    height = min(1.4 + 0.32 * max(len(published.answers), 2), TALLEST)
    figure = Figure(figsize=(7.2, height), layout="constrained")
    published.plot(figure.add_subplot())
    return figure
