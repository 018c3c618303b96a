"""Every model with intervals against all laws of a grid within them, by every noise and notion that applies."""

import pytest

from dalenius.channel import Release
from dalenius.noise import Gaussian, Geometric, Laplace, Noise
from dalenius.queries import Count, Query, Several, Stage
from tests.conformance.comparison import CONVERSION
from tests.conformance.credal import CREDAL, DELTAS, EPSILON, OF_GROUPS, SUPREMA, Credal
from tests.conformance.truth import exact
from tests.pace import slow
from tests.reference.channel import Real, mp

NOISES: dict[str, Noise] = {"laplace": Laplace(scale=0.7), "geometric": Geometric(scale=1.3)}
BY_MESSAGES = {"chain", "network"}
"""Of these only suprema have bounds, and of no noise but these."""
QUICK = {("household", "geometric"), ("chain", "geometric")}
NEAR_ZERO = 1e-5


def asked(name: str) -> Query:
    return (
        Several(queries=(Stage(stage="1", query=Count()), Stage(stage="2", query=Count())))
        if name == "linked"
        else Count()
    )


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
    release, truth = Release(row.model, asked(name), NOISES[noise]), row.truth(asked(name), NOISES[noise])
    assert release.credal
    for kind, (notion, measure) in (SUPREMA | ({} if name in BY_MESSAGES else OF_GROUPS)).items():
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
