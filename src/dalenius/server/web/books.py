"""What owners and auditors see of the ledger, in the words and numbers of the templates."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, final

from dalenius.curator import Account, Budget, DataSet, History, Ledger, Link, Paid, accounts
from dalenius.curator.amounts import budget_of, nats
from dalenius.curator.budgets import notion_of
from dalenius.curator.publication import is_failure
from dalenius.errors import InputError
from dalenius.pages.numbers import near, up
from dalenius.server.web.bars import Bar, bar
from dalenius.server.web.odds import Believed, Promise, believed, of_odds, promise
from dalenius.server.web.seen import asked, leaked, when_of

PAGE: Final = 50


@final
@dataclass(frozen=True)
class Checked:
    """Whether each entry is as it was written."""

    whole: bool
    said: str
    hash: str | None = None


def checked(ledger: Ledger) -> tuple[Checked, History]:
    """Of a ledger that is not whole nothing is shown."""
    try:
        history = ledger.verified()
    except InputError as error:
        said = f"{error.wanted[:1].upper()}{error.wanted[1:]} was wanted; this ledger is none. Nothing of it is shown."
        return Checked(False, said), History(())
    if history.last is None:
        return Checked(True, "It has no entries yet."), history
    said = f"All {len(history.links):,} entries are as they were written: each hash was computed again."
    return Checked(True, said, history.last.hash), history


@final
@dataclass(frozen=True)
class EntrySeen:
    number: int
    kind: str
    data: str
    analyst: str
    amount: str
    when: str
    hash: str
    url: str | None = None
    """Of the answer, where it is one."""


@final
@dataclass(frozen=True)
class Leaf:
    """A page of entries, newest first. first: how many are before it; total: of all."""

    rows: tuple[EntrySeen, ...]
    first: int
    total: int

    @property
    def caption(self) -> str:
        whole = f"{self.total:,} entries, newest first"
        part = f"{self.first + 1:,} to {self.first + len(self.rows):,} of "
        return whole if len(self.rows) == self.total else f"{part}{whole}"


def leaf(history: History, number: int, reaches: Callable[[str], bool], everything: bool) -> Leaf:
    """Of the data sets that whoever looks may see; where that is everything, no other page's entries are read."""
    first = (number - 1) * PAGE
    links = tuple(reversed(history.links))
    if not everything:
        links = tuple(link for link in links if reaches(_entry(link, history).data))
    rows = tuple(_entry(link, history) for link in links[first : first + PAGE])
    return Leaf(rows, first, len(links))


def _entry(link: Link, history: History) -> EntrySeen:
    body = link.body
    debit = history.debit(body["debit"]).body if "debit" in body else body
    data, analyst = debit.get("data") or "", body.get("analyst") or debit.get("analyst") or ""
    url = f"/ledger/{link.number}" if link.kind == "answer" and not is_failure(link) and data else None
    return EntrySeen(link.number, link.kind, data, analyst, _amount(body), when_of(body), link.hash, url)


def _amount(body: Mapping[str, Any]) -> str:
    """What a debit leaks by itself, or a data set may spend."""
    if "leakage" in body:
        return up(leaked(body))
    return near(nats(budget_of(body["initial"]))) if "initial" in body else ""


@final
@dataclass(frozen=True)
class Spending:
    name: str
    bar: Bar
    analysts: tuple[Bar, ...]


def spending(found: Mapping[str, Account], data: Iterable[DataSet]) -> tuple[Spending, ...]:
    """By data set and analyst."""
    return tuple(_spending(each, found.get(each.name)) for each in data)


def _spending(data: DataSet, found: Account | None) -> Spending:
    told = {} if found is None else dict(found.analysts)
    caps = {each.name: each.epsilon or data.epsilon for each in data.analysts}
    bars = (bar(name, replace(told.get(name, Budget(cap, 0.0)), initial=cap)) for name, cap in caps.items())
    return Spending(data.name, bar("All analysts together", whole(data, found)), tuple(bars))


def whole(data: DataSet, found: Account | None) -> Budget:
    """The data set's own budget."""
    return found.budget if found is not None else Budget(data.epsilon, 0.0, delta=data.notion.promised_delta or 0.0)


@final
@dataclass(frozen=True)
class ExposedRow:
    entry: int
    asked: str
    who: str
    where: str
    nats: str
    folds: str
    words: str
    most: float


@final
@dataclass(frozen=True)
class Exposure:
    name: str
    said: str
    rows: tuple[ExposedRow, ...]
    grow: str = ""
    """What the last column says: of chances, of odds, or of both."""


def exposure(account: Account) -> Exposure:
    """About whom each release of a data set says most."""
    rows = sorted(_exposed(account.paid), key=lambda row: (-row.most, row.entry))
    if not rows:
        return Exposure(account.name, "No release says about whom it says most.", ())
    worst = rows[0]
    times = "The only release says" if len(rows) == 1 else f"Of {len(rows)} releases the worst says"
    said = f"{times} most about {worst.who}: at most {worst.nats} nats{worst.words}."
    return Exposure(account.name, said, tuple(rows), _grow(account.paid))


def _grow(found: Sequence[Paid]) -> str:
    notions = [notion_of(each.recorded.published.certificate) for each in found if each.recorded is not None]
    odds = {of_odds(notion) for notion in notions if notion is not None and notion.phrases}
    return "Chances grow" if odds == {False} else "Odds change" if odds == {True} else "Chances grow, or odds change"


def _exposed(found: Sequence[Paid]) -> Iterator[ExposedRow]:
    for each in found:
        leakage = None if each.recorded is None else each.recorded.published.certificate.get("leakage")
        witness = None if leakage is None else leakage.get("witness")
        if each.recorded is None or leakage is None or witness is None:
            continue
        upper = float(leakage["upper"])
        person = f"person {witness['person']}, " if witness.get("person") else ""
        who, where = f"{person}{witness['who']}", _where(witness)
        grow = (each.recorded.published.certificate.get("risk") or {}).get("times", "")
        words = f", so that {leakage['in_words']}" if "in_words" in leakage else ""
        yield ExposedRow(each.recorded.entry, asked(each.recorded), who, where, up(upper), grow, words, upper)


def _where(witness: Mapping[str, Any]) -> str:
    parts = []
    if "secret" in witness:
        against = f" against {witness['against']}" if "against" in witness else ""
        parts.append(f"record {witness['secret']}{against}")
    if "output" in witness:
        output = witness["output"] if isinstance(witness["output"], list) else [witness["output"]]
        parts.append(f"at output {', '.join(map(_output, output))}")
    return ", ".join(parts)


@final
@dataclass(frozen=True)
class Meaning:
    """What the promise of a data set means."""

    name: str
    promise: Promise
    bar: Bar
    table: tuple[Believed, ...]


def meaning(data: DataSet, account: Account | None) -> Meaning:
    notion = data.notion
    budget = whole(data, account)
    return Meaning(data.name, promise(notion), bar("Spent", budget), believed(notion, budget.spent))


def by_name(history: History) -> Mapping[str, Account]:
    return {each.name: each for each in accounts(history) if each.name is not None}


def _output(value: float | int | str) -> str:
    return value if isinstance(value, str) else near(value)
