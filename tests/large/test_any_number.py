"""Any number of people: suprema of one group alone, and where the rest may add to them (Results 20.1 to 20.5)."""

from collections.abc import Callable, Iterator
from itertools import product
from math import comb, inf, isinf, log

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.channel import record_world
from dalenius.channel.channel import Channel
from dalenius.channel.large import own_group, own_group_suprema
from dalenius.channel.leakage import Found
from dalenius.channel.record_world import RecordWorld
from dalenius.models.households import HouseholdType
from dalenius.noise import Noise
from dalenius.queries import Query
from tests.pace import draws

NOISES: tuple[Noise, ...] = (
    dl.Laplace(scale=0.7),
    dl.Laplace(scale=3.0),
    dl.Geometric(scale=2.0),
    dl.Gaussian(scale=1.5),
    dl.NoNoise(),
)
NOTIONS = (dl.InferentialPrivacy(), dl.InformationPrivacy(), dl.RelativeEntropyPrivacy())
EVERYWHERE = 10**15
"""More groups than any model here has."""


def random_groups(seed: int) -> tuple[dl.Groups, Query, Noise]:
    """One or two types of groups of up to three records, of two or three values, some negative, some impossible."""
    rng = np.random.default_rng(seed)
    size, values = int(rng.integers(1, 4)), rng.choice([-2, -1, 0, 1, 3], size=int(rng.integers(2, 4)), replace=False)
    rows = tuple(product(sorted(values.tolist()), repeat=size))
    types = []
    for _ in range(int(rng.integers(1, 3))):
        weights = rng.integers(0, 6, len(rows)) * rng.integers(0, 2, len(rows)) + (rng.random(len(rows)) < 0.2)
        weights[int(rng.integers(len(rows)))] += 1
        chances = tuple((weights / weights.sum()).tolist())
        labels = tuple(rng.choice(["a", "b"], size).tolist())
        types.append(dl.GroupType(count=int(rng.integers(2, 7)), records=rows, probabilities=chances, labels=labels))
    noise = NOISES[int(rng.integers(len(NOISES)))]
    return (
        dl.Groups(types=tuple(types)),
        dl.Sum(per_label=bool(rng.integers(2)) and not noise.shape.light_tailed),
        noise,
    )


def suprema(channel: Channel) -> list[Found]:
    movement = channel.movement(0.7)
    return [channel.ratio(), *movement, *channel.divergence()]


def refused() -> Channel:
    raise AssertionError("the rest of the answer is read")


