"""What an attacker finds: how likely an output leaks more than ε about one person, and false alarms beside true
positives; pictures and their numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from textwrap import fill
from typing import Any, Final, final

import numpy as np

from dalenius.bounds import Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.channel import SubjectTail
from dalenius.drawing import COLOURS, new_axes, write_both
from dalenius.notions import Tested, Tradeoff

POINTS: Final = 200
LEAST: Final = 1e-30
"""The probability at which the picture ends."""
DIGITS: Final = 9
MARKS: Final = (
    (0.5, "at most half of the outputs leak more", ":"),
    (0.01, "at most 1 % leak more", "-."),
    (1e-6, "at most one in a million leaks more", "--"),
)
SHOWN: Final = 0.01
"""The rate of false alarms that is marked."""
TAIL: Final = ("epsilon_nats", "probability_lower", "probability_upper")
TRADEOFF: Final = (
    "false_alarms",
    *(f"{what}{end}" for what in ("true_positives", "misses") for end in ("", "_lower", "_upper")),
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


def tail_figure(likely: SubjectTail, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    curve = tail_curve(likely)
    return write_both(path, TAIL, _chances(curve), lambda: _tail(curve), "--tail")


def _chances(curve: TailCurve) -> Iterator[list[float]]:
    for epsilon, chance in zip(curve.epsilons, curve.chances, strict=True):
        yield [epsilon, down_to_digits(chance.lower, DIGITS), up_to_digits(chance.upper, DIGITS)]


def _tail(curve: TailCurve) -> Any:
    figure, (axes,) = new_axes(width=6.4)
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
    axes.legend(facecolor="white", framealpha=1.0, edgecolor="none", fontsize=8)
    return figure


def _bottom(chances: Sequence[Enclosure]) -> float:
    """A decade below the least probability that is drawn: under a step to 0 there is nothing to see."""
    least = min((each.upper for each in chances if each.upper >= LEAST), default=LEAST)
    return min(max(least / 10, LEAST / 3), 0.03)


def draw_tradeoff(found: Tradeoff, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of the curve; returns both paths."""
    points = found.curve()
    return write_both(path, TRADEOFF, map(_rates, points), lambda: _tradeoff(found, points))


def _rates(point: Tested) -> list[float]:
    found = [point.false_alarms]
    for value in (point.true_positives, point.misses):
        found += [near_to_digits(value.middle, DIGITS), down_to_digits(value.lower, DIGITS)]
        found.append(up_to_digits(value.upper, DIGITS))
    return found


def _tradeoff(found: Tradeoff, points: Sequence[Tested]) -> Any:
    """All rates on the left, the low ones on the right, where an attack is worth most (Carlini et al. 2022)."""
    figure, (whole, low) = new_axes(2, 9.6, 5.0)
    rates = [point.false_alarms for point in points]
    lower, upper = zip(*((each.true_positives.lower, each.true_positives.upper) for each in points), strict=True)
    worst, witness = found.true_positives(SHOWN).value.upper, found.advantage.witness
    whose = ""
    if witness is not None and witness.secret is not None:
        person = f"person {witness.person}, " if witness.person else ""
        whose = f": {person}{witness.secret} against {witness.against}"
    for axes in (whole, low):
        axes.fill_between(rates, lower, upper, color="0.75", linewidth=0)
        axes.plot([*rates, 1.0], [*upper, 1.0], color=COLOURS[1], linewidth=1.8, label=f"best attacker{whose}")
        label = f"worst of all at {100 * SHOWN:g} % false alarms"
        axes.plot([SHOWN], [worst], color=COLOURS[0], marker="o", linestyle="none", clip_on=False, label=label)
        axes.plot([1e-9, 1.0], [1e-9, 1.0], color="black", linestyle="--", linewidth=1.0, label="nothing leaks")
        axes.set(xlabel="false alarms: share wrongly flagged", ylabel="true positives: share found", box_aspect=1)
    whole.set(xlim=(0, 1), ylim=(0, 1))
    whole.legend(frameon=False, fontsize=9, loc="lower right")
    low.set(xscale="log", yscale="log", xlim=(rates[0], 1), ylim=(rates[0], 1))
    figure.supxlabel(fill(found.in_words(SHOWN), 110), fontsize=10)
    return figure
