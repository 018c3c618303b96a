"""Normal records: what is refused, and conditioning on known ones."""

from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.gaussian.model import GaussianLaw, GaussianRecords
from tests.reference.channel import mp

COVARIANCE = [[2.0, 0.8, 0.1], [0.8, 1.0, -0.3], [0.1, -0.3, 0.5]]


def records(covariance: Any = COVARIANCE, **more: Any) -> GaussianLaw:
    return GaussianRecords(mean=[1.0, -2.0, 0.5][: len(covariance)], covariance=covariance, **more).joints()[0]


def test_rounding_is_not_refused() -> None:
    draw = np.random.default_rng(1).standard_normal((200, 3))
    singular = draw @ draw.T * 1e6
    singular[0, 1] *= 1 + 1e-10
    kept = GaussianRecords(mean=np.zeros(200), covariance=singular).joints()[0]
    assert np.array_equal(kept.covariance, kept.covariance.T)
    assert not kept.firm
    assert records().firm


def test_known_records_shift_and_narrow_the_others() -> None:
    found = records().given({2: -1.0, 3: 0.0})
    with mp.workdps(40):
        some = mp.matrix([[1.0, -0.3], [-0.3, 0.5]])
        cross = mp.matrix([[mp.mpf(0.8), mp.mpf(0.1)]])
        mean = 1 + (cross * mp.inverse(some) * mp.matrix([1.0, -0.5]))[0]
        variance = 2 - (cross * mp.inverse(some) * cross.T)[0]
    assert found.mean.tolist() == pytest.approx([float(mean), -1.0, 0.0], rel=1e-15)
    assert found.covariance[0, 0] == pytest.approx(float(variance), rel=1e-15)
    assert np.count_nonzero(found.covariance) == 1
    assert found.people == (1,)
    assert records().people == (1, 2, 3)


def test_impossible_values_are_refused() -> None:
    fixed = records([[1.0, 0.0], [0.0, 0.0]])
    assert fixed.people == (1,)
    assert fixed.given({2: -2.0}).mean.tolist() == [1.0, -2.0]
    with pytest.raises(InputError, match=r"^adversary\.known\.2: -1\.0, wanted -2, the only value it can have$"):
        fixed.given({2: -1.0})
    same = records([[1.0, 2.0], [2.0, 4.0]])
    assert same.given({1: 1.5}).people == ()
    assert same.given({1: 1.5, 2: -1.0}).mean.tolist() == [1.5, -1.0]
    with pytest.raises(InputError, match=r"^adversary\.known\.2: 0\.0, wanted -1, the only value it can have$"):
        same.given({1: 1.5, 2: 0.0})
    with pytest.raises(InputError, match=r"^secrets.people: 3, wanted a person's number from 1 to 2$"):
        same.given({3: 0.0})
