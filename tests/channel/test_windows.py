"""Averages over the outputs of a long sum, from its law on a window (Results 20.10 to 20.16)."""

from collections.abc import Callable
from typing import Any

import pytest

from dalenius import Count, Geometric, Households, Laplace, Release
from dalenius.bounds import Enclosure
from dalenius.channel import Channel
from dalenius.channel.answer_window_channel import WindowChannel
from dalenius.errors import TooLarge
from dalenius.noise import Noise
from dalenius.notions import MinEntropyPrivacy

INFECTED = (0.9, 0.04, 0.0, 0.0, 0.06)

NOISES = (Geometric(scale=0.7), pytest.param(Laplace(scale=3.0), marks=pytest.mark.slow))


def min_entropy(channel: Channel) -> Enclosure:
    found = MinEntropyPrivacy().leakage_of(channel)
    return Enclosure(found.lower, found.upper)


READ: dict[str, Callable[[Channel], Enclosure]] = {
    "information": lambda channel: channel.information().value,
    "min_entropy": min_entropy,
    "total variation": lambda channel: channel.least_delta("ratio", 0.0),
    "profile": lambda channel: channel.least_delta("ratio", 0.05),
    "raising": lambda channel: channel.least_delta("raised", 0.02),
    "ratio_at": lambda channel: channel.least_epsilon("ratio", 1e-5).value,
    "raised_at": lambda channel: channel.least_epsilon("raised", 1e-3).value,
    "lowered_at": lambda channel: channel.least_epsilon("lowered", 1e-3).value,
    "chance": lambda channel: channel.tail().law.chance(0.02),
    "quantile": lambda channel: channel.tail().law.quantile(1e-4),
    "mean": lambda channel: channel.tail().law.mean(),
    "maximal_leakage": lambda channel: channel.tail().maximal_leakage,
    "divergence_at": lambda channel: channel.tail("divergence").law.quantile(0.01),
}


def one(noise: Noise, homes: int, engine: str | None, infected: tuple[float, ...] = INFECTED) -> Channel:
    (channel,) = Release(Households(count=homes, infected=infected), Count(), noise, engine=engine).all_channels()
    return channel


def overlap(found: Enclosure, wanted: Enclosure) -> bool:
    return found.lower <= wanted.upper and wanted.lower <= found.upper


@pytest.mark.parametrize("noise", NOISES)
def test_the_window_says_what_the_whole_law_does(noise: Noise) -> None:
    window, whole = one(noise, 1500, "window"), one(noise, 1500, "tilting")
    assert isinstance(window, WindowChannel)
    for name, read in READ.items():
        found, wanted = read(window), read(whole)
        assert overlap(found, wanted), name
        assert found.upper - found.lower <= 1e-8 * (1e-3 + found.upper) + (wanted.upper - wanted.lower), name


@pytest.mark.slow
def test_three_hundred_million_people() -> None:
    (channel,) = Release(Households(count=75_000_000, infected=INFECTED), Count(), Laplace(scale=1.0)).all_channels()
    value = channel.information().value
    assert 5.898e-9 < value.lower <= value.upper < 5.9e-9
    assert value.upper - value.lower < 1e-5 * value.upper
    assert channel.ratio().value.lower == pytest.approx(3.80017, abs=1e-5)
    least = channel.least_epsilon("ratio", 1e-6).value
    assert 0.0010 < least.lower <= least.upper < 0.0011
    assert least.upper - least.lower < 1e-6 * least.upper
    window = channel.finite("information")
    assert isinstance(window, WindowChannel)
    assert window.window().law.box[0] <= 14 * 3e8**0.5
    assert max(window.window().lost) < 1e-38


def test_nothing_takes_a_window_for_a_law() -> None:
    channel: Any = one(Laplace(scale=3.0), 2500, "window")
    for name in ("likelihood", "relative", "possible", "outputs"):
        with pytest.raises(TooLarge, match="the law of the answer: all that is outside a window is too large"):
            getattr(channel, name)
