"""Every notion read from the channel of a normal record (Result 10.1, Result 10.3).

The secrets are the values of the given pairs, else the ends of `bounds`, else all real numbers; what the adversary
believes of the record is the whole normal law in any case. Over all real numbers every log-ratio is unbounded, unless
c = 0.

With L = Σ|c_j|/b, Laplace noise of scale b: l(s) = log W(y|s) is concave in s and changes by at most L per unit,
whatever y, as the noise's does; and l(s) - l(s') tends to ±L(s - s') as every answer goes to ±∞ with the sign of its
c_j, residual variance or none. Hence, exactly and for any number of answers,

* inferential: L|s - s'|;
* relative entropy: both ways L² Var(X_i)/2. The prior is normal, so D(S|y ‖ S) <= Var(X_i)/2 · E[l'(S)² | y] (Gross
  1975), and the posterior is more log-concave than it, so D(S ‖ S|y) <= Var(X_i)/2 · E[l'(S)²] (Bakry and Émery 1985);
  a linear l attains both;
* log W(y)/W(y|s): L|s - μ| + L² Var(X_i)/2, a tangent of l at s being above it.

With normal noise or none everything depends on the explained share ρ² of the record's variance only. The posterior's
mean has no bound, so pure-ε inferential privacy, relative entropy and the two-sided information are infinite.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import inf, log, log1p, sqrt
from typing import TYPE_CHECKING, Final

from dalenius.bounds import UNIT, Enclosure, around, largest
from dalenius.channel.crossing import least_epsilon
from dalenius.channel.gaussian.channel import NormalChannel
from dalenius.channel.leakage import Leakage, Witness, worst
from dalenius.errors import InputError
from dalenius.laws.gaussian_answer.entropy import information
from dalenius.laws.gaussian_answer.peak import highest_log_ratio
from dalenius.laws.gaussian_answer.profile import of_normal, of_normal_and_laplace
from dalenius.special import ndtri

if TYPE_CHECKING:
    from dalenius.notions.notion import Notion

KNOWN: Final = "differential, inferential, identity, dependent, information, relative_entropy or mutual_information"
ALL: Final = Enclosure(inf, inf)
CLEARLY: Final = 1e-9
"""Relatively: whoever leaks less than another by this may be skipped."""


def normal_leakage(notion: "Notion", channel: NormalChannel) -> Leakage:
    """What one person's channel leaks, in nats. InputError for a notion or a noise without an answer here."""
    reading = _READINGS.get(notion.kind)
    if reading is None:
        raise InputError("notion.kind", notion.kind, f"one known for the gaussian model: {KNOWN}")
    if channel.noise.kind not in ("laplace", "gaussian", "none"):
        raise InputError("noise.kind", channel.noise.kind, "laplace, gaussian or none for normal records")
    if channel.idle and notion.of_the_model:
        return notion.nothing()
    return reading(notion, channel)


def normal_worst(notion: "Notion", channels: Iterable[NormalChannel]) -> Leakage:
    """The worst person's leakage. A person is skipped where another's channel is known to leak more, by so much that
    rounding does not decide it, or exactly as much."""
    delta = getattr(notion, "delta", 0.0)
    found, least = [notion.nothing()], 0.0
    chosen = list(channels)
    bounded = notion.kind == "information" and _single(chosen)
    for channel in _ordered(notion, chosen):
        if delta > 0 and least > 0 and normal_delta(channel, least).upper <= delta:
            continue
        if bounded and least > 0 and _at_most(channel) < least:
            found.append(Leakage(0.0, 0.0, None, {"two_sided": _lowered(channel)}))
            continue
        found.append(normal_leakage(notion, channel))
        least = max(least, found[-1].lower * (1 - CLEARLY))
    return worst(found)


