"""The least noise by one method, of which no other is imported: comparing all takes half a second of imports.

>>> import dalenius as dl
>>> homes = dl.Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
>>> found = calibrate(dl.Release(homes, dl.Count(), dl.Geometric()), dl.DifferentialPrivacy(epsilon=1.0), "independent")
>>> found.noise.words, method_named("group").name
('geometric, scale 1', 'group')
"""

from collections.abc import Sequence

from dalenius import wings
from dalenius.calibration.accuracy import judged_beside
from dalenius.calibration.method import Calibration, Method, authored_methods, calibrated, named
from dalenius.channel import Release, checked
from dalenius.notions.notion import Notion, notions_of


def method_names() -> list[str]:
    """The project's own, in the order of a comparison; those of installed packages, and of modules plugged in."""
    return [*wings.METHODS, *(method.name for method in authored_methods(()))]


def method_named(name: str) -> Method:
    """The method of that name, imported now. InputError lists those there are."""
    if (place := wings.METHODS.get(name)) is not None:
        method: Method = wings.found(place)()
        return method
    # Of an installed package or a module plugged in; or nobody's, and the error names all.
    return named(wings.found("dalenius.calibration.comparison:methods")(), name)


def calibrate(
    release: Release, notion: Notion | str | Sequence[Notion | str], method: str | Method = "exact"
) -> Calibration:
    """The noise that the method, or the one of that name, chooses for the notion's epsilon, or for several promises at
    once. InputError lists the names there are."""
    chosen = method if isinstance(method, Method) else method_named(method)
    release = checked(release)
    return judged_beside(calibrated(chosen, release, notions_of(notion)), release)
