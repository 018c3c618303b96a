"""What goes out is noise of the reals, rounded: it keeps every promise that was calibrated for the reals, and nearly
uses it up. The lattice of a release is 2^50 times finer than the scale; coarse ones show the same in fewer outputs.

What is no noise, or none for a release, and in which words that is said.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest

from dalenius import (
    Clamped,
    Count,
    Gaussian,
    Geometric,
    Households,
    Independent,
    InferentialPrivacy,
    InformationPrivacy,
    Kernel,
    Laplace,
    MinEntropyPrivacy,
    MutualInformationPrivacy,
    Release,
    Relocation,
    Sum,
    Table,
    audit,
    calibrate,
)
from dalenius.errors import TooLarge
from dalenius.laws.leakage_of_one_output import Gain
from dalenius.noise import Noise, exponential, gaussian
from dalenius.noise.sampling import FINENESS, rounded_gaussian, rounded_laplace
from dalenius.noise.separate_noise import Separate
from tests.cases import Refusals, check_refused
from tests.reference.channel import mp

BIT = Independent(probabilities=(0.3,))
DRAWS = 2000
Masses = Callable[[int], Any]
"""Of noise on the whole numbers."""


def laplace(scale: Any) -> Masses:
    """The mass that the density has between k - 1/2 and k + 1/2."""
    half = 1 / (2 * mp.mpf(scale))
    return lambda k: 1 - mp.exp(-half) if k == 0 else mp.exp(-2 * half * abs(k)) * mp.sinh(half)


def normal(scale: Any) -> Masses:
    return lambda k: mp.ncdf((k + mp.mpf(1) / 2) / scale) - mp.ncdf((k - mp.mpf(1) / 2) / scale)


def geometric(scale: Any) -> Masses:
    """What was drawn once: Laplace noise is a post-processing of it, and not it of Laplace noise."""
    return lambda k: mp.tanh(1 / (2 * mp.mpf(scale))) * mp.exp(-mp.mpf(abs(k)) / scale)


def delta(masses: Masses, parts: int, epsilon: float, far: int) -> Any:
    """Of one bit that moves the answer by so many lattice points."""
    raised = mp.exp(mp.mpf(epsilon))
    apart = (masses(k) - raised * masses(k - parts) for k in range(-far, far))
    return mp.fsum(each for each in apart if each > 0)


def cumulative(scale: Any, point: Any) -> Any:
    """Of Laplace noise."""
    return mp.exp(point / scale) / 2 if point < 0 else 1 - mp.exp(-point / scale) / 2


@pytest.mark.parametrize(("epsilon", "promised"), [(1.0, 1e-3), (0.1, 1e-9)])
def test_laplace_noise_keeps_its_delta(epsilon: float, promised: float) -> None:
    found = calibrate(Release(BIT, Count(), Laplace()), InferentialPrivacy(epsilon=epsilon, delta=promised))
    with mp.workdps(60):
        scale = mp.mpf(found.noise.known_scale())
        far = 8 * int(40 * scale)
        assert delta(laplace(8 * scale), 8, epsilon, far) <= promised < delta(geometric(8 * scale), 8, epsilon, far)
        # As it is drawn: the outputs with a ratio above e^ε are those below a place, next to half of what ε leaves.
        parts, fine = FINENESS, FINENESS * scale
        middle = int((parts - epsilon * fine) / 2)
        half = mp.mpf(1) / 2
        drawn = max(
            cumulative(fine, k + half) - mp.exp(epsilon) * cumulative(fine, k + half - parts)
            for k in range(middle - 2, middle + 3)
        )
        assert promised * (1 - 0.002) <= drawn <= promised
        less = scale * (1 - mp.mpf(10) ** -6)
        assert cumulative(less, (1 - epsilon * less) / 2) - mp.exp(epsilon) * cumulative(
            less, (1 - epsilon * less) / 2 - 1
        ) > mp.mpf(promised)


@pytest.mark.lengthy
def test_gaussian_noise_keeps_its_delta() -> None:
    epsilon, promised = 1.0, 1e-3
    found = calibrate(Release(BIT, Count(), Gaussian()), InferentialPrivacy(epsilon=epsilon, delta=promised))
    with mp.workdps(40):
        scale = mp.mpf(found.noise.known_scale())
        drawn = delta(normal(64 * scale), 64, epsilon, int(64 * 9 * scale))
        assert promised * (1 - 0.002) <= drawn <= promised


def information(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Mutual information and min-entropy leakage of the bit, in nats."""
    joint = np.stack([0.3 * one, 0.7 * other]).astype(np.longdouble)
    mixture, prior = joint.sum(axis=0), np.array([[0.3], [0.7]], np.longdouble)
    return float(np.sum(joint * np.log(joint / mixture / prior))), float(np.log(np.sum(np.max(joint, axis=0)) / 0.7))


