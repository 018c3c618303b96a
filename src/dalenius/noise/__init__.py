"""What is added to the answer. A new noise is one file here and its name in `KINDS`."""

from dalenius.noise.clamped import Clamped
from dalenius.noise.gaussian import Gaussian
from dalenius.noise.geometric import Geometric
from dalenius.noise.kernel import Kernel
from dalenius.noise.laplace import Laplace
from dalenius.noise.noise import AnyNoise, Noise
from dalenius.noise.none import NoNoise
from dalenius.noise.relocation import Relocation

KINDS: tuple[type[Noise], ...] = (Laplace, Geometric, Gaussian, NoNoise, Kernel, Clamped, Relocation)

__all__ = [
    "KINDS",
    "AnyNoise",
    "Clamped",
    "Gaussian",
    "Geometric",
    "Kernel",
    "Laplace",
    "NoNoise",
    "Noise",
    "Relocation",
]
