"""The factor engine against writing down every assignment of the records."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section

PEOPLE: Final = (8, 12, 16, 20, 24)
INFECTED: Final = (0.5, 0.2, 0.1, 0.08, 0.12)
"""Every number of infected is possible, so that all 2^n assignments are."""
ASSIGNMENTS: Final = 2 ** (len(INFECTED) - 1)
"""Of one household."""


def run() -> Section:
    rows = []
    furthest = ""
    for people in PEOPLE:
        factor, enumeration = (_audited(people, engine) for engine in ("factor", "enumeration"))
        row, sentence = _compared(people, factor, enumeration)
        rows.append(row)
        furthest = sentence or furthest
    return Section(
        title="The factor engine against plain enumeration",
        about=f"An audit of households of 4 with infected = {list(INFECTED)}, a count, Laplace noise of scale 1. "
        "Enumeration writes down every assignment of the records; the factor engine multiplies one small table per "
        "type of household.",
        columns=("people", "assignments", "factor", "enumeration", "ratio", "its peak memory", "leakages differ by"),
        rows=tuple(rows),
        notes=(furthest,),
    )


def _audited(people: int, engine: str) -> Measured:
    return measured("benchmarks.cases:audited_by", people=people, infected=INFECTED, engine=engine)


def _compared(people: int, factor: Measured, enumeration: Measured) -> tuple[tuple[str, ...], str]:
    """The row, and what it comes to; enumeration refuses what would not fit."""
    start = f"{people}", f"{2**people:,}", span(factor.seconds)
    if enumeration.result is None:
        return (*start, "refused as too large", "", "", ""), ""
    ratio = enumeration.seconds / factor.seconds
    apart = abs(enumeration.result - factor.result)
    sentence = f"At {people} people enumeration takes {ratio:.3g} times as long"
    growth = f"each further household would multiply the assignments by {ASSIGNMENTS}"
    return (
        *start,
        span(enumeration.seconds),
        f"{ratio:.3g}",
        size(enumeration.mebibytes),
        f"{apart:.1e}",
    ), f"{sentence}; {growth}."
