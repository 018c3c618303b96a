"""Every sentence of the package has a key and parts, and every language has every key with the same parts."""

import ast
import copy
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest

import dalenius
from dalenius.curator.schedule import Schedule
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import NOTIONS, Notion, in_words
from dalenius.queries import Query
from dalenius.reports.language import Language, language
from dalenius.sentences.recorded import as_json, from_json, phrase_of
from dalenius.sentences.sentence import FOLDER, English, Name, Phrase, english, phrase, said
from tests.conformance.models import MODELS
from tests.conformance.row import examples
from tests.conformance.table import NOISES, QUERIES

LANGUAGES: Final = sorted(path.stem for path in FOLDER.glob("*.toml"))
SOURCE: Final = Path(dalenius.__file__).parent
STOPS: Final = (
    " the ",
    " of ",
    " and ",
    " people ",
    " answer ",
    " is ",
    " are ",
    " with ",
    " each ",
    " which ",
    " to ",
)
KINDS: Final = {kind: each for each in NOTIONS.own for kind in get_args(each.model_fields["kind"].annotation)}
"""The classes of the notions, by each of their kinds."""
MAKERS: Final = {"said": 1, "counted": 2}
"""Functions that make sentences, and how many keys each takes first."""
BY_KIND: Final = ("noise_", "notion_", "statistic_", "cell_")
"""Beginnings of keys that code puts together with the kind of something."""


def calls() -> Iterator[tuple[str, list[str], set[str] | None]]:
    """Yields each call that makes a sentence: where, its keys, and its parts by name; None where they are starred."""
    for path in SOURCE.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        # Because other modules have functions of these names, only what is imported from here counts.
        here = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == said.__module__]
        makers = MAKERS.keys() & {each.name for node in here for each in node.names}
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in makers:
                given = node.args[: MAKERS[node.func.id]]
                keys = [key for each in given for key in literals(each)]
                names = [each.arg for each in node.keywords]
                parts = None if None in names else {name for name in names if name is not None}
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", keys, parts


def literals(node: ast.expr) -> list[str]:
    """The texts that an expression may be."""
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    return [*literals(node.body), *literals(node.orelse)] if isinstance(node, ast.IfExp) else []


def holes(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", sentence))


@pytest.mark.lengthy
def test_every_call_names_a_sentence_and_all_its_parts() -> None:
    found = list(calls())
    assert len(found) > 200
    for where, keys, parts in found:
        for key in keys:
            assert key in english(), f"{where}: {key}"
            # Because a count has its number by itself, in the sentence for several alone.
            missing = holes(english()[key]) - {"count"} - (parts or set())
            assert parts is None or not missing, f"{where}: {key} lacks {missing}"


def test_every_sentence_is_said_somewhere() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    named = set(re.findall(r'"(\w+)"', texts))
    assert [key for key in english() if key not in named and not key.startswith(BY_KIND)] == []


@pytest.mark.parametrize("name", LANGUAGES)
def test_languages_have_every_sentence_with_its_parts(name: str) -> None:
    there = language(name).sentences
    assert list(there) == list(english())
    assert {key: holes(text) for key, text in there.items()} == {key: holes(text) for key, text in english().items()}


def test_kinds_have_names() -> None:
    assert len(KINDS) > len(NOTIONS.own)
    assert [kind for kind in KINDS if f"notion_{kind}" not in english()] == []


def in_german(words: str, german: Language) -> str:
    """The words in German; it fails where a part of them has no key."""
    told = phrase(words)
    assert not isinstance(told, English), words
    page = str(german.of(told))
    assert "<i lang" not in page, page
    assert not [stop for stop in STOPS if stop in f" {page} "], page
    # So that a ledger's certificate says the same years later, nothing is lost on the way through JSON.
    assert german.of(from_json(as_json(told))) == german.of(told)
    assert from_json(as_json(told)) == words
    return page


@pytest.mark.parametrize("model", list(examples(MODELS).values()), ids=[*examples(MODELS)])
def test_every_model_is_said_in_german(model: Model) -> None:
    in_german(model.words, language("de"))
    for each in model.rests_on():
        in_german(each, language("de"))


@pytest.mark.parametrize("noise", list(examples(NOISES).values()), ids=[*examples(NOISES)])
def test_every_noise_is_said_in_german(noise: Noise) -> None:
    in_german(noise.words, language("de"))


@pytest.mark.parametrize("query", list(examples(QUERIES).values()), ids=[*examples(QUERIES)])
def test_every_query_is_said_in_german(query: Query) -> None:
    in_german(query.words, language("de"))


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0, 40.0, float("inf")])
def test_every_promise_is_said_in_german(kind: str, epsilon: float) -> None:
    german = language("de")
    notion: Notion = KINDS[kind].model_construct(kind=kind, delta=0.001, alpha=0.5, beta=0.2)
    words = in_words(notion, epsilon)
    assert words is None or in_german(words, german)


@pytest.mark.parametrize("goes_on", [{"persistence": 0.5}, {"persistence": "unknown"}])
@pytest.mark.parametrize("every", ["day", "week", "month", "quarter", "year"])
def test_every_period_is_said_in_german(every: str, goes_on: dict[str, Any]) -> None:
    for words in Schedule.model_validate({"every": every, "times": 3, **goes_on}).hypotheses():
        in_german(words, language("de"))


def test_plain_text_is_no_part_of_a_sentence() -> None:
    plain: Any = "home"
    with pytest.raises(TypeError, match="labels is a plain text"):
        said("among_labels", question=said("nobody"), labels=plain)


def test_a_sentence_goes_to_another_process_whole() -> None:
    told = said("each_label", question=said("how_many", values=Name("ill")))
    for again in (pickle.loads(pickle.dumps(told)), copy.deepcopy(told)):
        assert (again, again.key, dict(again.parts)) == (told, told.key, dict(told.parts))


@pytest.mark.parametrize("kept", [{"say": "gone"}, {"say": "how_many"}, {"between": "gone", "each": []}, 5, {"x": 1}])
def test_what_a_later_version_does_not_know_stays_english(kept: Any) -> None:
    found: Phrase = phrase_of({"sentences": {"asked": kept}}, "asked", "how many are ill")
    assert (type(found), found) == (English, "how many are ill")
