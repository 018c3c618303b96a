"""A picture of what each method adds and what it leaks, and the table beside it."""

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final

from dalenius.calibration import Compared, Comparison, least_possible
from dalenius.channel import Release
from dalenius.notions import Notion
from dalenius.plotting import new_axes, write_both

_NAMES: Final = (
    "epsilon_nats",
    "method",
    "sound",
    "noise",
    "scale",
    "expected_error",
    "lower_bound",
    "achieved_nats",
    "why",
)


def _best_methods(results: Sequence[Compared]) -> set[str]:
    """The six sound methods of least expected error, and always the optimum, which has the bound."""
    found = [(each.calibration, each.method) for each in results if each.calibration is not None]
    sound = [(own.expected_error, name) for own, name in found if own.sound and isfinite(own.expected_error)]
    best = sorted(sound, key=lambda each: each[0])[:6]
    return {name for _, name in best} | {name for own, name in found if own.optimum is not None}


def comparison_figure(
    _: Release, notion: Notion, results: Sequence[Compared], path: Path, everything: bool
) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.
    everything: of all methods that apply, not the best alone.

    results: those at the promise. InputError where the picture cannot be written.
    """
    # Of sixteen methods most do not apply, or err far more than the best: these would hide the others.
    drawn = {each.method for each in results} if everything else _best_methods(results)

    def picture() -> Any:
        figure, (axes,) = new_axes()
        Comparison(tuple(each for each in results if each.method in drawn)).plot(axes)
        return figure

    return write_both(path, _NAMES, _rows(notion, results), picture)


def _rows(notion: Notion, results: Sequence[Compared]) -> Iterator[list[object]]:
    """Of the CSV: a row for each method, with the reason where it does not apply."""
    bound = least_possible(results)
    for found in results:
        done = found.calibration
        if done is None:
            yield [notion.epsilon, found.method, "", "", "", "", bound, "", f"does not apply: {found.why}"]
        else:
            numbers = done.noise.kind, done.noise.scale or 0.0, done.expected_error, bound, done.leakage.upper
            yield [notion.epsilon, found.method, done.sound, *numbers, found.why]
