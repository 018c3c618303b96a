"""Noiseless privacy by theorem: what may be said of an exact sum when its law is not computed. One theorem per file."""

from dalenius.certificates.approximation import Approximation
from dalenius.certificates.bernoulli import bernoulli_delta, bernoulli_epsilon, bernoulli_formula
from dalenius.certificates.certificate import Certificate
from dalenius.certificates.certify import Certified, certify
from dalenius.certificates.chernoff import chernoff_delta, chernoff_formula
from dalenius.certificates.dependent import dependent_approximation, dependent_delta
from dalenius.certificates.gaussian import normal_sum_delta
from dalenius.certificates.independent import independent_approximation, independent_delta, theorem_epsilon
from dalenius.certificates.printed import fact_delta, printed_delta, printed_formula
from dalenius.certificates.rounding import INTERVALS_ONLY, Grid, Rounding, approximation_of, most_thresholds, rounding

__all__ = [
    "INTERVALS_ONLY",
    "Approximation",
    "Certificate",
    "Certified",
    "Grid",
    "Rounding",
    "approximation_of",
    "bernoulli_delta",
    "bernoulli_epsilon",
    "bernoulli_formula",
    "certify",
    "chernoff_delta",
    "chernoff_formula",
    "dependent_approximation",
    "dependent_delta",
    "fact_delta",
    "independent_approximation",
    "independent_delta",
    "most_thresholds",
    "normal_sum_delta",
    "printed_delta",
    "printed_formula",
    "rounding",
    "theorem_epsilon",
]
