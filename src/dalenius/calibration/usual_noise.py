"""The noise that suits answers where a spec names none."""

from dalenius.laws.lattice import Lattice
from dalenius.noise import Geometric, Laplace, Noise


def default_noise(lattice: Lattice) -> Noise:
    """Returns geometric noise if all steps of `lattice` are 1, else Laplace."""
    return Geometric() if all(step == 1 for step in lattice.steps) else Laplace()
