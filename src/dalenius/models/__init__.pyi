"""What the room offers, and from which file; `__init__` reads it."""

from .chain import Chain as Chain
from .epidemic import Epidemic as Epidemic
from .groups import Groups as Groups, GroupType as GroupType, Independent as Independent, Table as Table
from .households import Households as Households, HouseholdType as HouseholdType
from .model import MODELS as MODELS, AnyModel as AnyModel, Model as Model, Readable as Readable
from .network import Network as Network, Node as Node
from .several import Any as Any, Product as Product
