"""How each number the notions read is compared with the reference."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import pytest

from dalenius.absent.notions import DifferentialIdentifiability
from dalenius.bounds import Enclosure, largest
from dalenius.channel import Release
from dalenius.errors import InputError, Meaningless
from dalenius.knowledge.noiseless import NoiselessPrivacy, noiseless_delta
from dalenius.notions import (
    GLeakage,
    InferentialPrivacy,
    InformationPrivacy,
    MutualInformationPrivacy,
    Notion,
    RelativeEntropyPrivacy,
    Renyi,
)
from tests.conformance.comparison import CONVERSION, QUADRATURE, assert_agrees, enclosure
from tests.conformance.truth import Measure, Truth, exact
from tests.reference import leakages
from tests.reference.channel import Channel, Real, mp
from tests.reference.joints import Value
from tests.reference.leakages import Leakage

Check = Callable[[Release, Truth, bool], None]
"""check(release, truth, tight)."""
TrueDelta = Callable[[Truth, float], Real]
"""δ(ε) of the reference."""


def supremum(notion: Notion, measure: Measure, **companions: Measure) -> Check:
    """A number that is attained at an output, with its companions."""

    def check(release: Release, truth: Truth, tight: bool) -> None:
        leakage = notion.leakage(release)
        assert_agrees(enclosure(leakage), truth.worst(measure), tight)
        for name, other in companions.items():
            assert_agrees(enclosure(leakage, name), truth.worst(other), tight)

    return check


SUPREMA: tuple[tuple[Notion, str | None, Measure], ...] = (
    (InferentialPrivacy(), None, leakages.inferential),
    (InformationPrivacy(), None, leakages.information),
    (InformationPrivacy(), "two_sided", leakages.information_two_sided),
    (InformationPrivacy(two_sided=True), None, leakages.information_two_sided),
    (RelativeEntropyPrivacy(), None, leakages.relative_entropy),
    (RelativeEntropyPrivacy(), "reverse", leakages.relative_entropy_reverse),
    (RelativeEntropyPrivacy(reverse=True), None, leakages.relative_entropy_reverse),
)


def check_suprema(release: Release, people: Sequence[Channel]) -> None:
    """Every supremum over these people's channels."""
    for notion, companion, measure in SUPREMA:
        found = enclosure(notion.leakage(release), companion)
        try:
            assert_agrees(found, max(measure(each).value for each in people))
        except AssertionError as error:
            raise AssertionError(f"{notion.kind} {companion or ''}: {error}") from None


def differential(notion: Notion) -> Check:
    def check(release: Release, truth: Truth, tight: bool) -> None:
        assert_agrees(enclosure(notion.leakage(release)), truth.differential())

    return check


def bayesian(notion: Notion) -> Check:
    """Where the reference's brute force is quick; the laws are its own, so that every engine agrees."""

    def check(release: Release, truth: Truth, tight: bool) -> None:
        if truth.few:
            assert_agrees(enclosure(notion.leakage(release)), truth.bayesian.leakage.value)

    return check


def noiseless(notion: NoiselessPrivacy, epsilon: float) -> Check:
    """δ(ε) to whom knows that fraction, and the least ε of that δ, where the reference's brute force is quick."""

    def check(release: Release, truth: Truth, tight: bool) -> None:
        if not (truth.few and truth.summable):
            return
        found = noiseless_delta(release, epsilon, notion.known_fraction)
        assert_agrees(found, truth.noiseless(epsilon, notion.known_fraction), tight)
        least = enclosure(notion.leakage(release))
        for end, sign in ((least.lower, 1), (least.upper, -1)):
            if 0 < end < mp.inf:
                there = truth.noiseless(end * (1 - sign * 1e-15), notion.known_fraction)
                assert sign * (there - notion.delta * (1 - sign * CONVERSION)) >= 0

    return check


def information_given(notion: MutualInformationPrivacy) -> Check:
    """Given the first person's record, where the reference is quick."""

    def check(release: Release, truth: Truth, tight: bool) -> None:
        if truth.few and truth.sums:
            assert_agrees(enclosure(notion.leakage(release)), truth.information_given([0]), tight)

    return check


def identifiability(notion: DifferentialIdentifiability) -> Check:
    """Either way, and the share of the promise."""

    def check(release: Release, truth: Truth, tight: bool) -> None:
        leakage = notion.leakage(release)
        raised, lowered = truth.worst(leakages.information), truth.worst(leakages.lowered)
        assert_agrees(enclosure(leakage, "raised"), raised, tight)
        assert_agrees(enclosure(leakage, "lowered"), lowered, tight)
        factor = -mp.log1p(exact(notion.beta)) / mp.log1p(-exact(notion.alpha))
        assert_agrees(enclosure(leakage), max(raised, factor * lowered), tight)

    return check


