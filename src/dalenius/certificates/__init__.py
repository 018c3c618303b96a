"""Noiseless privacy by theorem: what may be said of an exact sum when its law is not computed. One theorem per file."""

from dalenius.certificates.approximation import Approximation as Approximation
from dalenius.certificates.bernoulli import (
    bernoulli_delta as bernoulli_delta,
    bernoulli_epsilon as bernoulli_epsilon,
    bernoulli_formula as bernoulli_formula,
)
from dalenius.certificates.certificate import Certificate as Certificate
from dalenius.certificates.certify import Certified as Certified, certify as certify
from dalenius.certificates.chernoff import chernoff_delta as chernoff_delta, chernoff_formula as chernoff_formula
from dalenius.certificates.dependent import (
    dependent_approximation as dependent_approximation,
    dependent_delta as dependent_delta,
)
from dalenius.certificates.gaussian import gaussian_sum_delta as gaussian_sum_delta
from dalenius.certificates.independent import (
    independent_approximation as independent_approximation,
    independent_delta as independent_delta,
    theorem_epsilon as theorem_epsilon,
)
from dalenius.certificates.printed import (
    fact_delta as fact_delta,
    printed_delta as printed_delta,
    printed_formula as printed_formula,
)
from dalenius.certificates.rounding import (
    INTERVALS_ONLY as INTERVALS_ONLY,
    Grid as Grid,
    Rounding as Rounding,
    approximation_of as approximation_of,
    most_thresholds as most_thresholds,
    rounding as rounding,
)
