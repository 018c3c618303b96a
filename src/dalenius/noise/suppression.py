"""Suppression: small answers are not published."""

from fractions import Fraction
from typing import Annotated, Final, Literal, final

from pydantic import Field, model_validator

from dalenius.fields import Finite, Positive
from dalenius.laws.lattice import Lattice
from dalenius.noise.rule import OutputChances, Repeats, Rule, common_unit
from dalenius.noise.rule_error import RuleError
from dalenius.noise.rule_mechanism import RuleMechanism
from dalenius.sentences.sentence import Figure, said

SUPPRESSED: Final = "suppressed"
"""The output that stands for an answer that is too small to be published."""


@final
class Suppression(Rule):
    """Publishes the answer as it is, unless it is below a threshold: then one output stands for all such answers.

    Args:
        below: The threshold, a number above 0 in the query's unit. Smaller answers are suppressed, the threshold is
            not.
        to: A number of at least 0 that goes out for a suppressed answer. None (the default) for the word
            `suppressed`.
        keep_zero: Whether the answer 0 goes out as it is; false by default.
        scale: None, always: a rule has no scale to choose.

    Example:
        >>> import dalenius as dl
        >>> rule = dl.Suppression(below=6)
        >>> rule.drawn(Fraction(5)), rule.drawn(Fraction(6)), dl.Suppression(below=6, to=0).drawn(Fraction(5))
        ('suppressed', Fraction(6, 1), Fraction(0, 1))
    """

    kind: Literal["suppression"] = "suppression"
    below: Positive
    to: Annotated[Finite, Field(ge=0)] | None = None
    keep_zero: bool = False

    @model_validator(mode="after")
    def _check(self) -> "Suppression":
        if self.scale is not None:
            raise ValueError("no scale beside kind = suppression")
        # Because 0 would go out as 0 either way.
        if self.keep_zero and self.to == 0:
            raise ValueError("no keep_zero beside to = 0, which goes out for the answer 0 anyway")
        return self

    @property
    def _threshold(self) -> Fraction:
        return Fraction(str(self.below))

    def row(self, answer: Fraction) -> OutputChances:
        if answer >= self._threshold or (answer == 0 and self.keep_zero):
            return {answer: Fraction(1)}
        return {SUPPRESSED if self.to is None else Fraction(str(self.to)): Fraction(1)}

    def repeats(self, step: Fraction) -> Repeats:
        return Repeats(self._threshold, step)

    def unit(self, step: Fraction) -> Fraction:
        return step if not self.to else common_unit(step, Fraction(str(self.to)))

    @property
    def farthest(self) -> Fraction:
        return Fraction(0) if self.to is None else max(self._threshold, Fraction(str(self.to)))

    @property
    def draws(self) -> bool:
        return False

    @property
    def word(self) -> str | None:
        return SUPPRESSED if self.to is None else None

    def mechanism(self, lattice: Lattice) -> RuleMechanism:
        return RuleMechanism(self, lattice, self)

    def error(self, step: Fraction) -> RuleError:
        return RuleError(self, step)

    @property
    def words(self) -> str:
        below = Figure(f"{self.below:g}")
        if self.to is None:
            removed = said("suppressed", below=below)
        else:
            removed = said("suppressed_to", below=below, to=Figure(f"{self.to:g}"))
        return said("zero_kept", suppression=removed) if self.keep_zero else removed
