"""What leaks by notion, and by size of household (or other group), position in a chain or person; and how likely an
output leaks more than ε about one person: pictures and their numbers.

A count of households of one to three people with Laplace noise of scale 2 is drawn at three places, 1, 2 and 3, a line
for each notion: whoever lives with more people has more to lose.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np

from dalenius.bounds import Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.calibration import METHODS, Calibration, named
from dalenius.channel import Release, SubjectTail
from dalenius.channel.finite_channel import FiniteChannel
from dalenius.drawing import DrawnLine, line_figure, looks_of, new_axes, notion_looks_of, write_both
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
# The methods that a picture of a calibration shows beside the one chosen.
_BESIDE: Final = ("independent", "group", "exact")


@final
@dataclass(frozen=True)
class _Curve:
    """name: of a method or a notion; leakage: at most, in nats, by what is across: the size of the group a person's
    record depends on, the position in the chain, or the person's number; noise: of the release."""

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


def curve(name: str, release: Release, notion: Notion, channels: Sequence[FiniteChannel] | None = None) -> _Curve:
    """The largest leakage, in nats, among the people of each group size, or at each position of a chain.

    name: what the line is called. channels: of the release, where they have been made already. Meaningless where the
    notion has no number of such channels.
    """
    made = list(release.channels()) if channels is None else channels
    across, found = _across_of([channel.subject for channel in made]), dict[int, float]()
    # Households of three are exposed alike, or not where they differ in labels: the most exposed of each size counts.
    for channel in made:
        leaks = notion.leakage_of(channel).upper
        for place in _places_of(channel.subject, across):
            found[place] = max(found.get(place, -inf), leaks)
    return _Curve(name, release.noise, dict(sorted(found.items())), across)


