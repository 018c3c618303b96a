"""The grid to which an answer without noise is rounded: a section of a spec whose model gives moments."""

from typing import final

from pydantic import model_validator

from dalenius.schema import Finite, Frozen


@final
class Grid(Frozen):
    """lower, upper: the lowest and the highest threshold, in the query's unit."""

    lower: Finite
    upper: Finite

    @model_validator(mode="after")
    def _check(self) -> "Grid":
        if not self.lower < self.upper:
            raise ValueError(f"lower below upper (they are {self.lower:g} and {self.upper:g})")
        return self
