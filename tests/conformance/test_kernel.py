"""Explicit stochastic matrices against the reference, on every model and query of the table.

Every noise as the matrix it stands for: what it lets through, what it draws, whether it leaves answers exact.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import inf
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from dalenius.channel import Release, leaves_exact
from dalenius.composition import group_loss
from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.models import Independent
from dalenius.noise import Kernel, Noise
from dalenius.notions import DifferentialPrivacy, differential_loss
from dalenius.optimum.clamped_noise import Clamped
from dalenius.optimum.relocation_noise import Relocation
from dalenius.queries import Count, Histogram, Max, Min, Query, Several, Sum
from tests.cases import in_turn
from tests.conformance.compare import compare
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.scores import Unfit
from tests.conformance.shared import exact_truth
from tests.conformance.table import MODELS, NOISES, OFFICE_RULES, QUERIES, examples, truth_of
from tests.conformance.truth import Truth, exact
from tests.pace import covering, one_in
from tests.reference import losses
from tests.reference.channel import Noise as ReferenceNoise, mp, real

MOST_CELLS = 16


def support(model: str, query: str) -> tuple[Truth, list[Fraction]]:
    truth = exact_truth(model, query)
    return truth, sorted({coordinate for answer in truth.answers for coordinate in answer})


def kernel_on(answers: list[Fraction], seed: int, zeros: bool) -> Kernel:
    """Three outputs; some entries tiny, and where asked some 0."""
    generator = np.random.default_rng(seed)
    rows = generator.dirichlet(np.ones(3), size=len(answers)) ** generator.choice([1, 1, 9], size=(len(answers), 1))
    if zeros:
        rows[generator.random(rows.shape) < 0.3] = 0.0
        rows[:, 0] += rows.sum(axis=1) == 0
    rows /= rows.sum(axis=1, keepdims=True)
    return Kernel(answers=tuple(map(float, answers)), probabilities=tuple(map(tuple, rows.tolist())))


def combinations() -> list[tuple[str, str]]:
    found = []
    for model in examples(MODELS):
        for query in examples(QUERIES):
            try:
                truth, answers = support(model, query)
            except Unfit:
                continue
            decimal = all(Fraction(str(float(answer))) == answer for answer in answers)
            if truth.axes <= 2 and decimal and len(answers) ** truth.axes <= MOST_CELLS:
                found.append((model, query))
    return found


COMBINATIONS = combinations()


@pytest.mark.parametrize(("model", "query"), covering(COMBINATIONS))
def test_against_the_reference(model: str, query: str) -> None:
    given = examples(MODELS)[model], examples(QUERIES)[query]
    truth, answers = support(model, query)
    seed = len(model) + 7 * len(query)
    noise = kernel_on(answers, seed, zeros=seed % 2 == 0)
    several = frozenset({"differential"}) if truth.axes > 1 else frozenset()
    compare(*given, noise, "enumeration", truth_of(*given, noise), but=several)


def test_near_lies_are_rejected() -> None:
    """One probability off by a millionth."""
    given = examples(MODELS)["equal pair"], examples(QUERIES)["sum"]
    rows = [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]
    honest = Kernel(answers=[0, 2], probabilities=rows)
    lie = Kernel(answers=[0, 2], probabilities=[rows[0], [0.1 + 1e-6, 0.6 - 1e-6, 0.3]])
    compare(*given, honest, None, truth_of(*given, honest))
    with pytest.raises(AssertionError):
        compare(*given, lie, None, truth_of(*given, honest))


def test_an_answer_without_a_row_is_named() -> None:
    release = Release(
        examples(MODELS)["equal pair"], examples(QUERIES)["sum"], Kernel(answers=[0, 1], probabilities=[[1, 0], [0, 1]])
    )
    wanted = r"^noise.answers: \[0.0, 1.0\], wanted a row for every answer that can occur \(2 has none\)$"
    with pytest.raises(InputError, match=wanted):
        list(release.channels())


STILL: dict[str, Any] = {"lower": 0, "upper": 3, "moves": [[1, 0], [0, 1]], "shares": [[0.5, 0.5], [0.25, 0.75]]}
MORE: dict[str, Noise] = {
    "kernel with sure rows": Kernel(answers=[0, 1, 2, 3], probabilities=[[1, 0], [1, 0], [0.5, 0.5], [0.25, 0.75]]),
    "kernel of four answers": Kernel(
        answers=[0, 1, 2, 3], probabilities=[[0.7, 0.3], [1e-9, 1 - 1e-9], [1 - 1e-12, 1e-12], [0.6, 0.4]]
    ),
    "clamped, no noise": Clamped(scale=0, lower=1, upper=2),
    "clamped, wide": Clamped(scale=0.4, lower=-2, upper=6),
    "clamped to a point": Clamped(scale=1.1, lower=2, upper=2),
    "relocation of two bins": Relocation(
        lower=0, upper=3, leaves=[0.6, 0.5], moves=[[0.5, 0.5], [0.3, 0.7]], shares=[[0.9, 0.1], [0.2, 0.8]]
    ),
    "relocation, nobody leaves": Relocation(leaves=[0, 0], **STILL),
    "relocation, everybody leaves": Relocation(leaves=[1, 1], **STILL),
    "relocation of points": Relocation(lower=0, upper=1, leaves=[0.6, 0.6], moves=[[0.4, 0.6]] * 2, shares=[[1], [1]]),
    "relocation, faint": Relocation(
        lower=0, upper=2, leaves=[1e-200, 0.5], moves=[[0.5, 0.5], [1e-180, 1]], shares=[[1], [1e-190, 1]]
    ),
}
BEFORE = {name for name, noise in examples(NOISES).items() if noise.shape.on_records}
"""Noises that come before the answer: test_reported holds them to every list of reports."""
ALL = {
    name: noise for name, noise in examples(NOISES).items() if not noise.shape.hides_neighbours and name not in BEFORE
} | MORE
"""All noises but those that read all coordinates together, which have tests of their own."""
NAMES = list(ALL)
PLACED = [name for name in NAMES if name not in OFFICE_RULES]
"""Noises whose reference says where outputs are: to it the columns of an office's rule have numbers only."""
WHOLE = Lattice((Fraction(1),))
SHORT = {"kernel": 2, **dict.fromkeys(("kernel with sure rows", "kernel of four answers"), 3)}
"""The last answer that has a row."""


