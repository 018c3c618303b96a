"""What a spec asks, in words and as JSON, for certificates and pages."""

import json
from hashlib import sha256
from typing import Any, Final

from dalenius.spec.questions import names_of
from dalenius.spec.spec import Spec

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
