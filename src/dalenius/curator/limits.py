"""Limits of questions to a curator and of the ledger."""

from typing import Final

from dalenius.limits import Limit

LARGEST_SHARE: Final = Limit(
    "curator.largest_share", 1000, "nats", "that one question may cost: what more allows, e^1000, is no double"
)
MOST_TOGETHER: Final = Limit(
    "curator.together", 64, "answers", "of several queries in one question: their joint law says what they leak"
)
MOST_VALUES: Final = Limit(
    "curator.values", 100_000, "values", "of a declared measure that are compared with the model's; more are not"
)
LONGEST_NAME: Final = Limit(
    "curator.longest_name", 100, "characters", "of a name of an analyst or data set, or a version"
)
HEAVY: Final = Limit(
    "curator.heavy", 600, "seconds", "for which a question that took too long is refused, not computed again"
)
BUSY_SECONDS: Final = Limit("curator.busy_seconds", 60, "seconds", "to wait for another process that writes the ledger")