@cache
def read(name: str) -> ReferenceNoise:
    (meaning,) = (row.meaning for row in NOISES if isinstance(ALL[name], row.kind))
    found: ReferenceNoise = meaning(ALL[name], Fraction(1))
    return found


def answers_of(name: str) -> tuple[Fraction, ...]:
    first = 0 if name in SHORT else -4
    return tuple(Fraction(k) for k in range(first, SHORT.get(name, 5) + 1))


@pytest.mark.parametrize("name", NAMES)
def test_privacy_loss_is_never_below_the_worst_ratio(name: str) -> None:
    noise, reference = ALL[name], read(name)
    tight = noise.shape.additive or isinstance(noise, Kernel)
    for distance in (0, 1, 2, 3):
        truth = losses.worst_within(reference, answers_of(name), Fraction(distance))
        said = noise.privacy_loss([Fraction(distance)])
        assert exact(said) >= truth
        assert not tight or said == inf or exact(said) <= truth * (1 + mp.mpf("1e-9")) + mp.mpf("1e-11")
        assert exact(noise.privacy_loss([Fraction(distance), Fraction(1)])) >= truth + losses.worst_within(
            reference, answers_of(name), Fraction(1)
        )


@in_turn({"name": NAMES, "axes": [1, 2, 3]})
def test_group_loss_is_never_below_the_worst_of_several_answers(name: str, axes: int) -> None:
    noise, reference = ALL[name], read(name)
    for distance in (0, 1, 2):
        truth = losses.worst_of_sum(reference, answers_of(name), distance, axes)
        said = noise.group_loss(Fraction(distance), axes)
        assert exact(said) >= truth
        if noise.shape.additive and truth < mp.inf:
            assert exact(said) <= truth * (1 + mp.mpf("1e-12"))


Answered = Callable[[Sequence[int]], Sequence[int]]
TWICE = Several(queries=[Count(), Count()])
ENDS = Several(queries=[Min(), Max()])
CASES: dict[str, tuple[list[int], int, Query, Answered]] = {
    "a bit": ([0, 1], 1, Sum(), lambda records: [sum(records)]),
    "two bits": ([0, 1], 2, Sum(), lambda records: [sum(records)]),
    "0 or 3": ([0, 3], 1, Sum(), lambda records: [sum(records)]),
    "0, 2 or 5": ([0, 2, 5], 2, Sum(), lambda records: [sum(records)]),
    "the greatest": ([0, 1, 3], 2, Max(), lambda records: [max(records)]),
    "the least": ([0, 1, 3], 2, Min(), lambda records: [min(records)]),
    "one twice": ([0, 1], 1, TWICE, lambda records: [sum(records)] * 2),
    "cells": ([0, 1], 2, Histogram(cells=[[0], [1]]), lambda records: [records.count(0), records.count(1)]),
    "both ends": ([0, 1, 2], 2, ENDS, lambda records: [min(records), max(records)]),
}
REFUSED = {("gaussian", "both ends")}


