"""A chain too long to count its assignments as a double."""

from dalenius.channel import Release
from dalenius.models import Chain
from dalenius.noise import Laplace
from dalenius.queries import Count


def test_assignments_past_a_double() -> None:
    model = Chain(n=2000, transition=[[0.9, 0.1], [0.2, 0.8]], initial=[0.5, 0.5])
    joint = model.joints()[0]
    assert joint.outcome_count() == 2**200
    assert float(joint.outcome_count()) > 1e60
    distance, size = Release(model, Count(), Laplace(scale=1.0)).group_sensitivity
    assert (int(distance), size) == (2000, 2000)
