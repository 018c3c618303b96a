"""The whole idea in one file: five people, fractions, and nothing of the package.

Two live together, and so do three. Who is infected infects housemates: records of one home depend on each other.
How many of the five are ill is published with noise. What does that say about one person?

    python examples/idea.py

Everything is found by listing all 32 tables, with probabilities as fractions. The package answers the same questions
for millions of people; `tests/docs/test_idea.py` holds its numbers equal to these.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import exp, log

Table = tuple[int, ...]
"""Who is ill: a 0 or a 1 for each of the five people."""
Law = Mapping[int, Fraction]
"""Outputs and their probabilities."""

# Pr[0, 1, .. of the home are ill]; who of them is, is even: they are exchangeable.
COUPLE = (Fraction(9, 10), Fraction(1, 50), Fraction(2, 25))
THREE = (Fraction(17, 20), Fraction(1, 20), Fraction(0), Fraction(1, 10))


# 1. The model: what the adversary believes of the records, before anything is published.
def home(infected: tuple[Fraction, ...]) -> dict[Table, Fraction]:
    """The joint law of one home's records."""
    tables = list(product((0, 1), repeat=len(infected) - 1))
    alike = [sum(sum(other) == ill for other in tables) for ill in range(len(infected))]
    return {table: infected[sum(table)] / alike[sum(table)] for table in tables}


def independent(*homes: dict[Table, Fraction]) -> dict[Table, Fraction]:
    """Homes do not depend on each other."""
    law = {(): Fraction(1)}
    for each in homes:
        law = {(*a, *b): p * q for a, p in law.items() for b, q in each.items()}
    return law


FIVE = independent(home(COUPLE), home(THREE))


# 2. The release: a query of the table, and noise.
def count(table: Table) -> int:
    return sum(table)


def geometric(ratio: Fraction) -> Callable[[int], Fraction]:
    """Pr[noise = k] = (1 - r)/(1 + r) r^|k|: the Laplace law on whole numbers; its scale is b with r = e^(-1/b)."""
    return lambda k: (1 - ratio) / (1 + ratio) * ratio ** abs(k)


# 3. The channel: the law of the output given each value of one person's record, the secret.
#    Beyond -1 and 6 all its rows fall by the same factor: nothing there says more than at the ends.
OUTPUTS = range(-1, 7)


def channel(law: Mapping[Table, Fraction], person: int, ratio: Fraction) -> dict[int, Law]:
    noise, prior = geometric(ratio), chances(law, person)
    rows = {}
    for secret in prior:
        given = {table: p / prior[secret] for table, p in law.items() if table[person] == secret}
        rows[secret] = {y: sum(p * noise(y - count(table)) for table, p in given.items()) for y in OUTPUTS}
    return rows


def chances(law: Mapping[Table, Fraction], person: int) -> dict[int, Fraction]:
    """The prior of one person's record: of values that can occur."""
    found = {value: sum((p for table, p in law.items() if table[person] == value), Fraction(0)) for value in (0, 1)}
    return {value: p for value, p in found.items() if p > 0}


# 4. A notion of privacy is one number of the channel. The audit is the worst over people, secrets and outputs.
def inferential(rows: Mapping[int, Law]) -> Fraction:
    """By what factor an output may move the odds of two secrets."""
    return max(rows[s][y] / rows[t][y] for s in rows for t in rows for y in OUTPUTS)


def information(rows: Mapping[int, Law], prior: Mapping[int, Fraction]) -> Fraction:
    """By what factor an output may raise the chance of a secret: posterior over prior, by Bayes' rule."""
    return max(posterior(rows, prior, y)[s] / prior[s] for s in rows for y in OUTPUTS)


def posterior(rows: Mapping[int, Law], prior: Mapping[int, Fraction], output: int) -> dict[int, Fraction]:
    together = sum(prior[s] * rows[s][output] for s in rows)
    return {s: prior[s] * rows[s][output] / together for s in rows}


def audit(law: Mapping[Table, Fraction], ratio: Fraction, people: Iterable[int] = range(5)) -> dict[str, float]:
    """In nats: the logs of the factors."""
    found = {"inferential": 0.0, "information": 0.0}
    for person in people:
        rows, prior = channel(law, person, ratio), chances(law, person)
        found["inferential"] = max(found["inferential"], log(inferential(rows)))
        found["information"] = max(found["information"], log(information(rows, prior)))
    return found


# 5. Calibration turns the audit round: the least noise that keeps a promise.
def calibrate(law: Mapping[Table, Fraction], notion: str, epsilon: float) -> float:
    """The least scale, in people, at which the notion is at most epsilon; by halving, to nine digits."""
    low, high = 0.0, 1.0
    while audit(law, Fraction(exp(-1 / high)))[notion] > epsilon:
        low, high = high, 2 * high
        if high > 1e12:
            raise ValueError("no noise keeps this promise")
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if audit(law, Fraction(exp(-1 / middle)))[notion] > epsilon:
            low = middle
        else:
            high = middle
    return high


# 6. The attack is Bayes' rule: guess the likelier secret. How often is that right, and how often without the output?
def attack(law: Mapping[Table, Fraction], person: int, ratio: Fraction) -> tuple[Fraction, Fraction]:
    """Within 0 and 5 the output's own column decides; beyond, all of a side is as its end, times a geometric sum."""
    rows, prior = channel(law, person, ratio), chances(law, person)
    weights = {y: Fraction(1) if y in range(0, 6) else 1 / (1 - ratio) for y in OUTPUTS}
    right = sum(weights[y] * max(prior[s] * rows[s][y] for s in rows) for y in OUTPUTS)
    return right, max(prior.values())


if __name__ == "__main__":
    ratio = Fraction(1, 3)  # what is called epsilon = ln 3 for independent records
    print(f"independent records: {-log(ratio):.6f} nats")
    for notion, nats in audit(FIVE, ratio).items():
        print(f"these records, {notion}: {nats:.6f} nats")
    print(f"least scale for ln 3 of information: {calibrate(FIVE, 'information', log(3)):.6f} people")
    right, blindly = attack(FIVE, 2, ratio)
    print(f"the third person's record is guessed right with {float(right):.6f}, blindly {float(blindly):.6f}")
