"""Pipelines known by their loss at every distance, against the program over all assignments."""

from itertools import permutations
from math import log

import numpy as np
import pytest

from dalenius.conversion import (
    ApproximateProfile,
    Conversion,
    GaussianProfile,
    MapProfile,
    PrivacyProfile,
    PureProfile,
    ZeroConcentrated,
)
from dalenius.errors import InputError, TooLarge
from dalenius.models import Chain, Households, Table
from tests.conversion.laws import law_of
from tests.conversion.test_conversion import random_table
from tests.pace import slow
from tests.reference.conversion import Row, largest_gain_by_map, largest_ratio_by_map

HOME = Households(count=250, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
SHAPES = ((2, 2, 2), (3, 2, 2), (2, 2))
PURE = ((0.5, 0.6, 0.65), (0.4, 0.8, 0.9), (0.7, 0.2, 1.5), (0.3, 1.0, 1.1), (0.0, 0.4, 0.5))
APPROXIMATE = (
    ((0.3, 0.01), (0.4, 0.02), (0.4, 0.05)),
    ((0.2, 0.0), (0.5, 0.01), (0.9, 0.01)),
    ((0.5, 0.05), (0.5, 0.05), (0.5, 0.05)),
    ((0.1, 0.01), (1.0, 0.3), (2.0, 0.5)),
)


def pure_map(losses: tuple[float, ...]) -> MapProfile:
    return MapProfile(tuple(map(PureProfile, losses)))


def asked(law: dict[Row, float], information: bool) -> list[tuple[int, object, object]]:
    found: list[tuple[int, object, object]] = []
    for person in range(len(next(iter(law)))):
        values = sorted({row[person] for row in law}, key=str)
        pairs = [(value, None) for value in values] if information else permutations(values, 2)
        found += [(person, secret, against) for secret, against in pairs]
    return found


@pytest.mark.parametrize("seeds", [range(6), slow(range(6, 60))])
def test_pure_maps_leak_the_largest_ratio_over_all_assignments(seeds: range) -> None:
    for seed in seeds:
        table, losses, information = made(seed), PURE[seed % len(PURE)], seed % 2 == 1
        law = law_of(table)
        # What holds for data sets that differ in at most three records holds for those that differ in one.
        least = [min(losses[distance:]) for distance in range(len(losses))]
        exact = max(log(largest_ratio_by_map(law, *each, least)) for each in asked(law, information))
        lower, upper = Conversion(table, pure_map(losses), "replace", information).epsilon(0.0).value
        assert lower - 1e-8 <= exact <= upper + 1e-8
        assert upper - lower <= 1e-7


@pytest.mark.parametrize("seeds", [range(4), slow(range(4, 40))])
def test_maps_with_delta_leak_the_largest_gain_over_all_assignments(seeds: range) -> None:
    for seed in seeds:
        table, information = made(seed), seed % 2 == 1
        pairs = APPROXIMATE[seed % len(APPROXIMATE)]
        profile = MapProfile(tuple(ApproximateProfile(*each) if each[1] else PureProfile(each[0]) for each in pairs))
        law, converted = law_of(table), Conversion(table, profile, "replace", information)
        for epsilon in (0.0, 0.3):
            exact = max(
                largest_gain_by_map(law, *each, [[pair] for pair in pairs], epsilon) for each in asked(law, information)
            )
            lower, upper = converted.delta(epsilon).value
            assert lower - 1e-8 <= exact <= upper + 1e-8
            assert upper - lower <= 1e-7


def made(seed: int) -> Table:
    return random_table(np.random.default_rng(seed), SHAPES[seed % len(SHAPES)])


def test_numbers_of_the_theory() -> None:
    lower, upper = Conversion(HOME, pure_map((0.5, 1.0, 1.0, 1.0)), "replace").epsilon(0.0).value
    assert lower == pytest.approx(0.942149, abs=1e-6)
    assert upper == pytest.approx(0.942149, abs=1e-6)


@pytest.mark.parametrize("information", [False, True])
def test_a_proportional_map_is_its_epsilon_at_distance_1(information: bool) -> None:
    known = Conversion(HOME, PureProfile(0.5), "replace", information)
    mapped = Conversion(HOME, pure_map((0.5, 1.0, 1.5, 2.0)), "replace", information)
    assert mapped.epsilon(0.0).value == pytest.approx(known.epsilon(0.0).value, abs=1e-9)
    for epsilon in (0.0, 0.7):
        assert mapped.delta(epsilon).value.upper == pytest.approx(known.delta(epsilon).value.upper, rel=1e-7)
    assert mapped.epsilon(0.01).value.upper == pytest.approx(known.epsilon(0.01).value.upper, rel=1e-6)


@pytest.mark.parametrize(
    "profiles",
    [
        tuple(PureProfile(min(0.4 * d, 0.9)) for d in range(1, 5)),
        tuple(ApproximateProfile(min(0.4 * d, 0.9), 1e-3) for d in range(1, 5)),
        tuple(ZeroConcentrated(0.02 * d) for d in range(1, 5)),
        tuple(GaussianProfile(0.2 * d**0.5) for d in range(1, 5)),
    ],
    ids=["pure", "approximate", "zcdp", "gaussian"],
)
def test_a_map_never_leaks_more_than_its_loss_at_distance_1(profiles: tuple[PrivacyProfile, ...]) -> None:
    mapped, known = MapProfile(profiles), profiles[0]
    for epsilon in (0.0, 0.5):
        one = Conversion(HOME, mapped, "replace").delta(epsilon).value
        other = Conversion(HOME, known, "replace").delta(epsilon).value
        assert one.lower <= one.upper <= other.upper + 1e-9
    assert one.upper < 0.9 * other.upper


def test_one_record_alone_leaks_its_own_loss() -> None:
    alone = Households(count=5, infected=(0.7, 0.3))
    assert Conversion(alone, pure_map((0.5, 0.6)), "replace").epsilon(0.0).value.upper == pytest.approx(0.5)


def test_a_loss_beyond_the_last_distance_is_made_of_smaller_steps() -> None:
    known = pure_map((0.5, 0.6))
    assert [known.pure_of(d) for d in range(5)] == pytest.approx([0.0, 0.5, 0.6, 1.1, 1.2])
    assert pure_map((0.7, 0.2)).pure_of(1) == 0.2


def test_long_rows_are_bounded_by_the_loss_of_one_record() -> None:
    days = Chain(n=60, transition=((0.7, 0.3), (0.3, 0.7)), initial="stationary")
    mapped = Conversion(days, pure_map((0.5, 0.6)), "replace").epsilon(0.0).value
    known = Conversion(days, PureProfile(0.5), "replace").epsilon(0.0).value
    assert mapped.upper == pytest.approx(known.upper)
    assert mapped.lower == 0.0


def test_bad_maps_are_refused() -> None:
    with pytest.raises(InputError, match="profiles: 0 distances, wanted 1 to 60"):
        MapProfile(())
    with pytest.raises(InputError, match=r"profiles\[1\]: .*MapProfile.*, wanted a profile between two data sets"):
        MapProfile((pure_map((0.5,)),))
    with pytest.raises(InputError, match="neighbours: add_remove, wanted 'replace', as a map counts records"):
        Conversion(HOME, pure_map((0.5,)), "add_remove")
    crowd = Households(count=2, infected=tuple([1 / 142] * 142))
    with pytest.raises(TooLarge, match=r"conversion\.map_states"):
        Conversion(crowd, pure_map((0.5,)), "replace").epsilon(0.0)
