"""Dalenius against writing down all 2^20 data sets of twenty people, as the definitions read."""

from time import perf_counter
from typing import Final

import numpy as np

from benchmarks.measuring import measured, size, span
from benchmarks.section import Section, Target
from dalenius import Chain, Count, Households, InferentialPrivacy, InformationPrivacy, Laplace, Release
from dalenius.models import Model
from dalenius.notions import leakages

PEOPLE: Final = 20
SCALE: Final = 1.0
STAY: Final = ((0.9, 0.1), (0.3, 0.7))
START: Final = (0.75, 0.25)
INFECTED: Final = (0.5, 0.2, 0.1, 0.08, 0.12)
FASTER: Final = 1000.0
REPEATS: Final = 20


def run() -> Section:
    rows, ratios, apart = [], [], []
    for kind in ("chain", "households"):
        plain = measured("benchmarks.enumeration_side_by_side:enumerated", kind=kind)
        ours = measured("benchmarks.enumeration_side_by_side:by_factors", kind=kind)
        seconds, *found = ours.result
        ratios.append(plain.seconds / seconds)
        apart.append(max(abs(a - b) for a, b in zip(found, plain.result, strict=True)))
        shown = span(plain.seconds), size(plain.mebibytes), span(seconds), size(ours.mebibytes)
        rows.append((kind, *shown, f"{ratios[-1]:,.0f}", f"{apart[-1]:.1e}"))
    return Section(
        title="Twenty people, against plain enumeration in numpy",
        about=f"Inferential and information leakage of everybody among {PEOPLE} people (a chain; five households of "
        f"four), a count, Laplace noise of scale {SCALE:g}. Enumeration: {2**PEOPLE:,} rows, W(y|s) at every answer as "
        "the sum over all rows. Ours: the model built and read from nothing, the median of "
        f"{REPEATS} times in one process.",
        columns=("model", "enumeration", "its memory", "ours", "its memory", "ratio", "leakages differ by"),
        rows=tuple(rows),
        targets=(
            Target("ours over enumeration, households", 1 / FASTER, 1 / ratios[-1], "of the time"),
            Target("difference of the leakages", 1e-9, max(apart), "nats"),
        ),
    )


def by_factors(kind: str) -> tuple[float, float, float]:
    """The median time, and the two leakages."""
    times, found = [], [0.0, 0.0]
    for _ in range(REPEATS):
        start = perf_counter()
        release = Release(_model(kind), Count(), Laplace(scale=SCALE))
        found = [leakage.epsilon for leakage in leakages(release, [InferentialPrivacy(), InformationPrivacy()])]
        times.append(perf_counter() - start)
    return float(np.median(times)), found[0], found[1]


def _model(kind: str) -> Model:
    if kind == "chain":
        return Chain(n=PEOPLE, transition=STAY, initial=START)
    return Households(count=PEOPLE // 4, infected=INFECTED)


def enumerated(kind: str) -> tuple[float, float]:
    """Every row's probability and answer; then Bayes' rule for each person."""
    rows = (np.arange(2**PEOPLE)[:, None] >> np.arange(PEOPLE)) & 1
    probability = _chain(rows) if kind == "chain" else _households(rows)
    answers = rows.sum(axis=1)
    outputs = np.arange(PEOPLE + 1)
    noise = np.exp(-np.abs(outputs[None, :] - answers[:, None]) / SCALE)
    inferential = information = 0.0
    for person in range(PEOPLE):
        secret = rows[:, person]
        prior = np.array([probability[secret == value].sum() for value in (0, 1)])
        likelihood = np.stack([probability[secret == value] @ noise[secret == value] for value in (0, 1)])
        likelihood /= prior[:, None]
        mixture = prior @ likelihood
        inferential = max(inferential, float(np.max(np.abs(np.log(likelihood[0] / likelihood[1])))))
        information = max(information, float(np.max(np.log(likelihood / mixture))))
    return inferential, information


def _chain(rows: np.ndarray) -> np.ndarray:
    probability = np.array(START)[rows[:, 0]]
    for before, after in zip(rows.T[:-1], rows.T[1:], strict=True):
        probability = probability * np.array(STAY)[before, after]
    return np.asarray(probability)


def _households(rows: np.ndarray) -> np.ndarray:
    each = np.array(INFECTED) / np.array([1, 4, 6, 4, 1])
    homes = rows.reshape(len(rows), PEOPLE // 4, 4).sum(axis=2)
    found: np.ndarray = each[homes].prod(axis=1)
    return found
