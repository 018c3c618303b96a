"""How little noise closes the gap: least noise beside the data's own, and what the methods of plain DP would add."""

import pytest

import dalenius as dl
from dalenius.models import Model
from dalenius.noise import Noise
from tests.pace import slow

BITS = dl.Independent(n=60, probabilities=[0.3])
MODELS: dict[str, Model] = {
    "bits": BITS,
    "two kinds": dl.Independent(probabilities=[0.3] * 20 + [0.05] * 20),
    "households": dl.Households(count=12, infected=[0.9, 0.04, 0.0, 0.0, 0.06]),
    "chain": dl.Chain(n=6, initial="stationary", transition=[[0.8, 0.2], [0.2, 0.8]]),
}


@pytest.mark.parametrize(
    ("name", "noise", "fraction"),
    [
        ("bits", dl.Laplace(), 0.2),
        ("bits", dl.Gaussian(), 0.0),
        ("households", dl.Geometric(), 0.0),
        slow(("two kinds", dl.Geometric(), 0.2)),
        slow(("chain", dl.Laplace(), 0.2)),
    ],
)
def test_the_least_noise_keeps_the_promise_and_no_less_does(name: str, noise: Noise, fraction: float) -> None:
    notion = dl.NoiselessPrivacy(epsilon=0.5, delta=1e-3, known_fraction=fraction)
    release = dl.Release(MODELS[name], dl.Count(), noise)
    found = dl.calibrate(release, notion)
    assert found.sound
    assert found.noise.kind == noise.kind
    assert found.leakage.upper <= 0.5
    scale = found.noise.known_scale()
    kept, broken = (release.with_noise(noise.with_scale(scale * factor)) for factor in (1.0, 1 - 1e-6))
    assert dl.noiseless_delta(kept, 0.5, fraction).upper <= 1e-3 * (1 + 1e-9)
    assert dl.noiseless_delta(broken, 0.5, fraction).upper > 1e-3


def test_where_it_is_not_enough_no_noise_says_what_it_reaches() -> None:
    notion = dl.NoiselessPrivacy(epsilon=0.5, delta=1e-5)
    release = dl.Release(BITS, dl.Count(), dl.Geometric())
    with pytest.raises(dl.Refused) as refused:
        dl.calibrate(release, notion, "noiseless")
    bare = release.with_noise(dl.NoNoise())
    least = dl.NoiselessPrivacy(delta=1e-5).leakage(bare)
    delta = dl.noiseless_delta(bare, 0.5)
    assert str(refused.value) == (
        f"without noise: epsilon = {least.upper:.6g} at delta = 1e-05, and delta = {delta.upper:.6g} at epsilon = 0.5"
    )


def test_a_theorem_without_knowledge_is_sound_only_without_it() -> None:
    """Wasserstein's scale keeps inferential privacy, of which this is a weaker form only where nothing is known."""
    chain = dl.Chain(n=6, initial="stationary", transition=[[0.8, 0.2], [0.2, 0.8]])
    release = dl.Release(chain, dl.Count(), dl.Laplace())
    nothing = dl.calibrate(release, dl.NoiselessPrivacy(epsilon=1.0, delta=1e-3), "wasserstein")
    partly = dl.calibrate(release, dl.NoiselessPrivacy(epsilon=1.0, delta=1e-3, known_fraction=0.5), "wasserstein")
    assert nothing.sound
    assert not partly.sound
