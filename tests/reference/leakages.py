"""Leakages in nats, read from a channel (Theory §2), at the outputs that matter (Theory §3).

The output of a witness is a support point; at an end of an axis it also stands for everything beyond, ±∞ included.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from itertools import product
from typing import NamedTuple, TypeAlias

from tests.reference.channel import (
    Amount,
    Channel,
    Likelihoods,
    Noise,
    Real,
    Score,
    Vector,
    combine_of,
    log_ratio,
    mp,
    real,
    together,
)
from tests.reference.joints import Value

Epsilon: TypeAlias = Fraction | float | str
Scores: TypeAlias = Sequence[Fraction | int | None]
Made: TypeAlias = tuple[Fraction | None, ...]
"""What some records make of an answer, by coordinate; None where nobody is asked."""


class Leakage(NamedTuple):
    """A value and where it is attained; the parts a notion does not speak of are None."""

    value: Real
    secret: Value = None
    against: Value = None
    output: Vector | None = None


def worst(leakages: Iterable[Leakage]) -> Leakage:
    """The first of the greatest."""
    return max(leakages, key=lambda leakage: leakage.value)


def supremum(told: Callable[[Channel, Likelihoods], Leakage]) -> Callable[[Channel], Leakage]:
    """The worst, over outputs, of what their likelihoods tell; any number of axes."""

    @wraps(told)
    def over_outputs(channel: Channel) -> Leakage:
        return channel.noise.supremum(
            channel, lambda output: told(channel, channel.likelihoods(output))._replace(output=output)
        )

    return over_outputs


@supremum
def inferential(channel: Channel, likelihood: Likelihoods) -> Leakage:
    """Worst log W(y|s)/W(y|s'), over pairs of secrets too (IDP Def 3, DDP Def 4)."""
    high, low = max(likelihood, key=likelihood.__getitem__), min(likelihood, key=likelihood.__getitem__)
    return Leakage(log_ratio(likelihood[high], likelihood[low]), high, low)


@supremum
def information(channel: Channel, likelihood: Likelihoods) -> Leakage:
    """Worst log W(y|s)/W(y): how far an output raises the probability of a secret (IP Def 3)."""
    high = max(likelihood, key=likelihood.__getitem__)
    return Leakage(log_ratio(likelihood[high], channel.mixture(likelihood)), high)


@supremum
def lowered(channel: Channel, likelihood: Likelihoods) -> Leakage:
    """Worst log W(y)/W(y|s): how far an output lowers the probability of a secret."""
    low = min(likelihood, key=likelihood.__getitem__)
    return Leakage(log_ratio(channel.mixture(likelihood), likelihood[low]), low)


def information_two_sided(channel: Channel) -> Leakage:
    """Worst of log W(y|s)/W(y) and log W(y)/W(y|s) (IDP Lemma 4); any number of axes."""
    return worst([information(channel), lowered(channel)])


@supremum
def posterior(channel: Channel, likelihood: Likelihoods) -> Leakage:
    """Worst -log(1 - Pr[s|y]): how nearly certain an output makes a secret."""
    weighed = {s: channel.weights[s] * value for s, value in likelihood.items()}
    high = max(weighed, key=weighed.__getitem__)
    others = mp.fsum(value for s, value in weighed.items() if s != high)
    return Leakage(log_ratio(others + weighed[high], others), high)


@supremum
def relative_entropy(channel: Channel, likelihood: Likelihoods) -> Leakage:
    """Worst D(S|Y=y ‖ S) = Σ_s π(s) W(y|s)/W(y) log W(y|s)/W(y) (IP Thm 1)."""
    return Leakage(joint_divergence(channel, likelihood) / channel.mixture(likelihood))


@supremum
def relative_entropy_reverse(channel: Channel, likelihood: Likelihoods) -> Leakage:
    """Worst D(S ‖ S|Y=y) = Σ_s π(s) log W(y)/W(y|s) (IDP Thm 2)."""
    total = channel.mixture(likelihood)
    return Leakage(mp.fsum(weight * log_ratio(total, likelihood[secret]) for secret, weight in channel.weights.items()))


def mutual_information(channel: Channel) -> Leakage:
    """I(S;Y) (IP Thm 1)."""
    return Leakage(channel.noise.total(channel, lambda likelihood: joint_divergence(channel, likelihood)))


def min_entropy(channel: Channel) -> Leakage:
    """log Σ_y max_s π(s) W(y|s) / max_s π(s) (Smith 2009)."""
    return expected_gain(channel, [{secret: 1} for secret in channel.laws])


def expected_gain(
    channel: Channel, guesses: Sequence[Mapping[Value, Fraction | float]], linear: bool = True
) -> Leakage:
    """log Σ_y max_g Σ_s gain(g, s) π(s) W(y|s) / max_g Σ_s gain(g, s) π(s) (Alvim et al. 2012); a guess's gains by
    secret, those left out 0. linear: what is best is integrated without quadrature where noise knows how."""
    weighed = [{s: real(Fraction(gain)) * channel.weights[s] for s, gain in guess.items()} for guess in guesses]

    def of(weights: dict[Value, Real]) -> Amount:
        return lambda likelihood: mp.fdot((weight, likelihood[secret]) for secret, weight in weights.items())

    blind = max(mp.fsum(weights.values()) for weights in weighed)
    return Leakage(mp.log(channel.noise.greatest(channel, list(map(of, weighed)), linear) / blind))


def gini(channel: Channel) -> Leakage:
    """log Σ_y W(y) Σ_s Pr[s|y]² / Σ_s π(s)²."""

    def vulnerability(likelihood: dict[Value, Real]) -> Real:
        total = channel.mixture(likelihood)
        return mp.fsum((channel.weights[s] * value) ** 2 for s, value in likelihood.items()) / total

    total = channel.noise.total(channel, vulnerability)
    return Leakage(mp.log(total / mp.fsum(weight**2 for weight in channel.weights.values())))


def renyi(channel: Channel, alpha: Fraction | float) -> Leakage:
    """Worst over s, s' of log(Σ_y W(y|s)^α W(y|s')^{1-α})/(α - 1) (Mironov 2017, Def 3); ∞ where an output rules s' out
    and not s."""
    order = real(Fraction(alpha))

    def between(secret: Value, against: Value) -> Real:
        def power(likelihood: Likelihoods) -> Real:
            own, other = likelihood[secret], likelihood[against]
            if own == 0:
                return mp.zero
            return mp.inf if other == 0 else other * (own / other) ** order

        return mp.log(channel.noise.total(channel, power)) / (order - 1)

    pairs = ((s, t) for s, t in product(channel.laws, repeat=2) if s != t)
    return worst([Leakage(mp.zero), *(Leakage(between(s, t), s, t) for s, t in pairs)])


def delta(channel: Channel, epsilon: Epsilon, closed: bool = False) -> Leakage:
    """Hockey-stick: worst over s, s' of Σ_y max(W(y|s) - e^ε W(y|s'), 0). closed: in closed form, not by quadrature,
    where noise has one."""
    exact = real(Fraction(epsilon))
    pairs = product(channel.laws, repeat=2)
    return worst(Leakage(delta_between(channel, s, t, exact, closed), s, t) for s, t in pairs)


def delta_between(channel: Channel, secret: Value, against: Value, epsilon: Real, closed: bool = False) -> Real:
    """The same for one ordered pair, and any ε."""
    factor = mp.exp(epsilon)
    return _positive_part(channel, lambda w: w[secret] - factor * w[against], closed)


def raising(channel: Channel, epsilon: Epsilon, closed: bool = False) -> Leakage:
    """Worst over s of Σ_y max(W(y|s) - e^ε W(y), 0): δ of information privacy (Theory §14)."""
    factor = mp.exp(real(Fraction(epsilon)))
    return _against_prior(channel, lambda own, prior: own - factor * prior, closed)


def lowering(channel: Channel, epsilon: Epsilon, closed: bool = False) -> Leakage:
    """Worst over s of Σ_y max(W(y) - e^ε W(y|s), 0)."""
    factor = mp.exp(real(Fraction(epsilon)))
    return _against_prior(channel, lambda own, prior: prior - factor * own, closed)


def moving(channel: Channel, epsilon: Epsilon, closed: bool = False) -> Leakage:
    """The worse of both: δ of two-sided information privacy."""
    return worst([raising(channel, epsilon, closed), lowering(channel, epsilon, closed)])


def _against_prior(channel: Channel, ahead: Callable[[Real, Real], Real], closed: bool) -> Leakage:
    def about(secret: Value) -> Leakage:
        def excess(likelihood: Likelihoods) -> Real:
            return ahead(likelihood[secret], channel.mixture(likelihood))

        return Leakage(_positive_part(channel, excess, closed, finer=16), secret)

    return worst(map(about, channel.laws))


def _positive_part(channel: Channel, excess: Amount, closed: bool, finer: int = 1) -> Real:
    if closed:
        return channel.noise.positive_part(channel, excess, finer)
    return channel.noise.greatest(channel, [excess, lambda _: mp.zero], finer=finer)


def differential(score: Score, universes: Sequence[Sequence[Value]], noise: Noise) -> Leakage:
    """No model: the worst log-ratio of an output given two data sets that differ in one record; ∞ without noise if
    their answers can differ."""

    def between(record: int, value: Value, other: Value, others: set[Made]) -> Leakage:
        rows = [score(record, each) for each in (value, other)]
        answers = ([_joined(score, rest, row) for row in rows] for rest in others)
        return Leakage(max(noise.group_loss(*pair) for pair in answers), value, other)

    return worst(
        between(record, value, other, others)
        for record, values in enumerate(universes)
        for others in [_all_others(score, universes, record, noise.additive)]
        for value, other in product(values, repeat=2)
    )


def _all_others(score: Score, universes: Sequence[Sequence[Value]], record: int, additive: bool) -> set[Made]:
    """Everything that the scores of the other records can make; sums, which cancel under additive noise, are then left
    out."""
    hows = combine_of(score, len(score(0, universes[0][0])))

    def kept(row: Scores) -> Scores:
        return [None if additive and how == "sum" else x for how, x in zip(hows, row, strict=True)]

    made: set[Made] = {(None,) * len(hows)}
    for other, values in enumerate(universes):
        if other != record:
            made = {_joined(score, so_far, kept(score(other, value))) for so_far in made for value in values}
    return made


def _joined(score: Score, one: Made, other: Scores) -> Made:
    """The answer of two parts of a data set."""
    hows = combine_of(score, len(one))
    return tuple(None if x is y is None else together(how, [x, y]) for how, x, y in zip(hows, one, other, strict=True))


def joint_divergence(channel: Channel, likelihood: dict[Value, Real]) -> Real:
    """Σ_s π(s) W(y|s) log W(y|s)/W(y), with 0 log 0 = 0."""
    total = channel.mixture(likelihood)
    return mp.fsum(channel.weights[s] * value * mp.log(value / total) for s, value in likelihood.items() if value)
