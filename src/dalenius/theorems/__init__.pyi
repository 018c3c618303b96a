"""What the room offers, and from which file; `__init__` reads it."""

from .bernoulli_certificate import (
    Certificate as Certificate,
    bernoulli_delta as bernoulli_delta,
    bernoulli_epsilon as bernoulli_epsilon,
    bernoulli_formula as bernoulli_formula,
)
from .nearly_normal_sum_certificates import (
    INTERVALS_ONLY as INTERVALS_ONLY,
    Approximation as Approximation,
    Certified as Certified,
    approximation_of as approximation_of,
    bits_delta as bits_delta,
    certify as certify,
    dependent_approximation as dependent_approximation,
    dependent_delta as dependent_delta,
    independent_approximation as independent_approximation,
    independent_delta as independent_delta,
    most_thresholds as most_thresholds,
    printed_delta as printed_delta,
    theorem_epsilon as theorem_epsilon,
)
