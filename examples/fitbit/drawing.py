"""How the numbers of figures.py are drawn and written: told apart in grey, too, by markers, dashes and hatches."""

import csv
from collections.abc import Mapping, Sequence
from math import floor, log10
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.figure import Figure

from dalenius.plotting import save_with_vector

# Okabe-Ito colours.
BLUE, ORANGE, GREEN, BLACK, GREY = "#0072B2", "#D55E00", "#009E73", "#000000", "#999999"
CLASSES = ("sedentary", "light", "moderate", "vigorous")
Rows = Sequence[Mapping[str, Any]]


def write(path: Path, rows: Rows) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([nine(cell) if isinstance(cell, float) else cell for cell in row.values()] for row in rows)


def nine(number: float) -> float:
    """To nine digits, fewer than any two machines differ in."""
    return round(number, 8 - floor(log10(abs(number)))) if number else 0.0


def save(figure: Figure, path: Path) -> None:
    save_with_vector(figure, path)


def draw_days(rows: Rows, path: Path) -> None:
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    people = [name for name in rows[0] if name != "quarter"]
    for axes, person in zip(figure.subplots(len(people), 1, sharex=True), people, strict=True):
        for row in rows:
            active = row[person] >= 2
            style = {"facecolor": ORANGE, "hatch": "////"} if active else {"facecolor": BLUE}
            axes.bar(
                (row["quarter"] - 1) / 4,
                row[person] + 0.12,
                0.25,
                align="edge",
                edgecolor="white",
                linewidth=0.3,
                **style,
            )
        counted = sum(row[person] >= 2 for row in rows)
        axes.set_title(f"the {person} person's day: {counted} of {len(rows)} quarters counted (hatched)", fontsize=10)
        axes.set_yticks(range(4), CLASSES)
        axes.set_ylim(0, 3.3)
    axes.set_xlim(0, 24)
    axes.set_xticks(range(0, 25, 3))
    axes.set_xlabel("hour of the day")
    save(figure, path)


def draw_people(rows: Rows, path: Path) -> None:
    figure = Figure(figsize=(6.4, 5.4), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True)
    regularity = [row["entropy_rate_nats"] for row in rows]
    for axes, ending in zip(panels, ("nats_at_scale_1", "scale_at_1_nat"), strict=True):
        for notion, colour, marker in (("inferential", ORANGE, "o"), ("information", BLUE, "s")):
            filled = colour if marker == "o" else "white"
            axes.plot(
                regularity,
                [row[f"{notion}_{ending}"] for row in rows],
                marker,
                color=colour,
                markerfacecolor=filled,
                markersize=5,
                label=notion,
            )
        axes.axhline(1.0, color=BLACK, linestyle="--", linewidth=1.2, label="as if quarters were independent")
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("leakage at scale 1 (nats)")
    panels[1].set_ylabel("scale for 1 nat (quarters)")
    panels[1].set_xlabel("uncertainty of the next quarter given this one (nats); regular people on the left")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    save(figure, path)


def draw_scales(rows: Rows, path: Path) -> None:
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    epsilons = [row["epsilon_nats"] for row in rows]
    for axes, notion in zip(panels, ("inferential", "information"), strict=True):
        for column, label, colour, dashes, marker in (
            ("group", "group", BLACK, ":", ""),
            (f"exact, {notion}, least regular", "exact, least regular", ORANGE, "-", "o"),
            (f"exact, {notion}, most regular", "exact, most regular", BLUE, "-", "s"),
            ("independent", "independent (unsound)", GREEN, "--", ""),
        ):
            axes.plot(
                epsilons,
                [row[column] or float("nan") for row in rows],
                color=colour,
                linestyle=dashes,
                marker=marker,
                markersize=4.5,
                label=label,
            )
        axes.set(xscale="log", yscale="log")
        axes.set_xticks([0.125, 0.25, 0.5, 1, 2, 4], ["⅛", "¼", "½", "1", "2", "4"])
        axes.minorticks_off()
        axes.set_xlabel(f"promised ε, {notion} (nats)")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("scale of the noise (quarters of an hour)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    save(figure, path)


def draw_models(rows: Rows, path: Path) -> None:
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.add_subplot()
    places = list(dict.fromkeys((row["person"], row["notion"]) for row in rows))
    for model, colour, marker, size, shift in (
        ("days resampled", GREY, "o", 3.5, 0.0),
        ("weekdays", BLUE, "s", 7, -0.1),
        ("weekends", GREEN, "^", 8, 0.0),
        ("order 2", ORANGE, "D", 7, 0.1),
    ):
        across, up, medians = [], [], []
        for place, where in enumerate(places):
            own = [
                row["leakage_nats"] for row in rows if row["model"] == model and (row["person"], row["notion"]) == where
            ]
            across += [place + shift + 0.012 * (i - len(own) // 2) for i in range(len(own))]
            up += own
            if len(own) > 1:
                medians.append((place, median(own)))
        filled = colour if marker in "s^" else "white"
        label = f"{model} (across: for the eye)" if medians else model
        axes.plot(across, up, marker, color=colour, markersize=size, markerfacecolor=filled, label=label)
        for number, (place, middle) in enumerate(medians):
            label = "" if number else "their median"
            axes.hlines(middle, place - 0.22, place + 0.22, color=BLACK, linewidth=2, label=label, zorder=3)
    axes.axhline(1.0, color=BLACK, linestyle="--", linewidth=1.2, label="promised, all past days")
    axes.set_xticks(range(len(places)), [f"{person},\n{notion}" for person, notion in places])
    axes.set_ylabel("leakage if this chain is true (nats)")
    axes.grid(axis="y", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    save(figure, path)
