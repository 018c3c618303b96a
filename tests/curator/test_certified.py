"""A certified release: the promise is checked, then the ledger debited, and only then the noise drawn."""

from fractions import Fraction
from pathlib import Path

import pytest

from dalenius import (
    Count,
    Geometric,
    Households,
    Independent,
    InformationPrivacy,
    Laplace,
    MutualInformationPrivacy,
    NoNoise,
    Refused,
    Release,
)
from tests.curator.asking import Released, release_once

HOMES = Households(count=3, infected=(0.6, 0.2, 0.2))
PROMISE = InformationPrivacy(epsilon=0.5)


def released(release: Release, path: Path, budget: float = 9.0, answer: tuple[int, ...] = (2,)) -> Released:
    return release_once(release, PROMISE, answer, path, budget)


def test_calibrated(tmp_path: Path) -> None:
    for noise in (Geometric(), Laplace()):
        done = released(Release(HOMES, Count(), noise), tmp_path / noise.kind)
        assert done.calibration.leakage.upper <= 0.5
        assert isinstance(done.answers[0], Fraction)
        assert abs(done.answers[0] - 2) <= 60 * done.calibration.noise.known_scale()
        assert done.answers[0].denominator == 1 or noise.kind == "laplace"
        assert 0 <= done.budget.spent - done.calibration.leakage.upper < 1e-9  # rounded up to a nano-nat


def test_a_given_scale_is_kept_or_refused(tmp_path: Path) -> None:
    done = released(Release(HOMES, Count(), Geometric(scale=50)), tmp_path / "ledger")
    assert done.calibration.noise == Geometric(scale=50)
    assert done.calibration.method == "given"
    with pytest.raises(
        Refused, match=r"^geometric noise of scale 0.5 leaks .* nats \(information\), the promise is 0.5$"
    ):
        released(Release(HOMES, Count(), Geometric(scale=0.5)), tmp_path / "other")
    with pytest.raises(Refused, match="no noise leaks"):
        released(Release(HOMES, Count(), NoNoise()), tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_the_exact_answer_where_it_keeps_the_promise_and_never_twice(tmp_path: Path) -> None:
    release, path = Release(Independent(n=9, probabilities=(0.5,)), Count(), Geometric()), tmp_path / "ledger"
    promise = MutualInformationPrivacy(epsilon=1)
    done = release_once(release, promise, (4,), path, 5.0, allow_exact=True)
    assert done.calibration.noise == NoNoise()
    assert done.answers == (Fraction(4),)
    with pytest.raises(
        Refused, match=r"would spend inf of a budget of 5 nats: inf requested, 4\.\d+ left, inf too much$"
    ):
        release_once(release, promise, (4,), path, 5.0, allow_exact=True)
