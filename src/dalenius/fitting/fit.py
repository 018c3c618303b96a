"""What every fit provides: a section for a spec, from how many observations, and how well it fits."""

import math
from dataclasses import dataclass
from typing import Any, Final, Protocol, final

from scipy.special import chdtrc

from dalenius.errors import InputError

WARNING: Final = "fitted on these data: use public or past data; a model fitted on the data to be protected leaks them"


class Fit(Protocol):
    """The result of a fit; each kind of model has a class of its own that also holds its numbers as objects."""

    @property
    def observations(self) -> int:
        """How many independent observations there were, or records of a sequence."""

    @property
    def smoothing(self) -> float | None:
        """The pseudo-counts added to each distribution, in all; None where nothing is smoothed."""

    @property
    def warning(self) -> str:
        """What using the fit may leak."""

    def section(self) -> dict[str, Any]:
        """The `[model]` section of a spec."""

    def goodness(self) -> dict[str, Any]:
        """How well it fits, ready for JSON."""


@final
@dataclass(frozen=True)
class Statistic:
    """A test statistic that has, if the hypothesis holds and counts are large, the chi-squared law.

    p_value: None without degrees of freedom. smallest_expected: the least count that the hypothesis expects in a cell;
    far below 5 the p-value is not to be trusted. None where the test does not compare counts.
    """

    statistic: float
    degrees_of_freedom: int
    smallest_expected: float | None = None

    @property
    def p_value(self) -> float | None:
        if self.degrees_of_freedom < 1:
            return None
        return float(chdtrc(self.degrees_of_freedom, self.statistic))

    def shown(self) -> dict[str, Any]:
        shown = {
            "statistic": self.statistic,
            "degrees_of_freedom": self.degrees_of_freedom,
            "p_value": self.p_value,
        }
        return shown if self.smallest_expected is None else shown | {"smallest_expected": self.smallest_expected}


def check_smoothing(smoothing: float) -> None:
    """InputError unless it is a pseudo-count."""
    if not (math.isfinite(smoothing) and smoothing > 0):
        raise InputError("smoothing", smoothing, "a finite number above 0")
