"""What leaks by notion, and by size of household (or other group), position in a chain or person: pictures and their
numbers.

What an attacker finds: how likely an output leaks more than ε about one person, and false alarms beside true
positives; pictures and their numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np

from dalenius.bounds import Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.calibration import METHODS, Calibration, named
from dalenius.channel import Release, SubjectTail
from dalenius.drawing import (
    Line,
    draw_line,
    line_figure,
    looks_of,
    named_beside,
    new_axes,
    notion_looks_of,
    write_both,
)
from dalenius.errors import DaleniusError, InputError
from dalenius.joints.joint import Subject
from dalenius.noise import Noise
from dalenius.notions import Audit, Notion
from dalenius.progress import steps

Across: TypeAlias = Literal["group_size", "position", "person"]
_WORDS: Final[Mapping[Across, str]] = {
    "group_size": "people in the household (records that depend on each other)",
    "position": "position in the chain",
    "person": "person (by number)",
}
_DIGITS: Final = 9
_BESIDE: Final = ("independent", "group", "exact")
"""The methods that a picture of a calibration shows beside the one chosen."""


@final
@dataclass(frozen=True)
class Curve:
    """name and noise of a release; leakage: nats by what is across: the size of the group a person's record depends on,
    the position in the chain, or the person's number."""

    name: str
    noise: Noise
    leakage: Mapping[int, float]
    across: Across = "group_size"


def _across_of(subjects: Sequence[Subject]) -> Across:
    """By position where all records have one; by person where groups of one size differ in nothing else."""
    if subjects and all(subject.positions for subject in subjects):
        return "position"
    return "group_size" if len({subject.dependents for subject in subjects}) != 1 or len(subjects) < 2 else "person"


def _places_of(subject: Subject, across: Across) -> tuple[int, ...]:
    """Where the class stands; of a row of positions alike the two ends."""
    if across == "position":
        return tuple(sorted({end for row in subject.positions for end in row}))
    return (subject.dependents,) if across == "group_size" else (subject.person,)


def _by_place(leakages: Iterable[tuple[Subject, float]], across: Across) -> dict[int, float]:
    """The largest of each place, in order."""
    found: dict[int, float] = {}
    for subject, leakage in leakages:
        for place in _places_of(subject, across):
            found[place] = max(found.get(place, -inf), leakage)
    return dict(sorted(found.items()))


def curve(name: str, release: Release, notion: Notion) -> Curve:
    """The largest leakage among the people of each group size, or at each position of a chain."""
    leaks = [(channel.subject, notion.leakage_of(channel).upper) for channel in release.channels()]
    across = _across_of([subject for subject, _ in leaks])
    return Curve(name, release.noise, _by_place(leaks, across), across)