def _ordered(notion: "Notion", channels: list[NormalChannel]) -> list[NormalChannel]:
    """Those that may be the worst, the likeliest first where that helps."""
    if not _single(channels):
        return channels
    if notion.kind == "mutual_information" and len({channel.answers for channel in channels}) == 1:
        # h(Y) is the same for all, and h(Y|S) least where least is left of the answer's variance.
        return [min(channels, key=lambda channel: channel.residual)]
    if notion.kind == "information":
        return sorted(channels, key=_at_most, reverse=True)
    return _undominated(channels) if getattr(notion, "delta", 0.0) > 0 else channels


def _single(channels: list[NormalChannel]) -> bool:
    """Whether these are of one answer under Laplace noise."""
    return all(len(channel.shift) == 1 and channel.noise.kind == "laplace" for channel in channels)


def _at_most(channel: NormalChannel) -> float:
    """An upper bound of the information leakage of one answer under Laplace noise: the same without what is left of the
    answer's variance, or without the noise."""
    if channel.farthest is None:
        return inf
    if channel.idle:
        return 0.0
    apart = abs(channel.farthest - channel.mean)
    _, _, spread = _deviations(channel)
    shift = float(_rate(channel) * apart)
    bare = highest_log_ratio(shift, 0.0, sqrt(spread), spread)[0].upper
    return min(bare, _pinned(channel, apart)[0].upper) * (1 + 16 * UNIT) + 16 * UNIT * shift


def normal_delta(channel: NormalChannel, epsilon: float) -> Enclosure:
    """The least delta at which the record is inferential(epsilon, delta)."""
    if channel.idle:
        return Enclosure(0.0, 0.0)
    return Enclosure(1.0, 1.0) if channel.widest is None else _curve(channel)[0](epsilon)


def _undominated(everybody: list[NormalChannel]) -> list[NormalChannel]:
    """A larger shift between the secrets and less that hides it: both make every hockey-stick larger."""
    if any(channel.widest is None for channel in everybody):
        return everybody
    kept: list[NormalChannel] = []
    least: Fraction | None = None
    for channel in sorted(everybody, key=lambda each: (-_moved(each), each.residual)):
        if least is None or channel.residual < least:
            kept.append(channel)
            least = channel.residual
    return kept


def _differential(notion: "Notion", channel: NormalChannel) -> Leakage:
    if not any(channel.weights):
        return notion.nothing()
    if channel.bounds is None:
        return Leakage(inf, inf, _seen(channel))
    low, high = channel.bounds
    loss = channel.noise.privacy_loss([abs(weight) * (high - low) for weight in channel.weights])
    return _found(around(loss, 4 * UNIT * loss), _seen(channel, secret=float(high), against=float(low)))


def _inferential(notion: "Notion", channel: NormalChannel) -> Leakage:
    delta: float = getattr(notion, "delta", 0.0)
    if channel.widest is None:
        return Leakage(inf, inf, _seen(channel))
    secret, against = channel.widest
    if secret == against:
        return notion.nothing()
    pair = float(secret), float(against)
    if delta > 0:
        curve, most = _curve(channel, delta)
        return _found(ALL if most == inf else least_epsilon(curve, delta, most), _seen(channel, *pair))
    if channel.noise.kind != "laplace":
        return Leakage(inf, inf, _seen(channel, *pair))
    loss = float(_rate(channel) * abs(secret - against))
    return _found(around(loss, 2 * UNIT * loss), _seen(channel, *pair, output=_end(channel, secret - against)))


def _information(notion: "Notion", channel: NormalChannel) -> Leakage:
    secret = channel.farthest
    if secret is None:
        return Leakage(inf, inf, _seen(channel), {"two_sided": ALL})
    apart = secret - channel.mean
    if channel.noise.kind != "laplace":
        value, output = _pinned(channel, apart)
        return _found(value, _seen(channel, secret=float(secret), output=output), {"two_sided": ALL})
    value, output = _raised(channel, apart) if len(channel.shift) == 1 else (_raised_by_several(channel, apart), None)
    two_sided = largest(value, _lowered(channel))
    return _found(value, _seen(channel, secret=float(secret), output=output), {"two_sided": two_sided})


