"""Suppositions of a promise, in words: what it takes for granted of the adversary, the model and the data."""

from collections.abc import Sequence

from dalenius.models import confidence_of
from dalenius.notions import Notion
from dalenius.spec.spec import Spec


def hypotheses(spec: Spec, promises: Sequence[Notion]) -> list[str]:
    """Lists what the `promises` of `spec` suppose of the adversary and the world, but for other releases."""
    found = ["the adversary's belief about the records is the spec's model, chosen without looking at these data"]
    if (level := confidence_of(spec.model)) is not None:
        found.append(level_in_words(level))
    if spec.model.household_columns:
        found.append("who lives with whom is public")
    if spec.data is not None:
        found += spec.data.rests_on()
    if spec.adversary.known:
        known = ", ".join(spec.adversary.known)
        found.append(f"of the records the adversary knows for certain those of {known} only")
    found += [f"the adversary knows one exact answer, {answer.words}" for answer in spec.adversary.answers]
    found += dict.fromkeys(rest for notion in promises for rest in notion.rests_on())
    return [*found, *spec.model.rests_on(), *(each.words for each in spec.omitted)]


def level_in_words(level: float) -> str:
    """Says what a fitted model's confidence `level` means for every number read from it."""
    return f"with confidence {100 * level:.6g} % about the model: its intervals hold the true probabilities"
