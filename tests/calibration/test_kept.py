"""A method is held to its word."""

import pytest

from dalenius.calibration import Calibration
from dalenius.calibration.method import kept
from dalenius.errors import DaleniusError
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy, Leakage

PROMISE = InferentialPrivacy(epsilon=1.0)


def made(sound: bool, lower: float, upper: float) -> Calibration:
    return Calibration("boast", sound, "so it says", Laplace(scale=1.0), 1.0, Leakage(lower, upper, None))


def test_a_sound_method_that_leaks_more_is_refused() -> None:
    with pytest.raises(DaleniusError, match=r"^method boast says it is sound, but it leaks 1\.001 nats, promised 1"):
        kept(made(True, 1.001, 1.002), PROMISE)


@pytest.mark.parametrize("given", [made(False, 2.0, 2.0), made(True, 0.9, 1.0), made(True, 0.0, 1.1)])
def test_others_pass(given: Calibration) -> None:
    assert kept(given, PROMISE) is given