def _lowered(channel: NormalChannel) -> Enclosure:
    """The largest log W(y)/W(y|s) under Laplace noise."""
    if channel.farthest is None:
        return ALL
    rate = _rate(channel)
    value = float(rate * abs(channel.farthest - channel.mean) + rate**2 * channel.variance / 2)
    return around(value, 4 * UNIT * value)


def _pinned(channel: NormalChannel, apart: Fraction) -> tuple[Enclosure, tuple[float, ...] | None]:
    """Normal noise: (s - μ)²/2Var(X_i) + ½ log 1/(1 - ρ²), where the posterior's mean is s + (s - μ)(1/ρ² - 1) ρ²."""
    if channel.explained == 1:
        return ALL, None
    value = float(apart**2 / (2 * channel.variance)) + _normal_information(channel.explained)
    steps = zip(channel.centre, channel.shift, strict=True)
    output = tuple(float(middle + shift * apart / channel.explained) for middle, shift in steps)
    return around(value, 8 * UNIT * value), output


def _raised(channel: NormalChannel, apart: Fraction) -> tuple[Enclosure, tuple[float, ...]]:
    scale = Fraction(channel.noise.known_scale())
    inner, outer, spread = _deviations(channel)
    shift = channel.shift[0] * apart / scale
    value, place = highest_log_ratio(abs(float(shift)), inner, outer, spread)
    output = float(channel.centre[0]) + (place if shift >= 0 else -place) * float(scale)
    moved = 4 * UNIT * float(abs(shift))
    return Enclosure(value.lower - moved, value.upper + moved), (output,)


def _raised_by_several(channel: NormalChannel, apart: Fraction) -> Enclosure:
    """l(S) >= l(s) - L|S - s|, as of a single answer with nothing left of its variance: at most that. At least what
    each answer tells alone, and the limit where all have the sign that favours s."""
    rate = _rate(channel)
    spread, shift = rate**2 * channel.variance, float(rate * abs(apart))
    upper = highest_log_ratio(shift, 0.0, _root(spread), float(spread))[0].upper * (1 + 16 * UNIT) + 8 * UNIT * shift
    alone = [_raised(channel.single(axis), apart)[0].lower for axis, c in enumerate(channel.shift) if c]
    limit = shift - float(spread) / 2
    return Enclosure(max(*alone, limit - 8 * UNIT * (shift + float(spread))), upper)


def _relative_entropy(notion: "Notion", channel: NormalChannel) -> Leakage:
    if channel.noise.kind != "laplace":
        return Leakage(inf, inf, _seen(channel), {"reverse": ALL})
    value = float(_rate(channel) ** 2 * channel.variance / 2)
    found = around(value, 2 * UNIT * value)
    return _found(found, _seen(channel, output=_end(channel, Fraction(1))), {"reverse": found})


def _mutual_information(notion: "Notion", channel: NormalChannel) -> Leakage:
    if channel.noise.kind != "laplace":
        value = inf if channel.explained == 1 else _normal_information(channel.explained)
        return _found(around(value, 8 * UNIT * value), _seen(channel))
    if len(channel.shift) == 1:
        return _found(information(*_deviations(channel)), _seen(channel))
    alone = [information(*_deviations(channel.single(axis))).lower for axis, c in enumerate(channel.shift) if c]
    # At most the largest relative entropy, and at most what the exact answers tell.
    most = float(_rate(channel) ** 2 * channel.variance / 2)
    exact = inf if channel.explained == 1 else _normal_information(channel.explained)
    return _found(Enclosure(max(alone), min(most, exact) * (1 + 16 * UNIT)), _seen(channel))


