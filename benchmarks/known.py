"""What a noised count leaks to somebody who knows the exact total."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section, Target

PEOPLE: Final = 100_000
CASES: Final[tuple[tuple[str, str, int], ...]] = (
    ("households of four of one sex, a total of 10 %", "of_one_sex", 100),
    ("independent people, a total of 10 %", "alone", 100),
    ("independent people, a total of 80 %, where 10 % are expected", "alone", 800),
)
SHOWN: Final = "inferential {:.8g} to {:.8g}, information {:.8g} to {:.8g}"
LIMIT: Final = 10.0


def run() -> Section:
    found = [(what, _measured(case, per_thousand)) for what, case, per_thousand in CASES]
    return Section(
        title="A known total",
        about=f"{PEOPLE:,} people, half of them women: a count of the ill among these with Laplace noise of scale 4, "
        "given the exact number of all who are ill. A box of both would have 5·10⁹ answers; Result 4.5 needs one "
        "dimension. From nothing.",
        columns=("case", "time", "peak memory", "result"),
        rows=tuple(
            (what, span(cost.seconds), size(cost.mebibytes), SHOWN.format(*cost.result)) for what, cost in found
        ),
        targets=tuple(Target(what, LIMIT, cost.seconds, "s") for what, cost in found),
    )


def _measured(case: str, per_thousand: int) -> Measured:
    return measured(f"benchmarks.known_cases:{case}", people=PEOPLE, per_thousand=per_thousand)
