"""Answers that stay or move: every notion against rows written out in fractions; draws; what is refused."""

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from dalenius import (
    Clamped,
    Count,
    Geometric,
    Households,
    Independent,
    InferentialPrivacy,
    InputError,
    Kernel,
    Mean,
    NoNoise,
    Release,
    Relocation,
    Several,
    Sum,
    audit,
    calibrate,
)
from dalenius.laws.lattice import Lattice
from tests.conformance.compare import compare
from tests.conformance.table import MODELS, QUERIES, examples, truth_of
from tests.reference import mechanisms

HOMES = Households(count=2, infected=(0.8, 0.05, 0.05, 0.0, 0.1))
WHOLE = Lattice((Fraction(1),))


def drawn_at_random(seed: int, bins: int = 4) -> Relocation:
    generator = np.random.default_rng(seed)
    widths = generator.integers(1, 4, size=bins)
    leaves = generator.random(bins)
    leaves[generator.integers(bins)] = generator.choice([0.0, 1.0])
    moves = generator.dirichlet(np.ones(bins), size=bins)
    moves[moves < 0.1] = 0.0
    moves /= moves.sum(axis=1, keepdims=True)
    shares = [generator.dirichlet(np.ones(width)) for width in widths]
    lower = int(generator.integers(-2, 3))
    return Relocation(
        lower=lower,
        upper=lower + int(widths.sum()) - 1,
        leaves=leaves.tolist(),
        moves=moves.tolist(),
        shares=[share.tolist() for share in shares],
    )


def written_out(noise: Relocation, answers: range) -> Kernel:
    moves, shares = ([list(map(Fraction, row)) for row in rows] for rows in (noise.moves, noise.shares))
    rows = mechanisms.relocation(int(noise.lower), list(map(Fraction, noise.leaves)), moves, shares, answers)
    outputs = range(int(noise.lower), int(noise.upper) + 1)
    return Kernel(
        answers=list(answers), outputs=list(outputs), probabilities=[list(map(float, row)) for row in rows.values()]
    )


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_kernel_it_stands_for(seed: int) -> None:
    noise = drawn_at_random(seed)
    kernel = written_out(noise, range(9))
    release = Release(HOMES, Count(), noise)
    short, long = audit(release), audit(release.with_noise(kernel))
    for kind, leakage in short.items():
        if kind == "differential":
            assert leakage.upper >= long[kind].upper * (1 - 1e-12)
        else:
            assert leakage.epsilon == pytest.approx(long[kind].epsilon, rel=1e-12, abs=1e-13), kind
    apart = np.abs(np.subtract.outer(np.arange(9), np.array(kernel.outputs, dtype=float)))
    errors = np.sum(np.array(kernel.probabilities) * apart, axis=1)
    assert noise.mean_moves(np.arange(9), Fraction(1)) == pytest.approx(errors, rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["equal pair", "one type", "three beliefs"])
@pytest.mark.parametrize("seed", [1, 2])
def test_against_the_reference(model: str, seed: int) -> None:
    given = examples(MODELS)[model], examples(QUERIES)["count"]
    noise = drawn_at_random(seed)
    compare(*given, noise, None, truth_of(*given, noise))


def test_near_lies_are_rejected() -> None:
    given = examples(MODELS)["one type"], examples(QUERIES)["count"]
    fields: dict[str, Any] = {"lower": 0, "upper": 2, "moves": [[0.5, 0.5], [0.75, 0.25]], "shares": [[0.1, 0.9], [1]]}
    honest, lie = Relocation(leaves=[0.25, 0.5], **fields), Relocation(leaves=[0.25, 0.5 + 1e-6], **fields)
    compare(*given, honest, None, truth_of(*given, honest))
    with pytest.raises(AssertionError):
        compare(*given, lie, None, truth_of(*given, honest))


def test_where_nobody_leaves_it_clamps() -> None:
    still = Relocation(lower=1, upper=5, leaves=[0, 0], moves=[[1, 0], [0, 1]], shares=[[0.5, 0.5], [1, 0, 0]])
    found = audit(Release(HOMES, Count(), still))
    clamped = audit(Release(HOMES, Count(), Clamped(scale=0, lower=1, upper=5)))
    for kind, leakage in found.items():
        assert leakage.epsilon == pytest.approx(clamped[kind].epsilon, rel=1e-12), kind


@pytest.mark.slow
def test_draws_follow_the_law() -> None:
    noise = Relocation(lower=2, upper=4, leaves=[0.5, 1], moves=[[0, 1], [1, 0]], shares=[[0.25, 0.75], [1]])
    for answer, wanted in (
        (2, {2: 0.5, 4: 0.5}),
        (-7, {2: 0.5, 4: 0.5}),
        (4, {2: 0.25, 3: 0.75}),
        (9, {2: 0.25, 3: 0.75}),
    ):
        drawn = [int(noise.draw((answer,), WHOLE)[0]) for _ in range(4000)]
        assert set(drawn) == set(wanted)
        for value, p in wanted.items():
            assert drawn.count(value) / 4000 == pytest.approx(p, abs=6 * (p * (1 - p) / 4000) ** 0.5)


