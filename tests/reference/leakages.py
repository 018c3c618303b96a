"""Leakages in nats, read from a channel (THEORY §2), at the outputs that matter (THEORY §3).

The output of a witness is a support point; at an end of an axis it also stands for everything beyond, ±∞ included.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

from tests.reference.channel import Channel, Noise, Real, Score, Vector, channel, mp, real
from tests.reference.joints import Joint, Value

QUADRATURE_DIGITS = 30


class Leakage(NamedTuple):
    """A value and where it is attained; the parts a notion does not speak of are None."""

    value: Real
    secret: Value = None
    against: Value = None
    output: Vector | None = None


def log_ratio(above: Real, below: Real) -> Real:
    """log(above / below) with log(x/0) = ∞, log(0/x) = -∞; 0/0 says nothing and counts -∞."""
    if above == 0:
        return -mp.inf
    return mp.inf if below == 0 else mp.log(above / below)


def worst(leakages: Iterable[Leakage]) -> Leakage:
    """The first of the greatest."""
    return max(leakages, key=lambda leakage: leakage.value)


def inferential(channel: Channel) -> Leakage:
    """Worst log W(y|s)/W(y|s'), over outputs and pairs of secrets (IDP Def 3, DDP Def 4); any number of axes."""

    def at(output: Vector) -> Leakage:
        likelihood = channel.likelihoods(output)
        high, low = max(likelihood, key=likelihood.__getitem__), min(likelihood, key=likelihood.__getitem__)
        return Leakage(log_ratio(likelihood[high], likelihood[low]), high, low, output)

    return worst(map(at, channel.candidates))


def information(channel: Channel) -> Leakage:
    """Worst log W(y|s)/W(y): how far an output raises the probability of a secret (IP Def 3); any axes."""

    def at(output: Vector) -> Leakage:
        likelihood = channel.likelihoods(output)
        high = max(likelihood, key=likelihood.__getitem__)
        return Leakage(log_ratio(likelihood[high], channel.mixture(likelihood)), high, None, output)

    return worst(map(at, channel.candidates))


def information_two_sided(channel: Channel) -> Leakage:
    """Worst of log W(y|s)/W(y) and log W(y)/W(y|s) (IDP Lemma 4); any number of axes."""

    def lowered(output: Vector) -> Leakage:
        likelihood = channel.likelihoods(output)
        low = min(likelihood, key=likelihood.__getitem__)
        return Leakage(log_ratio(channel.mixture(likelihood), likelihood[low]), low, None, output)

    return worst([information(channel), *map(lowered, channel.candidates)])


def relative_entropy(channel: Channel) -> Leakage:
    """Worst over y of D(S|Y=y ‖ S) = Σ_s π(s) W(y|s)/W(y) log W(y|s)/W(y) (IP Thm 1); any number of axes."""

    def at(output: Vector) -> Leakage:
        likelihood = channel.likelihoods(output)
        return Leakage(joint_divergence(channel, likelihood) / channel.mixture(likelihood), output=output)

    return worst(map(at, channel.candidates))


def relative_entropy_reverse(channel: Channel) -> Leakage:
    """Worst over y of D(S ‖ S|Y=y) = Σ_s π(s) log W(y)/W(y|s) (IDP Thm 2); any number of axes."""

    def at(output: Vector) -> Leakage:
        likelihood = channel.likelihoods(output)
        total = channel.mixture(likelihood)
        terms = [weight * log_ratio(total, likelihood[secret]) for secret, weight in channel.weights.items()]
        return Leakage(mp.fsum(terms), output=output)

    return worst(map(at, channel.candidates))


def mutual_information(channel: Channel) -> Leakage:
    """I(S;Y) (IP Thm 1): quadrature for Laplace on one axis, sums otherwise."""
    return Leakage(total_over_outputs(channel, lambda likelihood: joint_divergence(channel, likelihood)))


def delta(channel: Channel, epsilon: Fraction | float | str) -> Leakage:
    """Hockey-stick: worst over s, s' of Σ_y max(W(y|s) - e^ε W(y|s'), 0); quadrature for Laplace on one axis."""
    factor = mp.exp(real(Fraction(epsilon)))

    def between(secret: Value, against: Value) -> Leakage:
        def excess(likelihood: dict[Value, Real]) -> Real:
            return likelihood[secret] - factor * likelihood[against]

        value = total_over_outputs(channel, lambda likelihood: max(excess(likelihood), mp.zero), excess)
        return Leakage(value, secret, against)

    return worst(between(secret, against) for secret in channel.laws for against in channel.laws)


def differential(score: Score, universes: Sequence[Sequence[Value]], noise: Noise) -> Leakage:
    """No model: the greatest L1 distance of two scores of one record, over b; ∞ without noise if it is not 0."""

    def between(record: int, value: Value, other: Value) -> Leakage:
        pair = zip(score(record, value), score(record, other), strict=True)
        distance = real(sum((abs(Fraction(x) - Fraction(y)) for x, y in pair), Fraction(0)))
        rate = mp.inf if noise.kind == "none" else noise.rate
        return Leakage(distance * rate if distance else mp.zero, value, other)

    return worst(
        between(record, value, other)
        for record, values in enumerate(universes)
        for value, other in product(values, repeat=2)
    )


def worst_over_people(
    joint: Joint, score: Score, noise: Noise, notion: Callable[[Channel], Leakage]
) -> tuple[Leakage, int]:
    """The worst person's leakage and who it is; `notion` is any function above, or a lambda fixing ε of `delta`."""
    people = range(len(next(iter(joint))))
    leakages = [(notion(channel(joint, score, person, noise)), person) for person in people]
    return max(leakages, key=lambda found: found[0].value)


def joint_divergence(channel: Channel, likelihood: dict[Value, Real]) -> Real:
    """Σ_s π(s) W(y|s) log W(y|s)/W(y), with 0 log 0 = 0."""
    total = channel.mixture(likelihood)
    return mp.fsum(channel.weights[s] * value * mp.log(value / total) for s, value in likelihood.items() if value)


def total_over_outputs(
    channel: Channel,
    amount: Callable[[dict[Value, Real]], Real],
    kink: Callable[[dict[Value, Real]], Real] | None = None,
) -> Real:
    """Σ_y or ∫ dy of an amount that is homogeneous of degree 1 in the likelihoods, so that tails are closed form.

    `kink`: a function whose sign change the quadrature must not straddle.
    """
    if channel.noise.kind == "none":
        return mp.fsum(amount(channel.likelihoods(output)) for output in channel.support)
    if channel.noise.kind == "geometric":
        return _lattice_total(channel, amount)
    if len(channel.axes) != 1:
        raise ValueError(f"Laplace quadrature has {len(channel.axes)} axes, wanted 1; use geometric noise or none")
    with mp.workdps(QUADRATURE_DIGITS):
        return _line_integral(channel, amount, kink)


def _lattice_total(channel: Channel, amount: Callable[[dict[Value, Real]], Real]) -> Real:
    """Each end of an axis stands for itself and its tail: 1 + a + a² + ... = 1 + a/(1-a)."""
    tail = channel.noise.decay / (1 - channel.noise.decay)
    axes = [
        [(point, 1 + tail * ((point == axis[0]) + (point == axis[-1]))) for point in axis] for axis in channel.lattice
    ]
    return mp.fsum(
        mp.fprod(weight for _, weight in cell) * amount(channel.likelihoods([point for point, _ in cell]))
        for cell in product(*axes)
    )


def _line_integral(channel: Channel, amount: Callable[..., Real], kink: Callable[..., Real] | None) -> Real:
    """∫ over the line: beyond the ends every W(y|s) is W(end|s) e^(-distance/b), whose integral is b W(end|s)."""
    axis = channel.axes[0]
    scale = real(channel.noise.scale)
    tails = [scale * amount(channel.likelihoods([end])) for end in (axis[0], axis[-1])]
    inside = []
    for left, right in pairwise(map(real, axis)):
        cuts = [left, right] if kink is None else _split(channel, kink, left, right)
        inside.append(mp.quad(lambda y: amount(channel.likelihoods([y])), cuts, method="gauss-legendre"))
    return mp.fsum(tails + inside)


def _split(channel: Channel, kink: Callable[..., Real], left: Any, right: Any) -> list[Real]:
    """[left, right], cut where the sign of `kink` changes; ratios are monotone here, so at most once (THEORY §3)."""

    def positive(y: Any) -> bool:
        return bool(kink(channel.likelihoods([y])) > 0)

    low, high = left, right
    if positive(low) == positive(high):
        return [left, right]
    for _ in range(mp.prec):
        middle = (low + high) / 2
        low, high = (middle, high) if positive(middle) == positive(left) else (low, middle)
    return [left, low, right]
