"""How far off a noise is on average, over all coordinates of an answer."""

from statistics import mean

from dalenius.laws.lattice import Lattice
from dalenius.noise.noise import Noise


def mean_error(noise: Noise, lattice: Lattice) -> float:
    """Returns E|output - answer|, averaged over the coordinates, in the query's unit.

    It is nan, or the worst, where it depends on the answer (see `ErrorLaw.expected`). `noise` is added to answers on
    `lattice`.
    """
    parts = zip(noise.by_coordinate(lattice.axes), lattice.steps, strict=True)
    return mean(part.error(step).expected for part, step in parts)
