"""The numbers of a page: what promises allow, roundings that keep their side, ticks."""

import pytest

from dalenius.bounds import Enclosure
from dalenius.notions import InferentialPrivacy, InformationPrivacy
from dalenius.reports.revealed import allowed
from dalenius.reports.section import chance_down, chance_up, down, folds, ticks, up


def test_what_promises_allow() -> None:
    inferential, information = InferentialPrivacy(odds=3), InformationPrivacy(factor=2)
    assert allowed([inferential], 0.25) == pytest.approx((0.1, 0.5))
    assert allowed([information], 0.25) == pytest.approx((0.0, 0.5))
    assert allowed([information], 0.75) == pytest.approx((0.5, 1.0))
    assert allowed([inferential, information], 0.1) == pytest.approx((1 / 28, 0.2))
    assert allowed([InferentialPrivacy(odds=3, delta=0.1)], 0.25) is None
    assert allowed([], 0.25) is None


def test_roundings() -> None:
    assert [up(0.01), up(1 + 1e-12), up(0.99999), up(0.123412)] == ["0.01", "1", "1", "0.1235"]
    assert [down(0.1), down(0.12349)] == ["0.1", "0.1234"]
    assert [chance_down(0.0), chance_down(0.0012349), chance_down(1.23456e-9)] == ["0 %", "0.123 %", "1.23e-7 %"]
    assert [chance_up(0.0), chance_up(0.0012341), chance_up(1.0)] == ["0 %", "0.124 %", "100 %"]
    assert folds(Enclosure(0.0, 1e-12)) == "1"


def test_ticks() -> None:
    assert ticks(0.0, 1.0) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert ticks(11, 79) == [20, 40, 60]
    assert ticks(3, 3) == [3]
