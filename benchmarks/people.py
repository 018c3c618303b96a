"""Any number of people: suprema of a count, and the least scale for one."""

from typing import Final

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target

PEOPLE: Final = (10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 3 * 10**8)
LAST: Final = f"{PEOPLE[-1]:,} people"
TABLE: Final = {"people": 5_000_000, "regions": 20}


def run() -> Section:
    rows, last = [], (0.0, 0.0, 0.0)
    for what, asked in [*((f"{n:,} people", {"people": n}) for n in PEOPLE), ("5,000,000 people, 20 regions", TABLE)]:
        audit, scale = (measured(f"benchmarks.people_cases:{case}", **asked) for case in ("suprema", "calibrated"))
        (seconds, leakage), (longer, found) = audit.result, scale.result
        most = max(audit.mebibytes, scale.mebibytes)
        rows.append((what, span(seconds), span(longer), size(most), f"{leakage:.6f}", f"{found:.6f}"))
        last = (seconds, longer, most) if what == LAST else last
    seconds, longer, most = last
    return Section(
        title="Any number of people",
        about="Households of one to five, of two labels, one count of all who are ill, Laplace noise; and a table of "
        "20 regions with a count for each. Audit: differential, inferential, information and Bayesian privacy, "
        "relative entropy and identifiability at a scale of 2. Calibration: the least scale for an inferential leakage of 1. "
        "Where one household decides, the law of everybody else is not computed.",
        columns=("model", "audit", "calibration", "peak memory", "leakage (nats)", "scale"),
        rows=tuple(rows),
        targets=(
            Target(f"audit of {LAST}", 2.0, seconds, "s"),
            Target(f"calibration for {LAST}", 5.0, longer, "s"),
            Target(f"memory of {LAST}", 300.0, most, "MiB"),
        ),
    )
