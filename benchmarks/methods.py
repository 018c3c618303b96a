"""Every method side by side on a chain, and the exact Markov quilt on a long one."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

STAYS: Final = (0.6, 0.8, 0.9)
"""Chances that a bit stays what it is."""


def run() -> Section:
    rows, targets = [], []
    for stay in STAYS:
        found = measured("benchmarks.method_cases:compared", n=100, stay=stay)
        applied, exact, least = found.result
        what = f"compare, chain of 100, stays with {stay:g}"
        said = f"{applied} methods apply; expected error {exact:.4g} exact, {least:.4g} optimal"
        rows.append((what, span(found.seconds), size(found.mebibytes), said))
        targets.append(Target(what, 20.0, found.seconds, "s"))
    quilts = measured("benchmarks.method_cases:calibrated", n=2_000, stay=0.8, method="markov_quilt")
    what = "markov_quilt, chain of 2,000, stays with 0.8"
    rows.append((what, span(quilts.seconds), size(quilts.mebibytes), f"scale {quilts.result:.4f}"))
    targets.append(Target(what, 2.0, quilts.seconds, "s"))
    return Section(
        title="Methods side by side",
        about="`dalenius.compare` and `dalenius.calibrate`, inferential ε = 1, a count of a stationary chain's bits, "
        "Laplace noise. From nothing: every scale is audited too.",
        columns=("case", "time", "peak memory", "found"),
        rows=tuple(rows),
        targets=tuple(targets),
    )
