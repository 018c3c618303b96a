"""Ways from single releases to what all of them leak together, one per file."""

from dalenius.composition.routes.addition import AdditionRoute as AdditionRoute
from dalenius.composition.routes.conditional_independence import (
    ConditionalIndependenceRoute as ConditionalIndependenceRoute,
)
from dalenius.composition.routes.conversion import ConversionRoute as ConversionRoute, converted as converted
from dalenius.composition.routes.group import GroupRoute as GroupRoute
from dalenius.composition.routes.joint import JointRoute as JointRoute, joint as joint
from dalenius.composition.routes.parallel import ParallelRoute as ParallelRoute
from dalenius.composition.routes.route import Route as Route, tried as tried
from dalenius.composition.routes.weak_dependence import WeakDependenceRoute as WeakDependenceRoute
