"""Chains, trees and answers of two coordinates: dependence of every shape, at the sizes people have."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section, Target

RATIO: Final = ("inferential", "information")
ALL: Final = ("inferential", "information", "relative_entropy", "mutual_information")
CASES: Final[tuple[tuple[str, str, dict[str, object], float], ...]] = (
    ("chain of 10,000 bits, inferential and information", "chain", {"n": 10_000, "kinds": RATIO}, 60.0),
    ("chain of 1,000 bits, all notions", "chain", {"n": 1_000, "kinds": ALL}, 2.0),
    ("tree of 1,000 bits, all notions", "tree", {"n": 1_000}, 10.0),
    ("two answers of 501 × 501, all notions", "plane", {"people": 1_000}, 5.0),
)
HARDER: Final[tuple[tuple[str, str, dict[str, object]], ...]] = (
    ("chain of 10,000 bits that stay with .99", "chain", {"n": 10_000, "kinds": RATIO, "stay": 0.99}),
    ("chain of 1,000 bits that stay with 1 − 10⁻¹²", "chain", {"n": 1_000, "kinds": ALL, "stay": 1 - 1e-12}),
    ("chain of 300 records of 3 values", "three", {"n": 300}),
)


def run() -> Section:
    seen = [(what, _audited(case, given), limit) for what, case, given, limit in CASES]
    rows = [_row(what, found) for what, found, _ in seen]
    rows += [_row(what, _audited(case, given)) for what, case, given in HARDER]
    return Section(
        title="Chains, trees, two answers",
        about="Audits of everybody. The bits of chains stay with chance .8 unless said; each node of the tree "
        "has the value of its parent with chance .8; the two answers are counts of two kinds of members of 250 "
        "households. Laplace noise of scale 5, geometric for the two answers.",
        columns=("release", "time", "peak memory", "inferential", "enclosure"),
        rows=tuple(rows),
        targets=tuple(Target(what, limit, found.seconds, "s") for what, found, limit in seen),
    )


def _audited(case: str, given: dict[str, object]) -> Measured:
    return measured(f"benchmarks.dependent_cases:{case}", **given)


def _row(what: str, found: Measured) -> tuple[str, ...]:
    lower, upper = found.result
    return what, span(found.seconds), size(found.mebibytes), f"{lower:.6g}", f"{upper - lower:.1e}"
