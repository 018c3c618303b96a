"""What the room offers, and from which file; `__init__` reads it."""

from .absent import Absent as Absent, Missing as Missing, PriorRange as PriorRange
from .any import Any as Any
from .chain import Chain as Chain
from .epidemic import Epidemic as Epidemic
from .gaussian import GaussianRecords as GaussianRecords
from .groups import Groups as Groups, GroupType as GroupType
from .households import Households as Households, HouseholdType as HouseholdType
from .independent import Independent as Independent
from .linked import Linked as Linked
from .model import MODELS as MODELS, AnyModel as AnyModel, Model as Model, Readable as Readable
from .moments import Moments as Moments
from .network import Network as Network, Node as Node
from .pair_laws import Distance as Distance, NamedLaw as NamedLaw
from .pairwise import Pairwise as Pairwise
from .pairwise_edges import EdgeFile as EdgeFile
from .product import Product as Product
from .table import Table as Table
