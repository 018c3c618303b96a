"""The answers of six queries without each of a million people: what an adversary wonders who is absent compares."""

from typing import Final

from benchmarks.left_out_cases import QUERIES
from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

PEOPLE: Final = 1_000_000
SECONDS: Final = 1.0
DIGITS: Final = {"whole": 0, "cents": 2, "17 digits": None}


def run() -> Section:
    seen = {
        name: measured("benchmarks.left_out_cases:left_out", people=PEOPLE, digits=digits)
        for name, digits in DIGITS.items()
    }
    steps = ("tally", *(query.kind for query in QUERIES), "total")
    rows = [
        (name, *(span(cost.result[step]) for step in steps), f"{cost.result['classes']:,.0f}", size(cost.mebibytes))
        for name, cost in seen.items()
    ]
    return Section(
        title="Leave one out, a million people",
        about="A million incomes drawn at random (log-normal), as a plain array; then sum, mean, variance, min, max "
        "and median of all but each of them: the distinct answers, exact to the last digits of their differences, and "
        "whose absence gives which.",
        columns=("values", *steps, "most classes", "peak memory"),
        rows=tuple(rows),
        notes=(
            "Values of more than 15 digits are whole numbers beyond 64 bits, and Python's own arithmetic is slower.",
        ),
        targets=(Target("all six, values in cents", SECONDS, seen["cents"].result["total"], "s"),),
    )
