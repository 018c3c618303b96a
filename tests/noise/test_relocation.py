"""Answers that stay or move: every notion against rows written out in fractions; draws; what is refused."""

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from dalenius import Count, Households, Independent, Kernel, Mean, Release, Relocation, Several, Sum, audit
from tests.reference import mechanisms

HOMES = Households(count=2, infected=(0.8, 0.05, 0.05, 0.0, 0.1))


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


def test_it_is_the_kernel_it_stands_for() -> None:
    noise = drawn_at_random(4)
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
