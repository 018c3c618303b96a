"""What is no noise, or none for a release, and in which words that is said."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

import pytest

from dalenius import (
    Clamped,
    Count,
    Gaussian,
    Geometric,
    Households,
    InferentialPrivacy,
    InformationPrivacy,
    Kernel,
    Laplace,
    Release,
    Relocation,
    Several,
    Sum,
    Table,
    audit,
    calibrate,
)
from dalenius.errors import TooLarge
from dalenius.noise import Noise, separate
from dalenius.noise.separate import Separate
from tests.cases import Refusals, check_refused

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


BESIDE = Release(PAIR, Several(queries=(Count(), Sum())), separate([Gaussian(scale=1.0), Laplace(scale=1.0)]))
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
    (lambda: audit(BESIDE), "noise.kind: gaussian, wanted laplace, geometric or none beside another noise on answers…"),
    (
        partial(Laplace(scale=1.0).interval, Fraction(1), 95, Fraction(1)),
        "confidence: 95, wanted a number above 0 and…",
    ),
]


def test_what_is_no_noise_is_refused() -> None:
    check_refused(REFUSED)
    with pytest.raises(TooLarge, match="set lower and upper nearer"):
        audit(Release(HOMES, Count(), Clamped(scale=1.0, lower=1e9, upper=1e9)))
