"""What audits of chains cost whose neighbours repel each other, or that have four values: by windows of tilted laws."""

from math import log
from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

CASES: Final[tuple[tuple[str, str, int, float | None], ...]] = (
    ("bits", "bits", 1_000, None),
    ("bits", "bits", 3_000, None),
    ("bits", "bits", 10_000, None),
    ("bits", "bits", 100_000, 1.5),
    ("four values", "four", 2_000, 1.0),
    ("four values", "four", 35_040, 3.0),
)
"""What, the case, days, and the processor seconds that are wanted."""
MOST_MEMORY: Final = 200.0
"""MiB wanted of 2,000 days of four values."""
EXPONENT: Final = 0.65
"""Wanted of processor time in the number of days."""


def run() -> Section:
    found = [(f"{what}, {days:,} days", limit, measured(_name(case), days=days)) for what, case, days, limit in CASES]
    bits = {
        days: cost.processor for (_, case, days, _), (_, _, cost) in zip(CASES, found, strict=True) if case == "bits"
    }
    grown, windows = (_exponent(bits, first) for first in (1_000, 3_000))
    return Section(
        title="Long chains by windows",
        about="`dalenius.audit` of one sum with Laplace noise over a chain: differential, inferential, information and "
        "relative entropy privacy and mutual information of every day (Results 20.40 to 20.44). Bits: initial "
        "(.8, .2), rows (.5, .5) and (.948, .052), scale 1.16. Four values: a random transition, scale 3. From "
        "nothing. Processor seconds are of all threads; time is what a clock on the wall says.",
        columns=("chain", "processor", "time", "peak memory", "inferential (nats)", "mutual information (nats)"),
        rows=tuple(
            (
                what,
                span(cost.processor),
                span(cost.seconds),
                size(cost.mebibytes),
                "{:.9g} to {:.9g}".format(*cost.result[:2]),
                "{:.7g} to {:.7g}".format(*cost.result[2:]),
            )
            for what, _, cost in found
        ),
        notes=(
            f"Bits from 10^3 to 10^5 days: processor time grows like n^{grown:.2f}; from 3,000 on, where windows "
            f"answer, like n^{windows:.2f}. Below some 1,000 days the law of all sums answers.",
        ),
        targets=(
            *(Target(f"{what}, processor", limit, cost.processor, "s") for what, limit, cost in found if limit),
            Target("four values, 2,000 days, peak memory", MOST_MEMORY, found[4][2].mebibytes, "MiB"),
            Target("exponent from 10^3 to 10^5", EXPONENT, max(grown, windows), ""),
        ),
    )


def _name(case: str) -> str:
    return f"benchmarks.windowed_chain_cases:{case}"


def _exponent(seconds: dict[int, float], first: int) -> float:
    """Of processor time in the number of days, from so many days to the most."""
    last = max(seconds)
    return log(seconds[last] / seconds[first]) / log(last / first)
