"""How much noise a promise needs. A new method is one file here and an instance in `METHODS`."""

from dalenius.calibration.comparison import Compared, compared
from dalenius.calibration.exact import ExactMethod
from dalenius.calibration.group import GroupMethod
from dalenius.calibration.independent import IndependentMethod
from dalenius.calibration.method import Calibration, Method, default_noise, named
from dalenius.channel import Release
from dalenius.notions import Notion

METHODS: tuple[Method, ...] = (IndependentMethod(), GroupMethod(), ExactMethod())


def calibrate(release: Release, notion: Notion, method: str = "exact") -> Calibration:
    """The noise that the method of that name chooses for the notion's epsilon. InputError lists the names there are."""
    return named(METHODS, method).calibrate(release, notion)


def compare(release: Release, notion: Notion) -> list[Compared]:
    """Every method's noise for the notion's epsilon, side by side."""
    return list(compared(release, notion, METHODS))


__all__ = [
    "METHODS",
    "Calibration",
    "Compared",
    "ExactMethod",
    "GroupMethod",
    "IndependentMethod",
    "Method",
    "calibrate",
    "compare",
    "default_noise",
    "named",
]
