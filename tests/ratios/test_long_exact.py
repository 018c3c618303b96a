"""Counts of long chains that go out exactly: what they leak, from their ends, against all paths and the whole law."""

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from mpmath import mp

import dalenius as dl
from dalenius.channel import record_channels
from dalenius.ratios import long_channel
from dalenius.ratios.long_channel import LongRecords
from tests.cases import in_turn
from tests.pace import draws
from tests.ratios.test_long_suprema import HALF, SWAP, chains, meet, of, read, release_of, sticky
from tests.reference import long_chain as reference

THIRD = [Fraction(1, 3)] * 3
ONWARD = [[Fraction(1, 2), Fraction(1, 2), Fraction(0)], [Fraction(0), Fraction(1), Fraction(0)], THIRD]


@given(drawn=chains())
@example(drawn=(HALF, [SWAP] * 7, [[0, 1]] * 8))
@example(drawn=(THIRD, [sticky(3, 9)] * 5, [[0, 1, 0]] * 6))
@example(drawn=(THIRD, [sticky(3, 9)] * 4, [[0, 1, 2], [1, 1, 1], [0, 0, 1], [0, 1, 2], [3, 1, 2]]))
@example(drawn=(THIRD, [ONWARD] * 5, [[0, 2, 5]] * 6))
@example(drawn=(HALF, [sticky(2, 99)] * 5, [[0, 1], [1, 1], [0, 2], [3, 3], [0, 1], [1, 1]]))
@draws(100)
def test_what_an_exact_sum_says_lies_between(drawn: Any) -> None:
    ends = of(*drawn)
    outer = ends.exactly()
    assert outer.log_ratios is not None
    for place, laws in enumerate(reference.listed(*drawn)):
        with mp.workdps(30):
            here = reference.told_exactly(laws)
        for one in laws:
            for other in set(laws) - {one}:
                sup, most = here[one, other], outer.most[place, one, other]
                with np.errstate(invalid="ignore"):
                    averages = outer.ends[2:, place, one] - outer.ends[2:, place, other]
                least = max(float(np.max(outer.log_ratios[:, place, one, other])), *averages, -inf)
                assert least - outer.error <= sup <= most
                if ends.order is not None:
                    assert most == sup == inf or most - sup <= 1e-12


@in_turn({"gaussian": [False, True], "name": ["three values", "uneven values", "every step its own", "never back"]})
def test_agrees_with_the_whole_law(name: str, gaussian: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    noise: Any = dl.Gaussian(scale=20.0) if gaussian else dl.NoNoise()
    people = {"people": (1, 7, 20, 40)}
    full = [list(read(each)) for each in release_of(name, 40, noise, **people).all_channels()]
    monkeypatch.setattr(record_channels, "FEW", 0)
    monkeypatch.setattr(long_channel, "LONG", 10)
    monkeypatch.setattr(long_channel, "MOST_FREQUENCIES", 0)
    release = release_of(name, 40, noise, **people)
    (long,) = release.all_channels()
    assert isinstance(long, LongRecords)
    meet(found := list(read(long)), full)
    for value in found:
        assert value.upper == value.lower or value.upper - value.lower <= 1e-9 or name == "three values"
    witness = long.ratio().witness
    assert witness is not None
    assert witness.output is not None
    if not gaussian:
        # The witness's own output rules out what is said.
        (own,) = release_of(name, 40, noise, people=(witness.person,)).channels()
        (update,) = own.at(witness.output).updates
        chances: dict[Any, Any] = {each.value: each.posterior for each in update.values}
        assert chances[witness.secret].lower > 0
        assert chances[witness.against].upper == 0


@pytest.mark.slow
def test_a_count_of_seven_thousand_days() -> None:
    """An all-clear says that every day was clear; what it says of two values that count alike is finite."""
    values = ("none", "some", "much")
    rows = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]]
    model = dl.Chain(n=7000, transition=rows, initial="stationary", values=values)
    count, noise = dl.Count(values=("some",)), dl.NoNoise()
    found = dl.InferentialPrivacy().leakage(dl.Release(model, count, noise))
    assert found.lower == found.upper == inf
    assert found.witness is not None
    assert found.witness.output == (0,)
    log_ratios = dl.Secrets(people=(3500,), pairs=[("none", "much")])
    near = dl.InferentialPrivacy().leakage(dl.Release(model, count, noise, log_ratios))
    assert 0.5205 < near.lower <= 0.5206 <= near.upper < inf  # from above by the range of the messages
