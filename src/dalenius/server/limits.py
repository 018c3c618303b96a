"""Limits of the service; those of a policy, such as `timeout` and `memory`, are set there."""

from typing import Final

from dalenius.limits import Limit

ON_THEIR_WAY: Final = Limit("server.on_their_way", 256, "questions", "of one analyst at once, waiting or not; then 503")
WAITING_QUESTIONS: Final = Limit(
    "server.waiting_questions", 256, "questions", "of one analyst that wait for a process; then 503"
)
HEAD_BYTES: Final = Limit(
    "server.head_bytes",
    16_384,
    "bytes",
    "of a request's first line and header fields: several times what browsers send",
)
BODY_SECONDS: Final = Limit("server.body_seconds", 20, "seconds", "within which the body of a request must come")
DEPTH: Final = Limit("server.depth", 24, "levels", "of lists and objects within each other in a request's body")
MOST_LISTED: Final = Limit("server.listed", 1000, "releases", "in one answer of the list of releases")
LONGEST_TOKEN: Final = Limit("server.longest_token", 3650, "days", "that a token may last")
MOST_VISITS: Final = Limit(
    "server.visits", 10_000, "visits", "of browsers at once; the one idle for longest ends first"
)
IDLE_SECONDS: Final = Limit(
    "server.idle_seconds", 3600, "seconds", "without a page, after which a browser's visit ends"
)
VISIT_SECONDS: Final = Limit("server.visit_seconds", 12 * 3600, "seconds", "after which a browser's visit ends anyhow")
