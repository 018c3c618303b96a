"""Every method side by side, for one model, query and promise."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import final

from dalenius.calibration.beside import judged_beside
from dalenius.calibration.method import Calibration, Method, calibrated
from dalenius.channel import Release
from dalenius.errors import DaleniusError
from dalenius.notions import Notion
from dalenius.stages import steps


@final
@dataclass(frozen=True)
class Compared:
    """One method's outcome; calibration is None where it does not apply, and why says the reason."""

    method: str
    calibration: Calibration | None
    seconds: float
    why: str


def least_possible(results: Iterable[Compared]) -> float | None:
    """A lower bound on any mechanism's expected absolute error, in the query's unit, the best any method has; None
    where none has one."""
    made = (result.calibration for result in results if result.calibration is not None)
    optima = (each.optimum for each in made if each.optimum is not None)
    return max((each.lower_bound for each in optima if each.objective == "absolute"), default=None)


def compared(release: Release, notions: Sequence[Notion], methods: Sequence[Method]) -> Iterator[Compared]:
    """Each method in turn, those that do not serve the model with their reason."""
    for method in steps("methods", methods):
        start = perf_counter()
        try:
            calibration = judged_beside(calibrated(method, release, notions), release)
        except DaleniusError as error:
            yield Compared(method.name, None, perf_counter() - start, str(error))
        else:
            yield Compared(method.name, calibration, perf_counter() - start, calibration.why)
