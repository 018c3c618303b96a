"""What the adversary believes about the records. A new model is one file here and its name in `KINDS`."""

from dalenius.models.absent import Absent as Absent, Missing as Missing, PriorRange as PriorRange
from dalenius.models.any import Any as Any
from dalenius.models.chain import Chain as Chain
from dalenius.models.epidemic import Epidemic as Epidemic
from dalenius.models.gaussian import GaussianRecords as GaussianRecords
from dalenius.models.groups import Groups as Groups, GroupType as GroupType
from dalenius.models.households import Households as Households, HouseholdType as HouseholdType
from dalenius.models.independent import Independent as Independent
from dalenius.models.linked import Linked as Linked
from dalenius.models.model import MODELS as MODELS, AnyModel as AnyModel, Model as Model, Readable as Readable
from dalenius.models.moments import Moments as Moments
from dalenius.models.network import Network as Network, Node as Node
from dalenius.models.pair_laws import Distance as Distance, NamedLaw as NamedLaw
from dalenius.models.pairwise import Pairwise as Pairwise
from dalenius.models.pairwise_edges import EdgeFile as EdgeFile
from dalenius.models.product import Product as Product
from dalenius.models.table import Table as Table

KINDS: tuple[type[Model], ...] = (
    Independent,
    Table,
    Groups,
    Households,
    Chain,
    Network,
    Pairwise,
    GaussianRecords,
    Moments,
    Absent,
    Product,
    Linked,
    Any,
)
