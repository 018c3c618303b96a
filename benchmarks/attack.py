"""What it costs to attack everybody in a city."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

LIMIT: Final = 300.0
"""Seconds."""
CASES: Final = ((1_000, 20, None), (5_000, 20, None), (5_000, 20, 2_500), (5_000, 40, None))


def run() -> Section:
    rows, targets = [], []
    for people, cells, known in CASES:
        found = measured("benchmarks.attack_cases:attacked", people=people, cells=cells, known=known)
        seconds, gained, success = found.result
        who = "all others" if known is None else f"{known:,} others"
        numbers = (f"{gained:.3f} nats", f"{100 * success:.1f} %")
        rows.append((f"{people:,}", f"{cells * cells:,}", who, span(seconds), size(found.mebibytes), *numbers))
        if (people, cells, known) == (5_000, 20, None):
            targets.append(Target(f"{people:,} people, {cells * cells} cells", LIMIT, seconds, "s"))
    return Section(
        title="Everybody's cell from noisy centroids",
        about="The attack of DDP §IV on made-up towns: six places a person, eight clusters, about twenty friends each, "
        "weighed by the law of friends' distances. Times are of the attack alone, for all people together.",
        columns=("people", "cells", "known", "time", "peak memory", "told by the output", "guessed"),
        rows=tuple(rows),
        targets=tuple(targets),
    )
