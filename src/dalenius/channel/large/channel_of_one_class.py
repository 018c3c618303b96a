"""The channel of one class of records or nodes that are alike, read from windows of the law of the sum."""

from collections.abc import Callable
from functools import cache
from typing import NoReturn

from dalenius.channel.answer_window_channel import WindowChannel
from dalenius.channel.channel import Channel
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.channel.sensitivity import Spread
from dalenius.errors import TooLarge
from dalenius.joints import Subject
from dalenius.laws.law import Law, Window
from dalenius.noise import Mechanism


def channel_of_one_class(
    subject: Subject,
    mechanism: Mechanism,
    spread: Spread,
    names: tuple[str, ...],
    pairs: tuple[tuple[int, int], ...] | None,
    law: Callable[[], Law] | None,
    window: Callable[[], Window],
    bounded: Callable[[], Channel],
) -> WindowChannel:
    """Makes the channel of a class of records.

    Args:
        subject: The class, by the record that stands for it.
        mechanism: The noise on the sum's lattice.
        spread: How far one record can move the sum.
        names: The name of the sum.
        pairs: The pairs of secrets that must not be told apart, as indices; None for all.
        law: Makes the likelihoods of all outputs; None where the noise has none, as Gaussian noise.
        window: Makes the law of the sum about its mean.
        bounded: Makes the channel that bounds the suprema, which is asked where `law` is None.
    """
    once = cache(window)
    if law is None:
        return WindowChannel(
            subject,
            _no_law,
            mechanism,
            spread,
            names,
            pairs,
            window=once,
            own_group=bounded(),
            everybody=None,
            whole=_no_law,
        )
    wide = FiniteChannel(subject, law, mechanism, spread, names, pairs)
    return WindowChannel(
        subject,
        lambda: wide.likelihood,
        mechanism,
        spread,
        names,
        pairs,
        window=once,
        own_group=wide,
        everybody=lambda: wide,
        whole=lambda: wide,
    )


def _no_law() -> NoReturn:
    raise TooLarge("the laws of the answer", "all answers of so many records", "use laplace or geometric noise")
