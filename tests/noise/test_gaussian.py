"""Normal noise: refusals, the exact curve of one answer, tails, many people."""

from fractions import Fraction
from itertools import pairwise
from math import inf

import mpmath
import pytest

from dalenius import Count, Gaussian, Households, Independent, Release, Sum, Table, TooLarge, audit, delta_of
from dalenius.laws.integrals import gaussian_line
from dalenius.noise.gaussian import gaussian_delta, gaussian_scale

PAIR = Table(records=((0, 0), (1, 1)), probabilities=(0.9, 0.1))


@pytest.mark.parametrize(("epsilon", "scale"), [(0.0, 6.0), (4.0, 0.2), (4.0, 6.0)])
def test_one_bit_is_the_curve_of_balle_and_wang(epsilon: float, scale: float) -> None:
    """δ from 1 to 1e-130, against 40 digits and against the closed form."""
    found = delta_of(Release(Independent(probabilities=(0.3,)), Count(), Gaussian(scale=scale)), epsilon)
    with mpmath.workdps(200):
        half, rest = 1 / (2 * mpmath.mpf(scale)), mpmath.mpf(epsilon) * scale
        wanted = mpmath.ncdf(half - rest) - mpmath.exp(epsilon) * mpmath.ncdf(-half - rest)
        assert found.lower <= wanted <= found.upper
        assert found.upper - found.lower <= 1e-8 * found.upper
        assert abs(gaussian_delta(1.0, scale, epsilon) - wanted) <= 1e-11 * wanted
    assert not found.lower <= gaussian_delta(1.0, scale * (1 + 1e-6), epsilon) <= found.upper


def test_least_scale_of_the_curve() -> None:
    for epsilon, delta in ((0.1, 1e-12), (5.0, 0.3)):
        scale = gaussian_scale(Fraction(2), epsilon, delta)
        assert gaussian_delta(2.0, scale, epsilon) <= delta < gaussian_delta(2.0, scale * (1 - 1e-9), epsilon)


def test_limits_are_where_the_answers_end() -> None:
    """An answer that only one value of the record can reach gives it away, far enough out."""
    found = audit(Release(PAIR, Sum(), Gaussian(scale=40.0)))
    assert found["differential"].lower == found["inferential"].lower == inf
    assert found["information"].epsilon == pytest.approx(2.302585092994046, rel=1e-12)
    assert found["information"].witness is not None
    assert found["information"].witness.output == (inf,)
    assert found["mutual_information"].upper < 1e-3


def test_too_many_answers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaussian_line, "MOST", 1e7)
    model = Households(count=30_000, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
    with pytest.raises(TooLarge, match=r"^gaussian noise: 120,001 answers"):
        audit(Release(model, Count(), Gaussian(scale=5.0), engine="tilting"))


@pytest.mark.slow
def test_a_thousand_people() -> None:
    """Numbers whose windows of answers are found, against the whole row of answers."""
    model = Households(count=150, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
    release = Release(model, Count(), Gaussian(scale=5.0))
    found = delta_of(release, 1.0)
    (channel,) = release.channels()
    law = channel.likelihood.line.hull  # type: ignore[union-attr]
    with mpmath.workdps(30):
        logs = [[mpmath.mpf(b) + mpmath.mpf(r) for b, r in zip(law.base, row, strict=True)] for row in law.relative]
        laws = [[mpmath.exp(log) for log in row] for row in logs]
        wanted = max(_positive_part(laws[s], laws[1 - s]) for s in (0, 1))
    assert abs(found.middle - wanted) <= 1e-9 * wanted


def _positive_part(law: list[mpmath.mpf], other: list[mpmath.mpf]) -> mpmath.mpf:
    """∫ max(W - e W', 0) at σ = 5, between the roots that steps of 2 find."""
    apart = [one - mpmath.e * zero for one, zero in zip(law, other, strict=True)]

    def height(y: mpmath.mpf) -> mpmath.mpf:
        near = range(max(0, int(y) - 150), min(len(apart), int(y) + 150))
        return mpmath.fsum(apart[v] * mpmath.exp(-((y - v) ** 2) / 50) for v in near)

    grid = [mpmath.mpf(2 * k) for k in range(-20, 130)]
    roots = []
    for low, high in pairwise(grid):
        if (height(low) > 0) != (height(high) > 0):
            roots.append(mpmath.findroot(height, (low, high), solver="anderson", tol=1e-50, verify=False))
    edges = [-mpmath.inf, *roots, mpmath.inf]
    areas = [
        mpmath.fsum(p * (mpmath.ncdf((high - v) / 5) - mpmath.ncdf((low - v) / 5)) for v, p in enumerate(apart))
        for low, high in pairwise(edges)
    ]
    return mpmath.fsum(area for area in areas if area > 0)
