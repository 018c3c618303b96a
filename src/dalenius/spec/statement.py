"""What a spec says: as one canonical text, what it asks in words and as JSON, and what its promises rest on."""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from dalenius.notions import Notion
from dalenius.spec.questions import names_of
from dalenius.spec.spec import Spec


def canonical(spec: Spec) -> str:
    """JSON with sorted keys and all defaults. What the model reads from a file is in it; where the people are is not,
    nor what they are called: the data are known by their name and their content. Nor is what is computed from the
    answers alone: who asks for more of that asks the same."""
    data = None if spec.data is None else spec.data.without_place()
    whole = spec.altered({"model": spec.model.self_contained(), "data": data, "derived": None})
    # Keys that are None are left out, so that one that a later version adds changes no text.
    return json.dumps(whole.model_dump(mode="json", exclude_none=True), sort_keys=True, separators=(",", ":"))


LONG: Final = 10_000
"""Characters of a model's JSON from which on a certificate has its fingerprint instead."""


def asked_words(spec: Spec) -> str:
    """The question, and what a record is."""
    asked = _queries(spec)
    return asked if spec.data is None else f"{asked}; {spec.data.record_words}"


def _queries(spec: Spec) -> str:
    if spec.questions is not None:
        named = zip(names_of(spec.questions), spec.questions, strict=True)
        each = (f"{name}: {one.query.words}{f', {one.times} times' * (one.times > 1)}" for name, one in named)
        return "; ".join(each)
    return "the answer that the model gives" if spec.query is None else spec.query.words


def question_json(spec: Spec) -> dict[str, Any]:
    """asked: in words; query, where there is one, and model as sections of a spec; model_in_words."""
    query = None if spec.query is None else spec.query.model_dump(mode="json", exclude_none=True)
    return {
        "asked": asked_words(spec),
        **({} if query is None else {"query": query}),
        "model": model_json(spec),
        "model_in_words": spec.model.words,
    }


def model_json(spec: Spec) -> dict[str, Any]:
    """As a section of a spec, with what it reads from files; of one that is very long its kind and the SHA-256."""
    found: dict[str, Any] = spec.model.self_contained().model_dump(mode="json", exclude_none=True)
    text = json.dumps(found, sort_keys=True)
    return found if len(text) <= LONG else {"kind": spec.model.kind, "sha256": sha256(text.encode()).hexdigest()}


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
