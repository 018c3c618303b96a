"""Sums that fade with distance, against the sums written out in 50 digits."""

import numpy as np

from dalenius.absent.exponential_sums import BLOCK, Arriving, Fading, Lost
from tests.cases import in_turn
from tests.reference.channel import Real, mp


def line(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Points whose distances and weights are of very different sizes."""
    random = np.random.default_rng(points)
    offsets = np.cumsum(np.exp(random.uniform(-9, 0, points)))
    return offsets - offsets[0], random.random(points) ** 8


def written_out(fading: Fading, weights: np.ndarray, place: int) -> Real:
    distances = [abs(mp.mpf(float(a)) - mp.mpf(float(fading.offsets[place]))) for a in fading.offsets]
    kept = [mp.exp(-d / mp.mpf(fading.scale)) for d in distances]
    lost = [-mp.expm1(-d / mp.mpf(fading.scale)) for d in distances]
    return mp.fsum(
        mp.mpf(float(w)) * x for w, x in zip(weights, kept if isinstance(fading, Arriving) else lost, strict=True)
    )


@in_turn({"kind": [Arriving, Lost], "scale": [1e-3, 1.0, 1e9], "points": [3, BLOCK, 5 * BLOCK + 3, BLOCK**2 + 2]})
def test_every_sum(kind: type[Fading], scale: float, points: int) -> None:
    offsets, weights = line(points)
    fading = kind(offsets, scale)
    found = fading.at(weights, np.zeros(points)) + fading.elsewhere(weights)
    for place in {0, points // 3, points // 2, points - 1}:
        truth = written_out(fading, weights, place)
        if kind is Arriving or found[place] == np.max(found):
            assert abs(mp.mpf(float(found[place])) - truth) <= fading.error * truth
            assert fading.error < 1e-11 or scale == 1e-3


def test_a_near_lie_is_seen() -> None:
    offsets, weights = line(40)
    truth = written_out(Arriving(offsets, 1.0), weights, 7)
    wrong = float(Arriving(offsets, 1.0 + 1e-9).elsewhere(weights)[7] + weights[7])
    assert abs(mp.mpf(wrong) - truth) > Arriving(offsets, 1.0).error * truth


def test_no_noise_brings_nothing_anywhere_else() -> None:
    offsets, weights = line(50)
    assert not Arriving(offsets, 0.0).elsewhere(weights).any()
    assert np.array_equal(Arriving(offsets, 0.0).at(weights, np.zeros(50)), weights)
