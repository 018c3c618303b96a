"""Numbers that are read from the likelihoods of a channel: ratios, divergences, information, gains of a guess.

One record under Laplace noise of scale 1 has log-ratio 1. A guess after the output is right e^0.331797 times as often
as before (`maximal_leakage`). r - 1 - log r at r = e is e - 2:

>>> round(float(backwards(np.array([1.0]))[0]), 6)
0.718282
"""

from math import factorial, inf, isfinite, log

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import NO_LEAK, Divergence, Found, Largest, Movement, pair_at, peak
from dalenius.channel.likelihoods import Likelihoods
from dalenius.channel.loss_of_drawn_record import neighbour_loss
from dalenius.laws.integrals.convex_functionals import (
    Information,
    Vulnerability,
    mean_excess,
    weighted_parts,
)
from dalenius.laws.integrals.privacy_profile import FAINTEST_LOG
from dalenius.laws.law import both_ways


def neighbours(channel: Likelihoods) -> Found:
    """Returns the log-ratio of data sets that differ in the `channel`'s record, in nats; ∞ for several."""
    value = neighbour_loss(channel.mechanism, channel.spread)
    most, least = channel.spread.values
    return Found(value, channel.witness(secret=most, against=least))


def ratio(channel: Likelihoods) -> Found:
    """Returns the largest log W(y|s)/W(y|s') of the `channel`, in nats, with the first pair that may attain it.

    It is over the pairs that must not be distinguished.
    """
    logs = channel.relative
    # The case of a known record, or of one whose values no pair of the spec has.
    if len(channel.secrets) < 2 or channel.pairs == ():
        return NO_LEAK
    # The usual case: every pair counts, and the most and least likely value at each output are enough.
    if channel.pairs is None:
        shown = np.where(channel.possible, np.max(logs, axis=0), 0.0) - np.min(logs, axis=0)
        value, _ = peak(shown, channel.possible, 2 * channel.error)
        return _with_witness(channel, value, *pair_at(logs, channel.possible, channel.error, value.lower))
    found = Largest[tuple[int, int, int]]()
    for secret, against in ordered_pairs(channel):
        # Because an output that rules both out does not tell which it was.
        either = np.maximum(logs[secret], logs[against]) > -inf
        with np.errstate(invalid="ignore"):
            value, (output,) = peak(logs[secret] - logs[against], either, 2 * channel.error)
        found.add(value, (secret, against, output))
    return NO_LEAK if found.first is None else _with_witness(channel, Enclosure(found.lower, found.upper), *found.first)


def _with_witness(channel: Likelihoods, value: Enclosure, secret: int, against: int, output: int) -> Found:
    where = {"secret": channel.secrets[secret], "against": channel.secrets[against], "output": channel.output(output)}
    return Found(value, channel.witness(**where))


def ordered_pairs(channel: Likelihoods) -> list[tuple[int, int]]:
    """Returns the pairs that must not be distinguished, both ways, by places of the `channel`'s secrets.

    Their order, that of the secrets, decides between pairs that leak equally. All pairs where the spec names none.
    """
    return sorted(set(both_ways(channel.pairs, len(channel.secrets))))


def movement(channel: Likelihoods, lowering: float) -> Movement:
    """Returns how far the output of the `channel` moves the chance of a value, up and down, in nats.

    `lowering` is the factor of the fall in `Movement.most`.
    """
    if len(channel.secrets) < 2:
        return Movement(NO_LEAK, NO_LEAK, NO_LEAK)
    gain = channel.relative - channel.mixture  # IP eq. 9
    up, at_up = peak(gain, channel.possible, 2 * channel.error)
    down, at_down = peak(np.where(channel.possible, -gain, -np.inf), channel.possible, 2 * channel.error)
    sides = [
        Found(value, channel.witness(secret=channel.secrets[secret], output=channel.output(output)))
        for value, (secret, output) in ((up, at_up), (down, at_down))
    ]
    return Movement.of(sides[0], sides[1], lowering)


def divergence(channel: Likelihoods) -> Divergence:
    """Returns the largest D(S | Y=y ‖ S) of the `channel` and its reverse over the outputs, in nats."""
    if len(channel.secrets) < 2:
        return Divergence(NO_LEAK, NO_LEAK)
    gain = np.where(channel.possible, channel.relative - channel.mixture, 0.0)
    # So that terms have one sign: with r = posterior/prior of mean 1, D = E[r log r] = E[r log r - r + 1] and its
    # reverse E[r - 1 - log r]. An error e of every log W moves log r by at most 2e.
    forward, size = mean_excess(channel.log_prior, gain)
    backward, changed = _mean_backwards(channel.log_prior, gain)
    moved = 2 * channel.error if isfinite(channel.error) else 0.0
    error = 1.01 * moved * size + 4 * moved**2 + 512 * UNIT * forward
    value, (output,) = peak(forward, channel.possible, error + _unresolved(channel))
    finite = np.where(np.isfinite(backward), backward, 0.0)
    slack = 1.01 * moved * changed + 4 * moved**2 + 512 * UNIT * finite
    reverse, (back,) = peak(backward, channel.possible, slack + _unresolved(channel))
    return Divergence(
        Found(value, channel.witness(output=channel.output(output))),
        Found(reverse, channel.witness(output=channel.output(back))),
    )


