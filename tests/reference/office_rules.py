"""Rules of statistics offices by their definitions: for each exact answer, the outputs with their probabilities."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

from tests.reference.mechanisms import Rows

SUPPRESSED = "suppressed"
Rule = Callable[[Fraction], dict[Fraction | str, Fraction]]


def unbiased(base: int) -> Rule:
    """One of the two multiples around the answer; the chance of each is its nearness."""

    def rule(answer: Fraction) -> dict[Fraction | str, Fraction]:
        around = [Fraction(base * floor(answer / base)), Fraction(base * ceil(answer / base))]
        return {one: 1 - abs(one - answer) / base for one in around}

    return rule


def nearest(base_of: Callable[[Fraction], int], ties: str = "up") -> Rule:
    """The multiple at the least distance."""

    def rule(answer: Fraction) -> dict[Fraction | str, Fraction]:
        base = base_of(answer)
        multiples = [Fraction(base * k) for k in range(floor(answer / base) - 1, ceil(answer / base) + 2)]
        least = min(abs(each - answer) for each in multiples)
        near = [each for each in multiples if abs(each - answer) == least]
        if ties == "even" and len(near) == 2:
            near = [each for each in near if each / base % 2 == 0]
        return {near[-1] if ties == "up" else near[0]: Fraction(1)}

    return rule


def suppression(below: Fraction, to: Fraction | str = SUPPRESSED, keep_zero: bool = False) -> Rule:
    """One output for all answers below the threshold."""

    def rule(answer: Fraction) -> dict[Fraction | str, Fraction]:
        small = answer < below and not (keep_zero and answer == 0)
        return {to if small else answer: Fraction(1)}

    return rule


def cell_key(variance: Fraction) -> Rule:
    """One up or down, as often, but 0 stays: with moves of at most 1 there is one such law of this variance."""

    def rule(answer: Fraction) -> dict[Fraction | str, Fraction]:
        if answer == 0:
            return {answer: Fraction(1)}
        return {answer - 1: variance / 2, answer: 1 - variance, answer + 1: variance / 2}

    return rule


def in_turn(*rules: Rule) -> Rule:
    """The outputs of one rule are the answers of the next, and the word stays."""

    def rule(answer: Fraction) -> dict[Fraction | str, Fraction]:
        found: dict[Fraction | str, Fraction] = {answer: Fraction(1)}
        for each in rules:
            paths = [
                (last, chance * share)
                for output, chance in found.items()
                for last, share in ({output: Fraction(1)} if isinstance(output, str) else each(output)).items()
            ]
            found = {last: sum((p for o, p in paths if o == last), Fraction(0)) for last, _ in paths}
        return found

    return rule


def rows(rule: Rule, answers: Sequence[Fraction]) -> Rows:
    """A row for each answer, over all outputs of any."""
    every = {answer: rule(answer) for answer in answers}
    outputs = list(dict.fromkeys(output for row in every.values() for output in row))
    return {answer: [row.get(output, Fraction(0)) for output in outputs] for answer, row in every.items()}
