"""What a long stream of answers leaks of one person's values, step by step."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section, Target

STEPS: Final = 2_000
CASES: Final[tuple[tuple[str, str, float], ...]] = (("any mechanism", "recursion", 1.0),)


def run() -> Section:
    found = [(what, limit, _measured(case)) for what, case, limit in CASES]
    return Section(
        title="A stream of answers about one person",
        about=f"{STEPS:,} answers, each 0.1-private in its step's value: the backward, forward and total loss of every "
        "step. For any mechanism three values that persist unequally (Result 9.8). From nothing.",
        columns=("case", "time", "peak memory", "largest total loss"),
        rows=tuple(
            (what, span(cost.seconds), size(cost.mebibytes), "{:.6g} to {:.6g}".format(*cost.result))
            for what, _, cost in found
        ),
        targets=tuple(Target(f"stream, {what}", limit, cost.seconds, "s") for what, limit, cost in found),
    )


def _measured(case: str) -> Measured:
    return measured(f"benchmarks.stream_cases:{case}", steps=STEPS)
