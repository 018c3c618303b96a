"""Gaussian noise beside known records: what a whole group can tell apart bounds it, and calibration finds a scale."""

from itertools import pairwise, product
from math import exp
from pathlib import Path

import pytest
from scipy.special import ndtr

import dalenius as dl
from dalenius.calibration.scale_search import least_scale
from dalenius.errors import DaleniusError
from dalenius.knowledge.bayesian import bayesian_loss
from dalenius.knowledge.noiseless import noiseless_delta
from dalenius.noise.gaussian import gaussian_profile
from tests.cli import half_open
from tests.cli.command import Run, written
from tests.pace import slow

LONG = dl.Chain(n=20, transition=[[0.9, 0.1], [0.2, 0.8]], initial="stationary")
STEP = ((0.9, 0.1), (0.2, 0.8))


def mixture_delta(first: dict[int, float], second: dict[int, float], scale: float, epsilon: float) -> float:
    """δ(ε) of two mixtures of normals with these weights, by a sum over a fine grid."""
    fine, found = 0.03, 0.0
    for place in range(int(-10 * scale / fine), int((10 * scale + 10) / fine)):
        y = place * fine
        one, other = (
            sum(p * (ndtr((y + fine - v) / scale) - ndtr((y - v) / scale)) for v, p in law.items())
            for law in (first, second)
        )
        found += max(one - exp(epsilon) * other, 0.0)
    return found


def test_the_bound_holds_of_every_known_set_of_four_days() -> None:
    """Enumerated: each day, each set of one other day, and each value of it."""
    scale, epsilon = 1.5, 0.3
    release = dl.Release(
        dl.Chain(n=4, transition=[[0.9, 0.1], [0.2, 0.8]], initial="stationary"), dl.Count(), dl.Gaussian(scale=scale)
    )
    start = (2 / 3, 1 / 3)
    worst = 0.0
    for person, known, value in product(range(4), range(4), range(2)):
        laws: list[dict[int, float]] = [{}, {}]
        for days in product(range(2), repeat=4):
            if known == person or days[known] == value:
                chance = start[days[0]]
                for before, after in pairwise(days):
                    chance *= STEP[before][after]
                law = laws[days[person]]
                law[sum(days)] = law.get(sum(days), 0.0) + chance
        sums = [sum(law.values()) for law in laws]
        first, second = ({v: p / total for v, p in law.items()} for law, total in zip(laws, sums, strict=True))
        worst = max(worst, mixture_delta(first, second, scale, epsilon), mixture_delta(second, first, scale, epsilon))
    found = noiseless_delta(release, epsilon, 0.25)
    assert found.lower - 1e-3 <= worst <= found.upper + 1e-9
    assert worst <= gaussian_profile(release.worlds.group_sensitivity[0], scale)(epsilon) + 1e-9


@pytest.mark.lengthy
def test_a_long_chain_has_an_upper_end() -> None:
    release = dl.Release(LONG, dl.Count(), dl.Gaussian(scale=60.0))
    found = noiseless_delta(release, 1.0, 0.1)
    assert 0 <= found.lower < found.upper <= gaussian_profile(release.worlds.group_sensitivity[0], 60.0)(1.0)
    least = dl.NoiselessPrivacy(delta=1e-3, known_fraction=0.1).leakage(release)
    assert least.lower < least.upper < 3.0


@slow
def test_calibration_finds_a_scale() -> None:
    notion = dl.NoiselessPrivacy(epsilon=1.0, delta=1e-3, known_fraction=0.1)
    release = dl.Release(LONG, dl.Count(), dl.Gaussian())
    exact, theorem = (dl.calibrate(release, notion, method) for method in ("exact", "gaussian"))
    for found in (exact, theorem):
        assert found.sound
        assert found.leakage.upper <= 1.0
    assert exact.noise.scale is not None
    assert theorem.noise.scale is not None
    assert exact.noise.scale <= theorem.noise.scale * (1 + 1e-9)


def test_no_table_says_sound_beside_a_leakage_above_the_promise(run: Run, tmp_path: Path) -> None:
    done = run("calibrate", written(tmp_path, half_open.GAUSSIAN), "--method", "gaussian")
    assert done.code == 0, done.err
    rows = [line for line in done.out.splitlines() if "noiseless leakage" in line or "  leaks" in line]
    assert len(rows) == 2
    assert not any("∞" in row or "without bound" in row for row in rows)


def test_compare_without_noise_lets_each_method_choose_its_own() -> None:
    release = dl.Release(dl.Independent(n=4, probabilities=[0.3]), dl.Count(), dl.NoNoise())
    found = dl.compare(release, dl.NoiselessPrivacy(epsilon=1.0, delta=1e-3))
    made = {each.method: each.calibration for each in found.outcomes if each.calibration is not None}
    assert {"group", "exact", "gaussian", "independent"} <= set(made)


def test_a_search_ends_where_more_noise_no_longer_helps() -> None:
    asked = []

    def leakage(scale: float) -> float:
        asked.append(scale)
        return float("inf")

    with pytest.raises(DaleniusError, match=r"^no scale up to .* more noise no longer lowers what is known of it$"):
        least_scale(leakage, 1.0, 1.0)
    assert len(asked) < 30


def test_gaussian_noise_tells_single_records_apart_without_bound() -> None:
    release = dl.Release(dl.Independent(n=3, probabilities=[0.3]), dl.Count(), dl.Gaussian(scale=2.0))
    assert bayesian_loss(release) == (float("inf"), float("inf"))
    exclusive = dl.Table(records=[[0, 1], [1, 0]], probabilities=[0.5, 0.5])
    same = bayesian_loss(dl.Release(exclusive, dl.Count(), dl.Gaussian(scale=2.0)))
    assert same is not None
    assert same.upper < 1e-9, "the count is always one"
