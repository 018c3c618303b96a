"""Limits of what several releases leak together."""

from typing import Final

from dalenius.limits import Limit

MOST_STEPS: Final = Limit(
    "composition.steps", 2000, "answers", "of one stream: twelve weeks of hours have 2,016; a matrix for each"
)
MOST_TRIPLES: Final = Limit(
    "composition.triples", 1 << 23, "triples", "steps times values cubed: each step multiplies matrices of all pairs"
)
LARGEST_ANSWER: Final = Limit(
    "composition.largest_answer", 1_000_000, "nats", "of one answer of a stream: more hides nothing"
)
LARGEST_LIMIT: Final = Limit(
    "composition.largest_limit", 10**9, "nats", "up to which the limit of an endless stream is looked for"
)
LARGEST_EPSILON: Final = Limit(
    "composition.largest_epsilon", 10**12, "nats", "up to which the ε of a δ is looked for; beyond, it is infinite"
)
MOST_SINGLE_ANSWERS: Final = Limit(
    "composition.single_answers", 64, "answers", "looked at one by one for a lower end, each at the price of an audit"
)
