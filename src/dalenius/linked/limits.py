"""Limits of secrets of several people, and of data sets that share people."""

from typing import Final

from dalenius.limits import Limit

MOST_SECRET_PAIRS: Final = Limit(
    "linked.secret_pairs", 1 << 17, "pairs", "of values of a secret function in two parts of a group: a second for each"
)
MOST_WAYS: Final = Limit(
    "linked.ways", 1 << 14, "ways", "for the records of a secret group of people: 14 people of yes or no"
)
MOST_GROUP_KINDS: Final = Limit(
    "linked.group_kinds", 20_000, "groups", "of a given size, that are not alike: each has a channel of its own"
)
MOST_PROCESSES: Final = Limit(
    "linked.processes", 1 << 12, "processes", "of one record: 12 stages of yes or no, 6 of four values"
)
MOST_STAGES: Final = Limit("linked.stages", 64, "stages", "of one model: more of them are a slip of the keyboard")