def refused(notion: Notion) -> Check:
    """It says nothing of records."""

    def check(release: Release, truth: Truth, tight: bool) -> None:
        with pytest.raises(InputError, match=r"^notion\.kind"):
            notion.leakage(release)

    return check


def average(notion: Notion, measure: Measure) -> Check:
    """A number that is a sum over the outputs."""

    def check(release: Release, truth: Truth, tight: bool) -> None:
        found = enclosure(notion.leakage(release))
        if truth.summable:
            assert_agrees(found, truth.worst(measure), tight)
        else:
            _assert_coarse(found, truth, measure, measure)

    return check


def renyi(notion: Renyi) -> Check:
    """An average too; under Gaussian noise it is refused."""
    known = average(notion, partial(leakages.renyi, alpha=notion.alpha))

    def check(release: Release, truth: Truth, tight: bool) -> None:
        if release.noise.shape.light_tailed:
            with pytest.raises(Meaningless, match=r"^noise\.kind: gaussian"):
                notion.leakage(release)
        else:
            known(release, truth, tight)

    return check


def two_tries(release: Release, truth: Truth, tight: bool) -> None:
    """g-leakage to whom may name two values, or take 0.4 whatever the record is: the same whatever values' order is."""
    least = Enclosure(0.0, 0.0)
    for channel in release.channels():
        notion = GLeakage(gain=[list(row.values()) for row in _tries(channel.secrets)])
        least = largest(least, enclosure(notion.leakage_of(channel)))

    def measure(channel: Channel) -> leakages.Leakage:
        return leakages.expected_gain(channel, _tries(list(channel.laws)))

    if truth.summable:
        assert_agrees(least, truth.worst(measure, "two tries"), tight)
    else:
        _assert_coarse(least, truth, measure, "two tries")


def _tries(secrets: Sequence[Value]) -> list[dict[Value, float]]:
    named = [set(pair) for pair in combinations(secrets, min(2, len(secrets) - 1))]
    return [{s: float(s in pair) for s in secrets} for pair in named] + [dict.fromkeys(secrets, 0.4)]


def delta(notion: Notion, true: TrueDelta, measure: Callable[..., Leakage], epsilon: float) -> Check:
    """The least delta at one epsilon."""

    def check(release: Release, truth: Truth, tight: bool) -> None:
        found = notion.least_delta(release, epsilon)
        assert found is not None
        if truth.summable:
            assert_agrees(found, true(truth, epsilon), tight)
        else:
            _assert_coarse(found, truth, partial(measure, epsilon=epsilon), (measure, epsilon))

    return check


def approximate(notion: Notion, true: TrueDelta, delta: float) -> Check:
    """The least epsilon of a delta: the reference's δ(ε) is above delta before the enclosure, and not after it."""

    def check(release: Release, truth: Truth, tight: bool) -> None:
        if not truth.summable:
            return
        found = enclosure(notion.leakage(release))
        if found.lower > 0 and found.lower < mp.inf:
            before = found.lower * (1 - 1e-15)
            assert true(truth, before) >= delta * (1 - CONVERSION)
        if found.upper < mp.inf:
            assert true(truth, found.upper * (1 + 1e-15)) <= delta * (1 + CONVERSION)
        if tight and found.lower == mp.inf:
            assert true(truth, 600.0) > delta
        elif tight:
            assert found.upper - found.lower <= max(1e-9 * found.upper, 1e-11)

    return check


def _assert_coarse(found: Enclosure, truth: Truth, measure: Measure, key: object) -> None:
    """Laplace noise on several axes, which the reference cannot sum: against ever finer lattices."""
    # Two axes are summed to 1e-8 of a sum that may be all but 1, of which the log is asked.
    assert found.upper - found.lower <= min(1e-2 * found.upper + 1e-9, 1e-5 * found.upper + 2e-8)
    if len({step for each in truth.asked for step in each.steps}) > 1 or truth.axes > 2:
        return
    coarse, fine = truth.refined(measure, 2, key), truth.refined(measure, 4, key)
    assert exact(found.lower) <= fine * (1 + CONVERSION) + QUADRATURE
    # The error of the finer is about a quarter of the coarser's, or half of it where what is summed has kinks and these
    # few cells have not settled: the truth is less than two of the last steps further down.
    assert exact(found.upper) >= fine - 2 * (coarse - fine) * (1 + 1e-6) - QUADRATURE
