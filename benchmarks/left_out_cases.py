"""The answers of a table without each of its people, query by query."""

from time import perf_counter
from typing import Final

import numpy as np

from dalenius.queries import Max, Mean, Median, Min, Query, Sum, Variance
from dalenius.tally import tally_of_people

QUERIES: Final[tuple[Query, ...]] = (Sum(), Mean(), Variance(), Min(), Max(), Median())


def left_out(people: int, digits: int | None) -> dict[str, float]:
    """Seconds by step, and the number of different means: incomes drawn at random, with so many digits after the point
    or all that doubles have. Drawing them is not counted."""
    drawn = np.random.default_rng(1).lognormal(10, 1, people)
    values = drawn if digits is None else np.round(drawn, digits)
    started = perf_counter()
    tally = tally_of_people(values)
    seconds = {"tally": perf_counter() - started}
    classes = 0
    for query in QUERIES:
        started = perf_counter()
        found = query.left_out(tally)
        seconds[query.kind] = perf_counter() - started
        classes = max(classes, len(found.offsets))
    return seconds | {"total": sum(seconds.values()), "classes": float(classes)}
