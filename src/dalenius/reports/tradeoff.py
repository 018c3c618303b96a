"""False alarms and true positives of the best attacker: a picture and its numbers."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, Final, final

from dalenius.bounds import down_to_digits, near_to_digits, up_to_digits
from dalenius.drawing import COLOURS, check_picture
from dalenius.drawing.written import write_both, write_rows
from dalenius.notions import Tested, Tradeoff

SHOWN: Final = 0.01
"""The rate of false alarms that is marked."""
DIGITS: Final = 9
NAMES: Final = (
    "false_alarms",
    "true_positives",
    "true_positives_lower",
    "true_positives_upper",
    "misses",
    "misses_lower",
    "misses_upper",
)


def draw_tradeoff(found: Tradeoff, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of the curve; returns both paths."""
    check_picture(path)
    points = found.curve()
    return write_both(
        path, lambda draft: write_rows(draft, NAMES, map(_row, points)), lambda: _Picture(found, points).figure()
    )


def _row(point: Tested) -> list[float]:
    found = [point.false_alarms]
    for value in (point.true_positives, point.misses):
        found += [near_to_digits(value.middle, DIGITS), down_to_digits(value.lower, DIGITS)]
        found.append(up_to_digits(value.upper, DIGITS))
    return found


@final
class _Picture:
    """All rates on the left, the low ones on the right, where an attack is worth most (Carlini et al. 2022)."""

    def __init__(self, found: Tradeoff, points: Sequence[Tested]) -> None:
        self._found = found
        self._rates = [point.false_alarms for point in points]
        self._low = [point.true_positives.lower for point in points]
        self._high = [point.true_positives.upper for point in points]

    def figure(self) -> Any:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.6, 5.0), layout="constrained")
        whole, low = figure.subplots(1, 2)
        for axes in (whole, low):
            self._draw(axes)
            axes.set_box_aspect(1)
        whole.set(xlim=(0, 1), ylim=(0, 1))
        whole.legend(frameon=False, fontsize=9, loc="lower right")
        low.set(xscale="log", yscale="log", xlim=(self._rates[0], 1), ylim=(self._rates[0], 1))
        figure.supxlabel(fill(self._found.in_words(SHOWN), 110), fontsize=10)
        return figure

    def _draw(self, axes: Any) -> None:
        worst = self._found.true_positives(SHOWN).value.upper
        axes.fill_between(self._rates, self._low, self._high, color="0.75", linewidth=0)
        rates, high = [*self._rates, 1.0], [*self._high, 1.0]
        axes.plot(rates, high, color=COLOURS[1], linewidth=1.8, label=f"best attacker{self._whose()}")
        label = f"worst of all at {100 * SHOWN:g} % false alarms"
        axes.plot([SHOWN], [worst], color=COLOURS[0], marker="o", linestyle="none", clip_on=False, label=label)
        axes.plot([1e-9, 1.0], [1e-9, 1.0], color="black", linestyle="--", linewidth=1.0, label="nothing leaks")
        axes.set(xlabel="false alarms: share wrongly flagged", ylabel="true positives: share found")
        axes.grid(alpha=0.3)

    def _whose(self) -> str:
        witness = self._found.advantage.witness
        if witness is None or witness.secret is None:
            return ""
        person = f"person {witness.person}, " if witness.person else ""
        return f": {person}{witness.secret} against {witness.against}"
