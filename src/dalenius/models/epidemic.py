"""How many of a household fall ill: the Longini–Koopman final-size law, for households of every size."""

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Annotated, final

from pydantic import Field

from dalenius.schema import Frozen, Probability

Chance = Annotated[Probability, Field(ge=0, le=1, allow_inf_nan=False)]


@final
class Epidemic(Frozen):
    """Each member is infected from outside with probability `community`, and by each infected member with
    probability `household` (Longini & Koopman, Biometrics 38, 1982)."""

    community: Chance
    household: Chance

    def infected(self, size: int) -> tuple[float, ...]:
        """Pr[0, 1, .., size of them are infected]; exact until the last rounding."""
        return final_sizes(size, Fraction(self.community), Fraction(self.household))


@lru_cache(maxsize=256)
def final_sizes(size: int, community: Fraction, household: Fraction) -> tuple[float, ...]:
    escape, spared = 1 - community, 1 - household
    whole = [Fraction(1)]  # whole[j]: everyone is infected in a household of j
    for j in range(1, size + 1):
        whole.append(1 - sum((_some(i, j, whole[i], escape, spared) for i in range(j)), Fraction(0)))
    return tuple(float(_some(j, size, whole[j], escape, spared)) for j in range(size + 1))


def _some(infected: int, size: int, all_of_them: Fraction, escape: Fraction, spared: Fraction) -> Fraction:
    others = size - infected
    return comb(size, infected) * all_of_them * escape**others * spared ** (infected * others)