def test_answers_that_are_near_each_other() -> None:
    """What tells two answers apart that differ by one record, and by more."""
    noise = Relocation(lower=0, upper=2, leaves=[0.5, 1, 0.5], moves=[[0.5, 0.25, 0.25]] * 3, shares=[[1]] * 3)
    rows = np.array(written_out(noise, range(3)).probabilities)
    for distance in (1, 2):
        near = [(i, j) for i in range(3) for j in range(3) if 0 < abs(i - j) <= distance]
        wanted = max(float(np.max(np.log(rows[i] / rows[j]))) for i, j in near)
        assert noise.privacy_loss([Fraction(distance)]) == pytest.approx(wanted, rel=1e-12)
    assert noise.privacy_loss([Fraction(0)]) == 0
    assert noise.privacy_loss([Fraction(2), Fraction(2)]) == pytest.approx(2 * noise.privacy_loss([Fraction(2)]))
    still = Relocation(lower=0, upper=1, leaves=[0.5, 0], moves=[[1, 0], [0, 1]], shares=[[1], [1]])
    assert still.privacy_loss([Fraction(1)]) == inf


def test_on_other_lattices_and_several_coordinates() -> None:
    fields: dict[str, Any] = {
        "leaves": [0.2, 0.6],
        "moves": [[0.3, 0.7], [0.9, 0.1]],
        "shares": [[0.5, 0.5], [0.2, 0.8]],
    }
    counted = audit(Release(HOMES, Count(), Relocation(lower=1, upper=4, **fields)))
    averaged = audit(Release(HOMES, Mean(), Relocation(lower=1 / 8, upper=4 / 8, **fields)))
    assert averaged["inferential"].epsilon == pytest.approx(counted["inferential"].epsilon, rel=1e-12)
    both = Several(queries=[Count(), Count(values=[0])])
    release = Release(HOMES, both, Relocation(lower=1, upper=4, **fields))
    assert audit(release)["inferential"].lower > counted["inferential"].upper


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"lower": 5}, "lower of at most upper"),
        ({"leaves": [0.5, 1.5]}, "at most 1"),
        ({"leaves": [0.5]}, "a row of moves for each of the 1 bins"),
        ({"moves": [[1], [1]]}, "2 probabilities in each row of moves"),
        ({"moves": [[1, 1], [0, 1]]}, "probabilities that sum to 1"),
        ({"shares": [[0.5, 0.4], [1]]}, "probabilities that sum to 1"),
        ({"scale": 2.0}, "no scale beside kind = relocation"),
    ],
)
def test_what_is_no_mechanism_is_refused(fields: dict[str, Any], said: str) -> None:
    whole = {"lower": 0, "upper": 2, "leaves": [0.5, 1], "moves": [[1, 0], [0, 1]], "shares": [[0.5, 0.5], [1]]}
    with pytest.raises(InputError, match=said):
        Relocation(**{**whole, **fields})


def test_ends_that_do_not_fit_the_lattice_or_the_shares_are_refused() -> None:
    fields: dict[str, Any] = {"leaves": [0.5, 1], "moves": [[1, 0], [0, 1]], "shares": [[0.5, 0.5], [1]]}
    with pytest.raises(InputError, match=r"^noise.lower: 0.5, wanted a multiple of 1$"):
        audit(Release(HOMES, Count(), Relocation(lower=0.5, upper=2, **fields)))
    with pytest.raises(InputError, match=r"^noise.shares: 3 points, wanted the 5 from lower to upper$"):
        audit(Release(HOMES, Count(), Relocation(lower=0, upper=4, **fields)))


def test_it_is_no_kind_to_search_a_scale_of() -> None:
    noise = drawn_at_random(3)
    for method in ("exact", "group"):
        with pytest.raises(InputError, match=r"^noise.kind: relocation, wanted laplace, geometric or"):
            calibrate(Release(HOMES, Count(), noise), InferentialPrivacy(epsilon=0.1), method)
    assert Release(HOMES, Count(), NoNoise()).with_noise(Geometric(scale=1.0)).noise.kind == "geometric"


def test_differential_over_answers_that_a_record_can_set_apart() -> None:
    """Records in 0 and 3: the answers 1 and 2 between them, which tell more, never stand side by side."""
    noise = Relocation(
        lower=0, upper=3, leaves=[0.6, 0.5], moves=[[0.5, 0.5], [0.3, 0.7]], shares=[[0.9, 0.1], [0.2, 0.8]]
    )
    rows = mechanisms.relocation(
        0, [Fraction("0.6"), Fraction("0.5")], [[Fraction("0.5")] * 2, [Fraction("0.3"), Fraction("0.7")]],
        [[Fraction("0.9"), Fraction("0.1")], [Fraction("0.2"), Fraction("0.8")]], [0, 3],
    )  # fmt: skip
    truth = float(np.max(np.abs(np.log([float(p / q) for p, q in zip(*rows.values(), strict=True)]))))
    assert truth == pytest.approx(1.6020, abs=5e-5)
    model = Independent(values=[0, 3], probabilities=[[0.5, 0.5]])
    for given in (noise, written_out(noise, range(4))):
        found = audit(Release(model, Sum(), given))["differential"]
        assert found.lower <= truth <= found.upper <= truth + 1e-11


def test_ends_that_no_decimal_writes_lose_no_neighbours() -> None:
    """5/6 is written a little above itself, and so a step of it."""
    fields: dict[str, Any] = {"leaves": [0.5] * 6, "moves": [[1, 0, 0, 0, 0, 0]] * 6, "shares": [[1]] * 6}
    assert Relocation(lower=0, upper=5 / 6, **fields).privacy_loss([Fraction(1, 6)]) == inf