_READINGS: Final[dict[str, Callable[["Notion", NormalChannel], Leakage]]] = {
    "differential": _differential,
    "inferential": _inferential,
    "identity": _inferential,
    "dependent": _inferential,
    "information": _information,
    "relative_entropy": _relative_entropy,
    "mutual_information": _mutual_information,
}


def _curve(channel: NormalChannel, delta: float = 0.5) -> tuple[Callable[[float], Enclosure], float]:
    """δ(ε) of the two values furthest apart, which have the worst, and an ε at which it is below delta."""
    if channel.widest is None or channel.widest[0] == channel.widest[1]:
        return lambda epsilon: Enclosure(0.0, 0.0), 0.0
    if channel.noise.kind == "laplace":
        if len(channel.shift) > 1:
            wanted = "0 beside Laplace noise on several answers of normal records (or gaussian noise, or one answer)"
            raise InputError("notion.delta", delta, wanted)
        inner = _deviations(channel)[0]
        shift = float(_moved(channel) / Fraction(channel.noise.known_scale()))
        return lambda epsilon: of_normal_and_laplace(shift, inner, epsilon), shift * (1 + 8 * UNIT)
    if channel.explained == 1:
        return lambda epsilon: Enclosure(1.0, 1.0), inf
    share = channel.explained / (1 - channel.explained)
    apart = abs(channel.widest[0] - channel.widest[1])
    separation = _root(share * apart**2 / channel.variance)
    # δ(ε) < Φ(x/2 - ε/x)
    most = separation * (separation / 2 - float(ndtri(delta))) * (1 + 1e-9)
    return lambda epsilon: of_normal(separation, epsilon), max(most, 1e-300)


def _moved(channel: NormalChannel) -> Fraction:
    """How far apart the two values furthest apart put the first answer's law."""
    if channel.widest is None:
        raise ValueError("values without bounds are infinitely far apart")
    return abs(channel.shift[0] * (channel.widest[0] - channel.widest[1]))


def _rate(channel: NormalChannel) -> Fraction:
    """L."""
    return sum(map(abs, channel.shift), Fraction(0)) / Fraction(channel.noise.known_scale())


def _deviations(channel: NormalChannel) -> tuple[float, float, float]:
    """r, R and κ² of a single answer, in units of the Laplace noise's scale."""
    scale = Fraction(channel.noise.known_scale()) ** 2
    spread = channel.shift[0] ** 2 * channel.variance / scale
    inner = channel.residual / scale
    return _root(inner), _root(inner + spread), float(spread)


def _root(square: Fraction) -> float:
    return sqrt(float(square))


def _normal_information(explained: Fraction) -> float:
    """½ log 1/(1 - ρ²)."""
    return -log1p(-float(explained)) / 2 if 2 * explained < 1 else -log(float(1 - explained)) / 2


def _end(channel: NormalChannel, direction: Fraction) -> tuple[float, ...]:
    """An output so far out, each answer on the side to which `direction` of the record moves it, that nothing changes
    beyond."""
    output = []
    scale = channel.noise.known_scale()
    values = [value - channel.mean for value in channel.widest or ()] or [Fraction(0)]
    for axis, (middle, shift) in enumerate(zip(channel.centre, channel.shift, strict=True)):
        _, outer, _ = _deviations(channel.single(axis))
        far = scale * outer * (outer + 10) + float(abs(shift) * max(map(abs, values)))
        sign = 0 if shift == 0 else 1 if shift * direction > 0 else -1
        output.append(float(middle) + sign * far)
    return tuple(output)


def _found(value: Enclosure, witness: Witness, companions: dict[str, Enclosure] | None = None) -> Leakage:
    floored = value.clipped(0.0)
    return Leakage(floored.lower, floored.upper, witness, companions or {})


def _seen(
    channel: NormalChannel,
    secret: float | None = None,
    against: float | None = None,
    output: tuple[float, ...] | None = None,
) -> Witness:
    return Witness(channel.subject.person, channel.subject.who, secret, against, output, channel.names)
