"""How a scale is searched for."""

import pytest

from dalenius.calibration.search import least_scale
from dalenius.errors import DaleniusError


def test_what_roundings_leave_is_not_searched_for() -> None:
    """Each evaluation may take seconds: far fewer than two hundred of them."""
    asked = []

    def leakage(scale: float) -> float:
        asked.append(scale)
        return 1 / scale + 2e-12

    with pytest.raises(DaleniusError, match=r"no scale up to .* brings the leakage down to 1e-12 nats"):
        least_scale(leakage, 1e-12, 1e12)
    assert len(asked) < 12
    assert least_scale(leakage, 1e-11, 1e3) >= 1 / 8e-12
