"""Whether the time until a paid failure says more than that it failed."""

from typing import Final

from benchmarks.failure_cases import PAIRS, TABLES
from benchmarks.measuring import measured, span
from benchmarks.section import Section

PEOPLE: Final = 10_000
ROUNDS: Final = 27


def run() -> Section:
    result = measured("benchmarks.failure_cases:timed", people=PEOPLE, rounds=ROUNDS).result
    return Section(
        title="Paid failures and their time",
        about=f"Counts over {PEOPLE:,} people in households of four, each asked of four tables in an order of chance, "
        "from the ask to its answer or its failure, the durable debit and record included: two tables give answers, "
        "in two a value is none that the model knows, which is found after the debit and says one fixed sentence. "
        "Area: the chance that an ask of the one table took longer than an ask of the other (the area under the ROC "
        "curve of whoever tells them apart by time); ½ is no help at all.",
        columns=("table", "first quartile", "median", "third quartile"),
        rows=tuple((name, *map(span, result["quartiles"][name])) for name in TABLES),
        notes=tuple(
            f"{TABLES[one]} against {TABLES[other]}: area {area:.2f}"
            for (one, other), area in zip(PAIRS, result["areas"], strict=True)
        ),
    )
