"""What several questions leak together, beyond what a box of all their answers could hold."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section, Target

PEOPLE: Final = 100_000
CASES: Final[tuple[tuple[str, str, str], ...]] = (
    ("3 counts, households of four", "three_counts", "inferential {:.6g} to {:.6g}, information {:.6g} to {:.6g}"),
    ("12 equal counts", "twelve_counts", "inferential {:.6g} to {:.6g}, information {:.6g} to {:.6g}"),
    ("least common scale of 3 counts, inferential 1", "calibrated", "scales {:.9g}, {:.9g} and {:.9g}"),
)
LIMIT: Final = 30.0


def run() -> Section:
    found = [(what, shown, _measured(case)) for what, case, shown in CASES]
    return Section(
        title="Several questions together",
        about=f"{PEOPLE:,} people in households of four. Three counts of different values: a box of 10¹⁵ answers, so "
        "that what is computed are the bounds of Result 9.6, by the group's part of the answers; geometric and Laplace "
        "noise. Twelve counts of one value, one a month, are one axis (Result 9.5): the supremum is exact. From "
        "nothing.",
        columns=("case", "time", "peak memory", "result"),
        rows=tuple(
            (what, span(cost.seconds), size(cost.mebibytes), shown.format(*cost.result)) for what, shown, cost in found
        ),
        targets=tuple(Target(what, LIMIT, cost.seconds, "s") for what, _, cost in found),
    )


def _measured(case: str) -> Measured:
    return measured(f"benchmarks.question_cases:{case}", people=PEOPLE)
