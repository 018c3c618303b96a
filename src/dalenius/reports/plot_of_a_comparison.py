"""The picture of `dalenius compare`, of the error of each method and what it leaks, and the table beside it."""

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
    """Returns the six sound methods of least expected error, and always the optimum, which has the bound."""
    found = [(each.calibration, each.method) for each in results if each.calibration is not None]
    sound = [(own.expected_error, name) for own, name in found if own.sound and isfinite(own.expected_error)]
    best = sorted(sound, key=lambda each: each[0])[:6]
    return {name for _, name in best} | {name for own, name in found if own.optimum is not None}


def comparison_figure(
    _: Release, notion: Notion, results: Sequence[Compared], path: Path, everything: bool
) -> tuple[Path, Path]:
    """Writes the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.

    Args:
        _: The release; nothing of it is drawn.
        notion: The promise, of which the epsilon, in nats, stands in the CSV.
        results: The methods' results at the promise.
        path: Where the picture goes; the CSV has the suffix .csv.
        everything: Whether all methods that apply are drawn, not the best alone.

    Raises:
        InputError: Where the picture cannot be written.
    """
    # Because most of sixteen methods do not apply, or err far more than the best and would hide the others.
    drawn = {each.method for each in results} if everything else _best_methods(results)

    def picture() -> Any:
        figure, (axes,) = new_axes()
        Comparison(tuple(each for each in results if each.method in drawn)).plot(axes)
        return figure

    return write_both(path, _NAMES, _rows(notion, results), picture)


def _rows(notion: Notion, results: Sequence[Compared]) -> Iterator[list[object]]:
    """Yields the rows of the CSV, one for each method, with the reason where it does not apply."""
    bound = least_possible(results)
    for found in results:
        done = found.calibration
        if done is None:
            yield [notion.epsilon, found.method, "", "", "", "", bound, "", f"does not apply: {found.why}"]
        else:
            numbers = done.noise.kind, done.noise.scale or 0.0, done.expected_error, bound, done.leakage.upper
            yield [notion.epsilon, found.method, done.sound, *numbers, found.why]
