"""Tamper-evident entries, each of which holds the hash of the one before it, and what they say: each data set's budget and bytes, what was spent and answered, and who was told.

An entry is a number, a kind and a body, a JSON object; its hash is the SHA-256 of these and of the hash before it. So
none can be altered, removed from between others, moved or put in without all later hashes changing. Not detected are
the loss of the last ones and a chain rewritten from the altered place on: against these, compare its newest hash with
one that was written down elsewhere.

| kind | body |
|---|---|
| `budget` | `data`, `initial`: a data set and what it may spend; `given`, the same in nats as it was given, where it is no whole amount; `delta`, at which, left out where it is 0 |
| `fingerprint` | `data`, `fingerprint`: these bytes are of that data set; under a policy its debits say so |
| `debit` | `data`, `fingerprint`, `request`, `salt`, `spec`, `notion`, `leakage`, `group_loss`; under a policy `version`, and `frozen`: true where it is |
| `closed` | `data`, `version`: that version was said to be frozen, and its bytes were found changed |
| `shared` | `data`, `debit` (the number of its entry), `request`: the analyst was told what it paid for |
| `answer` | `debit` (the number of its entry), `request`, `answers`, `labels`, `certificate`, `words`; or `failed`: true, and none of these four |
| `key` | `data`, `debit`: the analyst's idempotency key is used up for a request that was answered before |

Amounts are whole nano-nats (`amounts`). A debit also has `spent`, `spent_delta` and `route`, what all debits up to it
spend, at which delta and by which rule, and, where they are known, `differential`, `pure`, `gaussian`, `records`,
`identity`, `together`, `implied_by`, `delta` and `keeps_delta` (see `spending.Entry`), and `converted`, of those of its identity and
bytes the sum of `differential` and what that converts to. Older ones lack them: their deltas count as 0. The `salt` is random: what is told of the data by a certificate or a hash hangs on it.

What an analyst is told is a debit or `shared` with `analyst`, and with `own`: `spent`, `spent_delta`, `route` and
`converted` of all that this analyst was told of the data set, and `cap`, where there is one. A debit, `shared` or `key` that came with
an idempotency key has `idempotency`, and `asked`, SHA-256 of what was asked. `time`, of every new entry: in UTC, and
never before that of the entry before it; `clock`, what the clock said, where that was earlier.
"""  # noqa: E501

import json
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Final, TypeAlias, final

from dalenius.curator import amounts
from dalenius.curator.amounts import Amount, Sums, state_of

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


Whose: TypeAlias = tuple[str, str | None]
"""A data set and an analyst; None: who asks without a name."""


