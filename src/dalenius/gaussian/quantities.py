"""The quantities of one Gaussian record's channel, in closed form or by one integral (Result 10.1, 10.3).

The secrets are the values of the given pairs, else the ends of `bounds`, else all real numbers; the prior is the whole
Gaussian law in any case. Over all real numbers every log-ratio is unbounded, unless c = 0.

With L = Σ|c_j|/b, Laplace noise of scale b: l(s) = log W(y|s) is concave in s and changes by at most L per unit for any
y, as the noise's log-density does; and l(s) - l(s') tends to ±L(s - s') as every answer goes to ±∞ with the sign of its
c_j, with any residual variance. Hence, exactly and for any number of answers,

* inferential: L|s - s'|;
* relative entropy: both ways L² Var(X_i)/2. The prior is Gaussian, so D(S|y ‖ S) <= Var(X_i)/2 · E[l'(S)² | y] (Gross
  1975), and the posterior is more log-concave than it, so D(S ‖ S|y) <= Var(X_i)/2 · E[l'(S)²] (Bakry and Émery 1985);
  a linear l attains both;
* log W(y)/W(y|s): L|s - μ| + L² Var(X_i)/2, a tangent of l at s being above it.

With Gaussian noise or none everything depends on the explained share ρ² of the record's variance only. The posterior's
mean has no bound, so pure-ε inferential privacy, relative entropy and the two-sided information are infinite.

Two records have variance 1, covariance ½ and values between -2 and 2. Their sum has Laplace noise of scale 3. One unit
of a record moves the sum by c = 3/2, so L = ½. The sum leaks 2 nats inferentially, .125 of relative entropy, .876 of
information.

The file also has the hockey-stick divergences between the answers given two secrets. Profiles from the prior have a
formula too (Result 10.4), which nothing uses.

Under Laplace noise they are bounded: between two values by those of the noise alone, as the answer's own variance is
independent of it and only post-processes, else by the largest log-ratio.

Two normal answers one deviation apart: δ(0) = .383 and δ(1) = .127.

>>> [round(of_gaussian(1.0, epsilon).upper, 3) for epsilon in (0.0, 1.0)]
[0.383, 0.127]
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import exp, expm1, inf, log, log1p, sqrt
from typing import Final, TypeAlias

from dalenius.bisection import least_epsilon
from dalenius.bounds import UNIT, Enclosure, around
from dalenius.channel.leakage import Found, Witness, delta_of_log_ratio
from dalenius.gaussian.channel_of_one_record import GaussianRecord, dot, inverse_of
from dalenius.gaussian.density import highest_log_ratio
from dalenius.gaussian.noisy_entropy import noisy_entropy
from dalenius.special_functions import log_ndtr, ndtri

UNBOUNDED: Final = Enclosure(inf, inf)
NO_LOSS: Final = Found(Enclosure(0.0, 0.0))


def record_neighbours(record: GaussianRecord) -> Found:
    """Finds the differential loss in nats: another value of its range replaces the record, others stay as they are."""
    # A query may leave a colleague out, though the answers say something about their record.
    if not any(record.weights):
        return NO_LOSS
    if record.bounds is None:  # any real number may replace the record
        return Found(UNBOUNDED, witness_of(record))
    low, high = record.bounds
    loss = record.noise.privacy_loss([abs(weight) * (high - low) for weight in record.weights])
    return at_least_0(around(loss, 4 * UNIT * loss), witness_of(record, secret=float(high), against=float(low)))


def record_ratio(record: GaussianRecord) -> Found:
    """Finds the largest log-ratio of the output's likelihoods given two secrets of `record`, in nats.

    It is L|s - s'| under Laplace noise, and infinite under other noise.
    """
    if single(record):
        return NO_LOSS
    if record.widest is None:
        return Found(UNBOUNDED, witness_of(record))
    secret, against = record.widest
    pair = float(secret), float(against)
    if not record.is_laplace:
        return Found(UNBOUNDED, witness_of(record, *pair))
    loss = float(_rate(record) * abs(secret - against))
    return at_least_0(around(loss, 2 * UNIT * loss), witness_of(record, *pair, output=_end(record, secret - against)))


def record_raise(record: GaussianRecord) -> Found:
    """Finds the largest log W(y|s)/W(y) of `record`, in nats; exact for one answer (Result 10.2), else bounded."""
    secret = record.farthest
    if secret is None:
        return Found(UNBOUNDED, witness_of(record))
    deviation = secret - record.mean
    if not record.is_laplace:
        value, output = _pinned(record, deviation)
    elif len(record.shift) == 1:
        value, output = _raised(record, deviation)
    else:
        value, output = _raised_by_several(record, deviation), None
    return at_least_0(value, witness_of(record, secret=float(secret), output=output))


def record_lowering(record: GaussianRecord) -> Found:
    """Finds the largest log W(y)/W(y|s) of `record`, in nats."""
    if record.farthest is None or not record.is_laplace:
        return Found(UNBOUNDED, witness_of(record))
    steepest = _rate(record)
    value = float(steepest * abs(record.farthest - record.mean) + steepest**2 * record.variance / 2)
    return at_least_0(around(value, 4 * UNIT * value), witness_of(record, secret=float(record.farthest)))


def _pinned(record: GaussianRecord, deviation: Fraction) -> tuple[Enclosure, tuple[float, ...] | None]:
    """Returns, for Gaussian noise, (s - μ)²/2Var(X_i) + ½ log 1/(1 - ρ²), where the posterior's mean is s."""
    # Without noise the answers may determine the record.
    if record.explained == 1:
        return UNBOUNDED, None
    value = float(deviation**2 / (2 * record.variance)) + gaussian_information(record.explained)
    steps = zip(record.centre, record.shift, strict=True)
    output = tuple(float(middle + shift * deviation / record.explained) for middle, shift in steps)
    return around(value, 8 * UNIT * value), output


