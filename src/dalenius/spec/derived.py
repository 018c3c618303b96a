"""Numbers that are computed from noisy answers, such as a rate from two counts."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Final, final

from pydantic import Field

from dalenius.errors import InputError
from dalenius.fields import Finite
from dalenius.frozen_section import Frozen

_Weights = Annotated[dict[str, Finite], Field(min_length=1)]
NAMELESS: Final = "answer"
"""Name of the only answer of a query without a name."""


@final
class Derived(Frozen):
    """A number that is computed from the answers: a weighted sum, or a ratio of two.

    It costs no privacy, because it depends on the released answers alone. The example is the rate of the ill.

    Args:
        name: The name of the number, which no answer and no other number has.
        weights: The factor of each answer in the sum, by the answer's name; the only answer of a query without a name
            is called `answer`.
        over: The factors of a second sum, by which the first is divided. None, the default, divides by nothing.

    Example:
        >>> rate = Derived(name="rate", weights={"ill": 1}, over={"all": 1})
        >>> rate.of({"ill": Fraction(3), "all": Fraction(12)})
        Fraction(1, 4)
    """

    name: Annotated[str, Field(min_length=1)]
    weights: _Weights
    over: _Weights | None = None

    def of(self, answers: Mapping[str, Fraction | str]) -> Fraction | None:
        """Computes the number exactly.

        Args:
            answers: The answers by name, in the query's own unit.

        Returns:
            The number; None where it would be divided by 0, or where an answer is a word.
        """
        above, below = _sum(self.weights, answers), Fraction(1) if self.over is None else _sum(self.over, answers)
        return None if above is None or not below else above / below


def derived(
    wanted: Sequence[Derived], names: Sequence[str], answers: Sequence[Fraction | str]
) -> dict[str, Fraction | None]:
    """Computes the numbers that are wanted.

    Args:
        wanted: The numbers, each with its name.
        names: The names of the answers.
        answers: The answers in the same order, in the query's own unit.

    Returns:
        The numbers by name; None where one would be divided by 0, or where an answer is a word.

    Raises:
        InputError: For an answer that does not exist, and for a name that is taken.
    """
    check_derived(wanted, names)
    found = {name or NAMELESS: answer for name, answer in zip(names, answers, strict=True)}
    return {each.name: each.of(found) for each in wanted}


def check_derived(wanted: Sequence[Derived], names: Sequence[str]) -> None:
    """Raises InputError if one of `wanted` uses an answer not among `names`, or has a name that is taken."""
    known = [name or NAMELESS for name in names]
    for row, each in enumerate(wanted, 1):
        for key, weights in (("weights", each.weights), ("over", each.over or {})):
            for name in weights:
                if name not in known:
                    raise InputError(f"derived row {row}.{key}", name, f"one of the answers {', '.join(known[:20])}")
        if each.name in known or each.name in [other.name for other in wanted[: row - 1]]:
            raise InputError(f"derived row {row}.name", each.name, "a name that no other number has")


def _sum(weights: Mapping[str, float], answers: Mapping[str, Fraction | str]) -> Fraction | None:
    """Returns the weighted sum, exactly, each weight as the decimal written; None where an answer is a word."""
    total = Fraction(0)
    for name, weight in weights.items():
        answer = answers[name]
        if isinstance(answer, str):
            return None
        total += Fraction(str(weight)) * answer
    return total
