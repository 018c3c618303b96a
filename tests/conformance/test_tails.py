"""Two thousand people, two hundred in the quick suite: leakages where probabilities are 1e-300 and far below, to nine
digits."""

import pytest

from dalenius.channel import Release
from dalenius.models import Households, HouseholdType
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy, InformationPrivacy, RelativeEntropyPrivacy
from dalenius.queries import Count
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.populations import worst_numbers
from tests.pace import slow
from tests.reference.channel import mp

TYPES = (
    (300, (0.9, 0.04, 0.01, 0.01, 0.04)),
    (150, (0.5, 0.3, 0.15, 0.05 - 1e-6, 1e-6)),
    (50, (1 - 3e-6, 1e-6, 1e-6, 0.0, 1e-6)),
)


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("share", [10, slow(1)])
@pytest.mark.parametrize("engine", ["convolution", "tilting"])
def test_tails(engine: str, share: int, scale: float) -> None:
    types = tuple((count // share, infected) for count, infected in TYPES)
    model = Households(types=tuple(HouseholdType(count=count, infected=infected) for count, infected in types))
    release = Release(model, Count(), Laplace(scale=scale), engine=engine)
    with mp.workdps(50):
        truth = worst_numbers(types, scale)
    information = InformationPrivacy().leakage(release)
    entropy = RelativeEntropyPrivacy().leakage(release)
    assert_agrees(enclosure(InferentialPrivacy().leakage(release)), truth["inferential"])
    assert_agrees(enclosure(information), truth["information"])
    assert_agrees(enclosure(information, "two_sided"), truth["two_sided"])
    assert_agrees(enclosure(entropy), truth["relative_entropy"])
    assert_agrees(enclosure(entropy, "reverse"), truth["reverse"])
