"""Every model with intervals against all laws of a grid within them, by every noise and notion that applies.

Theory §12's pair and triple, and E1, through the package: numbers by independent enumeration.
"""

import pytest

from dalenius.channel import Release
from dalenius.models import Model
from dalenius.noise import Gaussian, Geometric, Laplace, Noise
from dalenius.notions import ALL_NOTIONS, InformationPrivacy
from dalenius.queries import Count, Sum
from tests.conformance.comparison import CONVERSION
from tests.conformance.credal import CREDAL, DELTAS, EPSILON, SUPREMA, Credal
from tests.conformance.table import PAIR, XOR
from tests.conformance.truth import exact
from tests.pace import slow
from tests.reference.channel import Real, mp

NOISES: dict[str, Noise] = {"laplace": Laplace(scale=0.7), "geometric": Geometric(scale=1.3)}
QUICK = {("household", "geometric"), ("chain", "geometric")}
NEAR_ZERO = 1e-5


def holds(row: Credal, lower: float, upper: float, worst: Real, near: bool = True) -> None:
    assert lower <= upper
    assert exact(upper) >= worst * (1 - CONVERSION) - CONVERSION
    if near and row.near is not None and mp.isfinite(worst):
        assert exact(upper) <= worst * (1 + row.near) + NEAR_ZERO


@pytest.mark.parametrize(
    ("name", "noise"),
    [each if each in QUICK else slow(each) for each in ((name, noise) for name in CREDAL for noise in NOISES)],
)
def test_suprema(name: str, noise: str) -> None:
    row = CREDAL[name]
    release, truth = Release(row.model, Count(), NOISES[noise]), row.truth(Count(), NOISES[noise])
    assert release.worlds.over
    for kind, (notion, measure) in SUPREMA.items():
        found = notion.leakage(release)
        try:
            holds(row, found.lower, found.upper, measure(truth), near="relative entropy" not in kind)
        except AssertionError as error:
            raise AssertionError(f"{kind}: {error}") from None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["household", "two groups", "table", "household beside a point"])
@pytest.mark.parametrize("noise", [*NOISES.values(), Gaussian(scale=0.9)], ids=lambda noise: noise.kind)
def test_deltas(name: str, noise: Noise) -> None:
    """The upper end is that of likelihoods as far apart as a group's: it is not reached."""
    row = CREDAL[name]
    release, truth = Release(row.model, Count(), noise), row.truth(Count(), noise)
    for notion, measure in DELTAS.values():
        found = notion.least_delta(release, EPSILON)
        assert found is not None
        worst = measure(truth)
        assert exact(found.lower) <= exact(found.upper)
        assert exact(found.upper) >= worst * (1 - CONVERSION)


@pytest.mark.parametrize(
    ("model", "noise", "two_sided", "expected"),
    [
        (PAIR, Geometric(scale=1.0), 1.909565, [1.0, 2.0, 1.505971, 0.407677, 0.106714, 0.0]),
        (XOR, Laplace(scale=1.0), None, [1.0, 1.433781, 0.479322, 0.203305, 0.067168, 0.274643]),
    ],
)
def test_theory_12(model: Model, noise: Noise, two_sided: float | None, expected: list[float]) -> None:
    """E1 is in the second: any two of the three bits are independent, so that k = 1 and Laplace(1) promises 1."""
    release = Release(model, Sum(), noise)
    found = [notion.leakage(release).epsilon for notion in ALL_NOTIONS]
    assert found == pytest.approx(expected, abs=5.1e-7)
    if two_sided is not None:
        companions = InformationPrivacy().leakage(release).companions
        assert companions["two_sided"].middle == pytest.approx(two_sided, abs=5.1e-7)
