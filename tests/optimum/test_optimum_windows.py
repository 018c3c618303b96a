"""The optimum and the clamped range from the law on a window (Results 20.17 to 20.19), against the whole law."""

from dataclasses import replace

import numpy as np
import pytest

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.channel.finite.averages import WindowChannel
from dalenius.laws.transforms import windowing
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.optimum.method import OptimalMethod
from tests.cases import in_turn

HOMES = (0.9, 0.04, 0.0, 0.0, 0.06)
BINS = dl.Relocation(
    lower=230,
    upper=330,
    leaves=(0.3, 1.0, 0.2),
    moves=((0.5, 0.3, 0.2), (0.1, 0.0, 0.9), (0.6, 0.4, 0.0)),
    shares=((0.025,) * 40, (0.05,) * 20, (*(0.02,) * 40, 0.2)),
)
LEVELS = np.clip((np.arange(4001) - 230) / 100, 0.1, 0.9)
ROWS = dl.Kernel(
    answers=tuple(range(4001)),
    outputs=("few", "some", "many"),
    probabilities=tuple((0.7 * (1 - high), 0.3, 0.7 * high) for high in LEVELS.tolist()),
)
ENDED = [dl.Clamped(scale=0, lower=250, upper=320), dl.Clamped(scale=3, lower=240, upper=310), BINS, ROWS]


def count(model: Model, noise: Noise, engine: str | None = None) -> dl.Release:
    return dl.Release(model, dl.Count(), noise, engine=engine)


def overlap(found: Enclosure, wanted: Enclosure) -> bool:
    return found.lower <= wanted.upper and wanted.lower <= found.upper


def both(notion: Notion, release: dl.Release) -> Enclosure:
    found = notion.leakage(release)
    return Enclosure(found.lower, found.upper)


@in_turn({"noise": ENDED, "faint": [90.0, 25.0]})
def test_what_is_outside_a_window_is_counted_under_noise_that_ends(
    noise: Noise, faint: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = count(dl.Households(count=1000, infected=HOMES), noise)
    monkeypatch.setattr(windowing, "FAINT", faint)
    seen = count(dl.Households(count=1000, infected=HOMES), noise, "window")
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy(), dl.MutualInformationPrivacy()):
        found, wanted = both(notion, seen), both(notion, whole)
        assert overlap(found, wanted)
        assert found.upper - found.lower <= 1e-6 * found.upper


@pytest.mark.slow
def test_kernels_that_go_on_changing_are_read_from_the_whole_law() -> None:
    seen, whole = (
        count(dl.Households(count=4200, infected=HOMES), kernel_of(16_800), each) for each in (None, "tilting")
    )
    assert seen.engines()[0][0] == "window"
    found, wanted = both(dl.InferentialPrivacy(), seen), both(dl.InferentialPrivacy(), whole)
    assert overlap(found, wanted)
    assert found.upper < wanted.upper * (1 + 1e-9)


def kernel_of(most: int) -> dl.Kernel:
    swinging = [0.2 + 0.5 * (place % 2) for place in range(most + 1)]
    return dl.Kernel(answers=tuple(range(most + 1)), probabilities=tuple((1 - each, each) for each in swinging))


def test_a_window_that_hides_what_it_has_lost_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a share outside that matters: the whole ratio lies within the doubt, and not within a tenth of it."""
    monkeypatch.setattr(windowing, "FAINT", 6.0)
    (channel,) = count(dl.Households(count=1000, infected=HOMES), dl.NoNoise(), "window").answers()
    assert isinstance(channel, WindowChannel)
    window, (whole,) = channel.inside, count(dl.Households(count=1000, infected=HOMES), dl.NoNoise()).channels()
    low, high = window.ends[0] + 5, window.ends[1] - 5
    inside = np.exp(window.law.log_mass()[:, high - window.ends[0] :])
    all_of_it = np.exp(whole.likelihood.log_mass()[:, high - whole.likelihood.start[0] :])
    apart = np.log(np.sum(all_of_it, axis=1) / np.sum(inside, axis=1))
    assert 0 < np.max(apart) <= window.doubt(low, high)
    assert replace(window, lost=(0.0, 0.0)).doubt(low, high) == 0.0
    assert window.doubt(window.ends[0] - 1, high) == np.inf


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3])
def test_windows_and_whole_laws_agree_on_random_models(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shares = draw.dirichlet(np.ones(int(draw.integers(2, 6)))).tolist()
    model = dl.Households(count=int(draw.integers(300, 1500)), infected=(*shares[:-1], 1 - sum(shares[:-1])))
    epsilon = float(draw.choice([0.1, 0.03, 0.01]))
    notion = (dl.InferentialPrivacy(epsilon=epsilon), dl.InformationPrivacy(epsilon=epsilon))[seed // 2]
    whole, seen = count(model, dl.NoNoise()), count(model, dl.NoNoise(), "window")
    method = ("optimal", "clamped")[seed % 2]
    exact, found = dl.calibrate(whole, notion, method), dl.calibrate(seen, notion, method)
    assert bound(found) == pytest.approx(bound(exact), rel=1e-5, abs=1e-15)
    assert found.expected_error == pytest.approx(exact.expected_error, rel=1e-5, abs=1e-15)
    assert bound(exact) * (1 - 1e-9) <= found.expected_error
    assert overlap(both(notion, seen.with_noise(found.noise)), both(notion, whole.with_noise(found.noise)))
    assert found.leakage.upper <= epsilon


def bound(found: dl.Calibration) -> float:
    assert found.optimum is not None
    return found.optimum.lower_bound


@pytest.mark.slow
def test_a_whole_country() -> None:
    """3·10^8 people: within two promille of the optimum."""
    country = count(dl.Households(count=75_000_000, infected=HOMES), dl.Geometric())
    found = dl.calibrate(country, dl.InferentialPrivacy(epsilon=3e-4), "optimal")
    assert found.leakage.upper <= 3e-4
    assert 0.998 * found.expected_error < bound(found) <= found.expected_error


def test_few_likely_answers_of_very_many() -> None:
    """Rare records: the kernel of the likely answers, to which all others are clamped."""
    rare = count(dl.Independent(n=300_000, probabilities=[1e-6]), dl.NoNoise())
    found = OptimalMethod("squared").calibrate(rare, dl.InferentialPrivacy(epsilon=1))
    assert found.noise.kind == "relocation"
    assert found.leakage.upper <= 1
    assert found.optimum is not None
    assert found.optimum.achieved == pytest.approx(found.optimum.lower_bound, rel=1e-3)
