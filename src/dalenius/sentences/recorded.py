"""Sentences as JSON: what a certificate keeps of them, so that a sheet can say them in any language years later.

>>> from dalenius.sentences.sentence import said
>>> kept = as_json(said("among_labels", question=said("how_many", values=Figure("1,000")), labels=Name("home")))
>>> kept["say"], kept["with"]["labels"], kept["with"]["question"]["with"]
('among_labels', 'home', {'values': {'number': '1,000'}})
>>> from_json(kept)
'how many records are 1,000, of people labelled home only'
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dalenius.sentences.sentence import English, Figure, Name, Phrase, Sentence, Series, phrase

KEY: Final = "sentences"
"""The key of a certificate under which its sentences stand."""


def sentences_json(**given: str | Sequence[str] | None) -> dict[str, Any]:
    """Returns the key of a certificate with the sentences that are `given` by name; what is None is left out."""
    kept = {
        name: as_json(phrase(words)) if isinstance(words, str) else [as_json(phrase(each)) for each in words]
        for name, words in given.items()
        if words is not None
    }
    return {KEY: kept}


def with_sentences(certificate: Mapping[str, Any], **given: str | None) -> dict[str, Any]:
    """Returns a certificate with the sentences that are `given` in place of its own of these names."""
    kept = {name: each for name, each in certificate.get(KEY, {}).items() if name not in given}
    return {**certificate, KEY: kept | sentences_json(**given)[KEY]}


def as_json(words: Phrase) -> Any:
    """Returns the phrase `words` ready for JSON: a name as its text, anything else as an object."""
    match words:
        case Sentence():
            parts = {name: as_json(part) for name, part in words.parts.items()}
            return {"say": words.key, "with": parts} if parts else {"say": words.key}
        case Series():
            return {"between": words.between, "each": [as_json(each) for each in words.phrases]}
        case Figure():
            return {"number": str(words)}
        case English():
            return {"english": str(words)}
    return str(words)


def from_json(kept: Any) -> Phrase:
    """Returns the phrase whose JSON is `kept`.

    Raises:
        ValueError: For anything else, and for a key that this version does not have.
    """
    if isinstance(kept, str):
        return Name(kept)
    if not isinstance(kept, Mapping):
        raise ValueError(f"a phrase, not {kept!r}")
    try:
        if "say" in kept:
            return Sentence(kept["say"], {name: from_json(part) for name, part in kept.get("with", {}).items()})
        if "between" in kept:
            return Series(kept["between"], [from_json(each) for each in kept["each"]])
        return Figure(kept["number"]) if "number" in kept else English(kept["english"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a phrase with keys of this version ({error})") from None


def phrase_of(certificate: Mapping[str, Any], name: str, words: object) -> Phrase:
    """Returns what a certificate says under `name`: by its sentence, or `words` as English where it has none."""
    kept = certificate.get(KEY, {}).get(name)
    return _known(kept, words)


def phrases_of(certificate: Mapping[str, Any], name: str, words: Sequence[object]) -> list[Phrase]:
    """Returns the list that a certificate has under `name`; `words` as English where it has no such sentences."""
    kept = certificate.get(KEY, {}).get(name)
    listed = kept if isinstance(kept, list) and len(kept) == len(words) else [None] * len(words)
    return [_known(each, own) for each, own in zip(listed, words, strict=True)]


def _known(kept: Any, words: object) -> Phrase:
    # Because a certificate of an earlier version has no sentences, or has keys that are gone, its words are English.
    try:
        return English(f"{words}") if kept is None else from_json(kept)
    except ValueError:
        return English(f"{words}")
