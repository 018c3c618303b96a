"""Promises with a delta, how likely the worst is, and several promises at once."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section, Target

PEOPLE: Final = 1_000_000
SCALE: Final = 300.0
CASES: Final[tuple[tuple[str, str, dict[str, object], str, float], ...]] = (
    (
        "least noise of information (.01, 1e-6), 1,000,000 people",
        "calibrated",
        {"people": PEOPLE},
        "scale {:.9g}, expected error {:.6g}",
        3.0,
    ),
    (
        "tail at 200 points, 1,000,000 people",
        "tail",
        {"people": PEOPLE, "scale": SCALE},
        "99.9999 % leak at most {:.6g}, width {:.1e}",
        2.0,
    ),
    (
        "optimum of 101 answers under three promises",
        "optimum",
        {"people": 100},
        "expected error {:.5g}, bound {:.5g}",
        10.0,
    ),
)


def run() -> Section:
    found = [(what, shown, limit, _measured(case, given)) for what, case, given, shown, limit in CASES]
    return Section(
        title="Promises",
        about="Households as in the audit above, a count, geometric noise. Calibration by method `exact`; "
        "the tail (`Channel.tail`) of what an output leaks at scale 300, with its quantiles; the optimum under "
        "information (ln 2, 1e-6), inferential 1 and differential 1. From nothing: the laws of the answer are "
        "computed too.",
        columns=("case", "time", "peak memory", "result"),
        rows=tuple(
            (what, span(cost.seconds), size(cost.mebibytes), shown.format(*cost.result))
            for what, shown, _, cost in found
        ),
        targets=tuple(Target(what, limit, cost.seconds, "s") for what, _, limit, cost in found),
    )


def _measured(case: str, given: dict[str, object]) -> Measured:
    return measured(f"benchmarks.promise_cases:{case}", **given)
