"""Tamper-evident entries: each holds the hash of the one before it.

An entry is a number, a kind and a body, a JSON object; its hash is the SHA-256 of these and of the hash before it. So
none can be altered, removed from between others, moved or put in without all later hashes changing. Not detected are
the loss of the last ones and a chain rewritten from the altered place on: against these, compare its newest hash with
one that was written down elsewhere.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Final, final

SEED: Final = sha256(b"dalenius ledger").hexdigest()
"""What the first entry has in place of the hash before it."""


@final
@dataclass(frozen=True)
class Link:
    """An entry as it was written; text: its body, from which the hash is taken."""

    number: int
    kind: str
    text: str
    hash: str

    @property
    def body(self) -> Mapping[str, Any]:
        # Answers are long and rarely looked into: a ledger of very many would fill the memory with them.
        return _read(self.text) if self.kind == "answer" else self._kept

    @cached_property
    def _kept(self) -> Mapping[str, Any]:
        return _read(self.text)


@final
class Broken(Exception):
    """The ledger is not what was written; the message says where."""


def linked(last: Link | None, kind: str, body: Mapping[str, Any]) -> Link:
    """The entry that comes after the last one. The body holds JSON's own types; its floats come back as they were."""
    text = json.dumps(body, allow_nan=False, separators=(",", ":"))
    number = 1 if last is None else last.number + 1
    return Link(number, kind, text, _hash(SEED if last is None else last.hash, number, kind, text))


def verified(links: Iterable[Link], last: Link | None = None) -> tuple[Link, ...]:
    """The same entries in their order, which follow the last one known. Broken where they are not a chain."""
    found, before = tuple(links), SEED if last is None else last.hash
    for number, link in enumerate(found, 1 if last is None else last.number + 1):
        if not _is_whole(link) or link.number != number or link.hash != _hash(before, number, link.kind, link.text):
            raise Broken(f"entry {number} is not as it was written")
        before = link.hash
    return found


def _read(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def _is_whole(link: Link) -> bool:
    """SQLite keeps whatever is put in, of any type."""
    return type(link.number) is int and all(type(each) is str for each in (link.kind, link.text, link.hash))


def _hash(before: str, number: int, kind: str, text: str) -> str:
    # As JSON, in which no two different lists are the same text.
    whole = json.dumps([before, number, kind, text], separators=(",", ":"))
    return sha256(whole.encode()).hexdigest()
