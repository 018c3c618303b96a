"""Which notion is of which kind, or kinds: some have several names."""

from typing import Final

from dalenius.kinds import Own
from dalenius.notions.notion import Notion

KINDS: Final = Own[Notion](
    "dalenius.notions",
    {
        "differential": "DifferentialPrivacy",
        "inferential": "InferentialPrivacy",
        "identity": "InferentialPrivacy",
        "dependent": "InferentialPrivacy",
        "information": "InformationPrivacy",
        "relative_entropy": "RelativeEntropyPrivacy",
        "mutual_information": "MutualInformationPrivacy",
        "min_entropy": "MinEntropyPrivacy",
        "g_leakage": "GLeakage",
        "bayesian": "BayesianPrivacy",
        "noiseless": "NoiselessPrivacy",
        "identifiability": "DifferentialIdentifiability",
        "rho": "RhoIdentifiability",
    },
)
