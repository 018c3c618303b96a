"""Any number of people: what their counts leak, the least noise, and a table and chains of them."""

from typing import Final

from benchmarks.measuring import Measured, measured, size, span
from benchmarks.section import Section, Target

PEOPLE: Final = (10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 3 * 10**8)
MILLION, LAST = f"{10**6:,} people", f"{PEOPLE[-1]:,} people"
TABLE: Final = 5_000_000
DAYS: Final = (10_000, 100_000)
NONE: Final = "–"


def run() -> Section:
    counts = {f"{people:,} people": _counted(people) for people in PEOPLE}
    regions = _measured(("suprema", "calibrated"), people=TABLE, regions=20)
    file = measured("benchmarks.region_cases:commands", people=TABLE).result
    chains = {days: measured("benchmarks.long_chain_cases:bits", days=days) for days in DAYS}
    least = measured("benchmarks.long_chain_cases:calibrated", days=DAYS[0])
    both = f"{TABLE:,} people, 20 regions"
    return Section(
        title="Any number of people",
        about="Households of one to five, of two labels, one count of all who are ill, Laplace noise; and with 20 "
        "regions a count for each. Suprema: differential, inferential, information and Bayesian privacy, relative "
        "entropy and identifiability at a scale of 2; all notions: the averages, too. Calibration: the least scale for "
        "an inferential leakage of 1; optimum: the least error of any mechanism with that promise. Chains: bits that "
        "stay with .99, at a scale of 100. The Parquet file has households of one to six; `dalenius calibrate` and "
        "`dalenius release` read it, for information ε = 1, imports counted. Where one household decides, the law of "
        "everybody else is not computed.",
        columns=("model", "suprema", "all notions", "calibration", "optimum", "peak memory", "leakage", "scale"),
        rows=(
            *(_row(what, found) for what, found in counts.items()),
            _row(both, regions),
            (f"{both}, of a Parquet file", NONE, NONE, span(file["calibrate"]), NONE, size(file["memory"]), NONE, NONE),
            *(_chain(days, found, least if days == DAYS[0] else None) for days, found in chains.items()),
        ),
        notes=(
            f"Of the Parquet file `dalenius calibrate` takes {span(file['calibrate'])}, and `dalenius release`, which "
            f"calibrates again, {span(file['release'])}.",
        ),
        targets=(
            Target(f"suprema of {MILLION}", 0.3, _seconds(counts[MILLION]["suprema"]), "s"),
            Target(f"all notions of {LAST}", 2.0, _seconds(counts[LAST]["notions"]), "s"),
            Target(f"calibration for {LAST}", 5.0, _seconds(counts[LAST]["calibrated"]), "s"),
            Target(f"memory of {LAST}, optimum left out", 300.0, _memory(counts[LAST]), "MiB"),
            Target(f"calibration, {both}", 5.0, _seconds(regions["calibrated"]), "s"),
            Target("calibrate and release, of the Parquet file", 10.0, file["calibrate"] + file["release"], "s"),
            Target("memory of calibrate and release, of the Parquet file", 500.0, file["memory"], "MiB"),
            Target(f"chain of {DAYS[0]:,} bits", 5.0, chains[DAYS[0]].seconds, "s"),
            Target(f"chain of {DAYS[1]:,} bits", 20.0, chains[DAYS[1]].seconds, "s"),
        ),
    )


def _counted(people: int) -> dict[str, Measured]:
    return _measured(("suprema", "notions", "calibrated", "optimum"), people=people)


def _measured(cases: tuple[str, ...], **asked: int) -> dict[str, Measured]:
    return {case: measured(f"benchmarks.people_cases:{case}", **asked) for case in cases}


def _row(what: str, found: dict[str, Measured]) -> tuple[str, ...]:
    asked = ("suprema", "notions", "calibrated")
    spans = [span(_seconds(found[case])) if case in found else NONE for case in asked]
    best = NONE
    if "optimum" in found:
        best = "too large" if found["optimum"].result[1] is None else span(_seconds(found["optimum"]))
    (_, leakage), (_, scale) = found["suprema"].result, found["calibrated"].result
    return what, *spans, best, size(_memory(found)), f"{leakage:.6f}", f"{scale:.6f}"


def _chain(days: int, found: Measured, least: Measured | None) -> tuple[str, ...]:
    calibration, scale = (NONE, NONE) if least is None else (span(least.seconds), f"{least.result[0]:.6f}")
    most = max(each.mebibytes for each in (found, least) if each is not None)
    return (
        f"chain of {days:,} bits",
        span(found.seconds),
        NONE,
        calibration,
        NONE,
        size(most),
        (f"{found.result[1]:.6f}"),
        scale,
    )


def _seconds(found: Measured) -> float:
    """Of what is asked alone, without the model's."""
    return float(found.result[0])


def _memory(found: dict[str, Measured]) -> float:
    """Of all but the optimum, which is another method."""
    return max(each.mebibytes for case, each in found.items() if case != "optimum")
