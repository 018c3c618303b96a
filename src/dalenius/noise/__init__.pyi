"""What the room offers, and from which file; `__init__` reads it."""

from .bound_from_group_part import BoundingMechanism as BoundingMechanism, decays_far_out as decays_far_out
from .cell_key import CellKey as CellKey
from .copied_answer import Copy as Copy
from .copies_of_one_answer import copied as copied
from .discrete_gaussian import DiscreteGaussian as DiscreteGaussian
from .error_law import ROUNDED as ROUNDED
from .exponential import Geometric as Geometric, Laplace as Laplace
from .gaussian import Gaussian as Gaussian
from .mean_error import mean_error as mean_error
from .mechanism import Mechanism as Mechanism
from .no_noise import NoNoise as NoNoise
from .noise import (
    NOISES as NOISES,
    AnyNoise as AnyNoise,
    Noise as Noise,
    gaussian_deviation as gaussian_deviation,
    is_complete as is_complete,
    rate_of as rate_of,
)
from .noisy_max import NoisyMax as NoisyMax
from .place_of_given_output import Answer as Answer, number_of as number_of
from .randomized_response import RandomizedResponse as RandomizedResponse
from .reports import Reports as Reports
from .rounding import Rounding as Rounding
from .separate_noise import Separate as Separate, separate as separate
from .shape import Shape as Shape
from .shared_keys import (
    SetsAtPoints as SetsAtPoints,
    SharedKeysMechanism as SharedKeysMechanism,
    points_with_mass as points_with_mass,
)
from .steps import Steps as Steps
from .stochastic_matrix import Kernel as Kernel
from .suppression import Suppression as Suppression
