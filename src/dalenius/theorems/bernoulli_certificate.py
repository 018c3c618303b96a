"""Certificates: what a theorem promises about a release without noise, and what it rests on; rounded to the safe side.

The theorem here is about a count of independent bits of equal chance (NP Theorem 1; Result 7.1).
Let B be the count of n bits with Pr[1] = p <= 1/2, q = 1 - p (else count the zeros), p' = min(p, q). Given a bit's
value B is 1 + Bin(n-1, p) or Bin(n-1, p), and the ratio of the two laws at k is kq/(n-k)p. So only the counts above n(p
+ s₁), or below n(p - s₀), are likelier by more than e^ε given one value than given the other, where

    s₀ = pq(e^ε - 1)/(p + qe^ε),    s₁ = pq(e^ε - 1)/(q + pe^ε) = r s₀,  r >= 1,

and the theorem says that δ = 2 exp(-2n s₀²) is enough. The source leaves its proof to an appendix we do not have. Ours,
by Hoeffding's inequality for the n-1 other bits:

* If 2n s₀² <= ln 2 there is nothing to show. It is so for n = 1, for n s₀ < p and for n s₁ < q, as s₀ <= p <= 1/2.
* Few ones: the exponent is 2(ns₀ - p)²/(n-1) >= 2n s₀² - 2(n(2ps₀ - s₀²) - p²)/(n-1) >= 2n s₀² - 2p², and e^{2p²} < 2.
* Many ones: the exponent is 2(ns₁ - q)²/(n-1); with m = n-1 it is to be shown that
  m(s₁² - s₀²) + (q - s₁)²/m >= 2s₁(q - s₁) + s₀² - (ln 2)/2. On the right, 2s₁(q - s₁) <= q²/2 and s₀ <= p, so it is
  negative for 1/4 <= p <= 0.4113; and s₀ <= s₁ <= q makes it at most q² - (ln 2)/2 < 0 for p >= 0.4113. For p < 1/4 use
  m > (ln 2)/2s₀² - 1, so that the left side is at least (r² - 1)((ln 2)/2 - s₀²), and it is enough that
  r((ln 2)/2 + s₀²) >= 2s₀q. That holds as 2s₀q - s₀² grows with s₀ <= p, and 2pq - p² <= 5/16 < (ln 2)/2.

For a thousand fair bits and ε = .2 Theorem 1 has δ = .01393; δ = .01 is kept at ε = .2066.

>>> round(bernoulli_delta(1000, 0.5, 0.2).delta, 5), round(bernoulli_epsilon(1000, 0.5, 0.01).epsilon, 4)
(0.01393, 0.2066)
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, inf, log, log1p, nextafter, sqrt
from typing import Literal, final

from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.noise.error_law import missed


def rounded_up(value: float, roundings: int | float) -> float:
    """Returns at least the truth, where `value` >= 0 is off by that many roundings; never 0 after an underflow."""
    return nextafter(value * (1 + (roundings + 2) * UNIT), inf)


def rounded_down(value: float, roundings: int | float) -> float:
    """Returns at most the truth, where `value` >= 0 is off by that many `roundings`."""
    return max(nextafter(value * (1 - (roundings + 2) * UNIT), -inf), 0.0)


def root_down(square: Fraction) -> float:
    """Returns at most the square root."""
    return rounded_down(sqrt(float(square)), 2)


Events = Literal["all", "intervals"]


@final
@dataclass(frozen=True)
class Certificate:
    """A promise: Pr[answer in S | X_i = a] <= e^epsilon Pr[answer in S | X_i = a'] + delta for every i, a and a'.

    Attributes:
        name: The theorem's name.
        epsilon: ε, in nats.
        delta: δ, a probability.
        events: The sets S it holds for: all of them, or intervals (also half-lines) only.
        hypotheses: The assumptions it rests on, in words.
        source: Where it is stated or proved.
        sound: Whether it holds; a theorem as printed may not, and says so.
    """

    name: str
    epsilon: float
    delta: float
    events: Events
    hypotheses: tuple[str, ...]
    source: str
    sound: bool = True


def informative(certificate: Certificate, key: str, value: object) -> Certificate:
    """Returns the certificate, if its delta is below 1.

    Args:
        certificate: The certificate.
        key: The key that the error names.
        value: The value that the error shows.

    Raises:
        InputError: If the delta is 1 or more.
    """
    # Because publishing everything keeps a δ of 1; there are too few people.
    if certificate.delta >= 1:
        said = f"certificate {certificate.name} has delta {certificate.delta:.4g}, which says nothing"
        raise InputError(key, value, f"more people, or a larger epsilon: {said}")
    return certificate


def checked_epsilon(epsilon: float) -> float:
    """Returns `epsilon`, in nats; InputError unless it is a finite number of at least 0."""
    # Because a spec's inf is read as a number, and promises nothing.
    if not 0 <= epsilon < float("inf"):
        raise InputError("epsilon", epsilon, "a finite number of at least 0")
    return epsilon


def bernoulli_delta(n: int, p: float, epsilon: float) -> Certificate:
    """Returns the certificate δ = 2 exp(-2n p'² ((e^ε - 1)/(e^ε + p'/(1-p')))²) for the count of n bits.

    Args:
        n: How many bits the adversary does not know, the person's own among them.
        p: The probability that a bit is 1.
        epsilon: ε, in nats.

    Raises:
        InputError: If δ is 1 or more.
    """
    delta = bernoulli_formula(n, p, epsilon)
    return informative(Certificate("bernoulli", epsilon, delta, "all", _hypotheses_of(n, p), "NP Thm 1"), "n", n)


def bernoulli_formula(n: int, p: float, epsilon: float) -> float:
    """Returns the δ of `bernoulli_delta` for n, p and epsilon, not capped at 1."""
    rare = _rare(n, p)
    # This is s₀ for p' = `rare`.
    deviation = rare * -expm1(-checked_epsilon(epsilon)) / (1 + exp(-epsilon) * rare / (1 - rare))
    exponent = 2 * n * deviation * deviation
    return rounded_up(2 * exp(-exponent), 8 + 24 * exponent)


def bernoulli_epsilon(n: int, p: float, delta: float) -> Certificate:
    """Returns the certificate ε = ln((p' + s p'/(1-p'))/(p' - s)), s = √(ln(2/δ)/2n), for the count of n bits.

    The source also asks for δ >= Pr[B = 0] + Pr[B = n]; s < p' implies it, both being at most e^{-2np'²}.

    Args:
        n: How many bits the adversary does not know, the person's own among them.
        p: The probability that a bit is 1.
        delta: δ, a probability above 0.

    Raises:
        InputError: If s >= p'.
    """
    # Because a δ of 0 is beyond every theorem here: a count of n says of each person that they have it.
    missed(delta, "delta")
    rare = _rare(n, p)
    deviation = rounded_up(sqrt(log(2 / delta) / (2 * n)), 6)
    # Among a few people, or for a rare illness, there is too seldom a 1 to hide among.
    if deviation >= rare:
        wanted = f"above 2 exp(-2 n p'^2): s = sqrt(ln(2/delta)/2n) = {deviation:.6g} is not below p' = {rare:.6g}"
        raise InputError("delta", delta, wanted)
    lead = deviation / (1 - rare) / (rare - deviation)
    epsilon = log1p(lead) + (8 + 4 * rare / (rare - deviation)) * UNIT * min(lead, 1.0)
    return Certificate("bernoulli", rounded_up(epsilon, 4), delta, "all", _hypotheses_of(n, p), "NP Thm 1")


def _hypotheses_of(n: int, p: float) -> tuple[str, ...]:
    """Returns the theorem's hypotheses, in words."""
    return (
        f"the {n:,} records that the adversary does not know are independent bits, each 1 with probability {p:g}",
        "the adversary knows p and whatever others there are, and nothing else",
        "the exact count is released, once",
    )


def _rare(n: int, p: float) -> float:
    """Returns p' = min(p, 1 - p); InputError for no people, and for a p at which every record is known."""
    # Because True is a number to Python, and no number of people.
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InputError("n", n, "a whole number of at least 1")
    if not 0 < p < 1:
        raise InputError("p", p, "a probability above 0 and below 1")
    return min(p, 1 - p)
