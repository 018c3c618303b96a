"""The names that a model, a query, a noise, a notion or a method of your own is made of, in one place.

Each name is of the room that defines it; `docs/how-to/extend.md` shows what they are for.

>>> from dalenius.extending import Column, Kind, Query
>>> Column("", (0, 1)).combine
'sum'
"""

from dalenius.arrays import Array as Array, IntArray as IntArray
from dalenius.bounds import UNIT as UNIT, Enclosure as Enclosure, around as around, float_up as float_up
from dalenius.calibration import Calibration as Calibration, ExactMethod as ExactMethod, Method as Method
from dalenius.channel import (
    Channel as Channel,
    Largest as Largest,
    Leakage as Leakage,
    Likelihoods as Likelihoods,
    Release as Release,
)
from dalenius.channel.leakage import NOTHING as NOTHING, worst as worst
from dalenius.errors import InputError as InputError
from dalenius.joints import (
    Joint as Joint,
    Stratum as Stratum,
    product_of_groups as product_of_groups,
    tabled as tabled,
)
from dalenius.joints.network import Records as Records, bayesian_network as bayesian_network
from dalenius.joints.tree_messages import Potential as Potential
from dalenius.laws.integrals.convex_functionals import Functional as Functional
from dalenius.laws.integrals.functionals_over_outputs import over_points as over_points
from dalenius.laws.lattice import Lattice as Lattice
from dalenius.laws.law import Law as Law
from dalenius.laws.matrix_ratios import pushed as pushed
from dalenius.laws.neighbours import Neighbours as Neighbours
from dalenius.models import Model as Model
from dalenius.noise import Mechanism as Mechanism, Noise as Noise, Shape as Shape
from dalenius.noise.error_law import ErrorLaw as ErrorLaw
from dalenius.noise.sampling import with_discrete_laplace as with_discrete_laplace
from dalenius.notions import Notion as Notion
from dalenius.queries import Column as Column, Kind as Kind, Query as Query
from dalenius.queries.query import exact_number as exact_number
