"""The pictures of docs/research/gas.md and their numbers: python examples/gas/figures.py [FOLDER]

They go to docs/figures by default. The data are read from $DALENIUS_DATA.
"""

import csv
import sys
from collections.abc import Iterable, Sequence
from math import floor, log10
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from weeks import WEEK, hours, past, released

import dalenius as dl
from dalenius.channel import Adversary
from dalenius.fitting import fit_chain
from dalenius.notions import Notion
from dalenius.plotting import save_with_vector

# Okabe-Ito colours; every line also has its own dashes or marker.
BLUE, ORANGE, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
NOTIONS: dict[str, Notion] = {"inferential": dl.InferentialPrivacy(), "information": dl.InformationPrivacy()}
SCALES = [10 ** (exponent / 8) for exponent in range(-4, 21)]
KNOWN = {"nothing": {}, "no gas in hours 83 and 85": {"83": 0, "85": 0}, "gas in hours 83 and 85": {"83": 1, "85": 1}}
WINDOWS = (range(1, 14), range(75, 94))


def release_of(model: dl.Chain, scale: float = 1.0, known: dict[str, int] | None = None) -> dl.Release:
    return dl.Release(model, dl.Count(), dl.Geometric(scale=scale), adversary=Adversary(known=known or {}))


def by_place(release: dl.Release, notion: Notion) -> list[float]:
    """What the release leaks about each hour: the upper end of the enclosure, 0 where the hour is known."""
    found = {each.subject.person: notion.leakage_of(each).upper for each in release.channels()}
    (joint,) = release.joints
    return [found[joint.subject_of(hour).person] for hour in range(1, WEEK + 1)]


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([nine(cell) if isinstance(cell, float) else cell for cell in row] for row in rows)


def nine(number: float) -> float:
    """To nine digits, fewer than any two machines differ in."""
    return round(number, 8 - floor(log10(abs(number)))) if number else 0.0


def save(figure: Figure, path: Path) -> None:
    save_with_vector(figure, path)


def draw_week(week: Sequence[int], path: Path) -> None:
    write(path.with_suffix(".csv"), ["hour", "gas"], enumerate(week, start=1))
    figure = Figure(figsize=(6.4, 2.6), layout="constrained")
    axes = figure.add_subplot()
    for hour, gas in enumerate(week):
        if gas:
            place, row = (hour % 24, 1), (hour // 24 - 0.36, 0.72)
            axes.broken_barh([place], row, facecolor=BLUE, edgecolor="white", linewidth=0.6)
    axes.set_yticks(range(7), [f"hours {24 * day + 1} to {24 * day + 24}" for day in range(7)])
    axes.invert_yaxis()
    axes.set_xlim(0, 24)
    axes.set_xticks(range(0, 25, 3))
    axes.set_xticklabels([f"{(hour + 23) % 24}:00" for hour in range(0, 25, 3)])
    axes.set_xlabel("hour of the day (Pacific Standard Time)")
    axes.set_title(f"Hours with gas (filled): {sum(week)} of {len(week)}", fontsize=10)
    save(figure, path)


def draw_scales(model: dl.Chain, path: Path) -> None:
    release = release_of(model)
    rows = []
    for scale in SCALES:
        found = dl.audit(release.with_noise(dl.Geometric(scale=scale)), list(NOTIONS.values()))
        rows.append([scale, 1 / scale, WEEK / scale, *(found[name].upper for name in NOTIONS)])
    header = ["scale_hours", "independent_promise_nats", "group_promise_nats", *(f"{name}_nats" for name in NOTIONS)]
    write(path.with_suffix(".csv"), header, rows)
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    lines = [
        ("group: 168 hours as one, 168/scale", BLACK, (0, (1, 1.5)), ""),
        ("inferential, exact", ORANGE, "-", "o"),
        ("information, exact", BLUE, "-", "s"),
        ("independent: as if hours did not depend, 1/scale", GREEN, "--", ""),
    ]
    for (label, colour, dashes, marker), column in zip(lines, (2, 3, 4, 1), strict=True):
        values = [row[column] for row in rows]
        axes.plot(SCALES, values, color=colour, linestyle=dashes, marker=marker, markevery=2, markersize=5, label=label)
    axes.set(xscale="log", yscale="log", xlim=(SCALES[0], SCALES[-1]), ylim=(2e-3, 300))
    axes.set_xlabel("scale of the noise (hours)")
    axes.set_ylabel("leaked about the worst hour (nats)")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=9)
    save(figure, path)


def draw_places(model: dl.Chain, path: Path) -> None:
    found = {
        notion: {known: by_place(release_of(model, known=records), reading) for known, records in KNOWN.items()}
        for notion, reading in NOTIONS.items()
    }
    header = ["hour", *(f"{notion}_nats: {known}" for notion in NOTIONS for known in KNOWN)]
    columns = zip(*(values for own in found.values() for values in own.values()), strict=True)
    write(path.with_suffix(".csv"), header, ([hour, *row] for hour, row in enumerate(columns, start=1)))
    figure = Figure(figsize=(6.4, 5.2), layout="constrained")
    panels = figure.subplots(2, 2, sharex="col", sharey="row", width_ratios=(2, 3))
    for row, notion in zip(panels, NOTIONS, strict=True):
        for axes, window in zip(row, WINDOWS, strict=True):
            draw_window(axes, found[notion], window)
        row[0].set_ylabel(f"{notion} (nats)")
    panels[1][0].set_xlabel("hour of the week: the first")
    panels[1][1].set_xlabel("hour of the week: around the known ones")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=3,
        frameon=False,
        fontsize=9,
        title="what the adversary knows",
    )
    save(figure, path)


def draw_window(axes: Axes, told: dict[str, list[float]], window: range) -> None:
    styles = [(BLACK, "-", "o", 3), (BLUE, "--", "s", 4.5), (ORANGE, ":", "^", 5)]
    for (known, values), (colour, dashes, marker, size) in zip(told.items(), styles, strict=True):
        shown = [values[hour - 1] for hour in window]
        axes.plot(
            window, shown, color=colour, linestyle=dashes, marker=marker, markersize=size, linewidth=1.1, label=known
        )
    axes.set_xticks([hour for hour in window if (hour - window[0]) % 3 == 0])
    axes.set_ylim(0, 1.08 * max(max(values) for values in told.values()))
    axes.grid(alpha=0.3)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "docs" / "figures"
    used = hours()
    before = past(used)
    model = fit_chain([before[first : first + WEEK] for first in range(0, len(before), WEEK)]).model
    draw_week(released(used), folder / "gas_week.png")
    draw_scales(model, folder / "gas_scale.png")
    draw_places(model, folder / "gas_places.png")


if __name__ == "__main__":
    main()
