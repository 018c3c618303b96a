"""Joint distributions of all records, enumerated: one tuple of values per assignment (Theory §1, the model)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product as cartesian
from math import comb
from typing import Any, TypeAlias

Value: TypeAlias = Any  # anything hashable
Assignment: TypeAlias = tuple[Value, ...]
Joint: TypeAlias = dict[Assignment, Fraction]
Probability: TypeAlias = Fraction | int


def gather(weighted: Iterable[tuple[Assignment, Probability]]) -> Joint:
    """Add up the mass of equal assignments, drop those of mass 0, and check that the rest is a distribution."""
    mass: defaultdict[Assignment, Fraction] = defaultdict(Fraction)
    for assignment, probability in weighted:
        if probability < 0:
            raise ValueError(f"probability of {assignment} is {probability}, wanted at least 0")
        mass[assignment] += probability
    joint = {assignment: probability for assignment, probability in mass.items() if probability > 0}
    if sum(joint.values()) != 1:
        raise ValueError(f"probabilities sum to {sum(joint.values())}, wanted exactly 1; use fractions, not floats")
    if len({len(assignment) for assignment in joint}) != 1:
        raise ValueError("assignments have different numbers of records, wanted one number")
    return joint


def table(rows: Sequence[Sequence[Value]], probabilities: Sequence[Probability]) -> Joint:
    """The joint distribution that gives each listed row its probability; equal rows add up."""
    return gather((tuple(row), probability) for row, probability in zip(rows, probabilities, strict=True))


def product(joints: Sequence[Joint]) -> Joint:
    """Independent blocks of records, side by side in the order given."""
    whole: Joint = {(): Fraction(1)}
    for block in joints:
        whole = {left + right: p * q for left, p in whole.items() for right, q in block.items()}
    return gather(whole.items())


def independent(laws: Sequence[Mapping[Value, Probability]]) -> Joint:
    """Independent records, record i of law laws[i]."""
    return product([gather(((value,), probability) for value, probability in law.items()) for law in laws])


def household(infected: Sequence[Probability]) -> Joint:
    """One household of len(infected) - 1 people; Pr[k infected] is spread evenly over the k-subsets."""
    size = len(infected) - 1
    return gather(
        (tuple(int(person in who) for person in range(size)), Fraction(probability) / comb(size, count))
        for count, probability in enumerate(infected)
        if probability
        for who in combinations(range(size), count)
    )


def households(kinds: Sequence[tuple[int, Sequence[Probability]]]) -> Joint:
    """Independent households: (how many, Pr[0..size infected]) for each kind, kinds in the order given."""
    return product([household(infected) for count, infected in kinds for _ in range(count)])


def groups(kinds: Sequence[tuple[int, Sequence[Sequence[Value]], Sequence[Probability]]]) -> Joint:
    """Independent groups: (how many, rows, probabilities of the rows) for each kind (Theory §4)."""
    return product([table(rows, probabilities) for count, rows, probabilities in kinds for _ in range(count)])


def chain(initial: Sequence[Probability], steps: Iterable[Sequence[Sequence[Probability]]]) -> Joint:
    """A Markov chain of records with values 0..len(initial)-1; step[s][t] = Pr[next = t | now = s]."""
    paths: list[tuple[Assignment, Fraction]] = [((state,), Fraction(p)) for state, p in enumerate(initial)]
    for step in steps:
        paths = [((*path, state), mass * p) for path, mass in paths if mass for state, p in enumerate(step[path[-1]])]
    return gather(paths)


def universes(joint: Joint) -> list[list[Value]]:
    """The values each record takes with positive probability, in order of first appearance."""
    return [list(dict.fromkeys(column)) for column in zip(*joint, strict=True)]


def longini_koopman(size: int, community: Probability, household: Probability) -> list[Fraction]:
    """Pr[0..size infected] in one household (Longini & Koopman 1982).

    `community`: probability of infection from outside; `household`: from one infected member. With B and Q the
    probabilities of escaping either, m(j,k) = C(k,j) m(j,j) B^(k-j) Q^(j(k-j)) for j < k, and row k sums to 1.
    """
    return final_sizes(size, 1 - Fraction(community), 1 - Fraction(household))


def final_sizes(size: int, escape_community: Any, escape_member: Any) -> list[Any]:
    """The same by the probabilities of escaping either, which are numbers of any kind."""
    everyone: list[Any] = []  # everyone[j] = m(j, j)
    row: list[Any] = []
    for k in range(size + 1):
        row = [
            comb(k, j) * everyone[j] * escape_community ** (k - j) * escape_member ** (j * (k - j)) for j in range(k)
        ]
        row.append(1 - sum(row))
        everyone.append(row[k])
    return row


def household_epidemic_by_graph(size: int, community: Probability, household: Probability) -> list[Fraction]:
    """The same law from every random directed graph: infected is whoever a person infected from outside reaches.

    2^(size²) graphs: size at most 3 is instant, 4 takes a while.
    """
    pairs = [(i, j) for i in range(size) for j in range(size) if i != j]
    law = [Fraction(0)] * (size + 1)
    for outside in cartesian((False, True), repeat=size):
        for transmits in cartesian((False, True), repeat=len(pairs)):
            infected = {person for person in range(size) if outside[person]}
            for _ in range(size):
                infected |= {j for (i, j), edge in zip(pairs, transmits, strict=True) if edge and i in infected}
            law[len(infected)] += _bits(outside, community) * _bits(transmits, household)
    return law


def _bits(bits: Sequence[bool], probability: Probability) -> Fraction:
    """Probability of these independent bits."""
    successes = sum(bits)
    return Fraction(probability) ** successes * (1 - Fraction(probability)) ** (len(bits) - successes)
