"""What is added to the answer. A new noise is one file here and its name in `AnyNoise`."""

from dalenius.noise.clamped import Clamped
from dalenius.noise.gaussian import Gaussian
from dalenius.noise.geometric import Geometric
from dalenius.noise.kernel import Kernel
from dalenius.noise.laplace import Laplace
from dalenius.noise.noise import Noise
from dalenius.noise.none import NoNoise
from dalenius.noise.relocation import Relocation

AnyNoise = Laplace | Geometric | Gaussian | NoNoise | Kernel | Clamped | Relocation

__all__ = ["AnyNoise", "Clamped", "Gaussian", "Geometric", "Kernel", "Laplace", "NoNoise", "Noise", "Relocation"]
