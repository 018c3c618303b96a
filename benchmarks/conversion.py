"""Conversions: what any pipeline of a guarantee leaks, by the size of the group and the number of its answers."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section, Target

CASES: Final[tuple[tuple[str, str, dict[str, object], float], ...]] = (
    ("household of 12 bits, Gaussian noise", "household", {"size": 12, "mu": 1 / 3}, 5.0),
    ("group of 6 of three values, listed", "groups", {"size": 6, "epsilon": 0.3}, 60.0),
    ("household of 12 bits, by a map of 12 distances", "by_map", {"size": 12, "epsilon": 0.5}, 30.0),
    ("1,000 Laplace answers, household of 4", "composed", {"kind": "laplace", "count": 1_000}, 1.0),
    ("10,000 steps of training, household of 4", "composed", {"kind": "training", "count": 10_000}, 10.0),
    ("chain of 100,000 bits, Gaussian noise", "chain", {"n": 100_000, "mu": 0.1}, 10.0),
    ("network of 37 bits, two parents each, Gaussian noise", "network", {"n": 37, "mu": 0.3}, 30.0),
)


def run() -> Section:
    seen = [
        (what, measured(f"benchmarks.conversion_cases:{case}", **given), limit) for what, case, given, limit in CASES
    ]
    return Section(
        title="Any pipeline, converted",
        about="The most that a pipeline can leak of one record at ε = 1, as an enclosure of δ, from its profile: "
        "a household, a group whose assignments are all listed, answers that are composed first, and a long chain of "
        "bits that stay with chance .8, whose ends are a bound and what seven records attain; and a network, "
        "between a bound and what counting attains.",
        columns=("conversion", "time", "peak memory", "delta", "enclosure"),
        rows=tuple(_row(what, found) for what, found, _ in seen),
        targets=tuple(Target(what, limit, found.seconds, "s") for what, found, limit in seen),
    )


def _row(what: str, found: Measured) -> tuple[str, ...]:
    lower, upper = found.result
    return what, span(found.seconds), size(found.mebibytes), f"{upper:.6g}", f"{upper - lower:.1e}"