def _raised(record: GaussianRecord, deviation: Fraction) -> tuple[Enclosure, tuple[float, ...]]:
    """Returns, for Laplace noise on one answer, the largest log W(y|s)/W(y) of a secret so far from the mean, and y."""
    scale = Fraction(record.noise.known_scale())
    inner, outer, spread = _deviations(record)
    shift = record.shift[0] * deviation / scale
    value, place = highest_log_ratio(abs(float(shift)), inner, outer, spread)
    output = float(record.centre[0]) + (place if shift >= 0 else -place) * float(scale)
    moved = 4 * UNIT * float(abs(shift))
    return Enclosure(value.lower - moved, value.upper + moved), (output,)


def _raised_by_several(record: GaussianRecord, deviation: Fraction) -> Enclosure:
    """Bounds log W(y|s)/W(y) for several answers.

    It is at most that of a single answer without residual variance, as l(S) >= l(s) - L|S - s|. It is at least the
    limit where all answers have the sign that favours s.
    """
    steepest = _rate(record)
    spread, shift = steepest**2 * record.variance, float(steepest * abs(deviation))
    upper = highest_log_ratio(shift, 0.0, _root(spread), float(spread))[0].upper * (1 + 16 * UNIT) + 8 * UNIT * shift
    return Enclosure(shift - float(spread) / 2 - 8 * UNIT * (shift + float(spread)), upper)


def divergence_of(record: GaussianRecord) -> Found:
    """Finds the largest relative entropy of posterior and prior of `record`, in nats; both directions give the same."""
    if not record.is_laplace:
        return Found(UNBOUNDED, witness_of(record))
    value = float(_rate(record) ** 2 * record.variance / 2)
    return at_least_0(around(value, 2 * UNIT * value), witness_of(record, output=_end(record, Fraction(1))))


def information_of(record: GaussianRecord) -> Found:
    """The mutual information of record and answers, in nats: ½ log 1/(1 - ρ²), under Laplace noise an enclosure."""
    if not record.is_laplace:
        value = inf if record.explained == 1 else gaussian_information(record.explained)
        return at_least_0(around(value, 8 * UNIT * value), witness_of(record))
    if len(record.shift) == 1:  # a sum or a mean, as most queries
        return at_least_0(_laplace_information(*_deviations(record)), witness_of(record))
    return at_least_0(_joint_information(record), witness_of(record))


def _joint_information(record: GaussianRecord) -> Enclosure:
    """Bounds the mutual information of a record and several answers with Laplace noise, in nats (Result 10.6)."""
    shares = [_explained(record, added) for added in (2, 1)]
    below, above = (gaussian_information(share) for share in shares)
    each = [information_of(_one_answer(record, at)).value for at in range(len(record.shift))]
    # At most the largest relative entropy, and the information of the exact answers.
    exact = inf if record.explained == 1 else gaussian_information(record.explained)
    most = min(above, exact, float(_rate(record) ** 2 * record.variance / 2))
    if _apart(record):
        most = min(most, sum(one.upper for one in each))
    lower = max(below * (1 - 16 * UNIT), *(one.lower for one in each))
    return Enclosure(lower, max(lower, most * (1 + 16 * UNIT)))