def of_groups(release: dl.Release, many: int, too_large: bool = False) -> Iterator[Channel]:
    """Every channel, where so many groups are very many; too_large: as if the law of the whole answer were."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record_world, "FEW_PEOPLE", 0)
        if too_large:
            patch.setattr(RecordWorld, "full_channel_of", lambda world, component, noise, bounded: bounded)
        patch.setattr(own_group_suprema, "MANY_GROUPS", many)
        yield from dl.Release(release.model, release.query, release.noise).all_channels()


def compare(seed: int) -> None:
    """Checks the group's enclosures against the whole law's."""
    model, query, noise = random_groups(seed)
    release = dl.Release(model, query, noise)
    whole = {channel.finite("").subject.person: channel for channel in of_groups(release, EVERYWHERE)}
    groups = list(of_groups(release, 1, too_large=True))
    for group, channel in zip(groups, of_groups(release, 1), strict=True):
        person = channel.own_group.subject.person  # type: ignore[attr-defined]
        for own, both, exact in zip(suprema(group), suprema(channel), suprema(whole[person]), strict=True):
            slack = 1e-9 * max(1.0, exact.value.upper if exact.value.upper < inf else 1.0)
            assert own.value.lower <= exact.value.upper + slack
            assert exact.value.lower <= own.value.upper + slack
            assert near(both.value, exact.value)
            if own.value.lower == own.value.upper or own.value.upper - own.value.lower < 1e-9:
                assert near(own.value, exact.value)


def near(one: Enclosure, other: Enclosure) -> bool:
    if isinf(one.upper) or isinf(other.upper):
        return one.upper == other.upper
    return abs(one.upper - other.upper) <= 1e-9 * max(1.0, other.upper) + (other.upper - other.lower)


@given(st.integers(0, 10**6))
@example(3)
@draws(60)
def test_the_group_alone_encloses_the_truth(seed: int) -> None:
    compare(seed)


HOME = (0.9, 0.04, 0.0, 0.0, 0.06)


def homes(households: int, *laws: tuple[float, ...]) -> dl.Households:
    return dl.Households(types=tuple(HouseholdType(infected=law, count=households) for law in laws))


def test_a_near_lie_is_caught() -> None:
    """A group whose law is off by a thousandth no longer agrees with the whole one."""
    release = dl.Release(homes(5, HOME), dl.Count(), dl.Laplace(scale=2.0))
    truth = dl.InferentialPrivacy().leakage(release)
    (channel,) = of_groups(dl.Release(homes(5, (0.8999, 0.0401, 0.0, 0.0, 0.06)), dl.Count(), dl.Laplace(scale=2.0)), 1)
    assert not near(channel.ratio().value, Enclosure(truth.lower, truth.upper))


@given(st.lists(st.integers(1, 1000), min_size=2, max_size=9), st.sampled_from(NOISES[:4]))
@example([1000, 1, 1, 1000], NOISES[0])
@draws(200)
def test_counts_of_a_whole_household_never_need_the_rest(weights: list[int], noise: Noise) -> None:
    """Result 20.3: likelihood ratios rise with the count."""
    law = tuple(weight / sum(weights) for weight in weights)
    (channel,) = of_groups(dl.Release(homes(7, law), dl.Count(), noise), 1)
    for found in suprema(type(channel)(channel.own_group, channel.limits, refused)):  # type: ignore[attr-defined, call-arg]
        assert found.value.lower == found.value.upper or found.value.upper - found.value.lower < 1e-9


def test_households_alike_but_for_their_labels_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Couples of a and b, and of c and d: equal suprema, each witness with its own labels, person and outputs."""
    couples = [
        HouseholdType(infected=(0.6, 0.2, 0.2), count=count, members=dict.fromkeys(labels, 1))
        for labels, count in (("ab", 3), ("cd", 5))
    ]
    release = dl.Release(dl.Households(types=couples), dl.Count(per_label=True), dl.Laplace(scale=2.0))
    read = list[object]()
    enclosed = own_group_suprema.GroupFirst._enclosed

    def counted(own: own_group_suprema.GroupFirst, of: Callable[[Channel], list[Found]]) -> list[Found]:
        read.append(own)
        return enclosed(own, of)

    monkeypatch.setattr(own_group_suprema.GroupFirst, "_enclosed", counted)
    channels = list(of_groups(release, 1))
    found = [channel.ratio() for channel in channels]
    assert len(read) < len(channels)
    # As if nobody were alike.
    monkeypatch.setattr(own_group.OwnGroup, "kind", lambda *_: None)
    assert found == [channel.ratio() for channel in of_groups(release, 1)]
    ends = {each.witness.answers: each.witness.output for each in found if each.witness is not None}
    assert set(ends) == {("a", "b"), ("c", "d")}
    assert ends["a", "b"] != ends["c", "d"]


