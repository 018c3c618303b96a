"""Reports of a sample against every record, every sample and every report: nobody knows how many people are asked."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product as choices

import pytest

from dalenius.channel import Release
from dalenius.models import Households, Sample, Sampled
from dalenius.noise import RandomizedResponse
from dalenius.notions import DifferentialPrivacy, InferentialPrivacy, MutualInformationPrivacy
from dalenius.queries import Count, Histogram, Query, Reports
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.table import worlds_of
from tests.reference import leakages, noises, samples
from tests.reference.channel import Channel, Law
from tests.reference.joints import Value
from tests.reference.reported import channel_of, randomized_response, told

HOMES = Households(count=2, infected=[0.9, 0.04, 0.06])
RATE = Fraction(1, 4)
RESPONSE = randomized_response((0, 1), Fraction(3, 4))


def law(row: Sequence[Value], of_both: bool) -> Law:
    """What goes out: how many reports are 1; of_both: and how many are 0."""
    found: Law = {}
    for who, drawn in samples.by_rates([[person] for person in range(4)], [RATE] * 4).items():
        for reports, chance in told([row[person] for person in who], [RESPONSE] * len(who)):
            ill = Fraction(sum(1 for report in reports if report == 1))
            answer = (len(who) - ill, ill) if of_both else (ill,)
            found[answer] = found.get(answer, Fraction(0)) + drawn * chance
    return found


@pytest.mark.parametrize("query", [Count(), Reports(shuffled=True), Histogram(cells=[[0], [1]])])
def test_against_enumeration(query: Query) -> None:
    (world,) = worlds_of(HOMES)
    laws = {row: law(row, not isinstance(query, Count)) for row in choices((0, 1), repeat=4)}
    release = Release(Sampled(population=HOMES, sample=Sample(rate=0.25)), query, RandomizedResponse(keep=0.75))
    own = channel_of(world.joint, laws, 0)
    assert_agrees(enclosure(InferentialPrivacy().leakage(release)), leakages.inferential(own).value)
    assert_agrees(enclosure(MutualInformationPrivacy().leakage(release)), leakages.mutual_information(own).value)
    changed = ({0: laws[row], 1: laws[(1, *row[1:])]} for row in laws if not row[0])
    half = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    worst = max(leakages.inferential(Channel(half, pair, noises.NONE)).value for pair in changed)
    found = enclosure(DifferentialPrivacy().leakage(release))
    assert found.lower * (1 - 1e-12) <= worst <= found.upper * (1 + 1e-12)