def released(case: str, noise: Noise) -> Release:
    values, people, query, _ = CASES[case]
    row = [1 / len(values)] * len(values)
    return Release(Independent(values=values, probabilities=[row] * people), query, noise)


def possible(case: str) -> list[int]:
    """Every coordinate of every answer."""
    values, people, _, answer = CASES[case]
    return [each for records in product(values, repeat=people) for each in answer(records)]


FITTING = [
    (name, case)
    for name in NAMES
    for case in CASES
    if max(possible(case)) <= SHORT.get(name, 99) and (name, case) not in REFUSED
]


@pytest.mark.parametrize(("name", "case"), covering(FITTING))
def test_differential_holds_what_data_sets_tell(name: str, case: str) -> None:
    noise, release = ALL[name], released(case, ALL[name])
    values, people, _, answer = CASES[case]
    truth = losses.worst_neighbours(read(name), [values] * people, answer)
    found, beside = DifferentialPrivacy().leakage(release), differential_loss(release)
    assert beside is not None
    loose = isinstance(noise, Clamped) or (release.lattice.axes > 1 and not noise.shape.additive)
    assert_agrees(enclosure(found), truth, tight=not loose)
    assert_agrees(beside, truth, tight=not loose)
    assert exact(group_loss(release)) >= truth


@pytest.mark.parametrize(("name", "case"), covering(FITTING))
def test_exact_is_what_an_output_gives_away(name: str, case: str) -> None:
    """Some answer there can be has one output only, which is not everybody's."""
    noise, reference = ALL[name], read(name)
    rows = [reference.row(Fraction(answer)) for answer in set(possible(case))]
    outputs = [{output for output, p in row.items() if p > 0} for row in rows]
    wanted = any(len(own) == 1 for own in outputs) and len(set.union(*outputs)) > 1
    assert leaves_exact(released(case, noise)) is wanted
    assert not wanted or differential_loss(released(case, noise)) == (inf, inf) or isinstance(noise, Clamped)


@pytest.mark.parametrize("name", PLACED)
def test_errors_are_the_rows(name: str) -> None:
    """Of Laplace and normal noise by quadrature, of rows on the lattice by their sums."""
    noise, reference, answers = ALL[name], read(name), answers_of(name)
    found = noise.error(Fraction(1)).mean_moves(np.array([int(answer) for answer in answers]))
    for answer, error in zip(answers, found, strict=True):
        if reference.density:
            truth = 2 * mp.quad(lambda x: x * reference.weight(x, Fraction(0)), [0, 1, 5, 50])
        else:
            first = Fraction(str(getattr(noise, "lower", 0)))
            truth = mp.fsum(p * abs(real(first + out - answer)) for out, p in reference.row(answer).items())
        assert exact(float(error)) == pytest.approx(truth, rel=1e-8, abs=1e-12)


DRAWS = 1000


def plausible(drawn: Counter[int], law: dict[int, float]) -> bool:
    """Pearson's test at a level of a millionth; outputs expected fewer than five times are one."""
    if any(law.get(output, 0.0) == 0 for output in drawn):
        return False
    usual = [output for output, p in law.items() if p * DRAWS >= 5]
    expected = [law[output] * DRAWS for output in usual]
    seen = [drawn[output] for output in usual]
    if (rest := DRAWS - sum(expected)) > 1e-6:
        expected, seen = [*expected, max(rest, 1.0)], [*seen, DRAWS - sum(seen)]
    distance = sum((count - mean) ** 2 / mean for count, mean in zip(seen, expected, strict=True))
    return len(expected) == 1 or bool(chi2.sf(distance, len(expected) - 1) > 1e-6)


@pytest.mark.parametrize("name", one_in(3, [name for name in PLACED if not read(name).density]))
def test_draws_follow_the_rows(name: str) -> None:
    """Laplace and normal noise are drawn on a lattice of their own: tests/laws/test_sticks.py, tests/noise."""
    noise, reference = ALL[name], read(name)
    first = int(getattr(noise, "lower", 0))
    for answer in answers_of(name)[4::9] or answers_of(name):
        law = {int(out) + first: float(p) for out, p in reference.row(answer).items() if p > 0}
        drawn = Counter(int(value) for value in noise.draw([int(answer)] * DRAWS, Lattice(WHOLE.steps * DRAWS)))
        assert plausible(drawn, law)
        outputs = sorted(law, key=law.__getitem__)
        if len(law) > 1:  # a third of the likeliest output's share goes to the next
            moved = law[outputs[-1]] / 3
            lie = law | {outputs[-1]: law[outputs[-1]] - moved, outputs[-2]: law[outputs[-2]] + moved}
            assert not plausible(drawn, lie)
        assert not plausible(drawn, {outputs[-1] + 1: 1.0})
