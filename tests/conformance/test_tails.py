"""Two thousand people: leakages attained where probabilities are 1e-300 and far below, to nine digits."""

import pytest

from dalenius.channel import Release
from dalenius.models import Households, HouseholdType
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy, InformationPrivacy, RelativeEntropyPrivacy
from dalenius.queries import Count
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.populations import worst_numbers
from tests.reference.channel import mp

TYPES = (
    (300, (0.9, 0.04, 0.01, 0.01, 0.04)),
    (150, (0.5, 0.3, 0.15, 0.05 - 1e-6, 1e-6)),
    (50, (1 - 3e-6, 1e-6, 1e-6, 0.0, 1e-6)),
)
MODEL = Households(types=tuple(HouseholdType(count=count, infected=infected) for count, infected in TYPES))


@pytest.mark.parametrize("engine", ["convolution", "tilting"])
def test_tails(engine: str) -> None:
    release = Release(MODEL, Count(), Laplace(scale=1.0), engine=engine)
    for scale in (0.3, 1.0, 5.0):
        noisy = release.with_noise(Laplace(scale=scale))
        with mp.workdps(50):
            truth = worst_numbers(TYPES, scale)
        information = InformationPrivacy().leakage(noisy)
        entropy = RelativeEntropyPrivacy().leakage(noisy)
        assert_agrees(enclosure(InferentialPrivacy().leakage(noisy)), truth["inferential"])
        assert_agrees(enclosure(information), truth["information"])
        assert_agrees(enclosure(information, "two_sided"), truth["two_sided"])
        assert_agrees(enclosure(entropy), truth["relative_entropy"])
        assert_agrees(enclosure(entropy, "reverse"), truth["reverse"])
