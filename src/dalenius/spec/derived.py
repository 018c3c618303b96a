"""Numbers computed from released answers: post-processing, which leaks nothing more and costs nothing."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Final, final

from pydantic import Field

from dalenius.errors import InputError
from dalenius.schema import Finite, Frozen

Weights = Annotated[dict[str, Finite], Field(min_length=1)]
NAMELESS: Final = "answer"
"""What the only answer of a query without a name is called."""


@final
class Derived(Frozen):
    """name: of the number; weights: by answer what it is multiplied by, in a sum; over: the same of a sum that the
    first is divided by."""

    name: Annotated[str, Field(min_length=1)]
    weights: Weights
    over: Weights | None = None

    def of(self, answers: Mapping[str, Fraction | str]) -> Fraction | None:
        """Exactly, of these answers by name; None where it would be divided by 0, or an answer is a word."""
        above, below = _sum(self.weights, answers), Fraction(1) if self.over is None else _sum(self.over, answers)
        return None if above is None or not below else above / below


def derived(
    asked: Sequence[Derived], names: Sequence[str], answers: Sequence[Fraction | str]
) -> dict[str, Fraction | None]:
    """By name the numbers asked for. InputError for an answer that there is not."""
    check_derived(asked, names)
    found = {name or NAMELESS: answer for name, answer in zip(names, answers, strict=True)}
    return {each.name: each.of(found) for each in asked}


def check_derived(asked: Sequence[Derived], names: Sequence[str]) -> None:
    """InputError for an answer that there is not, and for a name that is taken."""
    known = [name or NAMELESS for name in names]
    for row, each in enumerate(asked, 1):
        for key, weights in (("weights", each.weights), ("over", each.over or {})):
            for name in weights:
                if name not in known:
                    raise InputError(f"derived row {row}.{key}", name, f"one of the answers {', '.join(known[:20])}")
        if each.name in known or each.name in [other.name for other in asked[: row - 1]]:
            raise InputError(f"derived row {row}.name", each.name, "a name that no other number has")


def _sum(weights: Mapping[str, float], answers: Mapping[str, Fraction | str]) -> Fraction | None:
    total = Fraction(0)
    for name, weight in weights.items():
        answer = answers[name]
        if isinstance(answer, str):
            return None
        total += Fraction(str(weight)) * answer
    return total
