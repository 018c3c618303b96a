"""Limits of the service. A policy sets others, such as `timeout` and `memory`."""

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
PROVIDER_SECONDS: Final = Limit(
    "server.provider_seconds", 5, "seconds", "How long the provider of sign-on may take for one answer."
)
PROVIDER_BYTES: Final = Limit(
    "server.provider_bytes",
    262_144,
    "bytes",
    "The length of one answer of the provider. A set of keys has some thousand.",
)
KEYS_SECONDS: Final = Limit(
    "server.keys_seconds", 600, "seconds", "How long the provider's keys are used before they are fetched again."
)
KEYS_AGAIN: Final = Limit(
    "server.keys_again", 10, "seconds", "How long the keys are not fetched again for tokens whose key is unknown."
)
OLDEST_KEYS: Final = Limit(
    "server.oldest_keys", 3600, "seconds", "How old keys may get while the provider does not answer."
)
SIGN_ON_SECONDS: Final = Limit(
    "server.sign_on_seconds", 600, "seconds", "How long a browser may take at the provider until it comes back."
)
SIGN_ONS: Final = Limit(
    "server.sign_ons", 10_000, "browsers", "Browsers that are at the provider at once. The oldest has to begin again."
)
SIGNED_ON_SECONDS: Final = Limit(
    "server.signed_on_seconds",
    3600,
    "seconds",
    "How long a visit lasts that began at the provider, which cannot end it. Then it begins there again.",
)
VISIT_SECONDS: Final = Limit("server.visit_seconds", 12 * 3600, "seconds", "How long a browser's visit lasts at most.")
TICKED: Final = Limit(
    "server.ticked", 500, "labels", "Labels of a measure that a page lists to be ticked. More are written as JSON."
)
PICTURED: Final = Limit(
    "server.pictured", 100, "answers", "Answers in the picture of a page. All of them are in the table and in the CSV."
)
PRACTISED: Final = Limit(
    "server.practised",
    1000,
    "answers",
    "Practice answers of all analysts that are kept for their pages. The oldest is forgotten first.",
)
