"""What the promises of a spec rest on, in words."""

from collections.abc import Sequence

from dalenius.notions import Notion
from dalenius.spec.spec import Spec


def hypotheses(spec: Spec, promises: Sequence[Notion]) -> list[str]:
    """Of the adversary and of the world, for these notions; what else is released is not among them."""
    found = ["what the adversary believes of the records is the spec's model, chosen without looking at these data"]
    if (level := spec.model.trusted) is not None:
        found.append(level_in_words(level))
    if spec.model.household_columns:
        found.append("who lives with whom is public")
    if spec.data is not None and spec.data.label is not None:
        found.append(f"everybody's {spec.data.label} is public")
    if spec.adversary.known:
        known = ", ".join(spec.adversary.known)
        found.append(f"of the records the adversary knows for certain those of {known} only")
    found += [f"the adversary knows one exact answer, {answer.words}" for answer in spec.adversary.answers]
    return [*found, *dict.fromkeys(rest for notion in promises for rest in notion.rests_on()), *spec.model.rests_on()]


def level_in_words(level: float) -> str:
    """What a fitted model's confidence means for every number read from it."""
    return f"with confidence {100 * level:.6g} % about the model: that its intervals hold the true probabilities"