def _explained(record: GaussianRecord, variances: int) -> Fraction:
    """Returns ρ² of a record, if normal noise had so many squared scales of the Laplace noise as its variance."""
    solved, _ = inverse_of(record.answers, variances * Fraction(record.noise.known_scale()) ** 2)
    return record.variance * dot(record.shift, [dot(row, record.shift) for row in solved])


def _one_answer(record: GaussianRecord, at: int) -> GaussianRecord:
    """Returns the record with the answer at `at` alone."""
    return replace(
        record,
        shift=(record.shift[at],),
        centre=(record.centre[at],),
        answers=((record.answers[at][at],),),
        weights=(record.weights[at],),
        names=(record.names[at],),
    )


def _apart(record: GaussianRecord) -> bool:
    """Says whether the answers are independent given the record."""
    moved = (record.variance * one * other for one, other in combinations(record.shift, 2))
    pairs = combinations(range(len(record.shift)), 2)
    return all(record.answers[i][j] == both for (i, j), both in zip(pairs, moved, strict=True))


def _laplace_information(inner: float, outer: float, spread: float) -> Enclosure:
    """Bounds the mutual information of a normal record and one answer, in nats, by r, R and κ² of `_deviations`.

    It is what the answer's entropy falls by once the record is known. By de Bruijn's identity it is also half the
    integral of the output's Fisher information as the Gaussian part's variance goes from r² to r² + κ²; that
    information is at least 1/(variance + 2) (Cramér and Rao) and at most 1/(variance + 1) (Blachman and Stam; Laplace
    noise of scale 1 has variance 2 and Fisher information 1). So it lies between ½ log(1 + κ²/(r² + 2)) and ½ log(1 +
    κ²/(r² + 1)), which bounds it where it is so small that the difference of two entropies has few digits.

    >>> found = _laplace_information(0.0, 1.0, 1.0)
    >>> f"{found.lower:.6f} {found.upper:.6f}"
    '0.258848 0.258848'
    """
    lower, upper = (log1p(spread / (inner**2 + added)) / 2 for added in (2, 1))
    bounds = Enclosure(lower * (1 - 16 * UNIT), upper * (1 + 16 * UNIT))
    answer, noise = noisy_entropy(outer), noisy_entropy(inner)
    # The deviations are rounded, and an entropy moves by no more than their logarithm does.
    off = 4 * UNIT
    fall = Enclosure(answer.lower - noise.upper - off, answer.upper - noise.lower + off)
    return Enclosure(max(bounds.lower, fall.lower), min(bounds.upper, fall.upper))


def single(record: GaussianRecord) -> bool:
    """Says whether no two values of `record` are to be distinguished."""
    return record.widest is not None and record.widest[0] == record.widest[1]


def _rate(record: GaussianRecord) -> Fraction:
    """Returns L, the largest change of the log-likelihood a unit of the record."""
    return sum(map(abs, record.shift), Fraction(0)) / Fraction(record.noise.known_scale())


def _deviations(record: GaussianRecord) -> tuple[float, float, float]:
    """Returns r, R and κ² of a single answer, in units of the Laplace noise's scale."""
    scale = Fraction(record.noise.known_scale()) ** 2
    spread = record.shift[0] ** 2 * record.variance / scale
    inner = record.residual / scale
    return _root(inner), _root(inner + spread), float(spread)


def _root(square: Fraction) -> float:
    return sqrt(float(square))


def gaussian_information(explained: Fraction) -> float:
    """Returns ½ log 1/(1 - ρ²), in nats; explained: ρ²."""
    return -log1p(-float(explained)) / 2 if 2 * explained < 1 else -log(float(1 - explained)) / 2


def _end(record: GaussianRecord, direction: Fraction) -> tuple[float, ...]:
    """Returns an output so far out that log-ratios have reached their limit.

    Each answer lies on the side to which `direction` of the record moves it.
    """
    output = []
    scale = record.noise.known_scale()
    values = [value - record.mean for value in record.widest or ()] or [Fraction(0)]
    for axis, (middle, shift) in enumerate(zip(record.centre, record.shift, strict=True)):
        outer = _root(record.answers[axis][axis]) / scale
        far = scale * outer * (outer + 10) + float(abs(shift) * max(map(abs, values)))
        sign = 0 if shift == 0 else 1 if shift * direction > 0 else -1
        output.append(float(middle) + sign * far)
    return tuple(output)


