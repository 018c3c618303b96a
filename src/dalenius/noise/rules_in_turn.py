"""Several rules of statistics offices, one after the other."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.noise.rule import Output, OutputChances, Repeats, RuleRows, common_period


@final
@dataclass(frozen=True)
class RulesInTurn(RuleRows):
    """Several rules, one after the other: what one publishes is the answer of the next. A word stays.

    Attributes:
        rules: The rules, in order.

    A count below 6 is not published, 7 is rounded to a multiple of 3, the mean kept:

    >>> from dalenius.noise.rounding import Rounding
    >>> from dalenius.noise.suppression import Suppression
    >>> both = RulesInTurn((Suppression(below=6), Rounding(base=3)))
    >>> [{str(output): str(chance) for output, chance in both.row(Fraction(n)).items()} for n in (4, 7)]
    [{'suppressed': '1'}, {'6': '2/3', '9': '1/3'}]
    """

    rules: tuple[RuleRows, ...]

    def row(self, answer: Fraction) -> OutputChances:
        found: dict[Output, Fraction] = {answer: Fraction(1)}
        for rule in self.rules:
            after: dict[Output, Fraction] = {}
            for output, chance in found.items():
                row = {output: Fraction(1)} if isinstance(output, str) else rule.row(output)
                for last, share in row.items():
                    after[last] = after.get(last, Fraction(0)) + chance * share
            found = after
        return found

    def repeats(self, step: Fraction) -> Repeats:
        start, period, moved = Fraction(0), step, Fraction(0)
        for rule in self.rules:
            own = rule.repeats(step)
            # Because an answer has moved before it comes to this rule, and must be past its start wherever it is.
            start, period = max(start, own.start + moved), common_period(period, own.period)
            step, moved = rule.unit(step), moved + rule.farthest
        return Repeats(start, period)

    def unit(self, step: Fraction) -> Fraction:
        for rule in self.rules:
            step = rule.unit(step)
        return step

    @property
    def farthest(self) -> Fraction:
        return sum((rule.farthest for rule in self.rules), Fraction(0))

    @property
    def word(self) -> str | None:
        return next((rule.word for rule in self.rules if rule.word is not None), None)
