"""What an audit finds: the largest leakage by notion, and where people differ also by group or position: a picture and
its numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, final

from dalenius.bounds import down_to_digits, up_to_digits
from dalenius.channel import Release
from dalenius.drawing import check_picture, notion_looks_of, with_ends
from dalenius.drawing.written import write_both, write_rows
from dalenius.errors import DaleniusError
from dalenius.notions import Audit, Notion
from dalenius.reports.by_group import MARKED, Across, across_of, by_place, dress, places_of
from dalenius.stages import steps

DIGITS = 9


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


def leakages_by_place(release: Release, notions: Iterable[Notion]) -> ByPlace:
    """Of the notions that are read from each person's channel alone."""
    if release.of_absence or release.real or release.pairs_only:
        return ByPlace("group_size", {})
    channels = list(release.channels())
    across, found = across_of([channel.subject for channel in channels]), dict[str, Mapping[int, float]]()
    if len({place for channel in channels for place in places_of(channel.subject, across)}) < 2:
        return ByPlace(across, {})
    for notion in steps("notions", [each for each in notions if each.of_channels]):
        with suppress(DaleniusError):
            leaks = [(channel.subject, notion.leakage_of(channel).upper) for channel in channels]
            found[notion.kind] = by_place(leaks, across)
    return ByPlace(across, found)


def draw_audit(found: Audit, notions: Sequence[Notion], people: ByPlace, path: Path) -> tuple[Path, Path]:
    """Write the picture (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.
    notions: the spec's, with what they promise."""
    check_picture(path)
    promised = {notion.kind: notion.epsilon for notion in notions if notion.epsilon is not None}
    names = ["notion", people.across, "lower_nats", "upper_nats", "promised_nats"]
    return write_both(
        path,
        lambda draft: write_rows(draft, names, _rows(found, promised, people)),
        lambda: _picture(found, promised, people),
    )


def audit_figure(
    release: Release, found: Audit, promised: Sequence[Notion], notions: Sequence[Notion], path: Path
) -> tuple[Path, Path]:
    """The same of an audit; notions: those whose leakages are drawn by place too."""
    return draw_audit(found, promised, leakages_by_place(release, notions), path)


def _rows(found: Audit, promised: Mapping[str, float], people: ByPlace) -> Iterator[list[object]]:
    """Of everybody together, whose place is empty, and then of each place, of which the upper end alone is known."""
    for kind, leakage in found.items():
        ends = down_to_digits(leakage.lower, DIGITS), up_to_digits(leakage.upper, DIGITS)
        yield [kind, "", *ends, promised.get(kind, "")]
    for kind, own in people.leakages.items():
        for place, upper in own.items():
            yield [kind, place, "", up_to_digits(upper, DIGITS), promised.get(kind, "")]


def _picture(found: Audit, promised: Mapping[str, float], people: ByPlace) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    parted = len(people.places) > 1
    engine = ConstrainedLayoutEngine(w_pad=0.12)
    figure = Figure(figsize=(10.4 if parted else 6.0, 1.6 + 0.36 * max(len(found), 7)), layout=engine)
    left, *others = figure.subplots(1, 2 if parted else 1, squeeze=False)[0]
    found.plot(left)
    left.set_title("about whom it leaks most", fontsize=10)
    shown = [(place, promised[kind]) for place, kind in enumerate(found) if kind in promised]
    for place, epsilon in shown:
        left.vlines(epsilon, place - 0.35, place + 0.35, color="black", linewidth=1.6)
    if shown:
        left.set_xlabel("leakage (nats); upright: as promised")
        left.set_xlim(0, max(left.get_xlim()[1], 1.1 * max(epsilon for _, epsilon in shown)))
    left.grid(alpha=0.3, axis="x")
    for right in others:
        _draw_people(right, people)
    return figure


def _draw_people(axes: Any, people: ByPlace) -> None:
    ends, looks = [], notion_looks_of(people.leakages)
    for kind, own in people.leakages.items():
        known = [(place, upper) for place, upper in own.items() if isfinite(upper)]
        if known:
            line = looks[kind].line() | ({"marker": ""} if len(known) > MARKED else {})
            axes.plot(*zip(*known, strict=True), linewidth=1.4, markersize=5.5, **line)
            ends.append((*known[-1], kind.replace("_", " "), looks[kind].colour))
    dress(axes, people.across, people.places)
    axes.set_ylabel("leakage (nats)")
    axes.set_ylim(bottom=0)
    axes.set_title("about whom how much", fontsize=10)
    with_ends(axes, ends)