def draw_by_group(curves: Sequence[Curve], notion: Notion, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    across = curves[0].across if curves else "group_size"
    names = ["method", "noise", "scale", across, f"{notion.kind}_leakage_nats", "promised_nats"]
    rows = (
        [each.name, each.noise.kind, each.noise.scale or 0.0, place, leakage, notion.epsilon]
        for each in curves
        for place, leakage in each.leakage.items()
    )
    return write_both(path, names, rows, lambda: _by_group(curves, notion, across))


def calibration_figure(release: Release, notion: Notion, result: Calibration, path: Path) -> tuple[Path, Path]:
    """The same of a calibration, beside methods that everybody knows. What was calibrated is not calibrated again: of
    long laws that is most of the time."""
    if release.secret == "absence":
        raise InputError("plot", "model absent", "a model of records: who is absent has no household or position")
    found = {
        name: result.noise if name == result.method else named(METHODS, name).calibrate(release, notion).noise
        for name in dict.fromkeys((*_BESIDE, result.method))
    }
    curves = [curve(name, release.with_noise(found[name]), notion) for name in steps("curves", tuple(found))]
    return draw_by_group(curves, notion, path)


def _by_group(curves: Sequence[Curve], notion: Notion, across: Across) -> Any:
    looks = looks_of(each.name for each in curves)
    lines = [
        Line(f"{each.name.replace('_', ' ')}\n({_noise(each.noise)})", each.leakage.items(), looks[each.name])
        for each in curves
    ]
    levels = [] if notion.epsilon is None else [(notion.epsilon, f"promised ε = {notion.epsilon:g}")]
    figure = line_figure(lines, _WORDS[across], f"{notion.kind.replace('_', ' ')} leakage (nats)", levels)
    figure.axes[0].locator_params(axis="x", integer=True, min_n_ticks=1)
    return figure


def _noise(noise: Noise) -> str:
    return noise.kind if noise.scale is None else f"{noise.kind}, scale {noise.scale:.3g}"


@final
@dataclass(frozen=True)
class ByPlace:
    """Leakages from above, in nats: by notion and by place; none where all people are alike, or their channels are not
    read one by one."""

    across: Across
    leakages: Mapping[str, Mapping[int, float]]

    @property
    def places(self) -> set[int]:
        return {place for own in self.leakages.values() for place in own}


def _leakages_by_place(release: Release, notions: Iterable[Notion]) -> ByPlace:
    """Of the notions that are read from each person's channel alone."""
    if not release.is_finite:
        return ByPlace("group_size", {})
    channels = list(release.channels())
    across, found = _across_of([channel.subject for channel in channels]), dict[str, Mapping[int, float]]()
    if len({place for channel in channels for place in _places_of(channel.subject, across)}) < 2:
        return ByPlace(across, {})
    for notion in steps("notions", [each for each in notions if each.of_channels]):
        with suppress(DaleniusError):
            leaks = [(channel.subject, notion.leakage_of(channel).upper) for channel in channels]
            found[notion.kind] = _by_place(leaks, across)
    return ByPlace(across, found)


def _rows(found: Audit, promised: Mapping[str, float], people: ByPlace) -> Iterator[list[object]]:
    """Of everybody together, whose place is empty, and then of each place, of which the upper end alone is known."""
    for kind, leakage in found.items():
        ends = down_to_digits(leakage.lower, _DIGITS), up_to_digits(leakage.upper, _DIGITS)
        yield [kind, "", *ends, promised.get(kind, "")]
    for kind, own in people.leakages.items():
        for place, upper in own.items():
            yield [kind, place, "", up_to_digits(upper, _DIGITS), promised.get(kind, "")]


def audit_figure(
    release: Release, found: Audit, promises: Sequence[Notion], notions: Sequence[Notion], path: Path
) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.
    notions: those whose leakages are drawn by place too."""
    people = _leakages_by_place(release, notions)
    promised = {notion.kind: notion.epsilon for notion in promises if notion.epsilon is not None}
    names = ["notion", people.across, "lower_nats", "upper_nats", "promised_nats"]
    return write_both(path, names, _rows(found, promised, people), lambda: _audited(found, promised, people))


def _audited(found: Audit, promised: Mapping[str, float], people: ByPlace) -> Any:
    parted = len(people.places) > 1
    figure, (left, *others) = new_axes(2 if parted else 1, 10.4 if parted else 6.0, 1.6 + 0.36 * max(len(found), 7))
    found.plot(left)
    left.set_title("about whom it leaks most", fontsize=10)
    shown = [(place, promised[kind]) for place, kind in enumerate(found) if kind in promised]
    for place, epsilon in shown:
        left.vlines(epsilon, place - 0.35, place + 0.35, color="black", linewidth=1.6)
    if shown:
        left.set_xlabel("leakage (nats); upright: as promised")
        left.set_xlim(0, max(left.get_xlim()[1], 1.1 * max(epsilon for _, epsilon in shown)))
    looks = notion_looks_of(people.leakages)
    for right in others:
        for kind, own in people.leakages.items():
            draw_line(right, own.items(), kind.replace("_", " "), looks[kind])
        right.set_title("about whom how much", fontsize=10)
        right.locator_params(axis="x", integer=True, min_n_ticks=1)
        right.set(xlabel=_WORDS[people.across], ylabel="leakage (nats)", ylim=(0, None))
        named_beside(right)
    return figure


LEAST: Final = 1e-30
"""The probability at which the picture ends."""
_MARKS: Final = (
    (0.5, "at most half of the outputs leak more", ":"),
    (0.01, "at most 1 % leak more", "-."),
    (1e-6, "at most one in a million leaks more", "--"),
)
_TAIL: Final = ("epsilon_nats", "probability_lower", "probability_upper")


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
    end = min(law.most, law.quantile(_MARKS[-1][0]).upper) if end == inf else end
    places = np.linspace(0.0, end if 0 < end < inf else 1.0, 200).tolist()
    epsilons = [near_to_digits(place, _DIGITS) for place in places]
    who = f"person {witness.person}, {witness.who}" if witness.person else witness.who
    marks = tuple(law.quantile(delta) for delta, _, _ in _MARKS)
    return TailCurve(who, tuple(epsilons), tuple(law.curve(epsilons)), marks)


def tail_figure(likely: SubjectTail, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths."""
    curve = tail_curve(likely)
    return write_both(path, _TAIL, _chances(curve), lambda: draw_tail(curve), "--tail")


def _chances(curve: TailCurve) -> Iterator[list[float]]:
    for epsilon, chance in zip(curve.epsilons, curve.chances, strict=True):
        yield [epsilon, down_to_digits(chance.lower, _DIGITS), up_to_digits(chance.upper, _DIGITS)]


def draw_tail(curve: TailCurve, promised: float | None = None) -> Any:
    """The picture. promised: nats that are marked as a promise."""
    figure, (axes,) = new_axes(width=6.4)
    bottom = _bottom(curve.chances)
    lower, upper = [[max(end, bottom / 10) for end in ends] for ends in zip(*curve.chances, strict=True)]
    axes.fill_between(curve.epsilons, lower, upper, step="post", color="0.8", linewidth=0)
    axes.step(curve.epsilons, upper, where="post", color="black", linewidth=1.6, label="an output leaks more than ε")
    for mark, (_, words, style) in zip(curve.marks, _MARKS, strict=True):
        if mark.upper < inf:
            label = f"{words} than {mark.upper:.3g} nats"
            axes.axvline(mark.upper, color="0.45", linestyle=style, linewidth=1.2, label=label)
    if promised is not None:
        axes.axvline(promised, color="black", linewidth=1.0, label=f"promised: {promised:g} nats")
    axes.set(yscale="log", ylim=(bottom, 3.0), xlim=(0.0, max(curve.epsilons[-1], promised or 0.0) * 1.02))
    axes.set(xlabel="ε (nats)", ylabel="probability that an output leaks more")
    axes.set_title(f"What is leaked about {curve.who}", fontsize=9)
    axes.legend(facecolor="white", framealpha=1.0, edgecolor="none", fontsize=8)
    return figure


def _bottom(chances: Sequence[Enclosure]) -> float:
    """A decade below the least probability that is drawn: under a step to 0 there is nothing to see."""
    least = min((each.upper for each in chances if each.upper >= LEAST), default=LEAST)
    return min(max(least / 10, LEAST / 3), 0.03)