@final
class History:
    """All entries, in their order, and indexes of them: nothing takes longer the more entries there are."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self._links: list[Link] = []
        self._budgets: dict[str, Mapping[str, Any]] = {}
        self._owners: dict[str, str] = {}
        self._fingerprints: defaultdict[str, list[str]] = defaultdict(list)
        self._debits: dict[int, Link] = {}
        self._debited: defaultdict[str, list[Link]] = defaultdict(list)
        self._sums: dict[str, Sums] = {}
        self._own: dict[Whose, Sums] = {}
        self._learned: defaultdict[Whose, dict[int, Link]] = defaultdict(dict)
        self._drawn: dict[int, Link] = {}
        self._answers: dict[str, Link] = {}
        self._pending: defaultdict[str, set[int]] = defaultdict(set)
        self._keys: dict[tuple[str, str | None, str], tuple[str, int]] = {}
        self._frozen: dict[tuple[str, str], str] = {}
        self._closed: dict[tuple[str, str], Link] = {}
        self.time = ""
        for link in links:
            self.add(link)

    def copy(self) -> "History":
        """As it is now, whatever is added later."""
        found = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, defaultdict):
                setattr(found, name, defaultdict(value.default_factory, {k: copy(v) for k, v in value.items()}))
            elif isinstance(value, (dict, list)):
                setattr(found, name, copy(value))
        return found

    def add(self, link: Link) -> None:
        """One more entry, which comes after the last."""
        self._links.append(link)
        body = link.body
        self.time = max(self.time, str(body.get("time", "")))
        match link.kind:
            case "budget":
                self._budgets.setdefault(body["data"], body)
            case "fingerprint":
                self._own_bytes(body["data"], body["fingerprint"])
            case "debit":
                self._debit(link)
            case "answer":
                self._answer(link)
            case "closed":
                self._closed[body["data"], body["version"]] = link
            case "shared":
                self._tell(link, body["data"], int(body["debit"]))
            case "key":
                pass
            case _:
                raise LookupError(link.kind)
        if "idempotency" in body:
            number = link.number if link.kind == "debit" else int(body["debit"])
            whose = body["data"], body.get("analyst"), body["idempotency"]
            self._keys[whose] = body["asked"], number

    def _own_bytes(self, data: str, fingerprint: str) -> None:
        if fingerprint not in self._owners:
            self._owners[fingerprint] = data
            self._fingerprints[data].append(fingerprint)

    def _debit(self, link: Link) -> None:
        body = link.body
        self._debits[link.number] = link
        if body["request"] is not None:
            self._pending[body["request"]].add(link.number)
        if "version" in body:
            self._own_bytes(body["data"], body["fingerprint"])
        if body.get("frozen"):
            self._frozen.setdefault((body["data"], body["version"]), body["fingerprint"])
        self._debited[body["data"]].append(link)
        self._sums[body["data"]] = self.sums(body["data"]).with_debit(body, state_of(body))
        self._tell(link, body["data"], link.number)

    def _tell(self, link: Link, data: str, debit: int) -> None:
        whose, paid = (data, link.body.get("analyst")), self._debits[debit].body
        self._learned[whose][debit] = link
        self._own[whose] = self.own(*whose).with_debit(paid, state_of(paid), link.body.get("own", {}))

    def _answer(self, link: Link) -> None:
        body = link.body
        self._drawn.setdefault(body["debit"], link)
        if body["request"] is not None:
            self._answers.setdefault(body["request"], link)
            self._pending[body["request"]].discard(body["debit"])

    @property
    def links(self) -> tuple[Link, ...]:
        return tuple(self._links)

    @property
    def last(self) -> Link | None:
        return self._links[-1] if self._links else None

    def as_json(self) -> dict[str, Any]:
        """How many entries there are, and the newest hash."""
        return {"entries": len(self._links), "hash": None if self.last is None else self.last.hash}

    def initial(self, name: str) -> Amount | None:
        """The budget of a data set; None where the name is not known."""
        body = self._budgets.get(name)
        return None if body is None else amounts.budget_of(body["initial"])

    def given(self, name: str) -> float:
        """The same in nats, as it was given; 0 where the name is not known."""
        body = self._budgets.get(name)
        if body is None:
            return 0.0
        initial = body.get("given", body["initial"])
        return amounts.nats(initial) if isinstance(initial, int) else float(initial)

    def delta(self, name: str) -> float:
        """The delta of a data set's budget; 0 where the name is not known."""
        return float(self._budgets.get(name, {}).get("delta", 0.0))

    def owner(self, fingerprint: str) -> str | None:
        """The data set that has these bytes."""
        return self._owners.get(fingerprint)

    def frozen(self, name: str, version: str) -> str | None:
        """The bytes that a frozen version was first asked in."""
        return self._frozen.get((name, version))

    def is_closed(self, name: str, version: str) -> bool:
        """Whether a frozen version was found changed."""
        return (name, version) in self._closed

    def fingerprints(self, name: str) -> tuple[str, ...]:
        """All bytes that were ever released from under that name, in their order."""
        return tuple(self._fingerprints.get(name, ()))

    def names(self) -> tuple[str, ...]:
        """The data sets that have a budget, in their order."""
        return tuple(self._budgets)

    def analysts(self, name: str) -> tuple[str, ...]:
        """Who was told of the data set, in the order in which they first were."""
        return tuple(each for data, each in tuple(self._learned) if data == name and each is not None)

    def sums(self, name: str) -> Sums:
        """Of the data set's debits."""
        return self._sums.get(name, Sums())

    def own(self, name: str, analyst: str | None) -> Sums:
        """Of the debits of which the analyst was told the answers."""
        return self._own.get((name, analyst), Sums())

    def learned(self, name: str, analyst: str | None) -> Mapping[int, Link]:
        """By the number of the debit, the entry with which the analyst was told: the debit, or `shared`."""
        return dict(self._learned.get((name, analyst), {}))

    def has_learned(self, name: str, analyst: str | None, debit: int) -> bool:
        return debit in self._learned.get((name, analyst), {})

    def whom(self, name: str, debit: int) -> tuple[str, ...]:
        """The analysts who were told what the debit paid for, in the order of these entries."""
        found = [
            (self._learned[name, each][debit].number, each)
            for each in self.analysts(name)
            if self.has_learned(name, each, debit)
        ]
        return tuple(each for _, each in sorted(found))

    def newest(self, name: str, analyst: str | None) -> Link | None:
        """The last entry with which the analyst was told something of the data set."""
        learned = self._learned.get((name, analyst), {})
        return learned[next(reversed(learned))] if learned else None

    def debit(self, number: int) -> Link:
        """The debit of that number."""
        return self._debits[number]

    def debited(self, name: str) -> list[Link]:
        """The entries of a data set's debits, in their order."""
        return list(self._debited.get(name, []))

    def since(self, name: str, debit: int) -> int:
        """How many debits of a data set came after that one."""
        found = self._debited.get(name, [])
        return len(found) - bisect(found, debit, key=lambda link: link.number)

    def newest_debit(self, name: str) -> Link | None:
        """The last of them."""
        found = self._debited.get(name)
        return found[-1] if found else None

    def drawn(self, debit: int) -> Link | None:
        """The answer that the debit of that number paid for; None where it was lost, or is not kept."""
        return self._drawn.get(debit)

    def answer(self, request: str | None) -> Link | None:
        """The first answer to the request with that key."""
        return None if request is None else self._answers.get(request)

    def is_pending(self, request: str | None) -> bool:
        """Whether the request was paid for and its answer is not there: it is being drawn, or was lost."""
        return request is not None and bool(self._pending.get(request))

    def key(self, name: str, analyst: str | None, idempotency: str) -> tuple[str, int] | None:
        """What was asked with the analyst's key, and the debit that paid for it."""
        return self._keys.get((name, analyst, idempotency))