def at_least_0(value: Enclosure, witness: Witness) -> Found:
    """Returns `value`, whose lower end rounding may have brought below 0, clipped at 0, with its `witness`."""
    return Found(value.clipped(0.0), witness)


def witness_of(
    record: GaussianRecord,
    secret: float | None = None,
    against: float | None = None,
    output: tuple[float, ...] | None = None,
) -> Witness:
    return Witness(record.subject.person, record.subject.who, secret, against, output, record.names)


def of_gaussian(separation: float, epsilon: float) -> Enclosure:
    """Returns δ at ε for two normal answers: Φ(t/2 - ε/t) - e^ε Φ(-t/2 - ε/t) (Balle and Wang 2018).

    Each mass is off by roundings that grow with the square of how far away it lies, and the place by 16 of so many
    nats: it is that of another ε, which counts e^ε times the second mass. Underflow is below 1e-300.

    Args:
        separation: t, the distance of the two answers in standard deviations; there is no other noise.
        epsilon: ε, in nats.
    """
    if separation == 0:
        return Enclosure(0.0, 0.0)
    end, size = epsilon / separation + separation / 2, epsilon + separation**2
    total, error = 0.0, 1e-300
    for sign, place, shift in ((1, end - separation, 0.0), (-1, end, epsilon)):
        mass, away = float(log_ndtr(-place)) + shift, min(abs(place), 1e150)
        total += sign * exp(mass)
        error += exp(min(mass, 700.0)) * (64 + 16 * away**2) * UNIT
        error += 0.0 if sign > 0 else exp(mass) * (64 + 16 * size) * UNIT
    found = around(total, error)
    return Enclosure(min(max(found.lower, 0.0), 1.0), min(max(found.upper, 0.0), 1.0))


_CERTAIN: Final = Enclosure(1.0, 1.0)

_Curve: TypeAlias = Callable[[float], Enclosure]
"""δ by ε."""


def least_record_epsilon(record: GaussianRecord, delta: float) -> Found:
    """The least ε, in nats, at which the record keeps delta; infinite where every real number is a secret."""
    if record.idle or single(record):
        return NO_LOSS
    if record.widest is None:
        return Found(UNBOUNDED, witness_of(record))
    curve, most = _between_values(record, delta)
    # A curve that is 1 everywhere never comes down.
    value = UNBOUNDED if most == inf and curve(1e300) == _CERTAIN else least_epsilon(curve, delta, most)
    secret, against = map(float, record.widest)
    return at_least_0(value, witness_of(record, secret, against))


def least_record_delta(record: GaussianRecord, epsilon: float) -> Enclosure:
    """The least delta at which the record keeps epsilon; 1 where every real number is a secret."""
    if record.idle:
        return Enclosure(0.0, 0.0)
    return _CERTAIN if record.widest is None else _between_values(record)[0](epsilon)


def _between_values(record: GaussianRecord, delta: float = 0.5) -> tuple[_Curve, float]:
    """Returns δ(ε) of the two values of largest distance, which is the worst, and an ε at which it is below delta."""
    if record.widest is None or single(record):
        return lambda epsilon: Enclosure(0.0, 0.0), 0.0
    if record.is_laplace:
        return _under_laplace(record), record_ratio(record).value.upper
    # If an exact answer determines the record, no ε keeps any delta.
    if record.explained == 1:
        return lambda epsilon: _CERTAIN, inf
    share = record.explained / (1 - record.explained)
    deviation = abs(record.widest[0] - record.widest[1])
    separation = sqrt(float(share * deviation**2 / record.variance))
    # δ(ε) < Φ(x/2 - ε/x)
    most = separation * (separation / 2 - float(ndtri(delta))) * (1 + 1e-9)
    return lambda epsilon: of_gaussian(separation, epsilon), max(most, 1e-300)


def _under_laplace(record: GaussianRecord) -> _Curve:
    """Returns δ(ε) between the two values of largest distance: exact where the record alone decides the only answer."""
    upper, exact = record_ratio(record).value.upper, len(record.shift) == 1 and not record.residual
    # The largest log-ratio is all that is known of several answers together.
    if len(record.shift) > 1:
        return lambda epsilon: Enclosure(0.0, delta_of_log_ratio(upper, epsilon))

    def curve(epsilon: float) -> Enclosure:
        of_noise = -expm1(min(epsilon - upper, 0.0) / 2)
        low = max(of_noise - 8 * UNIT * (1 + upper), 0.0) if exact else 0.0
        return Enclosure(low, min(of_noise * (1 + 8 * UNIT), 1.0))

    return curve
