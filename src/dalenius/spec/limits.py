"""Limits of specs."""

from typing import Final

from dalenius.limits import Limit

MOST_ANSWERS: Final = Limit(
    "spec.answers", 1000, "answers", "Answers of all questions together. Each label of a histogram is one answer."
)
MOST_MODEL_CHARACTERS: Final = Limit(
    "spec.model_characters",
    10_000,
    "characters",
    "Characters of a model as JSON. Certificates have the SHA-256 of a longer model instead.",
)
