"""The least error there is, and the clamped geometric, by the number of people."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section, Target

OPTIMA: Final[tuple[tuple[str, dict[str, object], float | None], ...]] = (
    ("12 households of 4", {"model": "households", "people": 48}, None),
    ("100 bits", {"model": "bits", "people": 100}, 10.0),
    ("25 households of 4", {"model": "households", "people": 100}, 10.0),
    ("chain of 100 bits", {"model": "chain", "people": 100}, 10.0),
    ("250 households of 4", {"model": "households", "people": 1_000}, None),
    ("1,000 households of 4", {"model": "households", "people": 4_000}, None),
    ("2,500 households of 4", {"model": "households", "people": 10_000}, None),
    ("250,000 households of 4, ε = .01", {"model": "households", "people": 1_000_000, "epsilon": 0.01}, 60.0),
)
CLAMPED: Final[tuple[tuple[str, dict[str, object], float | None], ...]] = (
    ("12 households of 4", {"model": "households", "people": 48}, None),
    ("250 households of 4", {"model": "households", "people": 1_000}, None),
    ("2,500 households of 4", {"model": "households", "people": 10_000}, 60.0),
    ("250,000 households of 4, ε = .01", {"model": "households", "people": 1_000_000, "epsilon": 0.01}, 60.0),
)
NOTIONS: Final = ("inferential", "information")


def run() -> Section:
    rows, targets = [], []
    for method, cases in (("optimal", OPTIMA), ("clamped", CLAMPED)):
        for what, given, limit in cases:
            for notion in NOTIONS:
                found = measured("benchmarks.optimum_cases:calibrated", method=method, notion=notion, **given)
                rows.append(_row(f"{method}, {what}, {notion}", found))
                if limit is not None:
                    targets.append(Target(f"{method}, {what}, {notion}", limit, found.seconds, "s"))
    return Section(
        title="The optimum and the clamped geometric",
        about="`dalenius.calibrate`, ε = 1 unless said, a count. Households as in the audit above; bits of chance .3; "
        "the chain's bits stay what they are with chance .9. The bound is a dual of the program: no mechanism's "
        "expected error is below it. From nothing: the laws of the answer are computed too.",
        columns=("case", "time", "peak memory", "expected error", "bound", "exact geometric"),
        rows=tuple(rows),
        targets=tuple(targets),
    )


def _row(what: str, found: Measured) -> tuple[str, ...]:
    error, bound, geometric = found.result
    shown = "" if bound is None else f"{bound:.6g}"
    return what, span(found.seconds), size(found.mebibytes), f"{error:.6g}", shown, f"{geometric:.4g}"
