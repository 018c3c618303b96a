"""Tamper-evident entries: each holds the hash of the one before it. An index says what is in them.

An entry is a number, a kind and a body, a JSON object; its hash is the SHA-256 of these and of the hash before it. So
none can be altered, removed from between others, moved or put in without all later hashes changing. Not detected are
the loss of the last ones and a chain rewritten from the altered place on: against these, compare its newest hash with
one that was written down elsewhere.

| kind | body |
|---|---|
| `budget` | `data`, `initial`: a data set and what it may spend; `given`, the same in nats as it was given, where it is no whole amount; `delta`, at which, left out where it is 0 |
| `fingerprint` | `data`, `fingerprint`: these bytes are of that data set; under a policy its debits say so |
| `debit` | `data`, `fingerprint`, `request`, `salt`, `spec`, `notion`, `leakage`, `group_loss`; under a policy `version`, `frozen`: true where it is, and `goes_on`: the persistence or transition of a schedule |
| `closed` | `data`, `version`: that version was said to be frozen, and its bytes were found changed |
| `shared` | `data`, `debit` (the number of its entry), `request`: the analyst was told what it paid for |
| `answer` | `debit` (the number of its entry), `request`, `answers`, `labels`, `certificate`, `words`; or `failed`: true, and none of these four |

They say each data set's budget and bytes, what was spent and answered, and who was told. Amounts are whole nano-nats (`amounts`). A debit also has `spent`, `spent_delta` and `route`, what all debits up to it
spend, at which delta and by which rule, and, where they are known, `differential`, `pure`, `gaussian`, `records`,
`identity`, `together`, `implied_by`, `delta` and `keeps_delta` (see `spending.Entry`). The `salt` is random, so that a certificate or a hash tells nothing of the data.

An analyst is told something by a debit or `shared` with `analyst`, with `key` where it was sent under one (`request_key`), and with `own`: `spent`, `spent_delta` and
`route` of all that this analyst was told of the data set, and `cap`, where there is one. Every new entry has a `time`: in UTC, and
never before that of the entry before it; `clock` is what the clock said, where that was earlier.

One release of people whose budget is a nat makes four entries: `budget`, `fingerprint`, `debit` and, after the draw, `answer`. If the
process is killed in between, a `debit` stays without an `answer`: it is paid for, and the same request pays and draws anew.

>>> first = next_link(None, "budget", {"data": "people", "initial": 1_000_000_000})
>>> first.number, first.hash[:12]
(1, '88327df696bc')
>>> verified_chain([first]) == (first,)
True
"""  # noqa: E501

import json
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Final, TypeAlias, final

from dalenius.curator.amounts import DebitSums, amount_of, as_nats
from dalenius.curator.cost_of_releases import Budget

# The first entry has this in place of the hash before it.
_SEED: Final = sha256(b"dalenius ledger").hexdigest()


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
        """The body of the entry, read from its text."""
        # Because answers are long and rarely looked into, and very many would fill the memory.
        return _read(self.text) if self.kind == "answer" else self._kept

    @cached_property
    def _kept(self) -> Mapping[str, Any]:
        return _read(self.text)


@final
class Broken(Exception):
    """The error for a ledger that is not what was written; the message says where."""


def next_link(last: Link | None, kind: str, body: Mapping[str, Any]) -> Link:
    """Returns the entry of this `kind` and `body` that comes after the last one.

    The body holds JSON's own types; its floats come back as they were.
    """
    text = json.dumps(body, allow_nan=False, separators=(",", ":"))
    number = 1 if last is None else last.number + 1
    return Link(number, kind, text, _hash(_SEED if last is None else last.hash, number, kind, text))


def verified_chain(links: Iterable[Link], last: Link | None = None) -> tuple[Link, ...]:
    """Returns the entries, `links`, in their order, which follow the `last` one known; Broken if they are no chain."""
    found, before = tuple(links), _SEED if last is None else last.hash
    for number, link in enumerate(found, 1 if last is None else last.number + 1):
        if not _is_typed(link) or link.number != number or link.hash != _hash(before, number, link.kind, link.text):
            raise Broken(f"entry {number} is not as it was written")
        before = link.hash
    return found


