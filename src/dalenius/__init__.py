"""Privacy guarantees for people whose data depend on each other.

The classes here are the sections of a spec file: the same fields, the same checks.
"""

from dalenius.bounds import Enclosure
from dalenius.calibration import METHODS, Calibration, ExactMethod, GroupMethod, IndependentMethod, calibrate, compare
from dalenius.channel import Channel, Release, Secrets
from dalenius.errors import DaleniusError, InputError, Refused, TooLarge
from dalenius.models import (
    Any,
    Chain,
    Epidemic,
    Groups,
    GroupType,
    Households,
    HouseholdType,
    Independent,
    Product,
    Table,
)
from dalenius.noise import Geometric, Laplace, NoNoise
from dalenius.notions import (
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    Leakage,
    MutualInformationPrivacy,
    RelativeEntropyPrivacy,
    Witness,
    audit,
    delta_of,
)
from dalenius.queries import Count, Histogram, Mean, Several, Sum
from dalenius.spec import Spec, read_spec

__all__ = [
    "METHODS",
    "Any",
    "Calibration",
    "Chain",
    "Channel",
    "Count",
    "DaleniusError",
    "DifferentialPrivacy",
    "Enclosure",
    "Epidemic",
    "ExactMethod",
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
    "Laplace",
    "Leakage",
    "Mean",
    "MutualInformationPrivacy",
    "NoNoise",
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
