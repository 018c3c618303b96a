"""Limits of laws of answers and of channels."""

from typing import Final

from dalenius.limits import Limit

MOST_ENUMERATED: Final = Limit(
    "channel.enumerated", 1 << 25, "assignments", "times people too: a minute; the engine factor needs no list of them"
)
MOST_TILTED_POINTS: Final = Limit(
    "channel.tilted_points", 200_000_000, "points", "laws given every secret: 1.6 GB; beyond, bounds", memory=True
)
MOST_POINTS_OF_ONE: Final = Limit(
    "channel.points_of_one", 1 << 24, "points", "laws given one record's values: 1 GB; beyond, bounds", memory=True
)
MOST_SECONDS: Final = Limit("channel.seconds", 1000, "seconds", "a convolution that is expected to take longer")
MOST_SECONDS_OVER_BOUNDS: Final = Limit(
    "channel.seconds_over_bounds", 60, "seconds", "a convolution of several answers that bounds answer in a moment"
)
MOST_RANK_CELLS: Final = Limit(
    "channel.rank_cells", 1 << 25, "cells", "ranks times sums of answers with extremes: 256 MB for each array"
)
MOST_TILTED_GROUPS: Final = Limit(
    "channel.tilted_groups", 1000, "groups", "of one secret: given more, a sum is too far from its usual place to tilt"
)
MOST_WHOLE_ANSWERS: Final = Limit(
    "channel.whole_answers", 1 << 14, "answers", "a sum with as many has averages from a window, and suprema as below"
)
MOST_WINDOWED_POINTS: Final = Limit(
    "channel.windowed_points", 1 << 27, "points", "windows of all secrets, one after another: some minutes"
)
MOST_ADVICE_ANSWERS: Final = Limit(
    "channel.advice_answers", 1 << 15, "answers", "as many are looked at near the mean only, for advice on errors"
)
MOST_ADVICE_POINTS: Final = Limit(
    "channel.advice_points", 1 << 22, "points", "a law for advice only: 32 MB for each array; beyond, no advice"
)
MOST_SECRET_CELLS: Final = Limit(
    "channel.secret_cells", 1 << 24, "cells", "values of the answer times those of the secret: 128 MB", memory=True
)
MOST_COPIED_POINTS: Final = Limit(
    "channel.copied_points", 1 << 24, "points", "box of answers that determine each other: 128 MB", memory=True
)
MOST_EXTREME_WAYS: Final = Limit(
    "channel.extreme_ways", 1 << 22, "ways", "to set several extremes, of which the sensitivity is the worst: seconds"
)
MOST_PIECES: Final = Limit(
    "channel.pieces", 3000, "pieces", "of the line of outputs under Gaussian noise; beyond, the enclosure is wider"
)
FEW_PEOPLE: Final = Limit(
    "channel.few_people", 64, "people", "whose law is always computed; of more, a shortcut or bound may stand for it"
)
MANY_GROUPS: Final = Limit(
    "channel.many_groups", 1 << 12, "groups", "independent ones: from there on suprema come from one of them"
)
LONG_FROM: Final = Limit(
    "channel.long_from", 2000, "records", "that depend on each other have the law of their sum; more have bounds"
)
LONG_ENOUGH: Final = Limit(
    "channel.long_enough",
    2000,
    "records",
    "the same of a chain under Gaussian noise or none; longer ones have windows",
)
MANY_CELLS: Final = Limit(
    "channel.many_cells", 1 << 21, "cells", "classes times values times sums: a chain with more has windows"
)
MOST_CHAIN_CELLS: Final = Limit(
    "channel.chain_cells", 1 << 28, "cells", "classes times values times sums of one window: some minutes", memory=True
)
MOST_END_CELLS: Final = Limit(
    "channel.end_cells", 1 << 24, "cells", "records times pairs of values, for limits at ±∞: 1 GB", memory=True
)
MOST_FREQUENCIES: Final = Limit(
    "channel.frequencies", 1 << 25, "frequencies", "records times answers: a longer chain has no law for advice"
)
QUICK_LAWS: Final = Limit(
    "channel.quick_laws", 1 << 19, "cells", "nodes times answers: a network with more has bounds, if its cliques do"
)
MOST_SUBSET_VALUES: Final = Limit(
    "channel.subset_values", 8, "values", "of a record, of which bounds take every set; of more, ranges alone: wider"
)
