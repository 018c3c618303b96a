"""Privacy guarantees for people whose data depend on each other.

The classes here are the sections of a spec file: the same fields, the same checks.
"""

from dalenius.bounds import Enclosure
from dalenius.calibration import METHODS, Calibration, ExactMethod, GroupMethod, IndependentMethod, calibrate, compare
from dalenius.channel import Adversary, Channel, Release, Secrets
from dalenius.errors import DaleniusError, InputError, Refused, TooLarge
from dalenius.models import (
    Any,
    Chain,
    Epidemic,
    GaussianRecords,
    Groups,
    GroupType,
    Households,
    HouseholdType,
    Independent,
    Network,
    Node,
    Product,
    Table,
)
from dalenius.noise import Clamped, Gaussian, Geometric, Kernel, Laplace, NoNoise
from dalenius.notions import (
    BayesianPrivacy,
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    Leakage,
    MinEntropyPrivacy,
    MutualInformationPrivacy,
    RelativeEntropyPrivacy,
    Witness,
    audit,
    delta_of,
)
from dalenius.queries import Count, Histogram, Max, Mean, Min, Several, Sum
from dalenius.spec import Spec, read_spec

__all__ = [
    "METHODS",
    "Adversary",
    "Any",
    "BayesianPrivacy",
    "Calibration",
    "Chain",
    "Channel",
    "Clamped",
    "Count",
    "DaleniusError",
    "DifferentialPrivacy",
    "Enclosure",
    "Epidemic",
    "ExactMethod",
    "Gaussian",
    "GaussianRecords",
    "Geometric",
    "GroupMethod",
    "GroupType",
    "Groups",
    "Histogram",
    "HouseholdType",
    "Households",
    "Independent",
    "IndependentMethod",
    "InferentialPrivacy",
    "InformationPrivacy",
    "InputError",
    "Kernel",
    "Laplace",
    "Leakage",
    "Max",
    "Mean",
    "Min",
    "MinEntropyPrivacy",
    "MutualInformationPrivacy",
    "Network",
    "NoNoise",
    "Node",
    "Product",
    "Refused",
    "RelativeEntropyPrivacy",
    "Release",
    "Secrets",
    "Several",
    "Spec",
    "Sum",
    "Table",
    "TooLarge",
    "Witness",
    "audit",
    "calibrate",
    "compare",
    "delta_of",
    "read_spec",
]
