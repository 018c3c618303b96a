"""Limits of the service; those of a policy, such as `timeout` and `memory`, are set there."""

from typing import Final

from dalenius.limits import Limit

ON_THEIR_WAY: Final = Limit(
    "server.on_their_way",
    256,
    "questions",
    "Questions of one analyst at once, waiting or not. A further one gets status 503.",
)
WAITING_QUESTIONS: Final = Limit(
    "server.waiting_questions",
    256,
    "questions",
    "Questions of one analyst that wait for a process. A further one gets status 503.",
)
HEAD_BYTES: Final = Limit(
    "server.head_bytes",
    16_384,
    "bytes",
    "The first line and header fields of a request. Browsers send several times less.",
)
BODY_SECONDS: Final = Limit("server.body_seconds", 20, "seconds", "How long the body of a request may take to arrive.")
DEPTH: Final = Limit("server.depth", 24, "levels", "Lists and objects within each other in the body of a request.")
MOST_LISTED: Final = Limit("server.listed", 1000, "releases", "Releases in one answer of the list of releases.")
LONGEST_TOKEN: Final = Limit("server.longest_token", 3650, "days", "How long a token may last.")
MOST_VISITS: Final = Limit(
    "server.visits", 10_000, "visits", "Visits of browsers at once. The visit that is idle for longest ends first."
)
IDLE_SECONDS: Final = Limit(
    "server.idle_seconds", 3600, "seconds", "How long a browser's visit lasts without a request for a page."
)
VISIT_SECONDS: Final = Limit("server.visit_seconds", 12 * 3600, "seconds", "How long a browser's visit lasts at most.")
