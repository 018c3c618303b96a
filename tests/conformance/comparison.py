"""An enclosure of the package against a number of the reference."""

from dalenius.bounds import Enclosure
from dalenius.notions import Leakage
from tests.conformance.truth import exact
from tests.reference.channel import Real, mp

CONVERSION = mp.mpf("1e-15")
QUADRATURE = mp.mpf("1e-25")
RELATIVE = mp.mpf("1e-9")
NEAR_ZERO = mp.mpf("1e-12")


def enclosure(leakage: Leakage, companion: str | None = None) -> Enclosure:
    """A notion's number, or its companion's."""
    if companion is None:
        return Enclosure(leakage.lower, leakage.upper)
    return leakage.companions.get(companion, Enclosure(0.0, 0.0))


def assert_contains(found: Enclosure, truth: Real) -> None:
    """lower <= truth <= upper, but for the conversion to doubles and the reference's own quadrature."""
    slack = CONVERSION * abs(truth) + QUADRATURE if mp.isfinite(truth) else 0
    assert exact(found.lower) <= truth + slack, f"lower {found.lower!r} is above the truth {mp.nstr(truth, 25)}"
    assert exact(found.upper) >= truth - slack, f"upper {found.upper!r} is below the truth {mp.nstr(truth, 25)}"


def assert_agrees(found: Enclosure, truth: Real, tight: bool = True, width: Real = mp.zero) -> None:
    """Contained and, where tight, known to nine digits; an enclosure no wider than width is never too wide."""
    assert_contains(found, truth)
    if not tight:
        return
    if mp.isinf(truth):
        assert found.lower == found.upper == mp.inf
        return
    allowed = max(RELATIVE * abs(truth), NEAR_ZERO)
    assert abs(exact(found.middle) - truth) <= allowed, f"{found.middle!r} is not {mp.nstr(truth, 25)}"
    widest = max(allowed, width)
    assert found.upper - found.lower <= widest, f"{found} is wider than {mp.nstr(widest, 3)}"
