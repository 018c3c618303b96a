"""Mechanisms, secrets and their leakages by enumeration, in fractions: numbers as the papers have them, before the
log.

A mechanism gives each record sequence the law of its output. A promise of ε is one of a ratio e^ε here: ratios add
no rounding, so that e^ε is the mechanism's own, measured, and statements are tested where they are tight."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product as cartesian
from math import inf
from typing import Any, NamedTuple, TypeAlias

from mpmath import mp

from tests.reference.joints import Assignment, Joint, Value

Output: TypeAlias = Any
Mechanism: TypeAlias = Mapping[Assignment, Mapping[Output, Fraction]]
"""Pr[M(x) = r], for every record sequence x of the universe, possible or not."""
Ratio: TypeAlias = Fraction | float
"""A fraction, or infinity."""


class Seen(NamedTuple):
    """prior: of each value of the secret; likelihood: of each output given it, Pr[Y = r | X_I = x_I]."""

    prior: dict[Assignment, Fraction]
    likelihood: dict[Assignment, dict[Output, Fraction]]

    @property
    def outputs(self) -> list[Output]:
        """Those that can occur."""
        return [r for r in next(iter(self.likelihood.values())) if any(law[r] for law in self.likelihood.values())]

    def marginal(self, output: Output) -> Fraction:
        return sum((chance * self.likelihood[value][output] for value, chance in self.prior.items()), Fraction(0))

    def posterior(self, output: Output) -> dict[Assignment, Fraction]:
        total = self.marginal(output)
        return {value: chance * self.likelihood[value][output] / total for value, chance in self.prior.items()}


def part(row: Assignment, people: Sequence[int]) -> Assignment:
    return tuple(row[person] for person in people)


def law_of(joint: Joint, people: Sequence[int]) -> dict[Assignment, Fraction]:
    found: dict[Assignment, Fraction] = {}
    for row, chance in joint.items():
        found[part(row, people)] = found.get(part(row, people), Fraction(0)) + chance
    return found


def others(joint: Joint, people: Sequence[int]) -> list[int]:
    return [person for person in range(len(next(iter(joint)))) if person not in people]


def seen(joint: Joint, mechanism: Mechanism, people: Sequence[int]) -> Seen:
    """The channel of X_I: I = people, from 0."""
    return seen_of(joint, mechanism, lambda row: part(row, people))


def seen_of(joint: Joint, mechanism: Mechanism, secret: Callable[[Assignment], Assignment]) -> Seen:
    """The channel of a function of all records."""
    prior, joined = dict[Assignment, Fraction](), dict[Assignment, dict[Output, Fraction]]()
    for row, chance in joint.items():
        prior[secret(row)] = prior.get(secret(row), Fraction(0)) + chance
        own = joined.setdefault(secret(row), {})
        for output, kept in mechanism[row].items():
            own[output] = own.get(output, Fraction(0)) + chance * kept
    return Seen(prior, {value: {r: p / prior[value] for r, p in law.items()} for value, law in joined.items()})


def over(above: Fraction, below: Fraction) -> Ratio:
    """Of 0 and 0 nothing is asked."""
    return above / below if below else (inf if above else Fraction(0))


def identity(found: Seen) -> Ratio:
    """The largest Pr[Y=r|t]/Pr[Y=r|t'] (IDP Def 3)."""
    laws = found.likelihood.values()
    return max(over(one[r], other[r]) for r in found.outputs for one in laws for other in laws)


def information(found: Seen) -> Ratio:
    """The largest Pr[t, r]/(Pr[t] Pr[r]) (IP Def 3)."""
    return max(over(law[r], found.marginal(r)) for r in found.outputs for law in found.likelihood.values())


def lowering(found: Seen) -> Ratio:
    """The largest Pr[t]/Pr[t | r] (IDP Lemma 4)."""
    return max(over(found.marginal(r), law[r]) for r in found.outputs for law in found.likelihood.values())


def worst_identity(joint: Joint, mechanism: Mechanism) -> Ratio:
    return max(identity(seen(joint, mechanism, [person])) for person in others(joint, []))


def worst_information(joint: Joint, mechanism: Mechanism) -> Ratio:
    return max(information(seen(joint, mechanism, [person])) for person in others(joint, []))


def differential(mechanism: Mechanism) -> Ratio:
    """The largest ratio between record sequences that differ in one record (IDP Def 2, of sequences)."""
    pairs = [(x, y) for x in mechanism for y in mechanism if sum(a != b for a, b in zip(x, y, strict=True)) == 1]
    return max(over(mechanism[x][r], mechanism[y][r]) for x, y in pairs for r in mechanism[x])


def all_groups(joint: Joint) -> list[tuple[int, ...]]:
    people = others(joint, [])
    return [chosen for size in range(1, len(people) + 1) for chosen in combinations(people, size)]


def variation(joint: Joint, people: Sequence[int]) -> Fraction:
    """1 - Σ a: the largest total variation between the laws of all others given two values of X_I."""
    rest = others(joint, people)
    prior, laws = law_of(joint, people), dict[Assignment, dict[Assignment, Fraction]]()
    for row, chance in joint.items():
        own = laws.setdefault(part(row, people), {})
        own[part(row, rest)] = own.get(part(row, rest), Fraction(0)) + chance / prior[part(row, people)]
    overlaps = [
        sum((min(p, other.get(x, Fraction(0))) for x, p in one.items()), Fraction(0))
        for one in laws.values()
        for other in laws.values()
    ]
    return 1 - min(overlaps)


def independent(joint: Joint, one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether the two vectors of records are."""
    first, second, both = law_of(joint, one), law_of(joint, other), law_of(joint, [*one, *other])
    return all(both.get((*x, *y), Fraction(0)) == p * q for x, p in first.items() for y, q in second.items())


def pairwise(joint: Joint) -> int:
    """The papers' k: every source is independent of n - k others, one by one."""
    people = others(joint, [])
    return max(1 + sum(not independent(joint, [i], [j]) for j in people if j != i) for i in people)


def log(ratio: Ratio) -> Any:
    """mpmath's number."""
    if ratio == inf:
        return mp.inf
    exact = Fraction(ratio)
    return mp.log(exact.numerator) - mp.log(exact.denominator) if exact else -mp.inf


def relative_entropy(above: Mapping[Value, Fraction], below: Mapping[Value, Fraction]) -> Any:
    """D(above ‖ below)."""
    return mp.fsum(mp.mpf(p.numerator) / p.denominator * log(over(p, below[x])) for x, p in above.items() if p)


def mutual(found: Seen) -> Any:
    """I(X_I; Y)."""
    chances = {r: found.marginal(r) for r in found.outputs}
    return mp.fsum(
        mp.mpf(p.numerator) / p.denominator * relative_entropy(found.posterior(r), found.prior)
        for r, p in chances.items()
    )


def mutual_given_others(joint: Joint, mechanism: Mechanism, person: int) -> Any:
    """I(X_i; Y | X_(i))."""
    rest, total = others(joint, [person]), mp.zero
    for known, chance in law_of(joint, rest).items():
        inside = {row: p / chance for row, p in joint.items() if part(row, rest) == known}
        total += mp.mpf(chance.numerator) / chance.denominator * mutual(seen(inside, mechanism, [person]))
    return total


def together(mechanisms: Sequence[Mechanism]) -> Mechanism:
    """(M_1(x), …, M_ℓ(x)), independent given x."""
    made: dict[Assignment, dict[Output, Fraction]] = {}
    for row in mechanisms[0]:
        laws = [each[row].items() for each in mechanisms]
        made[row] = {}
        for several in cartesian(*laws):
            chance = Fraction(1)
            for _, p in several:
                chance *= p
            made[row][tuple(r for r, _ in several)] = chance
    return made


def function(universe: Sequence[Assignment], of: Callable[[Assignment], Output]) -> Mechanism:
    """Publishes of(x) as it is."""
    outputs = sorted({of(row) for row in universe})
    return {row: {r: Fraction(int(of(row) == r)) for r in outputs} for row in universe}


def noised_sum(universe: Sequence[Assignment], decay: Fraction) -> Mechanism:
    """The sum with two-sided geometric noise, Pr[k] ∝ decay^|k|, gathered beyond the ends of its range, where ratios
    are constant: e^ε = 1/decay."""
    totals = [sum(row) for row in universe]
    low, high = min(totals), max(totals)
    edge = 1 / (1 + decay)

    def chance(total: int, r: int) -> Fraction:
        return (edge if r in (low, high) else (1 - decay) / (1 + decay)) * decay ** abs(r - total)

    return {row: {r: chance(sum(row), r) for r in range(low, high + 1)} for row in universe}
