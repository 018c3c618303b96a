"""δ(ε) of exact answers at size."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

MODULE: Final = "benchmarks.noiseless_cases"
CASES: Final[dict[str, tuple[str, dict[str, object], float]]] = {
    "1,000,000 independent bits": ("bits", {"people": 1_000_000}, 3.0),
    "1,000,000 independent bits, half of them known": ("bits", {"people": 1_000_000, "known": 0.5}, 3.0),
    "250,000 households of four": ("households", {"count": 250_000}, 5.0),
    "a chain of 10,000": ("chain", {"n": 10_000}, 10.0),
}
"""By what is measured: the case, its arguments, and the seconds it may take."""


def run() -> Section:
    rows, targets = [], []
    for name, (case, arguments, seconds) in CASES.items():
        cost = measured(f"{MODULE}:{case}", **arguments)
        ends = f"{cost.result['first']:.3e}", f"{cost.result['last']:.3e}", f"{cost.result['width']:.1e}"
        rows.append((name, span(cost.seconds), size(cost.mebibytes), str(cost.runs), *ends))
        targets.append(Target(name, seconds, cost.seconds, "s"))
    return Section(
        title="Noiseless privacy",
        about="`dl.delta_curve` of a count without noise: δ at 50 values of ε, from a fiftieth of "
        "the last to .05 (bits and households) or .5 (the chain). From nothing: the laws of the answer are computed "
        "too.",
        columns=("records", "time", "peak memory", "runs", "first δ", "last δ", "widest enclosure, relatively"),
        rows=tuple(rows),
        targets=tuple(targets),
    )
