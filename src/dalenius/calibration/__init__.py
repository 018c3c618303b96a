"""How much noise a promise needs. A new method is one file here and an instance in `METHODS`."""

from dalenius.calibration.compare import Compared, compare
from dalenius.calibration.exact import ExactMethod
from dalenius.calibration.group import GroupMethod
from dalenius.calibration.independent import IndependentMethod
from dalenius.calibration.method import Calibration, Method, default_noise, named

METHODS: tuple[Method, ...] = (IndependentMethod(), GroupMethod(), ExactMethod())

__all__ = [
    "METHODS",
    "Calibration",
    "Compared",
    "ExactMethod",
    "GroupMethod",
    "IndependentMethod",
    "Method",
    "compare",
    "default_noise",
    "named",
]