def test_counts_of_a_part_of_a_household_may_need_it() -> None:
    """E23: one of b and two of a, of which those of a are counted. That b is ill is likeliest if one of a is."""
    law = (0.5, 0.02, 0.4, 0.08)
    both = np.array([[law[k + s] / comb(3, k + s) * comb(2, k) for k in range(3)] for s in (0, 1)])
    everybody = both.sum(axis=0)
    exact = np.array([np.convolve(row, everybody) for row in both])
    kernel = np.exp(-np.abs(np.arange(5) - np.arange(5)[:, None]) / 0.2)
    noised = exact @ kernel
    raised = np.log(noised[1] / noised.sum(axis=0) / both[1].sum())
    assert np.max(raised) > max(raised[0], raised[-1]) + 0.1
    kind = HouseholdType(members={"a": 2, "b": 1}, infected=law, count=2)
    release = dl.Release(dl.Households(types=(kind,)), dl.Count(labels=("a",)), dl.Laplace(scale=0.2))
    group, about_b = (
        next(each for each in list(of_groups(release, 1, too_large)) if each.own_group.subject.person == 3)  # type: ignore[attr-defined]
        for too_large in (True, False)
    )
    open_end, decided = group.movement().raised.value, about_b.movement().raised.value
    assert open_end.lower < open_end.upper - 0.1
    assert open_end.lower + 0.1 < decided.lower <= np.max(raised) + 1e-12
    assert np.max(raised) - 1e-12 <= decided.upper < open_end.upper


def test_fifty_digits_at_a_hundred_thousand_people() -> None:
    """The leakage is log E[e^{A/b} | 1] - log E[e^{A/b} | 0], whoever else there is."""
    release = dl.Release(homes(25_000, HOME), dl.Count(), dl.Laplace(scale=2.0))
    found = dl.InferentialPrivacy().leakage(release)
    with mpmath.workdps(50):
        law = [mpmath.mpf(each) for each in HOME]
        ones = sum(k * p * mpmath.e ** (mpmath.mpf(k) / 2) for k, p in enumerate(law)) / sum(
            k * p for k, p in enumerate(law)
        )
        zeros = sum((4 - k) * p * mpmath.e ** (mpmath.mpf(k) / 2) for k, p in enumerate(law)) / sum(
            (4 - k) * p for k, p in enumerate(law)
        )
        exact = mpmath.log(ones) - mpmath.log(zeros)
        assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 1e-12


@pytest.mark.parametrize("noise", [dl.Laplace(scale=2.0), dl.NoNoise()])
def test_three_hundred_million_people(noise: Noise) -> None:
    """As much work as for one household, and the same leakage."""
    laws = ((0.9, 0.1), (0.8, 0.1, 0.1), HOME, (0.6, 0.2, 0.1, 0.05, 0.03, 0.02))
    few, many = (dl.Release(homes(count, *laws), dl.Count(), noise) for count in (2_000, 30_000_000))
    dl.InferentialPrivacy().leakage(few)
    found = [notion.leakage(many) for notion in NOTIONS]
    for notion, leakage in zip(NOTIONS, found, strict=True):
        same = notion.leakage(few)
        assert (leakage.lower, leakage.upper) == (same.lower, same.upper)
        assert leakage.upper == leakage.lower or leakage.upper - leakage.lower < 1e-9
    assert "suprema by the group alone where the rest cannot add to it" in many.worlds.engines()[0][1]


def test_gaussian_noise_that_is_small_beside_a_long_law_is_bounded_by_the_group() -> None:
    """Ten thousand answers and a hundredth of a step: minutes of outputs, which the couple's own answer bounds."""
    couple = {"records": [[0, 0], [0, 1], [1, 0], [1, 1]], "probabilities": [0.6, 0.1, 0.1, 0.2]}
    noise = dl.Gaussian(scale=0.01)
    one, many = (
        dl.MutualInformationPrivacy().leakage(dl.Release(dl.Groups(types=[{"count": n, **couple}]), dl.Count(), noise))
        for n in (1, 5_000)
    )
    assert many.lower == 0.0
    assert many.upper == pytest.approx(one.upper, rel=1e-12)
    release = dl.Release(dl.Groups(types=[{"count": 5_000, **couple}]), dl.Count(), noise)
    assert dl.InformationPrivacy().leakage(release).epsilon == pytest.approx(-log(0.3), rel=1e-12)
    assert dl.InferentialPrivacy().leakage(release).lower == inf
