"""Suppositions of a promise, in words: what it takes for granted of the adversary, the model and the data."""

from collections.abc import Sequence

from dalenius.models import confidence_of
from dalenius.notions import Notion
from dalenius.sentences.sentence import Figure, Name, Phrase, commas, phrase, said
from dalenius.spec.spec import Spec


def hypotheses(spec: Spec, promises: Sequence[Notion]) -> list[str]:
    """Lists what the `promises` of `spec` suppose of the adversary and the world, but for other releases."""
    found: list[str] = [said("belief_is_model")]
    if (level := confidence_of(spec.model)) is not None:
        found.append(level_in_words(level))
    if spec.model.household_columns:
        found.append(said("homes_public"))
    if spec.data is not None:
        found += spec.data.rests_on()
    if spec.adversary.known:
        found.append(said("knows_records", people=commas(map(Name, spec.adversary.known))))
    found += [said("knows_answer", answer=phrase(answer.words)) for answer in spec.adversary.answers]
    found += dict.fromkeys(rest for notion in promises for rest in notion.rests_on())
    return [*found, *spec.model.rests_on(), *(each.words for each in spec.omitted)]


def level_in_words(level: float) -> Phrase:
    """Says what a fitted model's confidence `level` means for every number read from it."""
    return said("with_confidence", level=Figure(f"{100 * level:.6g}"))
