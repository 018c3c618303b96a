"""The box of a network's answers, against enumeration."""

import numpy as np
from hypothesis import given

from dalenius import Network
from dalenius.laws.generating_function_algebra import Extent, Extents
from tests.conformance.strategies import networks
from tests.conformance.table import worlds_of
from tests.joints.networks import exact_laws
from tests.pace import draws


@given(model=networks(5))
@draws(60)
def test_box_given_each_value_is_attained_at_both_ends(model: Network) -> None:
    (world,) = worlds_of(model)
    joint = model.law()
    scores = [2 * value for stratum in joint.strata() for value in stratum.values]
    for subject, extents in joint.mean_product(Extents(np.array(scores, dtype=np.int64)[:, None])):
        exact = exact_laws(world.joint, subject.person)
        for secret, extent in zip(subject.secrets, extents, strict=True):
            sums = [total for total, chance in exact[secret].items() if chance > 0]
            assert extent == Extent((min(sums),), (max(sums),))
