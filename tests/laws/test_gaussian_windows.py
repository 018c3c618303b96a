"""Gaussian noise on a long law: answers that are left out, block by block, weigh nothing."""

import numpy as np
import pytest

from dalenius.laws.integrals import normal
from dalenius.laws.integrals.normal import SHORT, Normal
from dalenius.laws.law import Array, Law
from tests.cases import in_turn

LENGTH = 10 * SHORT + 3


def laws() -> dict[str, Array]:
    """Logs (secrets, answers): of two humps far apart, of holes, of a slope and of one that turns in the middle."""
    places = np.arange(LENGTH)
    humps = np.logaddexp(-((places - 300) ** 2) / 2e3, -40 - (places - 2200) ** 2 / 5e2)
    holes = np.where(places % 7 < 3, -np.inf, -places / 50.0)
    return {
        "humps": np.stack([humps, np.roll(humps, 5)]),
        "holes": np.stack([holes, np.roll(holes, 1)]),
        "slopes": np.stack([-0.4 * places, -0.4 * np.abs(places - 1500)]),
    }


@in_turn({"scale": [0.4, 3.0, 70.0], "kind": laws()})
def test_windows_leave_out_nothing_that_weighs(kind: str, scale: float) -> None:
    rows = laws()[kind]
    y = np.concatenate([np.linspace(-3 * scale, LENGTH + 3 * scale, 400), np.linspace(700.0, 701.0, 20)])
    found = Normal(Law((0,), np.zeros(LENGTH), rows, 0.0), scale).read(y)
    exponents = rows[:, None, :] - ((np.arange(LENGTH) - y[:, None]) / scale) ** 2 / 2
    wanted = np.logaddexp.reduce(exponents.astype(np.longdouble), axis=2) - found.common
    assert float(np.max(np.abs(found.logs - wanted))) <= found.error
    means = np.exp(exponents - np.max(exponents, axis=2, keepdims=True))
    assert found.mean == pytest.approx((means @ np.arange(LENGTH)) / means.sum(axis=2), rel=1e-9, abs=1e-9)


def test_leaving_out_more_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normal, "DEEP", 3.0)
    with pytest.raises(AssertionError):
        test_windows_leave_out_nothing_that_weighs("humps", 70.0)
