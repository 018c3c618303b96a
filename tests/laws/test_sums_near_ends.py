"""The sums that can occur near both ends, against listing all of them; and the suprema that rest on them."""

from itertools import combinations_with_replacement
from math import inf, log

import numpy as np
import pytest

import dalenius as dl
from dalenius.laws.sums_near_ends import NearEnds, SumsNearEnds


def _group(transform: SumsNearEnds, counts: list[list[int]]) -> NearEnds:
    return transform.mean(np.zeros(len(counts)), np.arange(len(counts[0])), np.array(counts))


def _numbers(found: NearEnds) -> list[int]:
    points = np.arange(found.low - 3, found.high + 4)
    return [int(each) for each in points[found.holds(points)]]


@pytest.mark.parametrize("scores", [[0, 1, 4], [0, 3, 5], [0, 6, 9, 20], [-2, 1, 7]])
@pytest.mark.parametrize("times", [0, 1, 2, 6])
def test_sums_are_those_that_choices_make(scores: list[int], times: int) -> None:
    transform = SumsNearEnds(np.array(scores))
    group = _group(transform, np.eye(len(scores), dtype=int).tolist())
    found = transform.product([group, group], [times, 1])
    wanted = {sum(chosen) for chosen in combinations_with_replacement(scores, times + 1)}
    assert _numbers(found) == sorted(wanted)


def test_of_very_many_no_gap_is_beyond_the_known_one() -> None:
    """Sums of 6, 9 and 20 miss 43, and nothing above; from the greatest sum down the steps are 11, 14 and 20."""
    transform = SumsNearEnds(np.array([0, 6, 9, 20]))
    found = transform.product([_group(transform, np.eye(4, dtype=int).tolist())], [5_000])
    gaps = {*range(found.low, found.high + 1)} - {*_numbers(found)}
    assert max(gap for gap in gaps if gap < 50_000) == 43
    downwards = {0}
    for _ in range(40):
        downwards |= {each + step for each in downwards for step in (11, 14, 20) if each + step < 400}
    assert {found.high - gap for gap in gaps if gap > 50_000} == {*range(400)} - downwards


def test_mixtures_have_the_sums_of_all_their_parts() -> None:
    transform = SumsNearEnds(np.array([0, 3, 5, 700]))
    one, other, far = (transform.mean(np.zeros(1), np.array([0, 1, 2, 3]), np.array([row])) for row in _ROWS)
    mixed = transform.mix(np.zeros(2), [one, other])
    assert _numbers(mixed) == [3, 10]
    assert _numbers(transform.mix(np.array([0.0, -inf]), [one, other])) == [3]
    assert {3, 700} <= set(_numbers(transform.mix(np.zeros(2), [one, far])))


_ROWS = ([0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1])


INFECTED = [0.9, 0.04, 0.0, 0.0, 0.06]


def test_gaps_near_the_ends_leave_suprema_known() -> None:
    """5,000 households: 19,999 and 19,998 cannot be ill, so that a well member rules the rounded maximum out."""
    homes = dl.Households(count=5_000, infected=INFECTED)
    for rule, output in ((dl.Rounding(base=3), 20001.0), (dl.Rounding(base=5, how="nearest"), 20000.0)):
        release = dl.Release(homes, dl.Count(), rule)
        found = dl.InferentialPrivacy().leakage(release)
        assert found.lower == inf
        assert found.witness is not None
        assert found.witness.output == (output,)
        raised = dl.InformationPrivacy().leakage(release)
        assert raised.upper - raised.lower < 1e-9
        assert raised.upper == pytest.approx(-log(0.07), abs=1e-9)
        known = dl.RelativeEntropyPrivacy().leakage(release)
        assert known.upper - known.lower < 1e-8


def test_the_largest_count_under_random_rounding_to_five() -> None:
    """It is 20,000 from 19,996, 19,997 or 20,000: the sum over which households are not wholly ill."""
    others, all_ill = 4_999, 0.06
    ill = 0.06 / 0.07 + 0.4 * (0.01 / 0.07 + 0.06 / 0.07 * others * 0.04 / all_ill)
    ill += 0.2 * 0.06 / 0.07 * others * 0.9 / all_ill
    well = 0.4 * 0.03 / 0.93 + 0.2 * 0.9 / 0.93
    release = dl.Release(dl.Households(count=5_000, infected=INFECTED), dl.Count(), dl.Rounding(base=5))
    found = dl.InferentialPrivacy().leakage(release)
    assert found.lower <= log(ill / well) <= found.upper
    assert found.upper - found.lower < 1e-8
