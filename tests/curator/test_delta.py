"""A budget of (ε, δ): Gaussian noise adds up in the ledger, by a rule that holds whatever is chosen on the way."""

import re
from math import hypot
from pathlib import Path

import pytest

import dalenius as dl
from dalenius import Count, Gaussian, InferentialPrivacy, Laplace, Refused, Release
from dalenius.composition import as_gaussian, compose
from dalenius.curator import Ledger
from dalenius.noise import Noise, separate
from dalenius.notions import Notion
from dalenius.optimum import relocated_pairs
from tests.curator.asking import Released, asked, drawn, entries, release_once
from tests.curator.test_spending import entry

HOME = dl.Households(count=2, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
DELTA = 0.01
PROMISE = InferentialPrivacy(epsilon=3.0, delta=DELTA)


def released(
    path: Path, noise: Noise, promise: Notion = PROMISE, budget: float = 9.0, delta: float = DELTA
) -> Released:
    release = Release(HOME, Count(), noise)
    return release_once(release, promise, (1,), path, budget, f'{{"noise": "{noise.words}"}}', False, delta)


def converted(*mus: float) -> float:
    return dl.Conversion(HOME, dl.GaussianProfile(hypot(*mus)), "replace").epsilon(DELTA).value.upper


@pytest.mark.slow
def test_gaussian_noise_adds_up(tmp_path: Path) -> None:
    scales = (16.0, 20.0)
    done = [released(tmp_path / "ledger", Gaussian(scale=scale)).budget for scale in scales]
    assert [(each.route, each.delta, each.spent_delta) for each in done] == [
        ("alone", DELTA, DELTA),
        ("conversion", DELTA, DELTA),
    ]
    expected = converted(*(1 / scale for scale in scales))
    assert expected * (1 - 1e-9) <= done[1].spent <= expected * (1 + 1e-6)
    releases = [Release(HOME, Count(), Gaussian(scale=scale)) for scale in scales]
    truth = compose(releases, InferentialPrivacy(delta=DELTA), "joint").bound
    assert truth.value.lower <= done[1].spent <= 1.01 * truth.upper


@pytest.mark.slow
def test_pure_noise_beside_it_is_taken_as_gaussian(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, Gaussian(scale=16.0))
    done = released(path, Laplace(scale=20.0)).budget
    assert done.route == "conversion"
    assert done.spent == pytest.approx(converted(1 / 16, as_gaussian(1 / 20)), rel=1e-6)
    releases = [Release(HOME, Count(), Gaussian(scale=16.0)), Release(HOME, Count(), Laplace(scale=20.0))]
    fixed = compose(releases, InferentialPrivacy(delta=DELTA), "conversion").bound.upper
    assert fixed <= done.spent <= 1.2 * fixed


def test_a_budget_is_not_overspent_at_its_delta(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, Gaussian(scale=16.0), budget=0.7)
    before = entries(path)
    with pytest.raises(Refused) as refused:
        released(path, Gaussian(scale=4.0), budget=0.7)
    assert str(refused.value).startswith("this release, after 1 earlier of the same data, would spend ")
    number = r"\d\.\d+"
    said = f" of a budget of 0.7 nats at delta 0.01: {number} requested, {number} left, {number} too much"
    assert re.search(f"{said}$", str(refused.value))
    assert entries(path) == before


def test_without_a_delta_gaussian_noise_does_not_add_up(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, Laplace(scale=16.0), dl.InformationPrivacy(epsilon=3.0), delta=0.0)
    with pytest.raises(Refused) as refused:
        released(path, Gaussian(scale=16.0), delta=0.0)
    assert str(refused.value) == (
        "this release, after 1 earlier of the same data, would spend inf of a budget of 9 nats: inf requested, "
        "8.79416 left, inf too much; Gaussian noise adds up at a delta only, and the budget of this data set has none"
    )


def test_a_promise_without_a_delta_keeps_the_sum_without(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, Laplace(scale=16.0), dl.MutualInformationPrivacy(epsilon=3.0))
    with pytest.raises(Refused, match=r"not all of what was promised \(inferential\) has one$"):
        released(path, Gaussian(scale=16.0))


def test_whoever_says_no_delta_has_the_one_of_the_name(tmp_path: Path) -> None:
    ledger, cost = Ledger(tmp_path / "ledger"), entry(0.1, keeps_delta=True)
    ledger.release(asked(delta=DELTA), cost, drawn("a"))
    assert ledger.release(asked(spec="[]"), cost, drawn("b")).budget.delta == DELTA


def test_noise_that_breaks_a_promise_is_refused_and_nothing_written(tmp_path: Path) -> None:
    twice = dl.Several(queries=(Count(), Count()))
    both = Release(HOME, twice, separate((Gaussian(scale=40.0), Laplace(scale=60.0))))
    for release, said in (
        (both, "^1: gaussian, scale 40; 2: laplace, scale 60 leaks inf nats"),
        (Release(HOME, Count(), dl.Geometric(scale=0.1)), r"^geometric noise of scale 0\.1 leaks .* nats"),
        (Release(HOME, Count(), dl.NoNoise()), "^no noise leaks inf nats"),
    ):
        with pytest.raises(Refused, match=rf"{said} \(inferential\), the promise is 3$"):
            release_once(release, InferentialPrivacy(epsilon=3.0), (1, 1), tmp_path / "ledger")
    assert not (tmp_path / "ledger").exists()


def test_a_noise_of_which_nothing_is_known_is_refused_in_such_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relocated_pairs, "MOST_MOVED_RATIOS", 0)
    moved = dl.Relocation(lower=0, upper=1, leaves=(0.6, 0.6), moves=((0.4, 0.6), (0.6, 0.4)), shares=((1,), (1,)))
    release = Release(dl.Independent(probabilities=[0.3]), Count(), moved)
    said = r"leaks an amount of which nothing is known \(differential\), the promise is 3$"
    with pytest.raises(Refused, match=said):
        release_once(release, dl.DifferentialPrivacy(epsilon=3.0), (1,), tmp_path / "ledger")
