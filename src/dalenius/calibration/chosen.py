"""The project's methods, and what is asked of all of them."""

from collections.abc import Sequence

from dalenius import wings
from dalenius.calibration.comparison import Comparison, compared
from dalenius.calibration.losses import judged_beside
from dalenius.calibration.method import Calibration, Method, authored_methods, calibrated, named
from dalenius.channel import Release, checked
from dalenius.notions import Notion, notions_of

METHODS: tuple[Method, ...] = tuple(wings.found(each)() for each in wings.METHODS)
"""The project's own."""


def methods() -> tuple[Method, ...]:
    """All methods there are: the project's, those of installed packages, and those of modules plugged in."""
    return authored_methods(METHODS)


def calibrate(
    release: Release, notion: Notion | str | Sequence[Notion | str], method: str | Method = "exact"
) -> Calibration:
    """The noise that the method, or the one of that name, chooses for the notion's epsilon, or for several promises at
    once. InputError lists the names there are."""
    chosen = method if isinstance(method, Method) else named(methods(), method)
    release = checked(release)
    return judged_beside(calibrated(chosen, release, notions_of(notion)), release)


def compare(release: Release, notion: Notion | str | Sequence[Notion | str]) -> Comparison:
    """Every method's noise for the notion's epsilon, or for several promises at once, side by side."""
    return Comparison(tuple(compared(checked(release), notions_of(notion), methods())))
