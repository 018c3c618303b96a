"""What is added to the answer. A new noise is one file here and its name in `AnyNoise`."""

from dalenius.noise.geometric import Geometric
from dalenius.noise.laplace import Laplace
from dalenius.noise.noise import Noise
from dalenius.noise.none import NoNoise

AnyNoise = Laplace | Geometric | NoNoise

__all__ = ["AnyNoise", "Geometric", "Laplace", "NoNoise", "Noise"]
