"""How likely an output leaks more than ε about one person: a picture and its numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from dalenius.bounds import Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.channel import SubjectTail
from dalenius.drawing import check_picture
from dalenius.drawing.written import write_both, write_rows

POINTS: Final = 200
LEAST: Final = 1e-30
"""The probability at which the picture ends."""
DIGITS: Final = 9
NAMES: Final = ("epsilon_nats", "probability_lower", "probability_upper")
MARKS: Final = (
    (0.5, "at most half of the outputs leak more", ":"),
    (0.01, "at most 1 % leak more", "-."),
    (1e-6, "at most one in a million leaks more", "--"),
)


@final
@dataclass(frozen=True)
class TailCurve:
    """chances: of leaking more than each of the epsilons (nats); marks: the median and other quantiles."""

    who: str
    epsilons: tuple[float, ...]
    chances: tuple[Enclosure, ...]
    marks: tuple[Enclosure, ...]


def tail_curve(tail: SubjectTail) -> TailCurve:
    """From 0 to where more is leaked hardly ever, at least past the last mark."""
    law, witness = tail.law, tail.witness
    end = law.quantile(LEAST).upper
    end = min(law.most, law.quantile(MARKS[-1][0]).upper) if end == inf else end
    places = np.linspace(0.0, end if 0 < end < inf else 1.0, POINTS).tolist()
    epsilons = [near_to_digits(place, DIGITS) for place in places]
    who = f"person {witness.person}, {witness.who}" if witness.person else witness.who
    marks = tuple(law.quantile(delta) for delta, _, _ in MARKS)
    return TailCurve(who, tuple(epsilons), tuple(law.curve(epsilons)), marks)


def draw_tail(curve: TailCurve, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    check_picture(path, "--tail")
    return write_both(path, lambda draft: write_rows(draft, NAMES, _rows(curve)), lambda: _picture(curve))


def tail_figure(likely: SubjectTail, path: Path) -> tuple[Path, Path]:
    """The same of how likely losses are of whom they are likeliest."""
    return draw_tail(tail_curve(likely), path)


def _rows(curve: TailCurve) -> Iterator[list[float]]:
    for epsilon, chance in zip(curve.epsilons, curve.chances, strict=True):
        yield [epsilon, down_to_digits(chance.lower, DIGITS), up_to_digits(chance.upper, DIGITS)]


def _picture(curve: TailCurve) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    bottom = _bottom(curve.chances)
    lower, upper = [[max(end, bottom / 10) for end in ends] for ends in zip(*curve.chances, strict=True)]
    axes.fill_between(curve.epsilons, lower, upper, step="post", color="0.8", linewidth=0)
    axes.step(curve.epsilons, upper, where="post", color="black", linewidth=1.6, label="an output leaks more than ε")
    for mark, (_, words, style) in zip(curve.marks, MARKS, strict=True):
        if mark.upper < inf:
            label = f"{words} than {mark.upper:.3g} nats"
            axes.axvline(mark.upper, color="0.45", linestyle=style, linewidth=1.2, label=label)
    axes.set(yscale="log", ylim=(bottom, 3.0), xlim=(0.0, curve.epsilons[-1] * 1.02))
    axes.set_xlabel("ε (nats)")
    axes.set_ylabel("probability that an output leaks more")
    axes.set_title(f"What is leaked about {curve.who}", fontsize=9)
    axes.grid(alpha=0.3)
    axes.legend(facecolor="white", framealpha=1.0, edgecolor="none", fontsize=8)
    return figure


def _bottom(chances: Sequence[Enclosure]) -> float:
    """A decade below the least probability that is drawn: under a step to 0 there is nothing to see."""
    least = min((each.upper for each in chances if each.upper >= LEAST), default=LEAST)
    return min(max(least / 10, LEAST / 3), 0.03)