def draw_by_group(curves: Sequence[_Curve], notion: Notion, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.

    A line for each curve, and a level for the promise, where there is one. InputError where it cannot be written.
    """
    across = curves[0].across if curves else "group_size"
    names = ["method", "noise", "scale", across, f"{notion.kind}_leakage_nats", "promised_nats"]
    rows = (
        [each.name, each.noise.kind, each.noise.scale or 0.0, place, leakage, notion.epsilon]
        for each in curves
        for place, leakage in each.leakage.items()
    )
    looks = looks_of(each.name for each in curves)
    lines = [
        DrawnLine(f"{each.name}\n({_words(each.noise)})", each.leakage.items(), looks[each.name]) for each in curves
    ]
    levels = [] if notion.epsilon is None else [(notion.epsilon, f"promised ε = {notion.epsilon:g}")]
    what = f"{notion.kind.replace('_', ' ')} leakage (nats)"
    return write_both(path, names, rows, lambda: _by_place(lines, across, what, levels))


def _words(noise: Noise) -> str:
    """A noise in a legend: its kind, and its scale to three digits, in the query's unit."""
    return noise.kind if noise.scale is None else f"{noise.kind}, scale {noise.scale:.3g}"


def _by_place(lines: Sequence[DrawnLine], across: Across, what: str, levels: Sequence[tuple[float, str]]) -> Any:
    """The picture. what: is upright; levels: heights that are drawn all over, such as a promise."""
    figure = line_figure(lines, _WORDS[across], what, levels)
    figure.axes[0].locator_params(axis="x", integer=True, min_n_ticks=1)
    return figure


def calibration_figure(release: Release, notion: Notion, result: Calibration, path: Path) -> tuple[Path, Path]:
    """The same of a calibration, beside methods that everybody knows. What was calibrated is not calibrated again: of
    long laws that is most of the time.

    The noise of `independent` hides one record, so that its line may rise above the promise where households are large.
    InputError for a model of who is absent.
    """
    # Of a register the secret is who is not in it: such people have no household in the data.
    if release.secret == "absence":
        raise InputError("plot", "model absent", "a model of records: who is absent has no household or position")
    found = {
        name: result.noise if name == result.method else named(METHODS, name).calibrate(release, notion).noise
        for name in dict.fromkeys((*_BESIDE, result.method))
    }
    curves = [curve(name, release.with_noise(found[name]), notion) for name in steps("curves", tuple(found))]
    return draw_by_group(curves, notion, path)


def audit_figure(
    release: Release, found: Audit, promises: Sequence[Notion], notions: Sequence[Notion], path: Path
) -> tuple[Path, Path]:
    """The same of an audit, a line for each notion that is read from each person's channel alone. In the CSV a row
    without a place is of everybody together. Where there are no such channels, as of normal records, the picture is of
    everybody together too."""
    promised = {notion.kind: notion.epsilon for notion in promises if notion.epsilon is not None}
    channels, curves = list(release.channels()) if release.worlds.is_finite else [], []
    for notion in steps("notions", [each for each in notions if each.properties.of_channels and channels]):
        with suppress(DaleniusError):  # a notion that this model or noise has no number of
            curves.append(curve(notion.kind, release, notion, channels))
    across = curves[0].across if curves else "group_size"
    names = ["notion", across, "lower_nats", "upper_nats", "promised_nats"]
    return write_both(path, names, _rows(found, promised, curves), lambda: _audited(found, promised, curves))


def _rows(found: Audit, promised: Mapping[str, float], curves: Sequence[_Curve]) -> Iterator[list[object]]:
    """Of the CSV: everybody together first, then place by place; lower ends rounded down, upper ends up."""
    for kind, leakage in found.items():
        ends = down_to_digits(leakage.lower, _DIGITS), up_to_digits(leakage.upper, _DIGITS)
        yield [kind, "", *ends, promised.get(kind, "")]
    for each in curves:
        for place, upper in each.leakage.items():
            yield [each.name, place, "", up_to_digits(upper, _DIGITS), promised.get(each.name, "")]


def _audited(found: Audit, promised: Mapping[str, float], curves: Sequence[_Curve]) -> Any:
    """The picture; without curves that of everybody together, which the audit draws itself."""
    if not curves:
        figure, (axes,) = new_axes()
        found.plot(axes)
        return figure
    looks = notion_looks_of(each.name for each in curves)
    lines = [DrawnLine(each.name.replace("_", " "), each.leakage.items(), looks[each.name]) for each in curves]
    levels = [(epsilon, f"promised: {kind.replace('_', ' ')} ≤ {epsilon:g}") for kind, epsilon in promised.items()]
    return _by_place(lines, curves[0].across, "leakage (nats)", levels)


# The probability at which the picture ends.
LEAST_PROBABILITY: Final = 1e-30
_MARKS: Final = (
    (0.5, "at most half of the outputs leak more", ":"),
    (0.01, "at most 1 % leak more", "-."),
    (1e-6, "at most one in a million leaks more", "--"),
)
_TAIL: Final = ("epsilon_nats", "probability_lower", "probability_upper")


@final
@dataclass(frozen=True)
class TailCurve:
    """How likely an output leaks more than ε about one class of people.

    who: the class in words; chances: of leaking more than each of the epsilons (nats), between two ends each; marks:
    the median and other quantiles, in nats.
    """

    who: str
    epsilons: tuple[float, ...]
    chances: tuple[Enclosure, ...]
    marks: tuple[Enclosure, ...]


def tail_curve(tail: SubjectTail) -> TailCurve:
    """From 0 to where more is leaked hardly ever, at least past the last mark, at 200 epsilons with nine digits
    each."""
    law, witness = tail.law, tail.witness
    # Where outputs are more likely than that to leak without bound, there is no such place: up to the most finite one.
    end = law.quantile(LEAST_PROBABILITY).upper
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
    """Lines of the CSV: each probability with both ends, rounded outwards."""
    for epsilon, chance in zip(curve.epsilons, curve.chances, strict=True):
        yield [epsilon, down_to_digits(chance.lower, _DIGITS), up_to_digits(chance.upper, _DIGITS)]


def draw_tail(curve: TailCurve, promised: float | None = None) -> Any:
    """The picture: a falling line of probabilities on a logarithmic axis, grey where they are not known exactly.

    promised: nats that are marked as a promise.
    """
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
    least = min((each.upper for each in chances if each.upper >= LEAST_PROBABILITY), default=LEAST_PROBABILITY)
    return min(max(least / 10, LEAST_PROBABILITY / 3), 0.03)
