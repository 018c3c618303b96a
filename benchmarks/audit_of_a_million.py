"""Every notion's leakage for a million people in households of four."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

PEOPLE: Final = 1_000_000
SECONDS: Final = 5.0
MEBIBYTES: Final = 1024.0
NOISES: Final = ("laplace", "geometric", "rounding")
ROUNDED: Final = 2.0
"""Processor seconds of the audit under random rounding to base 3."""


def run() -> Section:
    seen = {noise: measured("benchmarks.cases:audited", people=PEOPLE, noise=noise) for noise in NOISES}
    rows = [
        (noise, span(cost.seconds), size(cost.mebibytes), str(cost.runs), f"{cost.result['inferential']:.9f}")
        for noise, cost in seen.items()
    ]
    slowest = max(cost.seconds for cost in seen.values())
    largest = max(cost.mebibytes for cost in seen.values())
    return Section(
        title="An audit of a million people",
        about="`dalenius.audit` of all notions: 250,000 households of 4, infected = [0.9, 0.04, 0, 0, 0.06], a count, "
        "noise of scale 1, or random rounding to base 3. From nothing: the laws of the answer are computed too.",
        columns=("noise", "time", "peak memory", "runs", "inferential leakage (nats)"),
        rows=tuple(rows),
        notes=(
            f"Geometric noise takes {seen['geometric'].seconds / seen['laplace'].seconds:.2f} times Laplace's time.",
        ),
        targets=(
            Target("time of the slowest", SECONDS, slowest, "s"),
            Target("rounding, processor", ROUNDED, seen["rounding"].processor, "s"),
            Target("peak memory", MEBIBYTES, largest, "MiB"),
        ),
    )
