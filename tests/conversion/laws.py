"""What tests of conversions share: profiles and what they guarantee, laws written out, short groups asked as long."""

from dalenius.conversion import ApproximateProfile, Conversion, PrivacyProfile, PureProfile, TabulatedProfile
from dalenius.conversion.bounds_for_large_groups import ManyRecords, Whose
from dalenius.models import Model
from tests.conformance.table import worlds_of
from tests.reference.conversion import Row

GUARANTEED: tuple[tuple[PrivacyProfile, list[tuple[float, float]]], ...] = (
    (PureProfile(0.4), [(0.4, 0.0)]),
    (ApproximateProfile(0.3, 0.01), [(0.3, 0.01)]),
    (TabulatedProfile((0.0, 0.5, 1.0), (0.2, 0.1, 0.03)), [(0.0, 0.2), (0.5, 0.1), (1.0, 0.03)]),
)
"""Each with its pairs of ε and δ."""
PROFILES = tuple(profile for profile, _ in GUARANTEED)
GUARANTEES = tuple(pairs for _, pairs in GUARANTEED)


def law_of(model: Model) -> dict[Row, float]:
    """Of all records, the possible rows only."""
    (world,) = worlds_of(model)
    return {row: float(chance) for row, chance in world.joint.items()}


def check_asked(asked: ManyRecords, model: Model, steps: int, information: bool) -> list[Whose]:
    """Both ends hold the exact number of the model, small enough to be listed. Returns whom δ′ is about, by profile."""
    about = []
    for profile in (PureProfile(0.3), PROFILES[2]):
        exact = Conversion(model, profile, "replace" if steps == 1 else "add_remove", information)
        whose, found = asked.delta(profile, steps, 0.2)
        about.append(whose)
        assert found.lower <= exact.delta(0.2).value.upper + 1e-9
        assert exact.delta(0.2).value.lower <= found.upper + 1e-9
        delta = 0.0 if profile.pure is not None else 0.15
        _, nats = asked.epsilon(profile, steps, delta)
        assert nats.lower <= exact.epsilon(delta).value.upper + 1e-6
        assert exact.epsilon(delta).value.lower <= nats.upper + 1e-6
    return about
