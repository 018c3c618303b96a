"""Records in the middle of a long binary chain stand for each other: the bound against laws in fractions.

What each model takes the records for, in a sentence with its numbers.
"""

from fractions import Fraction

import numpy as np
import pytest

from dalenius import wings
from dalenius.joints.chain_joint_law import exchangeable_places
from dalenius.models import Chain
from dalenius.spec import read_spec
from tests.conformance.worlds import exactly
from tests.pace import slow

Polynomial = list[Fraction]
Matrix = list[list[Fraction]]


def ahead(step: Matrix, length: int) -> list[tuple[Polynomial, Polynomial]]:
    """E[z^(ones among the next m records) | now] for m = 0..length and both states."""
    found: list[tuple[Polynomial, Polynomial]] = [([Fraction(1)], [Fraction(1)])]
    for _ in range(length):
        zero, one = found[-1]
        further = [[*zero, Fraction(0)], [Fraction(0), *one]]
        found.append(tuple([p * a + q * b for a, b in zip(*further, strict=True)] for p, q in step))  # type: ignore[arg-type]
    return found


def behind(initial: list[Fraction], step: Matrix, length: int) -> list[tuple[Polynomial, Polynomial]]:
    """E[z^(ones among the m records before); now] for m = 0..length and both states."""
    found: list[tuple[Polynomial, Polynomial]] = [([initial[0]], [initial[1]])]
    for _ in range(length):
        zero, one = found[-1]
        further = [[*zero, Fraction(0)], [Fraction(0), *one]]
        found.append(
            tuple([step[0][s] * a + step[1][s] * b for a, b in zip(*further, strict=True)] for s in (0, 1))  # type: ignore[arg-type]
        )
    return found


def laws(n: int, initial: list[Fraction], step: Matrix) -> list[list[Polynomial]]:
    """By place and state: the law of how many of the others are 1, given the record."""
    before, after = behind(initial, step, n - 1), ahead(step, n - 1)
    found = []
    for place in range(n):
        rows = []
        for state in (0, 1):
            row = _times(before[place][state], after[n - 1 - place][state])
            mass = sum(row)
            rows.append([value / mass for value in row] if mass else row)
        found.append(rows)
    return found


def _times(one: Polynomial, other: Polynomial) -> Polynomial:
    total = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, p in enumerate(one):
        for j, q in enumerate(other):
            total[i + j] += p * q
    return total


def apart(one: list[Polynomial], other: list[Polynomial]) -> float:
    """The largest difference of logs, to first order."""
    pairs = ((p, q) for a, b in zip(one, other, strict=True) for p, q in zip(a, b, strict=True))
    return max((float(abs(p - q) / min(p, q)) for p, q in pairs if p != q), default=0.0)


