"""What the leakage of a small table with totals costs, where cell keys make equal sets of people move alike."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

CASES: Final = (
    ("street B of 20 households and the total, each twice, moves up to 2", "two_streets", {"d": 2, "v": 0.9}),
    ("the same, moves up to 5", "two_streets", {"d": 5, "v": 1.3}),
    ("two by two cells with all totals, moves up to 1", "two_by_two", {"d": 1, "v": 0.5}),
)
SECONDS: Final = 30.0


def run() -> Section:
    seen = [(what, measured(f"benchmarks.office_cases:{case}", **terms)) for what, case, terms in CASES]
    slowest = max(cost.processor for _, cost in seen)
    return Section(
        title="Tables with totals under cell keys",
        about="`dalenius.audit` of all notions, households of 4, infected = [0.9, 0.04, 0, 0, 0.06]. Answers about the "
        "same people have the same noise; which are the same depends on the records. Processor seconds are of all "
        "threads.",
        columns=("table", "processor", "time", "peak memory", "mutual information (nats)"),
        rows=tuple(
            (
                what,
                span(cost.processor),
                span(cost.seconds),
                size(cost.mebibytes),
                f"{cost.result['mutual_information']:.9f}",
            )
            for what, cost in seen
        ),
        targets=(Target("the slowest, processor", SECONDS, slowest, "s"),),
    )
