"""A method is held to its word."""

from dataclasses import dataclass, field

import pytest

from dalenius.calibration import Calibration
from dalenius.calibration.method import Method, calibrated
from dalenius.channel import Release
from dalenius.errors import DaleniusError
from dalenius.models import Independent
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy, Leakage, Notion
from dalenius.queries import Count

PROMISE = InferentialPrivacy(epsilon=1.0)
RELEASE = Release(Independent(probabilities=(0.3,)), Count(), Laplace())


def made(sound: bool, lower: float, upper: float) -> Calibration:
    return Calibration("boast", sound, "so it says", Laplace(scale=1.0), 1.0, Leakage(lower, upper, None))


@dataclass(frozen=True)
class Boast(Method):
    name = "boast"
    given: Calibration = field(default_factory=lambda: made(True, 0.0, 0.0))

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        return self.given


def test_a_sound_method_that_leaks_more_is_refused() -> None:
    with pytest.raises(DaleniusError, match=r"^method boast says it is sound, but it leaks 1\.001 nats, promised 1"):
        calibrated(Boast(made(True, 1.001, 1.002)), RELEASE, [PROMISE])


def test_others_pass() -> None:
    for given in (made(False, 2.0, 2.0), made(True, 0.9, 1.0), made(True, 0.0, 1.1)):
        found = calibrated(Boast(given), RELEASE, [PROMISE])
        assert (found.noise, found.leakage) == (given.noise, given.leakage)
        assert [(each.notion, each.leakage) for each in found.promises] == [(PROMISE, given.leakage)]


def test_the_second_promise_is_held_to_as_well() -> None:
    promises = [PROMISE, InferentialPrivacy(epsilon=0.5)]
    with pytest.raises(DaleniusError, match=r"it leaks 0\.9 nats, promised 0\.5"):
        calibrated(Boast(made(True, 0.9, 0.9)), RELEASE, promises)