def _read(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def _is_typed(link: Link) -> bool:
    """Says whether an entry has its types: SQLite keeps anything that is put in, of any type."""
    return type(link.number) is int and all(type(each) is str for each in (link.kind, link.text, link.hash))


def _hash(before: str, number: int, kind: str, text: str) -> str:
    # Because no two different lists are the same text as JSON.
    written = json.dumps([before, number, kind, text], separators=(",", ":"))
    return sha256(written.encode()).hexdigest()


# A data set and an analyst; None: who asks without a name.
_Whose: TypeAlias = tuple[str, str | None]


def given_budget(body: Mapping[str, Any]) -> Budget:
    """Returns what an entry of kind `budget`, with this `body`, gives a data set; ValueError for no amount."""
    initial = as_nats(amount_of(body["initial"]))
    return Budget(float(body.get("given", initial)), 0.0, delta=float(body.get("delta", 0.0)))


@final
class History:
    """All entries, in their order, and indexes of them: nothing takes longer the more entries there are.

    Readers change none of these.

    Attributes:
        budgets: The budgets by data set.
        owners: By fingerprint, the data set that has these bytes.
        frozen: By data set and version, the bytes that a frozen version was first asked in.
        closed: The data sets and versions that were found changed.
        debits: The debits by number.
        drawn: By number of a debit, the answer that it paid for; missing where it was lost or is not kept.
        answers: By a request's key, the first answer to it.
        pending: The debits without an answer yet, as it is being drawn or was lost.
        keys: By data set, analyst and key, the hash of the ask that was sent under it, and the debit that answers it.
    """

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self._links: list[Link] = []
        self.budgets: dict[str, Budget] = {}
        self.owners: dict[str, str] = {}
        self.debits: dict[int, Link] = {}
        self._debited: defaultdict[str, list[Link]] = defaultdict(list)
        self._sums: dict[str, DebitSums] = {}
        self._own: dict[_Whose, DebitSums] = {}
        self._learned: defaultdict[_Whose, dict[int, Link]] = defaultdict(dict)
        self.drawn: dict[int, Link] = {}
        self.answers: dict[str, Link] = {}
        self._paid_by: dict[int, int] = {}
        self.pending: defaultdict[str, set[int]] = defaultdict(set)
        self.keys: dict[tuple[str, str | None, str], tuple[str, int]] = {}
        self.frozen: dict[tuple[str, str], str] = {}
        self.closed: set[tuple[str, str]] = set()
        self.time = ""
        for link in links:
            self.add(link)

    def copy(self) -> "History":
        """Returns the history as it is now, whatever is added later."""
        found = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, defaultdict):
                setattr(found, name, defaultdict(value.default_factory, {k: copy(v) for k, v in value.items()}))
            elif isinstance(value, (dict, list, set)):
                setattr(found, name, copy(value))
        return found

    def add(self, link: Link) -> None:
        """Adds one more entry, `link`, which comes after the last."""
        self._links.append(link)
        body = link.body
        self.time = max(self.time, str(body.get("time", "")))
        match link.kind:
            # Because the first of each counts, appending to the file can raise no budget, and take over nobody's bytes.
            case "budget":
                self.budgets.setdefault(body["data"], given_budget(body))
            case "fingerprint":
                self.owners.setdefault(body["fingerprint"], body["data"])
            case "debit":
                self._debit(link)
            case "answer":
                self._answer(link)
            case "closed":
                self.closed.add((body["data"], body["version"]))
            case "shared":
                self._tell(link, body["data"], int(body["debit"]))
            case "key":  # of an earlier version: an idempotency key that was used up
                pass
            case _:
                raise LookupError(link.kind)

    def _debit(self, link: Link) -> None:
        """Adds a debit, which counts from here on, whether or not an answer comes."""
        body = link.body
        self.debits[link.number] = link
        # If the first answer to a request was late, its asker paid again, and both are entries.
        self.pending[body["request"]].add(link.number)
        if "version" in body:
            self.owners.setdefault(body["fingerprint"], body["data"])
        if body.get("frozen"):
            self.frozen.setdefault((body["data"], body["version"]), body["fingerprint"])
        self._debited[body["data"]].append(link)
        self._sums[body["data"]] = self.sums(body["data"]).with_debit(body)
        self._tell(link, body["data"], link.number)

    def _tell(self, link: Link, data: str, debit: int) -> None:
        """Adds that the analyst knows what that debit paid for: by paying it, or by `shared`."""
        whose = data, link.body.get("analyst")
        self._learned[whose][debit] = link
        if (key := link.body.get("key")) is not None:
            self.keys.setdefault((*whose, key["sent"]), (key["asked"], debit))
        self._own[whose] = self.own(*whose).with_debit(self.debits[debit].body)

    def _answer(self, link: Link) -> None:
        """Adds what came of a debit; of two for one request the first is the one that is told again."""
        body = link.body
        self.drawn.setdefault(body["debit"], link)
        self._paid_by[link.number] = int(body["debit"])
        self.answers.setdefault(body["request"], link)
        self.pending[body["request"]].discard(body["debit"])

    def paid_by(self, answer: Link) -> int:
        """Returns the number of the debit that paid for an answer; kept, as to read it from the answer takes long."""
        return self._paid_by[answer.number]

    @property
    def links(self) -> tuple[Link, ...]:
        """Returns all entries, in their order."""
        return tuple(self._links)

    @property
    def last(self) -> Link | None:
        """The newest entry, on whose hash that of the next one hangs; None for an empty ledger."""
        return self._links[-1] if self._links else None

    def as_json(self) -> dict[str, Any]:
        """Returns how many entries there are, and the newest hash."""
        return {"entries": len(self._links), "hash": None if self.last is None else self.last.hash}

    def given(self, name: str) -> Budget:
        """Returns the budget of the data set `name` before anything was spent; 0 for one that is not known."""
        return self.budgets.get(name, Budget(0.0, 0.0))

    def fingerprints(self, name: str) -> tuple[str, ...]:
        """Returns all bytes that were ever released from under that name, in their order."""
        return tuple(each for each, owner in self.owners.items() if owner == name)

    def analysts(self, name: str) -> tuple[str, ...]:
        """Returns who was told of the data set `name`, in the order in which they first were."""
        return tuple(each for data, each in tuple(self._learned) if data == name and each is not None)

    def sums(self, name: str) -> DebitSums:
        """Returns the sums of the debits of the data set `name`."""
        return self._sums.get(name, DebitSums())

    def own(self, name: str, analyst: str | None) -> DebitSums:
        """Returns the sums of the debits of the data set `name` whose answers the `analyst` was told."""
        return self._own.get((name, analyst), DebitSums())

    def learned(self, name: str, analyst: str | None) -> Mapping[int, Link]:
        """Returns, by debit's number, the entry that told the `analyst` of data set `name`: the debit, or `shared`."""
        return dict(self._learned.get((name, analyst), {}))

    def has_learned(self, name: str, analyst: str | None, debit: int) -> bool:
        """Says whether the `analyst` was told what the `debit` of data set `name` paid for: again costs nothing."""
        return debit in self._learned.get((name, analyst), {})

    def whom(self, name: str, debit: int) -> tuple[str, ...]:
        """Returns the analysts who were told what the `debit` of data set `name` paid for, in the entries' order."""
        found = [each for each in self.analysts(name) if self.has_learned(name, each, debit)]
        return tuple(sorted(found, key=lambda each: self._learned[name, each][debit].number))

    def newest(self, name: str, analyst: str | None) -> Link | None:
        """Returns the last entry with which the `analyst` was told something of the data set `name`."""
        learned = self._learned.get((name, analyst), {})
        return learned[next(reversed(learned))] if learned else None

    def debited(self, name: str) -> Sequence[Link]:
        """Returns the entries of the debits of the data set `name`, in their order."""
        return self._debited.get(name, [])  # no copy: each release looks at the last of them

    def since(self, name: str, debit: int) -> int:
        """Counts the debits of the data set `name` that came after the `debit` of this number."""
        found = self.debited(name)
        return len(found) - bisect(found, debit, key=lambda link: link.number)

    def answers_elsewhere(self, name: str) -> int:
        """Counts the answers of all data sets but the one called `name`, which may be about the same people."""
        answered = (debit for debit, answer in self.drawn.items() if not answer.body.get("failed", False))
        return sum(self.debits[debit].body["data"] != name for debit in answered)