def _mean_backwards(log_prior: Array, gain: Array) -> tuple[Array, Array]:
    """Returns E[r - 1 - log r] and E|r - 1| for r = e^gain (secrets, outputs), the first infinite where some r is 0.

    A ratio that may overflow is taken together with its secret's probability.
    """
    near, posterior, prior = weighted_parts(log_prior, gain)
    with np.errstate(invalid="ignore"):
        found = prior @ np.where(near == -inf, 0.0, backwards(near))
    changed = prior @ np.abs(np.exp(near) - 1)
    # The case of a value of prior e^-700 that an output makes likely: ratio times prior, as neither alone is a double.
    if posterior.any():
        rest = np.where(posterior > 0, gain, 0.0)
        found = found + posterior.sum(axis=0) - prior @ (rest + (posterior > 0))
        changed = changed + posterior.sum(axis=0) + prior @ (posterior > 0)
    return np.where((gain == -inf).any(axis=0), inf, found), changed


def backwards(gain: Array) -> Array:
    """Returns r - 1 - log r for r = e^gain, to a relative 256 · 2^-53 everywhere; infinite at r = 0."""
    # Because the difference would lose its digits near 0, which sums over many outputs need.
    small = np.abs(gain) < 0.3
    x = np.where(small, gain, 0.0)
    series = x**2 * np.polynomial.polynomial.polyval(x, [1 / factorial(k) for k in range(2, 16)])
    return np.where(small, series, np.expm1(gain) - gain)


def _unresolved(channel: Likelihoods) -> float:
    return 0.0 if isfinite(channel.error) else inf


def information(channel: Likelihoods) -> Found:
    """Encloses I(S; Y) of the `channel` in nats: an average over outputs, finite even if a ratio is infinite."""
    if len(channel.secrets) < 2:
        return NO_LEAK
    value = channel.integral(Information(channel.log_prior))
    # Because sums in doubles do not resolve secrets of a prior below e^-690: all they add to the entropy is less.
    lost = 1e-290 if float(np.min(channel.log_prior)) < FAINTEST_LOG else 0.0
    return Found(Enclosure(max(0.0, value.lower - lost), value.upper + lost), channel.witness())


def maximal_leakage(channel: Likelihoods) -> Enclosure:
    """Encloses the log of the sum over y of max_s W(y|s) of the `channel`, in nats.

    It is of the best guess of a uniform secret, and at most the log of the number of secrets.
    """
    count = len(channel.secrets)
    if count < 2:
        return NO_LEAK.value
    # Because a difference of laws below 1e-9 nats is negligible.
    if (widest := _widest(channel)) < 1e-9:
        return Enclosure(0.0, widest)
    return uniform_gain(channel)


def uniform_gain(channel: Likelihoods) -> Enclosure:
    """Encloses the maximal leakage of a `channel` with two or more secrets that are not all alike."""
    count = len(channel.secrets)
    right = channel.integral(Vulnerability(np.full(count, -log(count))))
    rounding = 32 * UNIT * (1 + log(count))
    lower = log(right.lower) + log(count) - rounding if right.lower > 0 else 0.0
    upper = log(min(right.upper, 1.0)) + log(count) + rounding
    return Enclosure(max(lower, 0.0), min(max(upper, 0.0), log(count) + rounding))


def _widest(channel: Likelihoods) -> float:
    """Bounds log W(y|s)/W(y|s') over all outputs and secrets."""
    line = channel.likelihood.line
    law = channel.likelihood if line is None else channel.seeing(line.hull).likelihood
    logs = law.relative.reshape(law.secrets, -1)
    logs = logs[:, np.max(logs, axis=0) > -inf]
    unresolved = inf if law.floor is not None else law.error
    return float(np.max(np.max(logs, axis=0) - np.min(logs, axis=0))) + 2 * unresolved


def suspected(channel: Likelihoods) -> Found:
    """Returns -log(1 - the largest posterior) of the `channel`, in nats.

    For an absent person, who may be one of many alike, it is by the subject's `guesses` and `others`.
    """
    guesses = channel.log_prior if channel.subject.guesses is None else channel.subject.guesses
    weighed = channel.log_prior[:, None] + channel.relative
    # Because the rest of the class may be lost to cancellation next to a likely person, this is no difference.
    rest = np.full(len(guesses), -np.inf) if channel.subject.others is None else channel.subject.others
    # The posterior weight of everybody else has the classes before, those after, and the rest of the same class.
    nobody = np.full((1, weighed.shape[1]), -np.inf)
    before = np.concatenate([nobody, np.logaddexp.accumulate(weighed, axis=0)[:-1]])
    after = np.concatenate([np.logaddexp.accumulate(weighed[::-1], axis=0)[-2::-1], nobody])
    others = np.logaddexp(np.logaddexp(before, after), rest[:, None] + channel.relative)
    own = guesses[:, None] + channel.relative
    with np.errstate(invalid="ignore"):
        nats = np.where(own > -np.inf, np.logaddexp(0.0, own - others), 0.0)
    deepest = float(np.max(np.abs(weighed), where=np.isfinite(weighed), initial=0.0))
    error = 2 * channel.error + (8 + len(weighed)) * (2 + deepest) * UNIT
    value, (secret, output) = peak(nats, channel.possible, error)
    return Found(value, channel.witness(secret=channel.secrets[secret], output=channel.output(output)))
