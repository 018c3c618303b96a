"""A method is held to its word."""

from dataclasses import dataclass, field

import pytest

import dalenius as dl
from dalenius.calibration.method import Method, calibrated
from dalenius.notions import Notion

PROMISE = dl.InferentialPrivacy(epsilon=1.0)
RELEASE = dl.Release(dl.Independent(probabilities=(0.3,)), dl.Count(), dl.Laplace())


def made(sound: bool, lower: float, upper: float) -> dl.Calibration:
    return dl.Calibration("boast", sound, "so it says", dl.Laplace(scale=1.0), 1.0, dl.Leakage(lower, upper, None))


@dataclass(frozen=True)
class Boast(Method):
    name = "boast"
    given: dl.Calibration = field(default_factory=lambda: made(True, 0.0, 0.0))

    def calibrate(self, release: dl.Release, notion: Notion) -> dl.Calibration:
        return self.given


def test_a_sound_method_that_leaks_more_is_refused() -> None:
    with pytest.raises(dl.DaleniusError, match=r"^method boast says it is sound, but it leaks 1\.001 nats, promised 1"):
        calibrated(Boast(made(True, 1.001, 1.002)), RELEASE, [PROMISE])


def test_others_pass() -> None:
    for given in (made(False, 2.0, 2.0), made(True, 0.9, 1.0), made(True, 0.0, 1.1)):
        found = calibrated(Boast(given), RELEASE, [PROMISE])
        assert (found.noise, found.leakage) == (given.noise, given.leakage)
        assert [(each.notion, each.leakage) for each in found.promises] == [(PROMISE, given.leakage)]


def test_the_second_promise_is_held_to_as_well() -> None:
    promises = [PROMISE, dl.InferentialPrivacy(epsilon=0.5)]
    with pytest.raises(dl.DaleniusError, match=r"it leaks 0\.9 nats, promised 0\.5"):
        calibrated(Boast(made(True, 0.9, 0.9)), RELEASE, promises)
