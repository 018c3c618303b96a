"""Limits of specs."""

from typing import Final

from dalenius.limits import Limit

MOST_ANSWERS: Final = Limit(
    "spec.answers", 1000, "answers", "of all questions together, of which each label of a histogram is one"
)
MOST_MODEL_CHARACTERS: Final = Limit(
    "spec.model_characters", 10_000, "characters", "of a model as JSON; in certificates a longer one is its SHA-256"
)
