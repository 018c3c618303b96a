"""What the room offers, and from which file; `__init__` reads it."""

from .approximation import Approximation as Approximation
from .bernoulli import (
    bernoulli_delta as bernoulli_delta,
    bernoulli_epsilon as bernoulli_epsilon,
    bernoulli_formula as bernoulli_formula,
)
from .certificate import Certificate as Certificate
from .certify import Certified as Certified, certify as certify
from .chernoff import chernoff_delta as chernoff_delta, chernoff_formula as chernoff_formula
from .dependent import dependent_approximation as dependent_approximation, dependent_delta as dependent_delta
from .gaussian import gaussian_sum_delta as gaussian_sum_delta
from .independent import (
    independent_approximation as independent_approximation,
    independent_delta as independent_delta,
    theorem_epsilon as theorem_epsilon,
)
from .printed import fact_delta as fact_delta, printed_delta as printed_delta, printed_formula as printed_formula
from .rounding import (
    INTERVALS_ONLY as INTERVALS_ONLY,
    Rounding as Rounding,
    approximation_of as approximation_of,
    most_thresholds as most_thresholds,
    rounding as rounding,
)
