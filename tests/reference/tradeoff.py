"""The most powerful test of one secret against another at a rate of false alarms (Neyman and Pearson's lemma).

Outputs are flagged from the largest likelihood ratio down, the last one with the probability that is left.
"""

from itertools import permutations

from tests.reference.channel import Channel, Likelihoods, Real, mp
from tests.reference.joints import Value
from tests.reference.leakages import Leakage


def masses(channel: Channel) -> list[Likelihoods]:
    """The probability of every output given every secret, of noise on points; all outputs beyond an end together, as
    their ratios are those of the end."""
    return [{secret: weight * mass for secret, mass in found.items()} for weight, found in channel.cells]


def power(outputs: list[Likelihoods], secret: Value, against: Value, rate: Real) -> Real:
    """The true positives."""
    pairs = [(each[secret], each[against]) for each in outputs if each[secret] > 0]
    found, left = mp.zero, rate
    for own, other in sorted(pairs, key=lambda pair: mp.inf if pair[1] == 0 else pair[0] / pair[1], reverse=True):
        if other >= left:
            return found + own * left / other if other else found
        found, left = found + own, left - other
    return found


def true_positives(channel: Channel, rate: float) -> Leakage:
    """The largest over ordered pairs of secrets; at least the rate itself."""
    outputs, alarms = masses(channel), mp.mpf(rate)
    found = Leakage(alarms)
    for secret, against in permutations(channel.laws, 2):
        value = power(outputs, secret, against, alarms)
        found = max(found, Leakage(value, secret, against), key=lambda each: each.value)
    return found


def advantage(channel: Channel) -> Leakage:
    """The largest total variation between two secrets."""
    outputs = masses(channel)
    found = Leakage(mp.zero)
    for secret, against in permutations(channel.laws, 2):
        value = mp.fsum(abs(each[secret] - each[against]) for each in outputs) / 2
        found = max(found, Leakage(value, secret, against), key=lambda each: each.value)
    return found


def of_laplace(distance: float, rate: float) -> Real:
    """1 - T(α) of Lap(1) at answers so far apart (Dong, Roth and Su 2022, Proposition A.6)."""
    mu, alpha = mp.mpf(distance), mp.mpf(rate)
    if alpha < mp.exp(-mu) / 2:
        return mp.exp(mu) * alpha
    if alpha <= mp.mpf(1) / 2:
        return 1 - mp.exp(-mu) / (4 * alpha)
    return 1 - mp.exp(-mu) * (1 - alpha)


def of_gaussian(distance: float, rate: float) -> Real:
    """1 - T(α) of N(0, 1) at answers so far apart: Φ(Φ⁻¹(α) + distance)."""
    return mp.ncdf(mp.sqrt(2) * mp.erfinv(2 * mp.mpf(rate) - 1) + mp.mpf(distance))


def gaussian_delta(distance: Real, epsilon: Real) -> Real:
    """δ(ε) of N(0, 1) at answers so far apart (Balle and Wang 2018, Theorem 8)."""
    half, rest = mp.mpf(distance) / 2, mp.mpf(epsilon) / mp.mpf(distance)
    return mp.ncdf(half - rest) - mp.exp(mp.mpf(epsilon)) * mp.ncdf(-half - rest)