@pytest.mark.parametrize(("noise", "law", "place"), [(Laplace(), laplace, 0), (Gaussian(), normal, 1)])
def test_averages_that_were_promised(noise: Any, law: Callable[[Any], Masses], place: int) -> None:
    notion = [MutualInformationPrivacy, MinEntropyPrivacy][place](epsilon=0.05)
    scale, parts = calibrate(Release(BIT, Count(), noise), notion).noise.known_scale(), 32
    far = int(parts * (40 * scale if law is laplace else 9 * scale))

    def drawn(masses: Masses) -> float:
        row = np.array([float(masses(k)) for k in range(-far - parts, far + parts)])
        return information(row[parts:], row[:-parts])[place]

    with mp.workdps(30):
        assert 0.05 * (1 - 0.002) <= drawn(law(parts * scale)) <= 0.05
        if law is laplace:
            assert drawn(geometric(parts * scale)) > 0.05 * (1 + 1e-6)


@pytest.mark.parametrize("noise", [Laplace(scale=0.7), Gaussian(scale=0.7)])
def test_tails_are_also_of_what_is_drawn(noise: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tails obey no data processing: their levels are widened by what rounding may move."""
    parts, levels = 16, [0.05, 0.1, 0.2, 0.3, 0.4, 0.6]
    law = (laplace if noise.shape.exponential else normal)(mp.mpf(parts * noise.scale))
    row = np.array([float(law(k)) for k in range(-90, 90)])
    joint = np.stack([0.3 * row[parts:], 0.7 * row[:-parts]])
    mixture = joint.sum(axis=0)
    leaks = np.log(np.max(joint / mixture / np.array([[0.3], [0.7]]), axis=0))
    wanted = [float(mixture[leaks > level].sum()) for level in levels]

    def enclosures() -> list[bool]:
        (channel,) = Release(BIT, Count(), noise).channels()
        tail = channel.mechanism.outputs_of(channel.likelihood).tail(Gain(channel.log_prior))
        pairs = zip(tail.curve(levels), wanted, strict=True)
        return [found.lower <= chance + 1e-12 and chance - 1e-12 <= found.upper for found, chance in pairs]

    assert not all(enclosures())
    monkeypatch.setattr(exponential, "FINENESS", parts * noise.scale)
    monkeypatch.setattr(gaussian, "FINENESS", parts * noise.scale)
    assert all(enclosures())


@pytest.mark.lengthy
@pytest.mark.parametrize(
    ("draw", "law", "scale"), [(rounded_laplace, laplace, Fraction(3, 4)), (rounded_gaussian, normal, Fraction(3))]
)
def test_draws_have_that_mass(draw: Callable[[Fraction], int], law: Callable[[Any], Masses], scale: Fraction) -> None:
    """Frequencies near 0 are within 6 standard errors; of noise half as wide again they would not be."""
    draws = 2 * DRAWS
    seen = Counter(draw(scale) for _ in range(draws))

    def fit(masses: Masses) -> bool:
        chances = {k: float(masses(k)) for k in range(-3, 4)}
        return all(abs(seen[k] / draws - p) <= 6 * sqrt(p * (1 - p) / draws) for k, p in chances.items())

    exact = mp.mpf(scale.numerator) / scale.denominator
    assert fit(law(exact))
    assert not fit(law(exact * 3 / 2))


HOMES = Households(count=2, infected=(0.8, 0.05, 0.05, 0.0, 0.1))
PAIR = Table(records=((0, 0), (1, 1)), probabilities=(0.9, 0.1))
KERNEL: dict[str, Any] = {"answers": [0, 1], "probabilities": [[0.5, 0.5], [0.25, 0.75]]}
MOVED: dict[str, Any] = {
    "lower": 0, "upper": 2, "leaves": [0.5, 1], "moves": [[1, 0], [0, 1]], "shares": [[0.5, 0.5], [1]]
}  # fmt: skip


def on_homes(noise: Noise) -> Callable[[], object]:
    return lambda: audit(Release(HOMES, Count(), noise))


def scaled(noise: Noise, method: str = "exact") -> Callable[[], object]:
    return lambda: calibrate(Release(HOMES, Count(), noise), InferentialPrivacy(epsilon=0.1), method)


SCALED = "wanted laplace, geometric or…"
REFUSED: Refusals = [
    (partial(Kernel, **KERNEL | {"scale": 1.0}), "Kernel…no scale beside kind = kernel"),
    (partial(Kernel, **KERNEL | {"answers": [0, 0]}), "Kernel…distinct answers"),
    (
        partial(Kernel, **KERNEL | {"answers": [0]}),
        "Kernel…as many rows of probabilities as answers (there are 2 and 1)",
    ),
    (partial(Kernel, **KERNEL | {"probabilities": [[1.0], [0.5, 0.5]]}), "Kernel…rows of one length (row 2 has 2"),
    (partial(Kernel, **KERNEL | {"outputs": ["a", "a"]}), "Kernel…2 distinct outputs, one per column of probabilities"),
    (partial(Kernel, **KERNEL | {"probabilities": [[0.5, 0.4], [0.5, 0.5]]}), "Kernel…probabilities that sum to 1"),
    (partial(Relocation, **MOVED | {"lower": 5}), "Relocation…lower of at most upper"),
    (partial(Relocation, **MOVED | {"leaves": [0.5, 1.5]}), "Relocation…at most 1"),
    (partial(Relocation, **MOVED | {"leaves": [0.5]}), "Relocation…a row of moves for each of the 1 bins"),
    (partial(Relocation, **MOVED | {"moves": [[1], [1]]}), "Relocation…2 probabilities in each row of moves"),
    (partial(Relocation, **MOVED | {"moves": [[1, 1], [0, 1]]}), "Relocation…probabilities that sum to 1"),
    (partial(Relocation, **MOVED | {"shares": [[0.5, 0.4], [1]]}), "Relocation…probabilities that sum to 1"),
    (partial(Clamped, scale=1.0, lower=5, upper=4), "Clamped…lower of at most upper"),
    (partial(Clamped, scale=-1, lower=0, upper=4), "Clamped…at least 0"),
    (partial(Clamped, scale=1.0, lower=inf, upper=4), "Clamped…a finite number"),
    (partial(Separate, parts=(Geometric(), Laplace()), units=(1.0,)), "Separate…a unit for each of the 2 parts"),
    (on_homes(Clamped(scale=1.0, lower=0.5, upper=4)), "noise.lower: 0.5, wanted a multiple of 1"),
    (on_homes(Clamped(scale=1e-9, lower=0, upper=4)), "noise.scale: 1e-09, wanted 0, or at least…"),
    (on_homes(Relocation(**MOVED | {"lower": 0.5})), "noise.lower: 0.5, wanted a multiple of 1"),
    (on_homes(Relocation(**MOVED | {"upper": 4})), "noise.shares: 3 points, wanted the 5 from lower to upper"),
    (on_homes(Gaussian(scale=0.001)), "noise.scale: 0.001, wanted at least 0.01…"),
    (scaled(Kernel(**KERNEL)), "noise.kind: kernel, wanted a noise with a scale: laplace, geometric or gaussian"),
    (scaled(Relocation(**MOVED)), f"noise.kind: relocation, {SCALED}"),
    (scaled(Clamped(scale=1.0, lower=0, upper=4), "group"), f"noise.kind: clamped, {SCALED}"),
    (scaled(Gaussian(), "group"), "noise.kind: gaussian, …pure differential privacy needs a delta"),
    (
        lambda: calibrate(Release(PAIR, Sum(), Gaussian()), InformationPrivacy(epsilon=1)),
        "noise.kind: gaussian, …outermost outputs of",
    ),
    (
        partial(Laplace(scale=1.0).error(Fraction(1)).interval, Fraction(1), 95),
        "confidence: 95, wanted a number above 0 and…",
    ),
]


def test_what_is_no_noise_is_refused() -> None:
    check_refused(REFUSED)
    with pytest.raises(TooLarge, match="set lower and upper nearer"):
        audit(Release(HOMES, Count(), Clamped(scale=1.0, lower=1e9, upper=1e9)))
