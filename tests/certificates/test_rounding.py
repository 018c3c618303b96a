"""The grid on which a certificate of intervals becomes one of all events."""

import pytest

from dalenius.certificates import Rounding, approximation_of, most_thresholds, rounding
from dalenius.certificates.model import Moments
from dalenius.errors import InputError

BITS = Moments(n=10**6, variance=0.25, third=0.125, fourth=0.0625, range=1)


def test_the_finest_grid_of_a_promise() -> None:
    found = rounding(BITS, 0.1, 0.02, 498_500, 501_500)
    near = approximation_of(BITS)
    assert found.thresholds == most_thresholds(near, 0.1, 0.02)
    assert near.delta(0.1, found.thresholds) <= 0.02 < near.delta(0.1, found.thresholds + 1)
    assert found.certificate.events == "all"
    assert found.certificate.delta <= 0.02
    assert "cells" in found.certificate.hypotheses[-1]


def test_released_is_the_middle_of_a_cell() -> None:
    found = rounding(BITS, 0.1, 0.02, 498_500, 501_500)
    values = {found.released(498_000 + 10 * step) for step in range(400)}
    assert len(values) == found.thresholds + 1
    for answer in (498_500, 499_123.4, 500_000, 501_499.9, 498_500 - found.width / 2, 501_500 + found.width / 2):
        assert abs(found.released(answer) - answer) <= found.width / 2 * (1 + 1e-12)
    assert found.released(0) == found.released(-1e9) == found.lower - found.width / 2
    assert found.released(1e9) == pytest.approx(found.upper + found.width / 2)


def test_one_threshold_is_in_the_middle() -> None:
    one = Rounding(0.0, 10.0, 1, rounding(BITS, 0.1, 0.02, 0, 1).certificate)
    assert one.places() == (5.0,)
    assert one.released(4.0) < 5 < one.released(6.0)


def test_refused() -> None:
    found = rounding(BITS, 0.1, 0.02, 0, 1)
    for call, line in (
        (lambda: rounding(BITS, 0.1, 1e-9, 0, 1), r"^delta: 1e-09, wanted at least .* that of a single threshold$"),
        (lambda: rounding(BITS, -1, 0.1, 0, 1), "^epsilon: -1, wanted a finite number"),
        (lambda: rounding(BITS, 0.1, 0.1, 1, 0), "^lower: .*, wanted finite ends"),
        (lambda: found.released(float("nan")), "finite number"),
    ):
        with pytest.raises(InputError, match=line):
            call()
