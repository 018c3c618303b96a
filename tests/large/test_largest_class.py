"""The largest class of a long chain's records: what is passed over is no larger, and the answer is that of all."""

from collections.abc import Callable, Iterable
from math import exp, inf, log

import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.channel.answer_window_channel import WindowChannel
from dalenius.channel.large import windowed_records
from dalenius.channel.large.largest_class import AtMost, _chords, divergence_at_most, information_at_most, largest_of
from dalenius.channel.large.windowed_records import WindowedRecords
from dalenius.channel.leakage import Found, worst_of
from tests.large.test_long_windows import CASES, random_long_case

SERVED = ("repelling", "sticky", "four values")
PLACES = [0, 1, *(pytest.param(place, marks=pytest.mark.slow) for place in (2, 3, 4))]


def windowed(release: dl.Release) -> WindowedRecords:
    (found,) = (each for each in release.all_channels() if isinstance(each, WindowedRecords))
    return found


def releases() -> list[dl.Release]:
    named = [dl.Release(dl.Chain(n=2_500, **CASES[name]), dl.Sum(), dl.Laplace(scale=1.16)) for name in SERVED]
    drawn = [random_long_case(seed) for seed in range(2)]
    return named + [dl.Release(chain, dl.Sum(), dl.Laplace(scale=scale)) for chain, scale in drawn]


def of_every_class(
    channels: Iterable[WindowChannel], _: AtMost, read: Callable[[WindowChannel], list[Found]]
) -> list[Found]:
    return [worst_of(every) for every in zip(*(read(each) for each in channels), strict=True)]


@pytest.mark.lengthy
@pytest.mark.parametrize("place", PLACES)
def test_answer_is_that_of_every_class(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    channel = windowed(releases()[place])
    quick = [channel.information(), *channel.divergence()]
    monkeypatch.setattr(windowed_records, "largest_of", of_every_class)
    for found, every in zip(quick, [channel.information(), *channel.divergence()], strict=True):
        assert found.value.lower == every.value.lower > 0
        assert every.value.lower <= found.value.upper <= every.value.upper
        assert found.witness == every.witness


@pytest.mark.parametrize("place", PLACES)
def test_bounds_are_no_less_than_what_they_bound(place: int) -> None:
    # The ends' classes, and some between.
    classes = list(windowed(releases()[place]).each())
    for each in classes[:3] + classes[3:-3:9] + classes[-3:]:
        forward, reverse = each.divergence()
        tops = divergence_at_most(each)
        assert tops[0] >= forward.value.lower
        assert tops[1] >= reverse.value.lower
        assert information_at_most(each)[0] >= each.information().value.lower


def test_bounds_are_close_enough_to_pass_over_most_classes() -> None:
    channel = windowed(releases()[0])
    for at_most, read in (
        (divergence_at_most, lambda each: list(each.divergence())),
        (information_at_most, lambda each: [each.information()]),
    ):
        evaluated: list[WindowChannel] = []

        def noted(each: WindowChannel, read=read, evaluated=evaluated) -> list[Found]:  # type: ignore[no-untyped-def]
            evaluated.append(each)
            return list(read(each))

        largest_of(channel.each(), at_most, noted)
        assert 1 <= len(evaluated) <= 4 < 50 < len(list(channel.each()))


@pytest.mark.lengthy
def test_information_under_gaussian_noise_is_that_of_every_class(monkeypatch: pytest.MonkeyPatch) -> None:
    release = dl.Release(dl.Chain(n=3_000, **CASES["repelling"]), dl.Sum(), dl.Gaussian(scale=12.0))
    notion = dl.notions.MutualInformationPrivacy()
    quick = notion.leakage(release)
    monkeypatch.setattr(windowed_records, "largest_of", of_every_class)
    every = notion.leakage(release)
    assert release.worlds.engines()[0][0] == "window"
    assert (quick.lower, quick.upper) == (every.lower, every.upper)
    assert quick.lower > 0


@given(chance=st.floats(0.001, 0.999), raised=st.floats(0.0, 3.0), share=st.floats(0.0, 1.0))
def test_chords_bound_two_values_and_meet_the_extreme_ones(chance: float, raised: float, share: float) -> None:
    """A bit of this chance that an output multiplies by e^raised, if chances allow: the other value is what is left."""
    up = min(exp(raised), 1 + share * (1 / chance - 1))
    down = (1 - chance * up) / (1 - chance)
    if up <= 1 or down <= 0:
        return
    forward = chance * up * log(up) + (1 - chance) * down * log(down)
    reverse = -chance * log(up) - (1 - chance) * log(down)
    tops = _chords(log(up), -log(down))
    # Both values are at their ends: the chord is the truth.
    assert tops[0] == pytest.approx(forward, rel=1e-6, abs=1e-12)
    assert tops[1] == pytest.approx(reverse, rel=1e-6, abs=1e-12)
    assert tops[0] >= forward - 1e-15
    assert tops[1] >= reverse - 1e-15


def test_certainty_bounds_nothing() -> None:
    assert _chords(0.0, 0.0) == (0.0, 0.0)
    assert _chords(0.3, inf) == (inf, inf)
    assert _chords(inf, 0.3) == (inf, inf)
