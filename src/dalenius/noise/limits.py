"""Limits of noise, and of how far off it is."""

from typing import Final

from dalenius.limits import Limit

MOST_DECAY: Final = Limit(
    "noise.decay",
    10**6,
    "scales",
    "of the noise in one step of the lattice: less noise changes no answer in practice",
)
MOST_DEVIATIONS: Final = Limit(
    "noise.deviations", 100, "deviations", "of Gaussian noise in one step of the lattice: less of it hides nothing"
)
LARGEST_DRAW: Final = Limit(
    "noise.largest_draw", 1 << 62, "steps", "of the lattice, answer and noise together: samplers have 64 bits"
)
MOST_DECIMALS: Final = Limit(
    "noise.decimals", 300, "digits", "of a given output before its point, or zeros after it: doubles end there"
)
MOST_PAIRED_VALUES: Final = Limit(
    "noise.paired_values", 2000, "values", "of a record, compared pair by pair for the worst loss; of more, a bound"
)
MOST_RATIOS: Final = Limit(
    "noise.ratios", 1 << 27, "ratios", "pairs of a matrix's rows times its columns: 1 GB; beyond, no bound", memory=True
)
MOST_ERROR_TERMS: Final = Limit(
    "noise.error_terms", 1 << 24, "terms", "of the tail of all errors of a histogram together: 128 MB for each array"
)
