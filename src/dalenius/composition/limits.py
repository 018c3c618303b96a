"""Limits of what several releases leak together."""

from typing import Final

from dalenius.limits import Limit

MOST_STEPS: Final = Limit(
    "composition.steps",
    2000,
    "answers",
    "Answers of one stream. Twelve weeks of hours have 2,016. Each answer needs a matrix.",
)
MOST_TRIPLES: Final = Limit(
    "composition.triples",
    1 << 23,
    "triples",
    "Steps times values cubed. Each step multiplies matrices of all pairs of values.",
)
LARGEST_ANSWER: Final = Limit(
    "composition.largest_answer",
    1_000_000,
    "nats",
    "The loss of one answer of a stream. An answer with a larger loss hides nothing.",
)
LARGEST_LIMIT: Final = Limit(
    "composition.largest_limit", 10**9, "nats", "The largest limit of an endless stream that the search tries."
)
LARGEST_EPSILON: Final = Limit(
    "composition.largest_epsilon",
    10**12,
    "nats",
    "The largest ε of a δ that the search tries. Beyond, ε counts as infinite.",
)
MOST_CORNERS: Final = Limit(
    "composition.corners",
    1 << 16,
    "corners",
    "Outputs beyond all answers, two for each question, of several answers about who is absent. Each takes a sum.",
)
MOST_KINDS: Final = Limit(
    "composition.kinds",
    20_000,
    "kinds",
    "Kinds of people whose absence gives the same answers to several questions. All their pairs are compared.",
)
MOST_SINGLE_ANSWERS: Final = Limit(
    "composition.single_answers",
    64,
    "answers",
    "Answers that are looked at one by one for a lower end. Each takes as long as an audit.",
)
