"""What the benchmark of a known total calls."""

from benchmarks.cases import FOURS
from dalenius import Adversary, Count, Households, InferentialPrivacy, InformationPrivacy, KnownAnswer, Laplace, Release
from dalenius.models import HouseholdType
from dalenius.notions import audit


def of_one_sex(people: int, per_thousand: int) -> tuple[float, ...]:
    """What a noised count of the women leaks, given that of all: lower and upper ends, inferential and information."""
    types = tuple(HouseholdType(count=people // 8, infected=FOURS, members={sex: 4}) for sex in ("men", "women"))
    return _leaks(Households(types=types), people * per_thousand // 1000)


def alone(people: int, per_thousand: int) -> tuple[float, ...]:
    """The same of people who are independent of each other."""
    types = tuple(HouseholdType(count=people // 2, infected=(0.9, 0.1), members={sex: 1}) for sex in ("men", "women"))
    return _leaks(Households(types=types), people * per_thousand // 1000)


def _leaks(model: Households, total: int) -> tuple[float, ...]:
    adversary = Adversary(answers=(KnownAnswer(query=Count(), value=total),))
    release = Release(model, Count(labels=("women",)), Laplace(scale=4.0), adversary=adversary)
    found = audit(release, [InferentialPrivacy(), InformationPrivacy()])
    return tuple(end for leakage in found.values() for end in (leakage.lower, leakage.upper))
