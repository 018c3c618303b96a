"""The posterior of a secret with finitely many values, by Bayes' rule on the likelihoods at one output.

An error e of every log W(y|s) moves the log-odds of a value by at most 2e, so that its posterior p lies between p/(p
+ (1 - p) e^{2e}) and p/(p + (1 - p) e^{-2e}).

An ill person with .1, and an output that is one nat likelier given an ill one: ill with .231969 after it.

>>> ill, well = updated(("ill", "well"), np.log([0.1, 0.9]), np.array([0.0, -1.0]), 0.0)
>>> f"{ill.posterior.middle:.6f} {well.posterior.middle:.6f}"
'0.231969 0.768031'
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import exp, inf
from typing import NoReturn, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, ZERO, Enclosure, around
from dalenius.channel.channel import ChannelAtOutput, Update, Updated
from dalenius.channel.leakage import peak
from dalenius.channel.likelihoods import Likelihoods, with_class_error
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.joints import Subject
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.law import Law, Window
from dalenius.laws.leakage_of_one_output import Gain
from dalenius.laws.leakage_tail import probability
from dalenius.noise import Answer, Mechanism


@final
class FinitePosterior(ChannelAtOutput):
    """A channel at one output, of a secret with finitely many values.

    InputError for an output that cannot occur, TooLarge for one of which the window says too little.

    Args:
        channel: The likelihoods of every output, and the subject's prior.
        output: The released answer, a number or name for each coordinate.
        window: The known part of the likelihoods; None where all are known.
    """

    def __init__(self, channel: Likelihoods, output: Sequence[Answer], window: Window | None = None) -> None:
        self._channel = channel
        self._output = [output[axis] for axis in channel.axes]
        self._complete = window is None
        known = channel.likelihood if window is None else window.law
        law = _at(channel, known, self._output, len(output))
        # Because each output on a line has an error of its own, without that of the secrets' probabilities.
        law = law if known.line is None else with_class_error(law, channel.subject)
        # Because only the answers near the mean of a sum over 10^6 people have a law: those outside could have made the
        # output too.
        law = law if window is None else _with_rest(law, window, channel.mechanism)
        self.axes = channel.axes
        self.updates = (update(channel.subject, channel.pairs, law),)
        self.likelihood = mixture(channel.log_prior, law)

    def exceeded(self, update: Update, level: float) -> Enclosure | None:
        return probability(self._channel.tail_of(Gain(self._channel.log_prior)).log_at_least(level))

    def sides(self) -> Sequence[Sides | None]:
        return self._sides if self._complete else (None,) * len(self._output)

    @cached_property
    def _sides(self) -> tuple[Sides | None, ...]:
        channel = self._channel
        return channel.mechanism.sides(channel.likelihood, self._output, channel.log_prior)


def _at(channel: Likelihoods, known: Law, output: Sequence[Answer], axes: int) -> Law:
    """Returns the law at the output. InputError names its coordinates where there are others, `axes` in all."""
    try:
        return channel.mechanism.at(known, output)
    except InputError as error:
        # The case of an impossible coordinate of a histogram: the message names its labels.
        if error.key != "answers" or len(output) == axes or not all(channel.names):
            raise
        raise InputError(error.key, error.value, f"for {', '.join(channel.names)} {error.wanted}") from None


def beyond_window() -> NoReturn:
    """Raises TooLarge for an output outside the window."""
    raise TooLarge("the law of the answer", "all that is outside a window", "ask about fewer people")


def _with_rest(law: Law, window: Window, mechanism: Mechanism) -> Law:
    """Returns the law at one output, with the answers outside the window.

    These have `lost` at most, and noise gives one output at most all of it, or so much per scale.
    """
    shape = mechanism.shape
    # The case of copies of one answer: the density of all their outputs together has no known bound.
    if not (shape.exponential or shape.gaussian or shape.adds_nothing):
        beyond_window()
    # Because a density may be above 1 where the scale is small: then per unit of the scale.
    densest = 1.0 if shape.adds_nothing else max(1.0, 1 / mechanism.noise.known_scale())
    inside = law.log_mass()[:, 0] - law.error
    with np.errstate(divide="ignore"):
        doubt = float(np.max(np.logaddexp(0.0, np.log(np.array(window.lost) * densest) - inside)))
    # The case of an output far out in the tail: most answers that could have made it lie outside the window.
    # Because the mass outside a window may add 1e-9 nats to a likelihood, and no more.
    if not doubt <= 1e-9:
        beyond_window()
    return replace(law, error=law.error + doubt)


def update(subject: Subject, pairs: Sequence[tuple[int, int]] | None, law: Law) -> Update:
    """Returns the update of one `subject` at an output, whose `law` has the likelihoods.

    `pairs` are the values, as indices, that must not be distinguished; None for all.
    """
    logs = law.relative[:, 0]
    values = updated(subject.secrets, subject.log_prior, logs, law.error)
    error = _rounded(subject.log_prior, logs, law.error)
    leaks, raised = ZERO, None
    # Because a record that is certain has no other value to be told from.
    if len(logs) > 1:
        gain = logs - np.logaddexp.reduce(subject.log_prior + logs) if np.max(logs) > -inf else logs
        leaks, (place,) = peak(gain, gain > -inf, error)
        raised = subject.secrets[place]
    odds = _odds_ratio(logs, pairs, error)
    return Update(subject.person, subject.people, subject.who, subject.what, values, leaks, raised, odds)


def updated(secrets: Sequence[RecordValue], log_prior: Array, logs: Array, error: float) -> tuple[Updated, ...]:
    """Returns every value's prior and posterior.

    Args:
        secrets: The secret's possible values (secrets,).
        log_prior: Their log-probabilities (secrets,).
        logs: The logs of their likelihoods (secrets,), up to a common term.
        error: How far each of the logs may be off, in nats.
    """
    joint = log_prior + logs
    nobody = np.full(1, -inf)
    before = np.concatenate([nobody, np.logaddexp.accumulate(joint)[:-1]])
    after = np.concatenate([np.logaddexp.accumulate(joint[::-1])[-2::-1], nobody])
    # Because the rest would be lost next to a likely value, this is no difference from the sum.
    others = np.logaddexp(before, after)
    moved = _rounded(log_prior, logs, error)
    return tuple(
        Updated(value, exp(prior), _share(own, rest, moved))
        for value, prior, own, rest in zip(secrets, log_prior.tolist(), joint.tolist(), others.tolist(), strict=True)
    )


def _odds_ratio(logs: Array, pairs: Sequence[tuple[int, int]] | None, error: float) -> Enclosure:
    """Returns the largest difference of two of the logs, over those pairs; none where neither value is possible."""
    if pairs is None:
        return _log_ratio(float(np.max(logs)), float(np.min(logs)), error) if len(logs) > 1 else ZERO
    found = [ZERO]
    for one, other in pairs:
        high, low = sorted((float(logs[one]), float(logs[other])), reverse=True)
        found.append(_log_ratio(high, low, error))
    return Enclosure(max(each.lower for each in found), max(each.upper for each in found))


def mixture(log_prior: Array, law: Law) -> Enclosure:
    """Encloses log W(y) from `log_prior` (secrets,) and the `law` at the output."""
    logs = law.relative[:, 0]
    # The case of an output that nothing made for certain, or of unresolved mass: any probability up to 1.
    if not np.max(logs) > -inf or law.error == inf:
        return Enclosure(-inf, 0.0)
    value = float(law.base[0]) + float(np.logaddexp.reduce(log_prior + logs))
    return around(value, _rounded(log_prior, logs, law.error) + 512 * (1 + abs(float(law.base[0]))) * UNIT)


def _log_ratio(high: float, low: float, error: float) -> Enclosure:
    """Encloses high - low ± error, at least 0; 0 for two impossible values."""
    if error == inf:
        return Enclosure(0.0, inf)
    return ZERO if high == -inf else around(high - low, error).clipped(0.0)


def _rounded(log_prior: Array, logs: Array, error: float) -> float:
    """Returns the error of a difference of two logs of joint probabilities."""
    joint = log_prior + logs
    deepest = float(np.max(np.abs(joint), where=np.isfinite(joint), initial=0.0))
    return 2 * error + (16 + len(logs) + 8 * deepest) * UNIT


def _share(own: float, rest: float, error: float) -> Enclosure:
    """Encloses the probability e^own / (e^own + e^rest), both ends within [0, 1].

    An impossible value is so whatever the error.
    """
    if error == inf:
        return Enclosure(0.0, 1.0)
    # Because impossible is structural: a value that cannot have led here stays at 0, whatever roundings say.
    if own == -inf or rest == -inf:
        certain = float(own > -inf)
        return Enclosure(certain, certain)
    low, high = (_logistic(own - rest + side * error) for side in (-1, 1))
    return Enclosure(low * (1 - 8 * UNIT), min(high * (1 + 8 * UNIT) + 5e-324, 1.0))


def _logistic(odds: float) -> float:
    """Returns 1/(1 + e^-odds), without overflow on either side."""
    if odds < 0:
        grown = exp(odds)
        return grown / (1 + grown)
    return 1 / (1 + exp(-odds))
