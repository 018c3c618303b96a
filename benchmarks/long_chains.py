"""What sums over long chains leak of each day, and the noise that hides it."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

LEAKS: Final = "inferential {:.9g} to {:.9g}, information {:.9g} to {:.9g}"
SCALE: Final = "scale {:.9g}, inferential {:.9g}"
CASES: Final[tuple[tuple[str, str, int, float, str], ...]] = (
    ("bits that stay with .99", "bits", 10_000, 5.0, LEAKS),
    ("three values that stay with .99", "three", 10_000, 5.0, LEAKS),
    ("0 and 7, every step its own", "uneven", 10_000, 5.0, LEAKS),
    ("bits that stay with .99", "bits", 100_000, 20.0, LEAKS),
    ("exact calibration, bits", "calibrated", 10_000, 20.0, SCALE),
)


def run() -> Section:
    found = [
        (f"{what}, {days:,} days", limit, shown, measured(f"benchmarks.long_chain_cases:{case}", days=days))
        for what, case, days, limit, shown in CASES
    ]
    return Section(
        title="Long chains",
        about="One sum with Laplace noise over a chain: differential, inferential, information and relative entropy "
        "privacy of every day, by recursions at ±∞, and the range of the messages' ratios (Results 20.20 to 20.24). "
        "From nothing.",
        columns=("chain", "time", "peak memory", "found"),
        rows=tuple(
            (what, span(cost.seconds), size(cost.mebibytes), shown.format(*cost.result))
            for what, _, shown, cost in found
        ),
        targets=tuple(Target(what, limit, cost.seconds, "s") for what, limit, _, cost in found),
    )
