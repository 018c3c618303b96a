"""Limits of what a pipeline is known to leak."""

from typing import Final

from dalenius.limits import Limit

MOST_STATES: Final = Limit(
    "conversion.states",
    400,
    "states",
    "States of the other records of a group. The linear program has a row for each pair, 160,000 in all.",
)
MOST_MAP_DISTANCES: Final = Limit(
    "conversion.map_distances",
    60,
    "records",
    "Distances of a map of losses. Each is compared with all ways to get there in smaller steps.",
)
MOST_MAP_STATES: Final = Limit(
    "conversion.map_states",
    120,
    "states",
    "States of the other records under a map of losses. The program then has two rows for each pair.",
)
MOST_ROWS: Final = Limit(
    "conversion.rows",
    100_000,
    "assignments",
    "Assignments of a group that are listed to count the states of the other records.",
)
MOST_STATES_IN_LOGS: Final = Limit(
    "conversion.states_in_logs",
    40,
    "states",
    "States of the other records, for the best test under normal noise. Beyond, the ends are wider.",
)
MOST_MESSAGES: Final = Limit(
    "conversion.messages",
    300,
    "records",
    "Records of a chain. If the messages of a side have not settled by then, that side counts as the worst.",
)
MOST_CLIQUE_PAIRS: Final = Limit(
    "conversion.clique_pairs",
    200_000,
    "pairs",
    "Pairs of states in all messages of a network. Larger cliques count as a group each.",
)
LARGEST_TARGET: Final = Limit(
    "conversion.largest_target",
    1_000_000,
    "nats",
    "The largest ε′ that may be asked for. A guarantee with this ε′ hides nothing.",
)
LARGEST_SIZE: Final = Limit(
    "conversion.largest_size", 1_000_000, "deviations", "The largest μ or ρ of a promise. Above it, anything may leak."
)
LARGEST_MOVE: Final = Limit(
    "conversion.largest_move",
    100,
    "deviations",
    "The largest sensitivity of a mixture of Gaussians. Above it, one answer tells nearly everything.",
)
MOST_MOVES: Final = Limit(
    "conversion.moves",
    1000,
    "sensitivities",
    "The sensitivities of a mixture of Gaussians. Each place of its losses has a term for each.",
)
LARGEST_PARAMETER: Final = Limit(
    "conversion.largest_parameter",
    10_000,
    "nats",
    "The largest parameter of a pipeline. A promise that is kept at it is kept at any.",
)
LARGEST_PURE: Final = Limit(
    "conversion.largest_pure",
    100_000,
    "nats",
    "The loss of one answer. A larger loss hides nothing, and is added instead of composed.",
)
PROGRAM_ENDS: Final = Limit(
    "conversion.program_ends",
    600,
    "nats",
    "The largest ε′ of the linear program, whose costs are doubles. Beyond, bounds are reported.",
)
MOST_LOSSES: Final = Limit(
    "conversion.losses",
    1 << 19,
    "points",
    "Points of the grid of one answer's loss. Losses below the grid are moved up to its end.",
)
LARGEST_TRANSFORM: Final = Limit(
    "conversion.largest_transform",
    1 << 23,
    "points",
    "Points of the grid of all losses together, which takes 300 MB. Beyond, the grid is coarser.",
)
MOST_TILTS: Final = Limit(
    "conversion.tilts", 60, "tilts", "Tilts of a table of δ. Any δ that is still smaller is bounded by moments."
)
MOST_EVENT_COUNT: Final = Limit(
    "conversion.event_count", 10**9, "times", "Repetitions of an event, and buckets of randomised response."
)
MOST_EVENT_RECORDS: Final = Limit(
    "conversion.event_records",
    10**15,
    "records",
    "Records of a sample or its source, and steps of a tree. Doubles hold such numbers exactly.",
)
MOST_EVENT_SENSITIVITY: Final = Limit(
    "conversion.event_sensitivity", 10**6, "steps", "The sensitivity of an answer with discrete Laplace noise."
)
