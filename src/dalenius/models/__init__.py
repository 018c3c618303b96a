"""What the adversary believes about the records. A new model is one file here and its name in `AnyModel`."""

import sys

from dalenius.models.absent import Absent, Missing, PriorRange
from dalenius.models.any import Any
from dalenius.models.chain import Chain
from dalenius.models.epidemic import Epidemic
from dalenius.models.gaussian import GaussianRecords
from dalenius.models.groups import Groups, GroupType
from dalenius.models.households import Households, HouseholdType
from dalenius.models.independent import Independent
from dalenius.models.model import Belief, Joint, Model, Stratum, Subject
from dalenius.models.moments import Moments
from dalenius.models.network import Network, Node
from dalenius.models.normal import NormalRecords
from dalenius.models.product import Product
from dalenius.models.reading import answered, household_columns, in_folder, self_contained, tells_answers, told
from dalenius.models.table import Table

AnyModel = (
    Independent | Table | Groups | Households | Chain | Network | GaussianRecords | Moments | Absent | Product | Any
)

for _nested in (Product, Any):  # where pydantic looks for the name when it builds them, on first use
    vars(sys.modules[_nested.__module__])["AnyModel"] = AnyModel

__all__ = [
    "Absent",
    "Any",
    "AnyModel",
    "Belief",
    "Chain",
    "Epidemic",
    "GaussianRecords",
    "GroupType",
    "Groups",
    "HouseholdType",
    "Households",
    "Independent",
    "Joint",
    "Missing",
    "Model",
    "Moments",
    "Network",
    "Node",
    "NormalRecords",
    "PriorRange",
    "Product",
    "Stratum",
    "Subject",
    "Table",
    "answered",
    "household_columns",
    "in_folder",
    "self_contained",
    "tells_answers",
    "told",
]
