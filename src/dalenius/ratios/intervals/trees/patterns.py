"""Where outputs may lie far away from all answers."""

from functools import lru_cache
from itertools import product
from typing import Final

MOST: Final = 3


@lru_cache(maxsize=16)
def patterns(axes: int) -> tuple[tuple[float, ...], ...]:
    """By coordinate, above (1) or below (-1): all ways of up to three coordinates; of more, only all alike."""
    if axes > MOST:
        return (1.0,) * axes, (-1.0,) * axes
    return tuple(product((1.0, -1.0), repeat=axes))
