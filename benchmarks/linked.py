"""What two linked data sets of the same people leak together."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

HOUSEHOLDS: Final = 10_000
BOTH: Final = "inferential {:.9g} to {:.9g}, information {:.9g} to {:.9g}"
CASES: Final[tuple[tuple[str, str, str], ...]] = (
    ("copies", "copies", BOTH),
    ("a chain, persistence 0.8", "chain", BOTH),
)
LIMIT: Final = 30.0


def run() -> Section:
    found = [
        (what, shown, measured(f"benchmarks.linked_cases:{case}", households=HOUSEHOLDS)) for what, case, shown in CASES
    ]
    return Section(
        title="Linked data sets",
        about=f"{HOUSEHOLDS:,} households of four in two data sets, a count of each with Laplace noise. Copies are one "
        "axis (Result 9.5); a chain is bounded by what each household adds to both (Result 9.6). From nothing.",
        columns=("coupling", "time", "peak memory", "together"),
        rows=tuple(
            (what, span(cost.seconds), size(cost.mebibytes), shown.format(*cost.result)) for what, shown, cost in found
        ),
        targets=tuple(Target(f"{what}, two stages", LIMIT, cost.seconds, "s") for what, _, cost in found),
    )
