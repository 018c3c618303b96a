"""Pictures of leakage and their numbers, for the commands that draw.

One is of what leaks by notion, and by size of household (or other group), position in a chain or person; the other of
how likely an output leaks more than ε about one person. A count of households of one to three people with Laplace noise
of scale 2 is drawn at three places, 1, 2 and 3, a line for each notion: people who live with more people have more to
lose.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from dalenius.bounds import ZERO, Enclosure, down_to_digits, largest, near_to_digits, up_to_digits
from dalenius.calibration import Calibration
from dalenius.channel import Release, SubjectTail
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.errors import DaleniusError
from dalenius.joints.joint import Subject
from dalenius.notions import Audit, Notion
from dalenius.plotting import DrawnLine, Look, line_figure, new_axes, notion_looks_of, write_both
from dalenius.progress import steps
from dalenius.spec.results_in_words import whose

Across: TypeAlias = Literal["group_size", "position", "person"]
_WORDS: Final[Mapping[Across, str]] = {
    "group_size": "people in the household (records that depend on each other)",
    "position": "position in the chain",
    "person": "person (by number)",
}
_DIGITS: Final = 9


def _across_of(subjects: Sequence[Subject]) -> Across:
    """Returns the horizontal axis of the picture.

    It has positions where all records have one, else sizes of groups; or persons, where groups of one size differ in
    nothing else.
    """
    if subjects and all(subject.positions for subject in subjects):
        return "position"
    return "group_size" if len({subject.dependents for subject in subjects}) != 1 or len(subjects) < 2 else "person"


def _places_of(subject: Subject, across: Across) -> tuple[int, ...]:
    """Returns where the class stands; for a row of positions alike its two ends."""
    if across == "position":
        return tuple(sorted({end for row in subject.positions for end in row}))
    return (subject.dependents,) if across == "group_size" else (subject.person,)


def _by_place(notion: Notion, channels: Sequence[FiniteChannel], across: Across) -> dict[int, Enclosure]:
    """Finds the largest leakage, in nats, among the people of each group size, or at each position of a chain.

    Meaningless where the notion has no number of such channels.
    """
    found = dict[int, Enclosure]()
    # Because households of three may differ in labels, the most exposed of each size counts.
    for channel in channels:
        leakage = notion.leakage_of(channel)
        for place in _places_of(channel.subject, across):
            found[place] = largest(found.get(place, ZERO), Enclosure(leakage.lower, leakage.upper))
    return dict(sorted(found.items()))


def calibration_figure(release: Release, notion: Notion, result: Calibration, path: Path) -> tuple[Path, Path]:
    """Writes the picture of what one promise leaves, under the noise that was found for it; returns it and its CSV.

    Args:
        release: The release, of which the noise is not used.
        notion: The promise.
        result: The noise that was found for it.
        path: Where the picture goes; the CSV has the suffix .csv.
    """
    found = Audit({notion.kind: result.leakage})
    return audit_figure(release.with_noise(result.noise), found, [notion], [notion], path)


def audit_figure(
    release: Release, found: Audit, promises: Sequence[Notion], notions: Sequence[Notion], path: Path
) -> tuple[Path, Path]:
    """Writes the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.

    A line for each notion that is read from each person's channel alone, and a level for each promise. In the CSV a row
    without a place is of everybody together. Where there are no such channels, as of normal records, the picture is of
    everybody together too.

    Args:
        release: The release with its noise.
        found: The leakage of everybody together, by notion.
        promises: The notions whose epsilon, in nats, is drawn as a level; those without one are not.
        notions: The notions of which a line is drawn.
        path: Where the picture goes; the CSV has the suffix .csv.

    Raises:
        InputError: Where the picture cannot be written.
    """
    promised = {notion.kind: notion.epsilon for notion in promises if notion.epsilon is not None}
    # Because normal records, or a bound without channels, have nobody's household to draw.
    channels = list(release.channels()) if release.worlds.is_finite else []
    across, curves = _across_of([channel.subject for channel in channels]), dict[str, dict[int, Enclosure]]()
    for notion in steps("notions", [each for each in notions if each.properties.of_channels and channels]):
        with suppress(DaleniusError):  # a notion that this model or noise has no number of
            curves[notion.kind] = _by_place(notion, channels, across)
    names = ["notion", across, "lower_nats", "upper_nats", "promised_nats"]
    # So that the rows read from the whole to its parts: everybody together first, then place by place.
    rows: list[tuple[str, Any, Enclosure]] = [
        (kind, "", Enclosure(each.lower, each.upper)) for kind, each in found.items()
    ]
    rows += [(kind, place, ends) for kind, curve in curves.items() for place, ends in curve.items()]
    written = ([kind, place, *_outward(ends), promised.get(kind, "")] for kind, place, ends in rows)

    def drawn() -> Any:
        """The picture; without curves that of everybody together, which the audit draws itself."""
        if not curves:
            figure, (axes,) = new_axes()
            found.plot(axes)
            return figure
        looks = notion_looks_of(curves)
        lines = [_line_of(kind.replace("_", " "), curve, looks[kind]) for kind, curve in curves.items()]
        levels = [(epsilon, f"promised: {kind.replace('_', ' ')} ≤ {epsilon:g}") for kind, epsilon in promised.items()]
        figure = line_figure(lines, _WORDS[across], "leakage (nats)", levels)
        figure.axes[0].locator_params(axis="x", integer=True, min_n_ticks=1)
        return figure

    return write_both(path, names, written, drawn)


def _outward(ends: Enclosure) -> tuple[float, float]:
    """Returns both ends with so many digits, rounded outwards."""
    return down_to_digits(ends.lower, _DIGITS), up_to_digits(ends.upper, _DIGITS)


def _line_of(label: str, curve: Mapping[int, Enclosure], look: Look) -> DrawnLine:
    """Returns the line of upper ends, and of lower ones where no upper end is known."""
    at_least = [(place, ends.lower) for place, ends in curve.items() if ends.half_open]
    return DrawnLine(label, [(place, ends.upper) for place, ends in curve.items()], look, at_least=at_least)


LEAST_PROBABILITY: Final = 1e-30
"""The probability at which the picture ends."""
_MARKS: Final = (
    (0.5, "at most half of the outputs leak more", ":"),
    (0.01, "at most 1 % leak more", "-."),
    (1e-6, "at most one in a million leaks more", "--"),
)
_TAIL: Final = ("epsilon_nats", "probability_lower", "probability_upper")


def tail_figure(likely: SubjectTail, path: Path) -> tuple[Path, Path]:
    """Writes the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.

    Args:
        likely: How likely outputs are that leak much about a class of people.
        path: Where the picture goes; the CSV has the suffix .csv.
    """
    epsilons, chances = tail_curve(likely)
    # So that no row claims more than is known, each probability has both ends, rounded outwards.
    rows = (
        [epsilon, down_to_digits(chance.lower, _DIGITS), up_to_digits(chance.upper, _DIGITS)]
        for epsilon, chance in zip(epsilons, chances, strict=True)
    )
    return write_both(path, _TAIL, rows, lambda: draw_tail(likely, epsilons, chances), "--tail")


def tail_curve(tail: SubjectTail) -> tuple[list[float], list[Enclosure]]:
    """Returns 200 epsilons, in nats, and how likely an output leaks more than each about that class of people.

    The epsilons have nine digits each, and go from 0 to where more is leaked hardly ever, at least past the last mark.

    Args:
        tail: How likely outputs are that leak much about the class.
    """
    law = tail.law
    # Where outputs are more likely than that to leak without bound, there is no such place: the most finite one serves.
    end = law.quantile(LEAST_PROBABILITY).upper
    end = min(law.most, law.quantile(_MARKS[-1][0]).upper) if end == inf else end
    places = np.linspace(0.0, end if 0 < end < inf else 1.0, 200).tolist()
    epsilons = [near_to_digits(place, _DIGITS) for place in places]
    return epsilons, list(law.curve(epsilons))


def draw_tail(tail: SubjectTail, epsilons: Sequence[float], chances: Sequence[Enclosure]) -> Any:
    """Draws a falling line of probabilities on a logarithmic axis, with the median and other quantiles.

    It is grey where they are not known exactly.

    Args:
        tail: How likely outputs are that leak much about the class.
        epsilons: The epsilons in nats, rising.
        chances: The probability, with both ends, that an output leaks more than each of them.
    """
    figure, (axes,) = new_axes(width=6.4)
    bottom = _bottom(chances)
    lower, upper = [[max(end, bottom / 10) for end in ends] for ends in zip(*chances, strict=True)]
    axes.fill_between(epsilons, lower, upper, step="post", color="0.8", linewidth=0)
    axes.step(epsilons, upper, where="post", color="black", linewidth=1.6, label="an output leaks more than ε")
    for delta, words, style in _MARKS:
        if (mark := tail.law.quantile(delta).upper) < inf:
            label = f"{words} than {mark:.3g} nats"
            axes.axvline(mark, color="0.45", linestyle=style, linewidth=1.2, label=label)
    axes.set(yscale="log", ylim=(bottom, 3.0), xlim=(0.0, epsilons[-1] * 1.02))
    axes.set(xlabel="ε (nats)", ylabel="probability that an output leaks more")
    axes.set_title(f"What is leaked about {whose(tail.witness)}", fontsize=9)
    axes.legend(facecolor="white", framealpha=1.0, edgecolor="none", fontsize=8)
    return figure


def _bottom(chances: Sequence[Enclosure]) -> float:
    """Returns a decade below the least probability that is drawn: under a step to 0 there is nothing to see."""
    least = min((each.upper for each in chances if each.upper >= LEAST_PROBABILITY), default=LEAST_PROBABILITY)
    return min(max(least / 10, LEAST_PROBABILITY / 3), 0.03)
