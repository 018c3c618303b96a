"""What the room offers, and from which file; `__init__` reads it."""

from .copied_mechanism import (
    BoundingMechanism as BoundingMechanism,
    Copy as Copy,
    copied as copied,
    decays_far_out as decays_far_out,
)
from .error_law import ROUNDED as ROUNDED
from .exponential import Geometric as Geometric, Laplace as Laplace
from .finite_mechanism import NoNoise as NoNoise
from .gaussian import Gaussian as Gaussian
from .kernel import Kernel as Kernel
from .noise import (
    NOISES as NOISES,
    AnyNoise as AnyNoise,
    Mechanism as Mechanism,
    Noise as Noise,
    Shape as Shape,
    gaussian_deviation as gaussian_deviation,
    is_complete as is_complete,
    mean_error as mean_error,
    rate_of as rate_of,
)
from .released_output import Answer as Answer, number_of as number_of
from .separate_noise import Separate as Separate, noise_on as noise_on, separate as separate
