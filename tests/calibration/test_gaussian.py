"""Normal noise for a whole group: the closed curve's scale, its promise on random models, what it is refused for."""

from fractions import Fraction

from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.noise.gaussian import gaussian_delta, gaussian_scale
from tests.pace import draws


def test_it_is_the_least_that_hides_a_group() -> None:
    homes = dl.Households(count=5, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
    notion = dl.InferentialPrivacy(epsilon=0.5, delta=1e-4)
    found = dl.calibrate(dl.Release(homes, dl.Count(), dl.Laplace()), notion, "gaussian")
    assert isinstance(found.noise, dl.Gaussian)
    assert found.noise.scale == gaussian_scale(Fraction(4), 0.5, 1e-4)
    assert gaussian_delta(4, found.noise.scale, 0.5) <= 1e-4 < gaussian_delta(4, found.noise.scale * (1 - 1e-9), 0.5)
    assert found.sound
    same = dl.calibrate(dl.Release(homes, dl.Count(), dl.Gaussian(scale=1.0)), notion, "group")
    assert same.noise == found.noise


@draws(30)
@given(
    st.integers(1, 4), st.integers(1, 4), st.floats(0.01, 0.99), st.floats(0.05, 2), st.sampled_from([1e-6, 1e-3, 0.1])
)
def test_on_random_groups_it_keeps_its_promise(count: int, size: int, p: float, epsilon: float, delta: float) -> None:
    infected = [1 - p, *[0.0] * (size - 1), p]
    release = dl.Release(dl.Households(count=count, infected=infected), dl.Count(), dl.Laplace())
    found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=epsilon, delta=delta), "gaussian")
    noised = release.with_noise(found.noise)
    assert dl.delta_of(noised, epsilon).upper <= delta * (1 + 1e-9)
    assert dl.noiseless_delta(noised, epsilon, 0.5).lower <= delta * (1 + 1e-9)
