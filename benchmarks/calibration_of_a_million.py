"""The least noise for a promise to a million people in households of four."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

PEOPLE: Final = 1_000_000
SECONDS: Final = 30.0
GROUP_SCALE: Final = 4.0
"""What noise for a whole household at once would be: kΔ/ε."""
NOTIONS: Final = ("inferential", "information")


def run() -> Section:
    seen = {notion: measured("benchmarks.cases:calibrated", people=PEOPLE, notion=notion) for notion in NOTIONS}
    rows = [
        (
            f"{notion} ε = 1",
            span(cost.seconds),
            size(cost.mebibytes),
            str(cost.runs),
            f"{cost.result['scale']:.9f}",
            f"{cost.result['scale'] / GROUP_SCALE:.3f}",
        )
        for notion, cost in seen.items()
    ]
    slowest = max(cost.seconds for cost in seen.values())
    return Section(
        title="Exact calibration for a million people",
        about="`dalenius.calibrate`, method `exact`, Laplace noise, the model of the audit above. From nothing: the "
        "laws of the answer are computed too.",
        columns=("promise", "time", "peak memory", "runs", "least scale", "of the group method's"),
        rows=tuple(rows),
        targets=(Target("time of the slower", SECONDS, slowest, "s"),),
    )
