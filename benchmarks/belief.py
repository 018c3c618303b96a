"""What it costs to know what an adversary believes about who is missing, and to account for it."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section, Target

PEOPLE: Final = 1_000_000
CLASSES: Final = (2, 100, 1_000_000)
LIMIT: Final = 50.0
"""Milliseconds per answer."""


def run() -> Section:
    rows, targets = [], []
    for classes in CLASSES:
        found = measured("benchmarks.belief_cases:updated", people=PEOPLE, classes=classes)
        rows.append(_row("belief after one more answer", classes, found, "{:.1e} nats of error"))
        targets.append(Target(f"one answer, {classes:,} classes", LIMIT, 1000 * found.result[0], "ms"))
    for classes in CLASSES:
        found = measured("benchmarks.belief_cases:accounted", people=PEOPLE, classes=classes)
        rows.append(_row("least scale for the next answer", classes, found, "{:.4g} Θ"))
    return Section(
        title="Who is missing among a million people",
        about="The adversary's belief about which of 10^6 people is absent (`dalenius.composition.AbsenceBelief`), "
        "updated by one answer; and the least scale that keeps (α, β) = (.5, 1) against the first prior whatever comes "
        "out (`Accountant`). Classes: different answers that the absence of one person can give. Times are of the call "
        "alone, not of the table.",
        columns=("what", "classes", "time", "peak memory", "result"),
        rows=tuple(rows),
        targets=tuple(targets),
    )


def _row(what: str, classes: int, found: Measured, form: str) -> tuple[str, ...]:
    seconds, result = found.result
    return what, f"{classes:,}", span(seconds), size(found.mebibytes), form.format(result)
