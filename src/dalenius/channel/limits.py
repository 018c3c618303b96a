"""Limits of laws of answers and of channels."""

from typing import Final

from dalenius.limits import Limit

MOST_ENUMERATED: Final = Limit(
    "channel.enumerated",
    1 << 25,
    "assignments",
    "Assignments times people. They take a minute. The engine `factor` needs no list of them.",
)
MOST_DRAWN_CASES: Final = Limit(
    "channel.drawn_cases",
    100_000,
    "cases",
    "Pairs of values of a drawn record, times outputs. Beyond, the noise's own loss is the bound.",
)
MOST_TILTED_POINTS: Final = Limit(
    "channel.tilted_points",
    200_000_000,
    "points",
    "Points of the laws given every secret. They take 1.6 GB. Beyond, bounds are reported.",
    memory=True,
)
MOST_POINTS_OF_ONE: Final = Limit(
    "channel.points_of_one",
    1 << 24,
    "points",
    "Points of the laws given one record's values. They take 1 GB. Beyond, bounds are reported.",
    memory=True,
)
MOST_SECONDS: Final = Limit(
    "channel.seconds", 1000, "seconds", "The expected time of a convolution. A longer convolution is refused."
)
MOST_SECONDS_OVER_BOUNDS: Final = Limit(
    "channel.seconds_over_bounds",
    60,
    "seconds",
    "The expected time of a convolution of several answers, if bounds take only a moment.",
)
MOST_RANK_CELLS: Final = Limit(
    "channel.rank_cells",
    1 << 25,
    "cells",
    "Ranks times sums, for answers with a maximum or minimum. Each array takes 256 MB.",
)
MOST_TILTED_GROUPS: Final = Limit(
    "channel.tilted_groups",
    1000,
    "groups",
    "Groups of one secret. Given more groups, the sum lies too far from its usual place for tilting.",
)
MOST_WHOLE_ANSWERS: Final = Limit(
    "channel.whole_answers",
    1 << 14,
    "answers",
    "Values of a sum. From this many on, its averages come from a window of its law.",
)
MOST_WINDOWED_POINTS: Final = Limit(
    "channel.windowed_points",
    1 << 27,
    "points",
    "Points of the windows of all secrets, which are computed one after another. They take some minutes.",
)
MOST_ADVICE_ANSWERS: Final = Limit(
    "channel.advice_answers",
    1 << 15,
    "answers",
    "Answers. From this many on, advice on errors looks only at answers near the mean.",
)
MOST_ADVICE_POINTS: Final = Limit(
    "channel.advice_points",
    1 << 22,
    "points",
    "Points of a law that serves only advice. Each array takes 32 MB. Beyond, there is no advice.",
)
MOST_SECRET_CELLS: Final = Limit(
    "channel.secret_cells",
    1 << 24,
    "cells",
    "Values of the answer times values of the secret. An array takes 128 MB.",
    memory=True,
)
MOST_COPIED_POINTS: Final = Limit(
    "channel.copied_points",
    1 << 24,
    "points",
    "Points of the box of answers that determine each other. An array takes 128 MB.",
    memory=True,
)
MOST_EXTREME_WAYS: Final = Limit(
    "channel.extreme_ways",
    1 << 22,
    "ways",
    "Ways to set several maxima and minima. The sensitivity is the worst of them. They take seconds.",
)
MOST_PIECES: Final = Limit(
    "channel.pieces",
    3000,
    "pieces",
    "Pieces of the line of outputs under Gaussian noise. Beyond, the enclosure is wider.",
)
FEW_PEOPLE: Final = Limit(
    "channel.few_people",
    64,
    "people",
    "People whose law is always computed. For more people, a shortcut or a bound may replace the law.",
)
MANY_GROUPS: Final = Limit(
    "channel.many_groups",
    1 << 12,
    "groups",
    "Independent groups. From this many on, one group gives the suprema of all.",
)
LONG_FROM: Final = Limit(
    "channel.long_from",
    2000,
    "records",
    "Records that depend on each other. Up to this many the law of the sum is computed; then bounds are.",
)
LONG_ENOUGH: Final = Limit(
    "channel.long_enough",
    2000,
    "records",
    "Records of a chain without noise, or all unlike. A longer chain has a window of its law.",
)
MANY_CELLS: Final = Limit(
    "channel.many_cells",
    1 << 21,
    "cells",
    "Classes times values times sums. A chain with more of them has a window of its law.",
)
MOST_CHAIN_CELLS: Final = Limit(
    "channel.chain_cells",
    1 << 28,
    "cells",
    "Classes times values times sums of one window of a chain. They take some minutes.",
    memory=True,
)
MOST_END_CELLS: Final = Limit(
    "channel.end_cells",
    1 << 24,
    "cells",
    "Records times pairs of values, for the limits at ±∞. They take 1 GB.",
    memory=True,
)
MOST_FREQUENCIES: Final = Limit(
    "channel.frequencies", 1 << 25, "frequencies", "Records times answers. A longer chain has no law for advice."
)
QUICK_LAWS: Final = Limit(
    "channel.quick_laws",
    1 << 19,
    "cells",
    "Nodes times answers. A larger network has bounds instead, if its cliques are small enough.",
)
MOST_SUBSET_VALUES: Final = Limit(
    "channel.subset_values",
    8,
    "values",
    "Values of a record. Up to this many, bounds try every set of values; then ranges only, which are wider.",
)
MOST_NODES: Final = Limit(
    "channel.nodes",
    1 << 17,
    "nodes",
    "Nodes of networks with windows. Trees take minutes. Beyond, bounds are reported.",
)
MOST_CLIQUE_STATES: Final = Limit(
    "channel.clique_states",
    1 << 10,
    "states",
    "States of a clique, for windows of a network. A network with a wider clique has bounds instead.",
)
MOST_REPORTS: Final = Limit(
    "channel.reports",
    16,
    "people",
    "People of one group whose reports go out in order. Each combination of their reports is an output.",
)
MOST_NAMED: Final = Limit(
    "channel.named",
    1_000,
    "people",
    "People whose reports go out in order under several laws, as of model `any`. Each has an answer.",
)
