"""Names that a policy gives, and the kinds of query that may be asked, by name."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final
from unicodedata import normalize

from pydantic import AfterValidator

from dalenius.queries import QUERIES, AnyQuery

LONGEST: Final = 100


def _name(value: str) -> str:
    # One form of what looks the same, lest a name typed on another keyboard be another analyst.
    name = normalize("NFC", value)
    if not name or not name.isprintable() or name != name.strip() or len(name) > LONGEST or "/" in name:
        raise ValueError(f"a name of 1 to {LONGEST} printable characters, without / and without blanks around it")
    return name


Name = Annotated[str, AfterValidator(_name)]


def check_once(names: Sequence[str], what: str) -> None:
    """ValueError where one of them is there twice."""
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"each {what} once ({name!r} is there twice)")


def known_kinds() -> tuple[str, ...]:
    """Of all queries there are: the project's, those of installed packages, and those of modules plugged in."""
    classes = QUERIES.classes()
    return tuple(str(each.model_fields["kind"].default) for each in classes)


def _known(kinds: tuple[str, ...]) -> tuple[str, ...]:
    there = known_kinds()
    for kind in kinds:
        if kind not in there:
            raise ValueError(f"kinds of query, each one of {', '.join(there)} (there is no {kind!r})")
    if not kinds:
        raise ValueError("one or more kinds of query, or none of this key for all of them")
    return kinds


QueryKinds = Annotated[tuple[str, ...], AfterValidator(_known)]
"""Kinds that there are."""


def kinds_in(query: AnyQuery) -> tuple[str, ...]:
    """The query's kind, and those of the queries within it."""
    return tuple(dict.fromkeys(_kinds(query.model_dump(mode="json"))))


def parts_of(query: AnyQuery) -> int:
    """How many queries it is of: those within it, or itself."""
    return max(1, sum(1 for _ in _kinds(query.model_dump(mode="json"))) - 1)


def names_labels(query: AnyQuery) -> bool:
    """Whether it asks of people by their label, so that its answers say what labels there are."""
    return any(settings(query.model_dump(mode="json"), ("labels", "per_label", "weights")))


def settings(section: Any, keys: tuple[str, ...]) -> Iterator[Any]:
    """What these keys say, in a section as JSON has it and in all within it; not where it is nothing."""
    if isinstance(section, list):
        for each in section:
            yield from settings(each, keys)
    if isinstance(section, dict):
        for key, value in section.items():
            if key in keys and value:
                yield value
            yield from settings(value, keys)


def _kinds(section: Any) -> Iterator[str]:
    yield from (str(each) for each in settings(section, ("kind",)))
