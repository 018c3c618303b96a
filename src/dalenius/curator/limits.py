"""Limits of questions to a curator and of the ledger."""

from typing import Final

from dalenius.limits import Limit

LARGEST_SHARE: Final = Limit(
    "curator.largest_share",
    1000,
    "nats",
    "The cost of one question. A double cannot hold e^1000, the factor that a larger cost would allow.",
)
MOST_TOGETHER: Final = Limit(
    "curator.together",
    64,
    "answers",
    "Answers to several queries of one question. Their joint law says what they leak.",
)
MOST_VALUES: Final = Limit(
    "curator.values",
    100_000,
    "values",
    "Different values of a declared measure. Up to this many are compared with the model's values.",
)
LONGEST_NAME: Final = Limit(
    "curator.longest_name", 100, "characters", "The length of the name of an analyst or data set, and of a version."
)
LONGEST_KEY: Final = Limit(
    "curator.longest_key", 200, "characters", "The length of a request key. Programs send a UUID, of 36 characters."
)
MOST_PERIODS: Final = Limit(
    "curator.periods",
    1000,
    "periods",
    "Periods of a schedule. Every question computes the loss of each period over all of them.",
)
HEAVY: Final = Limit(
    "curator.heavy", 600, "seconds", "How long a question that took too much time is refused without a new computation."
)
BUSY_SECONDS: Final = Limit(
    "curator.busy_seconds", 60, "seconds", "How long the ledger waits while another process writes it."
)
PRACTICE_PEOPLE: Final = Limit(
    "curator.practice_people",
    2_000_000,
    "people",
    "People of a table to practise on. All are drawn when the first question is practised.",
)
MOST_DRAWN_REPORTS: Final = Limit(
    "curator.drawn_reports",
    2_000_000,
    "reports",
    "Reports that are drawn one by one for a release with noise on each record. They take some 10 seconds.",
)
