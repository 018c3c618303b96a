"""How little noise closes the gap: least noise beside the data's own, and what the methods of plain DP would add."""

import pytest

from dalenius import (
    Chain,
    Count,
    Gaussian,
    Geometric,
    Households,
    Independent,
    Laplace,
    NoiselessPrivacy,
    NoNoise,
    Refused,
    Release,
    calibrate,
)
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import noiseless_delta
from tests.pace import slow

BITS = Independent(n=60, probabilities=[0.3])
MODELS: dict[str, Model] = {
    "bits": BITS,
    "two kinds": Independent(probabilities=[0.3] * 20 + [0.05] * 20),
    "households": Households(count=12, infected=[0.9, 0.04, 0.0, 0.0, 0.06]),
    "chain": Chain(n=6, initial="stationary", transition=[[0.8, 0.2], [0.2, 0.8]]),
}


@pytest.mark.parametrize(
    ("name", "noise", "fraction"),
    [
        ("bits", Laplace(), 0.2),
        ("bits", Gaussian(), 0.0),
        ("households", Geometric(), 0.0),
        slow(("two kinds", Geometric(), 0.2)),
        slow(("chain", Laplace(), 0.2)),
    ],
)
def test_the_least_noise_keeps_the_promise_and_no_less_does(name: str, noise: Noise, fraction: float) -> None:
    notion = NoiselessPrivacy(epsilon=0.5, delta=1e-3, known_fraction=fraction)
    release = Release(MODELS[name], Count(), noise)
    found = calibrate(release, notion)
    assert found.sound
    assert found.noise.kind == noise.kind
    assert found.leakage.upper <= 0.5
    scale = found.noise.known_scale()
    kept, broken = (release.with_noise(noise.with_scale(scale * factor)) for factor in (1.0, 1 - 1e-6))
    assert noiseless_delta(kept, 0.5, fraction).upper <= 1e-3 * (1 + 1e-9)
    assert noiseless_delta(broken, 0.5, fraction).upper > 1e-3


def test_where_it_is_not_enough_no_noise_says_what_it_reaches() -> None:
    notion = NoiselessPrivacy(epsilon=0.5, delta=1e-5)
    release = Release(BITS, Count(), Geometric())
    with pytest.raises(Refused) as refused:
        calibrate(release, notion, "noiseless")
    bare = release.with_noise(NoNoise())
    least = NoiselessPrivacy(delta=1e-5).leakage(bare)
    delta = noiseless_delta(bare, 0.5)
    assert str(refused.value) == (
        f"without noise: epsilon = {least.upper:.6g} at delta = 1e-05, and delta = {delta.upper:.6g} at epsilon = 0.5"
    )


def test_a_theorem_without_knowledge_is_sound_only_without_it() -> None:
    """Wasserstein's scale keeps inferential privacy, of which this is a weaker form only where nothing is known."""
    chain = Chain(n=6, initial="stationary", transition=[[0.8, 0.2], [0.2, 0.8]])
    release = Release(chain, Count(), Laplace())
    nothing = calibrate(release, NoiselessPrivacy(epsilon=1.0, delta=1e-3), "wasserstein")
    partly = calibrate(release, NoiselessPrivacy(epsilon=1.0, delta=1e-3, known_fraction=0.5), "wasserstein")
    assert nothing.sound
    assert not partly.sound
