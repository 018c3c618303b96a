"""What the adversary believes about the records. A new model is one file here and its name in `KINDS`."""

from dalenius.models.absent import Absent, Missing, PriorRange
from dalenius.models.any import Any
from dalenius.models.chain import Chain
from dalenius.models.epidemic import Epidemic
from dalenius.models.gaussian import GaussianRecords
from dalenius.models.groups import Groups, GroupType
from dalenius.models.households import Households, HouseholdType
from dalenius.models.independent import Independent
from dalenius.models.model import AnyModel, Model, Readable
from dalenius.models.moments import Moments
from dalenius.models.network import Network, Node
from dalenius.models.product import Product
from dalenius.models.table import Table

KINDS: tuple[type[Model], ...] = (
    Independent,
    Table,
    Groups,
    Households,
    Chain,
    Network,
    GaussianRecords,
    Moments,
    Absent,
    Product,
    Any,
)

__all__ = [
    "KINDS",
    "Absent",
    "Any",
    "AnyModel",
    "Chain",
    "Epidemic",
    "GaussianRecords",
    "GroupType",
    "Groups",
    "HouseholdType",
    "Households",
    "Independent",
    "Missing",
    "Model",
    "Moments",
    "Network",
    "Node",
    "PriorRange",
    "Product",
    "Readable",
    "Table",
]
