"""What is told of a secret that is rarer than a double, or told by a way out that is."""

import pytest
from mpmath import mp

import dalenius as dl
from dalenius.laws.law import Array
from tests.conformance.comparison import assert_contains, enclosure


def posteriors(prior: list[float], scale: float) -> list[list[mp.mpf]]:
    """Of a bit told through Laplace noise, at both of its values."""
    with mp.workdps(60):
        given = [mp.mpf(p) for p in prior]
        weights = [[given[s] * mp.exp(-abs(s - y) / mp.mpf(scale)) for s in (0, 1)] for y in (0, 1)]
        return [[w / sum(row) for w in row] for row in weights]


@pytest.mark.filterwarnings("ignore:overflow encountered in divide")  # a possible row over a prior that is none
@pytest.mark.parametrize(("rare", "scale"), [(1e-300, 1.0), (1e-310, 0.01), (5e-324, 1e-3)])
def test_relative_entropy_and_information_of_a_rare_bit(rare: float, scale: float) -> None:
    model = dl.Table(records=[[0], [1]], probabilities=[1.0, rare])
    release = dl.Release(model, dl.Sum(), dl.Laplace(scale=scale))
    told = dl.RelativeEntropyPrivacy().leakage(release)
    found = dl.InformationPrivacy().leakage(release)
    average = dl.MutualInformationPrivacy().leakage(release)
    assert 0 <= average.lower <= average.upper < 1e-15
    with mp.workdps(60):
        prior = [1 - mp.mpf(rare), mp.mpf(rare)]
        seen = posteriors([1.0, rare], scale)
        forward = max(sum(q * mp.log(q / p) for q, p in zip(after, prior, strict=True)) for after in seen)
        reverse = max(sum(p * mp.log(p / q) for q, p in zip(after, prior, strict=True)) for after in seen)
        raised = max(mp.log(q / p) for after in seen for q, p in zip(after, prior, strict=True))
    assert_contains(enclosure(told), forward)
    assert_contains(enclosure(told, "reverse"), reverse)
    assert_contains(enclosure(found), raised)
    assert told.upper - told.lower <= 1e-10 * max(1.0, float(forward))


def relocation(leaves: list[float], away: list[float]) -> dl.Relocation:
    """Three bins of a point each: the first two leave for the third alone, or stay as they are."""
    moves = [[1 - away[0], 0.0, away[0]], [0.0, 1 - away[1], away[1]], [0.0, 0.0, 1.0]]
    return dl.Relocation(lower=0, upper=2, leaves=leaves, moves=moves, shares=[[1.0], [1.0], [1.0]])


def test_a_way_out_that_is_a_product_of_two_rare_moves() -> None:
    model = dl.Table(records=[[0], [1]], probabilities=[0.5, 0.5])
    noise = relocation([1e-200, 1e-180, 0.0], [1e-200, 1e-170])
    pairs = dl.Release(model, dl.Sum(), noise)
    # Answers 0 and 1 are told apart for certain where they stay; at output 2 by 50 powers of ten, and no more.
    channel = next(iter(pairs.channels()))
    logs: Array = channel.relative
    assert logs[1, -1] - logs[0, -1] == pytest.approx(50 * float(mp.log(10)), rel=1e-12)


@pytest.mark.parametrize("rest", [1e-20, 0.01])
def test_rho_through_a_table_counts_the_few_who_are_alike(rest: float) -> None:
    model = dl.Absent(answers=[0, 0, 400, 400], prior=[0.5 - rest, rest, 0.25, 0.25])
    quick = dl.RhoIdentifiability(rho=0.9).leakage(dl.Release(model, dl.Sum(), dl.Geometric(scale=4.0)))
    table = dl.RhoIdentifiability(rho=0.9).leakage(
        dl.Release(model, dl.Sum(), dl.Clamped(scale=4.0, lower=0, upper=400))
    )
    with mp.workdps(60):
        far = mp.exp(-100)
        truth = mp.log1p(mp.mpf(0.5 - rest) / (mp.mpf(rest) + far / 2))
    assert_contains(enclosure(quick), truth)
    assert_contains(enclosure(table), truth)
