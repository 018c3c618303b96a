"""Limits of secrets of several people, and of data sets that share people."""

from typing import Final

from dalenius.limits import Limit

MOST_SECRET_PAIRS: Final = Limit(
    "linked.secret_pairs",
    1 << 17,
    "pairs",
    "Pairs of values of a secret function in two parts of a group. To join two parts takes a second.",
)
MOST_WAYS: Final = Limit(
    "linked.ways",
    1 << 14,
    "ways",
    "Ways for the records of a secret group of people. 14 people with yes or no have as many.",
)
MOST_GROUP_KINDS: Final = Limit(
    "linked.group_kinds", 20_000, "groups", "Groups of a given size that are not alike. Each needs a channel."
)
MOST_PROCESSES: Final = Limit(
    "linked.processes",
    1 << 12,
    "processes",
    "Processes of one record. 12 stages of yes or no have as many, and 6 stages of four values.",
)
MOST_STAGES: Final = Limit(
    "linked.stages", 64, "stages", "Stages of one model. A larger number is probably a mistake in typing."
)
