"""A thousand by a thousand: leakages of one channel matrix, by Dalenius and by qif."""

import importlib.util
import math
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

import numpy as np

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target
from dalenius import (
    Independent,
    InferentialPrivacy,
    Kernel,
    MinEntropyPrivacy,
    MutualInformationPrivacy,
    Release,
    Sum,
)
from dalenius.noise import NoNoise
from dalenius.notions import Notion

SIZE: Final = 1000
SEEDS: Final = (1, 2)
REPEATS: Final = 5
NOTIONS: Final[dict[str, Notion]] = {
    "Shannon leakage (nats)": MutualInformationPrivacy(),
    "Bayes leakage (nats)": MinEntropyPrivacy(),
    "smallest ε": InferentialPrivacy(),
}


def run() -> Section:
    rows, slower, apart = [], [0.0], [0.0]
    there = importlib.util.find_spec("qif") is not None
    for seed in SEEDS:
        ours = measured("benchmarks.qif_side_by_side:by_dalenius", seed=seed)
        theirs = measured("benchmarks.qif_side_by_side:by_qif", seed=seed) if there else None
        for name, (seconds, value) in ours.result["leakages"].items():
            shown = f"{seed}", name, f"{value:.12f}", span(seconds), size(ours.mebibytes)
            if theirs is None:
                rows.append((*shown, "not installed", "", "", ""))
                continue
            other_seconds, other = theirs.result[name]
            slower.append(seconds / other_seconds)
            apart.append(abs(value - other))
            rows.append(
                (
                    *shown,
                    span(other_seconds),
                    size(theirs.mebibytes),
                    f"{other_seconds / seconds:.3g}",
                    f"{apart[-1]:.1e}",
                )
            )
    made = "one law per secret and their product with the matrix come before, once for all leakages"
    targets = (
        Target("slowest of ours over qif's", 1.0, max(slower), "of the time"),
        Target("difference of the leakages", 1e-9, max(apart), "nats"),
    )
    return Section(
        title="Leakages of a channel matrix, beside qif",
        about=f"Random {SIZE}×{SIZE} channel matrices (rows uniform on the simplex), a uniform prior. Ours: one record "
        f"of {SIZE} values, its sum, `kernel` noise, each leakage an enclosure; {made}. qif is C++ and in doubles; "
        "smallest ε by its `d_privacy.smallest_epsilon` under the discrete metric. Each time is the least of "
        f"{REPEATS}, qif's ε, which takes seconds, of one.",
        columns=("seed", "leakage", "ours", "time", "memory", "qif's time", "its memory", "ratio", "differ by"),
        rows=tuple(rows),
        notes=(f"{made.capitalize()}: {span(ours.result['before'])}.",),
        targets=targets if there else (),
    )


def matrix(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(SIZE), size=SIZE)


def by_dalenius(seed: int) -> dict[str, Any]:
    """What comes before, in seconds; and by leakage its time and value."""
    prior = ((1 / SIZE,) * SIZE,)
    noise = Kernel(answers=tuple(range(SIZE)), probabilities=tuple(map(tuple, matrix(seed).tolist())))
    start = perf_counter()
    release = Release(Independent(values=tuple(range(SIZE)), n=1, probabilities=prior), Sum(), NoNoise())
    (channel,) = release.with_noise(noise).channels()
    before = perf_counter() - start
    found = {name: timed(lambda n=notion: n.leakage_of(channel).epsilon) for name, notion in NOTIONS.items()}  # type: ignore[misc]
    return {"before": before, "leakages": found}


def by_qif(seed: int) -> dict[str, tuple[float, float]]:
    """The same by qif."""
    from qif import measure, metric, probab, uint

    given, prior = matrix(seed), probab.uniform(SIZE)
    return {
        "Shannon leakage (nats)": timed(lambda: math.log(2) * measure.shannon.add_leakage(prior, given)),
        "Bayes leakage (nats)": timed(lambda: math.log(measure.bayes_vuln.mult_leakage(prior, given))),
        "smallest ε": timed(lambda: measure.d_privacy.smallest_epsilon(given, metric.discrete(uint)), most=1),
    }


def timed(call: Callable[[], float], most: int = REPEATS) -> tuple[float, float]:
    """The least time, and the value."""
    times, value = [], 0.0
    for _ in range(most):
        start = perf_counter()
        value = call()
        times.append(perf_counter() - start)
    return min(times), float(value)
