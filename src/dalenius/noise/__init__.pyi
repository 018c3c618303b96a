"""What the room offers, and from which file; `__init__` reads it."""

from .beyond import ROUNDED as ROUNDED
from .bounding import Bounding as Bounding, decays_far_out as decays_far_out
from .copied import Copy as Copy, copied as copied
from .gaussian import Gaussian as Gaussian
from .geometric import Geometric as Geometric
from .kernel import Kernel as Kernel
from .laplace import Laplace as Laplace
from .noise import NOISES as NOISES, AnyNoise as AnyNoise, Noise as Noise
from .none import NoNoise as NoNoise
from .output import Answer as Answer, number_of as number_of
from .separate import Separate as Separate, separate as separate
