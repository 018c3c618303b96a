"""Leakages in nats, read from a channel (Theory §2), at the outputs that matter (Theory §3).

The output of a witness is a support point; at an end of an axis it also stands for everything beyond, ±∞ included.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product
from typing import Any, NamedTuple, TypeAlias

from tests.reference.channel import Channel, Noise, Real, Score, Vector, channel, combine_of, mp, real, together
from tests.reference.joints import Joint, Value
from tests.reference.line import mass, peak, steps

QUADRATURE_DIGITS = 30
Sums: TypeAlias = tuple[Fraction | int | None, ...]


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


def supremum(channel: Channel, at: Callable[[Vector], Leakage]) -> Leakage:
    """The worst over the outputs that matter; over the whole line for normal noise."""
    return peak(channel, at) if channel.noise.kind == "gaussian" else worst(map(at, channel.candidates))


def inferential(channel: Channel) -> Leakage:
    """Worst log W(y|s)/W(y|s'), over outputs and pairs of secrets (IDP Def 3, DDP Def 4); any number of axes."""

    def at(output: Vector) -> Leakage:
        likelihood = channel.likelihoods(output)
        high, low = max(likelihood, key=likelihood.__getitem__), min(likelihood, key=likelihood.__getitem__)
        return Leakage(log_ratio(likelihood[high], likelihood[low]), high, low, output)

    return supremum(channel, at)


def information(channel: Channel) -> Leakage:
    """Worst log W(y|s)/W(y): how far an output raises the probability of a secret (IP Def 3); any axes."""

    def at(output: Vector) -> Leakage:
        likelihood = channel.likelihoods(output)
        high = max(likelihood, key=likelihood.__getitem__)
        return Leakage(log_ratio(likelihood[high], channel.mixture(likelihood)), high, None, output)

    return supremum(channel, at)


def lowered(channel: Channel) -> Leakage:
    """Worst log W(y)/W(y|s): how far an output lowers the probability of a secret; any axes."""

    def at(output: Vector) -> Leakage:
        likelihood = channel.likelihoods(output)
        low = min(likelihood, key=likelihood.__getitem__)
        return Leakage(log_ratio(channel.mixture(likelihood), likelihood[low]), low, None, output)

    return supremum(channel, at)


def information_two_sided(channel: Channel) -> Leakage:
    """Worst of log W(y|s)/W(y) and log W(y)/W(y|s) (IDP Lemma 4); any number of axes."""
    return worst([information(channel), lowered(channel)])


def posterior(channel: Channel) -> Leakage:
    """Worst -log(1 - Pr[s|y]): how nearly certain an output makes a secret; any axes."""

    def at(output: Vector) -> Leakage:
        weighed = {s: channel.weights[s] * value for s, value in channel.likelihoods(output).items()}
        high = max(weighed, key=weighed.__getitem__)
        others = mp.fsum(value for s, value in weighed.items() if s != high)
        return Leakage(log_ratio(others + weighed[high], others), high, None, output)

    return supremum(channel, at)


def relative_entropy(channel: Channel) -> Leakage:
    """Worst over y of D(S|Y=y ‖ S) = Σ_s π(s) W(y|s)/W(y) log W(y|s)/W(y) (IP Thm 1); any number of axes."""

    def at(output: Vector) -> Leakage:
        likelihood = channel.likelihoods(output)
        return Leakage(joint_divergence(channel, likelihood) / channel.mixture(likelihood), output=output)

    return supremum(channel, at)


def relative_entropy_reverse(channel: Channel) -> Leakage:
    """Worst over y of D(S ‖ S|Y=y) = Σ_s π(s) log W(y)/W(y|s) (IDP Thm 2); any number of axes."""

    def at(output: Vector) -> Leakage:
        likelihood = channel.likelihoods(output)
        total = channel.mixture(likelihood)
        terms = [weight * log_ratio(total, likelihood[secret]) for secret, weight in channel.weights.items()]
        return Leakage(mp.fsum(terms), output=output)

    return supremum(channel, at)


def mutual_information(channel: Channel) -> Leakage:
    """I(S;Y) (IP Thm 1): quadrature for Laplace on one axis, sums otherwise."""
    return Leakage(total_over_outputs(channel, lambda likelihood: joint_divergence(channel, likelihood)))


def min_entropy(channel: Channel) -> Leakage:
    """log Σ_y max_s π(s) W(y|s) / max_s π(s) (Smith 2009)."""
    return expected_gain(channel, [{secret: 1} for secret in channel.laws])


def expected_gain(
    channel: Channel, guesses: Sequence[Mapping[Value, Fraction | float]], linear: bool = True
) -> Leakage:
    """log Σ_y max_g Σ_s gain(g, s) π(s) W(y|s) / max_g Σ_s gain(g, s) π(s) (Alvim et al. 2012); a guess's gains by
    secret, those left out 0. linear: what is best is integrated in closed form under Laplace noise too."""
    weighed = [{s: real(Fraction(gain)) * channel.weights[s] for s, gain in guess.items()} for guess in guesses]

    def of(guess: int, likelihood: dict[Value, Real]) -> Real:
        return mp.fdot((weight, likelihood[secret]) for secret, weight in weighed[guess].items())

    def ahead(one: int, other: int) -> Callable[[dict[Value, Real]], Real]:
        return lambda likelihood: of(one, likelihood) - of(other, likelihood)

    everything = range(len(guesses))
    blind = max(mp.fsum(weights.values()) for weights in weighed)
    kinks = [ahead(one, other) for one, other in combinations(everything, 2)]
    if channel.noise.kind == "gaussian":
        total = mp.zero
        for piece in _pieces(channel, kinks):
            here = channel.likelihoods([sum(piece) / 2])
            winner = weighed[max(everything, key=lambda guess: of(guess, here))]
            total += mp.fsum(weight * mass(channel, secret, *piece) for secret, weight in winner.items())
        return Leakage(mp.log(total / blind))
    best = total_over_outputs(channel, lambda seen: max(of(guess, seen) for guess in everything), kinks, linear)
    return Leakage(mp.log(best / blind))


def gini(channel: Channel) -> Leakage:
    """log Σ_y W(y) Σ_s Pr[s|y]² / Σ_s π(s)²."""

    def vulnerability(likelihood: dict[Value, Real]) -> Real:
        total = channel.mixture(likelihood)
        return mp.fsum((channel.weights[s] * value) ** 2 for s, value in likelihood.items()) / total

    total = total_over_outputs(channel, vulnerability)
    return Leakage(mp.log(total / mp.fsum(weight**2 for weight in channel.weights.values())))


def delta(channel: Channel, epsilon: Fraction | float | str) -> Leakage:
    """Hockey-stick: worst over s, s' of Σ_y max(W(y|s) - e^ε W(y|s'), 0); quadrature for Laplace on one axis."""
    factor = mp.exp(real(Fraction(epsilon)))

    def between(secret: Value, against: Value) -> Leakage:
        def excess(likelihood: dict[Value, Real]) -> Real:
            return likelihood[secret] - factor * likelihood[against]

        if channel.noise.kind == "gaussian":
            wins = [piece for piece in _pieces(channel, [excess]) if excess(channel.likelihoods([sum(piece) / 2])) > 0]
            return Leakage(mp.fsum(mass(channel, secret, *w) - factor * mass(channel, against, *w) for w in wins))
        value = total_over_outputs(channel, lambda likelihood: max(excess(likelihood), mp.zero), [excess])
        return Leakage(value, secret, against)

    return worst(between(secret, against) for secret in channel.laws for against in channel.laws)


def raising(channel: Channel, epsilon: Fraction | float | str) -> Leakage:
    """Worst over s of Σ_y max(W(y|s) - e^ε W(y), 0): δ of information privacy (Theory §14)."""
    return _against_prior(channel, epsilon, reverse=False)


def lowering(channel: Channel, epsilon: Fraction | float | str) -> Leakage:
    """Worst over s of Σ_y max(W(y) - e^ε W(y|s), 0)."""
    return _against_prior(channel, epsilon, reverse=True)


def _against_prior(channel: Channel, epsilon: Fraction | float | str, reverse: bool) -> Leakage:
    factor = mp.exp(real(Fraction(epsilon)))

    def ahead(own: Real, prior: Real) -> Real:
        return prior - factor * own if reverse else own - factor * prior

    def about(secret: Value) -> Leakage:
        def excess(likelihood: dict[Value, Real]) -> Real:
            return ahead(likelihood[secret], channel.mixture(likelihood))

        if channel.noise.kind == "gaussian":
            pieces = _pieces(channel, [excess], finer=16)
            wins = [piece for piece in pieces if excess(channel.likelihoods([sum(piece) / 2])) > 0]
            total = mp.zero
            for piece in wins:
                masses = {each: mass(channel, each, *piece) for each in channel.laws}
                total += ahead(masses[secret], channel.mixture(masses))
            return Leakage(total, secret)
        value = total_over_outputs(channel, lambda likelihood: max(excess(likelihood), mp.zero), [excess])
        return Leakage(value, secret)

    return worst(map(about, channel.laws))


def differential(score: Score, universes: Sequence[Sequence[Value]], noise: Noise) -> Leakage:
    """No model: the greatest L1 distance of two answers to data sets that differ in one record, over b; ∞ without noise
    if it is not 0."""

    if noise.kind == "kernel":
        return worst(map(Leakage, kernel_losses(score, universes, noise)))

    def between(record: int, value: Value, other: Value) -> Leakage:
        distance = real(max(_apart(score, record, value, other, rest) for rest in others[record]))
        rate = mp.inf if noise.kind == "none" else noise.rate
        return Leakage(distance * rate if distance else mp.zero, value, other)

    others = [_all_others(score, universes, record) for record in range(len(universes))]
    return worst(
        between(record, value, other)
        for record, values in enumerate(universes)
        for value, other in product(values, repeat=2)
    )


def _all_others(score: Score, universes: Sequence[Sequence[Value]], record: int) -> set[Sums]:
    """Everything that the scores of the other records can make; sums, which cancel, are left at 0."""
    made: set[Sums] = {(None,) * len(score(0, universes[0][0]))}
    for other, values in enumerate(universes):
        if other != record:
            made = {_joined(score, so_far, score(other, value)) for so_far in made for value in values}
    return made


def _joined(score: Score, one: Sums, other: Sums) -> Sums:
    joined: list[Fraction | None] = []
    for how, x, y in zip(combine_of(score, len(one)), one, other, strict=True):
        joined.append(None if how == "sum" or x is y is None else together(how, [x, y]))
    return tuple(joined)


def _apart(score: Score, record: int, value: Value, other: Value, rest: Sums) -> Fraction:
    rows = [score(record, value), score(record, other)]
    total = Fraction(0)
    for axis, how in enumerate(combine_of(score, len(rest))):
        made = [[row[axis], rest[axis]] for row in rows]
        if how == "sum" or made[0] != [None, None]:
            total += abs(together(how, made[0]) - together(how, made[1]))
    return total


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


def kernel_losses(score: Score, universes: Sequence[Sequence[Value]], noise: Noise) -> Iterator[Real]:
    """For two data sets that differ in one record, the worst log-ratio of an output; those whose answers have no row
    do not count."""
    axes = len(score(0, universes[0][0]))

    def answers(record: int, rest: Sums) -> set[Vector]:
        made = (_made(score, rest, score(record, value)) for value in universes[record])
        return {
            tuple(Fraction(each) for each in answer if each is not None)
            for answer in made
            if all(each in noise.kernel for each in answer)
        }

    @cache
    def widest(one: Fraction, other: Fraction) -> Real:
        pairs = zip(noise.kernel[one], noise.kernel[other], strict=True)
        return max(log_ratio(real(p), real(q)) for p, q in pairs)

    for record in range(len(universes)):
        made: set[Sums] = {(None,) * axes}
        for other, values in enumerate(universes):
            if other != record:
                made = {_made(score, so_far, score(other, value)) for so_far in made for value in values}
        yield mp.zero
        for rest in made:
            for pair in permutations(answers(record, rest), 2):
                yield mp.fsum(widest(a, b) for a, b in zip(*pair, strict=True) if a != b)


def _made(score: Score, one: Sums, other: Sums) -> Sums:
    """The answer of two parts of a data set; None where nobody is asked."""
    hows = combine_of(score, len(one))
    return tuple(None if x is y is None else together(how, [x, y]) for how, x, y in zip(hows, one, other, strict=True))


def total_over_outputs(
    channel: Channel,
    amount: Callable[[dict[Value, Real]], Real],
    kinks: Sequence[Callable[[dict[Value, Real]], Real]] = (),
    linear: bool = False,
) -> Real:
    """Σ_y or ∫ dy of an amount that is homogeneous of degree 1 in the likelihoods, so that tails are closed form.

    `kinks`: functions whose sign changes the quadrature must not straddle. linear: between these the amount is a linear
    function of the likelihoods, so that its integral is that of theirs, and needs no quadrature.
    """
    if channel.noise.kind in ("none", "kernel"):
        return mp.fsum(amount(channel.likelihoods(output)) for output in channel.candidates)
    if channel.noise.kind == "geometric":
        return mp.fdot((weight, amount(likelihoods)) for weight, likelihoods in channel.cells)
    if len(channel.axes) != 1:
        raise ValueError(f"quadrature has {len(channel.axes)} axes, wanted 1; use geometric noise or none")
    with mp.workdps(QUADRATURE_DIGITS):
        return _line_integral(channel, amount, kinks, linear)


def _line_integral(
    channel: Channel, amount: Callable[..., Real], kinks: Sequence[Callable[..., Real]], linear: bool
) -> Real:
    """∫ over the line. Laplace: beyond the ends every W(y|s) is W(end|s) e^(-distance/b), whose integral is b W(end|s);
    normal: beyond 14 deviations less than 1e-43 is left."""
    axis = channel.axes[0]
    scale = real(channel.noise.scale)
    if channel.noise.kind == "gaussian":
        tails, edges = [], steps(real(axis[0]) - 14 * scale, real(axis[-1]) + 14 * scale, scale)
    else:
        tails = [scale * amount(channel.likelihoods([end])) for end in (axis[0], axis[-1])]
        # Ratios turn over within a scale: a piece of many is not one polynomial.
        edges = sorted({e for ends in pairwise(map(real, axis)) for e in steps(*ends, 2 * scale)} | {real(axis[0])})
    inside = []
    for left, right in pairwise(edges):
        cuts = sorted({left, right, *(cut for kink in kinks for cut in _split(channel, kink, left, right))})
        if linear and channel.noise.kind == "laplace":
            inside += [amount(channel.masses(*piece)) for piece in pairwise(cuts)]
            continue
        inside.append(mp.quad(lambda y: amount(channel.likelihoods([y])), cuts, method="gauss-legendre"))
    return mp.fsum([*tails, *inside])


def _pieces(channel: Channel, kinks: Sequence[Callable[..., Real]], finer: int = 1) -> list[tuple[Real, Real]]:
    """The line under normal noise, cut where a kink changes sign, which is looked for on a grid of 2/finer deviations;
    40 deviations beyond the answers at either end, and a little more on one side so that no edge is a change itself."""
    axis, scale = channel.axes[0], real(channel.noise.scale)
    edges = steps(real(axis[0]) - 40 * scale, real(axis[-1]) + mp.mpf("40.0123") * scale, scale / finer)
    cuts = {cut for left, right in pairwise(edges) for kink in kinks for cut in _split(channel, kink, left, right)}
    changes = sorted(cuts - set(edges[1:-1]))
    return list(pairwise(changes))


def _split(channel: Channel, kink: Callable[..., Real], left: Any, right: Any) -> list[Real]:
    """[left, right], cut where the sign of `kink` changes; ratios are monotone here, so at most once (Theory §3);
    under normal noise the cell is short enough. Half the digits do: what is summed bends there and does not jump, so
    that a cut a little off counts with its square."""

    def positive(y: Any) -> bool:
        return bool(kink(channel.likelihoods([y])) > 0)

    low, high, first = left, right, positive(left)
    if first == positive(right):
        return [left, right]
    for _ in range(mp.prec // 2 + 10):
        middle = (low + high) / 2
        low, high = (middle, high) if positive(middle) == first else (low, middle)
    return [left, low, right]
