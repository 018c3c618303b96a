"""The names that the room offers, and their files; `__init__` reads it."""

from .bayesian_network import Network as Network, Node as Node
from .chain import Chain as Chain
from .epidemic import Epidemic as Epidemic
from .households import Households as Households, HouseholdType as HouseholdType
from .independent import Independent as Independent
from .joint_tables import Groups as Groups, GroupType as GroupType, Table as Table
from .model import (
    MODELS as MODELS,
    AnyModel as AnyModel,
    AnyOf as AnyOf,
    Model as Model,
    Product as Product,
    Readable as Readable,
    confidence_of as confidence_of,
    finite_joints as finite_joints,
    lawless as lawless,
)
from .pedigree import Pedigree as Pedigree
from .sample import Sample as Sample
from .sampled import Sampled as Sampled
