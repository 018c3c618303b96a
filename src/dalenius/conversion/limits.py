"""Limits of what a pipeline is known to leak."""

from typing import Final

from dalenius.limits import Limit

MOST_STATES: Final = Limit(
    "conversion.states", 400, "states", "of the others in one group: the program has a row for each pair, 160,000"
)
MOST_ROWS: Final = Limit(
    "conversion.rows", 100_000, "assignments", "of a group that are listed to see how many states the others have"
)
MOST_STATES_IN_LOGS: Final = Limit(
    "conversion.states_in_logs",
    40,
    "states",
    "of the others, for the best test under normal noise; of more, wider ends",
)
MOST_MESSAGES: Final = Limit(
    "conversion.messages", 300, "records", "of a chain after which a side that has not settled counts as the worst"
)
MOST_CLIQUE_PAIRS: Final = Limit(
    "conversion.clique_pairs", 200_000, "pairs", "of states in all messages; larger cliques count as a group each"
)
LARGEST_TARGET: Final = Limit(
    "conversion.largest_target", 1_000_000, "nats", "the largest ε′ that may be asked for: it hides nothing"
)
LARGEST_SIZE: Final = Limit(
    "conversion.largest_size", 1_000_000, "deviations", "the largest μ, or ρ, of a promise: above, anything may leak"
)
LARGEST_PARAMETER: Final = Limit(
    "conversion.largest_parameter", 10_000, "nats", "of a pipeline: a promise that is kept at it is kept at any"
)
LARGEST_PURE: Final = Limit(
    "conversion.largest_pure",
    100_000,
    "nats",
    "of one answer, which hides nothing: a larger loss is added, not composed",
)
PROGRAM_ENDS: Final = Limit(
    "conversion.program_ends", 600, "nats", "of ε′ in the linear program, whose costs are doubles; beyond, bounds"
)
MOST_LOSSES: Final = Limit(
    "conversion.losses", 1 << 19, "points", "of the grid of one answer's loss; smaller ones are moved up to its end"
)
LARGEST_TRANSFORM: Final = Limit(
    "conversion.largest_transform", 1 << 23, "points", "of the grid of all losses together: 300 MB; then it is coarser"
)
MOST_TILTS: Final = Limit(
    "conversion.tilts", 60, "tilts", "of a table of δ; what is smaller then is bounded by moments"
)
MOST_EVENT_COUNT: Final = Limit(
    "conversion.event_count", 10**9, "times", "that an event is repeated, and buckets of randomised response"
)
MOST_EVENT_RECORDS: Final = Limit(
    "conversion.event_records", 10**15, "records", "of a sample or its source, and steps of a tree: exact as doubles"
)
MOST_EVENT_SENSITIVITY: Final = Limit(
    "conversion.event_sensitivity", 10**6, "steps", "of an answer with discrete Laplace noise"
)