@pytest.mark.lengthy
@pytest.mark.parametrize(
    ("step", "initial"),
    [
        slow(([[0.55, 0.45], [0.45, 0.55]], [0.5, 0.5])),
        ([[0.5, 0.5], [0.55, 0.45]], [0.9, 0.1]),
        slow(([[0.4, 0.6], [0.5, 0.5]], [1.0, 0.0])),
    ],
)
def test_classes_hold_only_exchangeable_records(step: list[list[float]], initial: list[float]) -> None:
    n = 64
    classes = exchangeable_places(n, np.array(initial), np.array(step))
    assert sorted(place for places in classes for place in range(n) if place in places) == list(range(n))
    (middle,) = [places for places in classes if not places.mirrored and places.people > 2]
    assert middle.people > n / 3
    exact = laws(n, exactly(initial), [exactly(row) for row in step])
    for place in range(middle.first, middle.last + 1):
        assert apart(exact[middle.first], exact[place]) <= middle.class_error
    assert apart(exact[1], exact[n // 2]) > 1e-6, "a record near an end is another class"


def test_records_that_are_told_apart_are_on_their_own() -> None:
    """By a label, or by a step of their own."""
    labelled = Chain(n=100, transition=[[0.6, 0.4], [0.4, 0.6]], initial="stationary", labels=["a", *["b"] * 99])
    assert len(labelled.law().subjects()) == 100
    steps = [[[0.6, 0.4], [0.4, 0.6]], [[0.5, 0.5], [0.4, 0.6]]] * 20
    assert len(Chain(n=41, transition=steps, initial=[0.5, 0.5]).law().subjects()) == 41


COIN = {"kind": "independent", "n": 2, "probabilities": [0.5]}

SAID = {
    "independent": (
        {"kind": "independent", "n": 1000, "probabilities": [0.1]},
        "1,000 records that do not depend on each other; each is: 0 with 90 %, 1 with 10 %",
    ),
    "households": (
        {"kind": "households", "by": "home", "epidemic": {"community": 0.04, "household": [0.1, 0.15]}},
        "who lives with whom is read from column home; a person is taken to catch it from outside with 4 %, and from "
        "each housemate who has it with 10 % to 15 %; households do not depend on each other",
    ),
    "groups": (
        {"kind": "groups", "types": [{"count": 3, "records": [[0, 0], [1, 1]], "probabilities": [0.9, 0.1]}]},
        "3 groups of 2 records that depend on each other: (0, 0) with 90 %, (1, 1) with 10 %; groups do not depend on "
        "each other",
    ),
    "chain": (
        {"kind": "chain", "n": 365, "transition": [[0.9, 0.1], [0.2, 0.8]], "initial": "stationary"},
        "365 records in a row, where each depends on the one before; after 0: 0 with 90 %, 1 with 10 %; after 1: "
        "0 with 20 %, 1 with 80 %; the first as in the long run",
    ),
    "table": (
        {"kind": "table", "records": [[0, 0], [1, 1]], "probabilities": [0.9, 0.1]},
        "2 records that depend on each other: (0, 0) with 90 %, (1, 1) with 10 %",
    ),
    "network": (
        {
            "kind": "network",
            "nodes": [
                {"name": "a", "probabilities": [0.9, 0.1]},
                {"name": "b", "parents": ["a"], "probabilities": [[0.9, 0.1], [0.5, 0.5]]},
            ],
        },
        "2 records in a network: a: 0 with 90 %, 1 with 10 %; b depends on a",
    ),
    "pedigree": (
        {
            "kind": "pedigree",
            "people": [["a", "", ""], ["b", "", ""], ["c", "a", "b"]],
            "allele_frequency": 0.1,
        },
        "the genotypes of the 3 relatives: founders have each minor allele with 10 %, and children inherit by Mendel's "
        "laws",
    ),
    "pairwise": (
        {"kind": "pairwise", "n": 3, "values": [0, 1], "edges": [[1, 2]], "given": [[0.9, 0.1], [0.1, 0.9]]},
        "3 records, each one of 0, 1; the joint law of each linked pair of people is known, and no joint law of "
        "everybody",
    ),
    "product": (
        {"kind": "product", "parts": [COIN, COIN]},
        "people of several parts, which do not depend on each other: (1) 2 records that do not depend on each other; "
        "each is: 0 with 50 %, 1 with 50 %; (2) 2 records that do not depend on each other; each is: 0 with 50 %, "
        "1 with 50 %",
    ),
    "sampled": (
        {"kind": "sampled", "population": COIN, "sample": {"rate": 0.25}},
        "answers are those of a sample, and nobody knows who is in it: each person is drawn alone, with 25 %; the "
        "population: 2 records that do not depend on each other; each is: 0 with 50 %, 1 with 50 %",
    ),
    "any": (
        {"kind": "any", "models": [COIN]},
        "the worst of these: (1) 2 records that do not depend on each other; each is: 0 with 50 %, 1 with 50 %",
    ),
    "gaussian": (
        {"kind": "gaussian", "mean": [1, 1], "covariance": [[4, 1], [1, 4]]},
        "2 normal records, means 1; deviations 2; they depend on each other as the given covariances say",
    ),
    "gaussian_mixture": (
        {
            "kind": "gaussian_mixture",
            "components": [{"weight": 0.5, "mean": [m, m], "covariance": [[1, 0], [0, 1]]} for m in (0, 3)],
        },
        "2 records with a mixture of 2 normal laws, the same one for all records",
    ),
    "absent": (
        {"kind": "absent", "answers": [3, 4]},
        "one person is absent from the table, and everybody else's record is known; each is as likely as any other",
    ),
    "moments": (
        {"kind": "moments", "n": 100, "neighbourhood": 3, "variance": 0.2, "range": 1.0, "known_fraction": 0.1},
        "100 records of unknown law, of variance 0.2 on average, within a range of 1; each depends on at most 2 "
        "others; 10 % of them may be known",
    ),
    "linked": (
        {"kind": "linked", "stages": ["May", "June"], "within": COIN, "coupling": "chain", "persistence": 0.9},
        "the same people at May, June; within the first: 2 records that do not depend on each other; each is: 0 with "
        "50 %, 1 with 50 %; from one to the next a person's value stays with 90 %, or else is drawn anew",
    ),
}


def test_in_words() -> None:
    for kind in wings.MODELS:
        model, words = SAID[kind]
        assert read_spec({"model": model, "query": {"kind": "count"}}).model.words == words
