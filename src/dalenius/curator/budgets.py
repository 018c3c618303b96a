"""Requests and budgets: when two requests are the same, whose budget pays, and whether more may be spent.

A nurse asks how many are ill under a policy whose table is at version "1": the key of the request is a hash of the data
set's name, of "version 1" and of the question. The same question gets the same answer for nothing, whether the table
has changed or not, until the owner names version "2". Without a policy the hash is of the table's bytes instead.

If 0.25 of a budget of 1 nat are spent: `Budget(initial=1.0, spent=0.25, route="alone")`, and 0.75 remain.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from math import inf, isfinite
from typing import Any, Final, final

from dalenius.curator import amounts
from dalenius.curator.amounts import DebitSums
from dalenius.curator.cost_of_releases import Budget, Entry, Spent, spent_after
from dalenius.curator.finer_tables import finer_table_advice
from dalenius.curator.hash_chained_entries import History, given_budget
from dalenius.curator.request_key import RequestKey
from dalenius.curator.schedule import check_renewing, check_times
from dalenius.errors import InputError, Refused, place
from dalenius.spec import Spec, canonical
from dalenius.tables import People


@final
@dataclass(frozen=True)
class Request:
    """A question asked of a data set, with its terms.

    The same data set, the same bytes and the same spec are the same request, whatever its terms. Under a policy the
    same version stands instead of the same bytes, so that nobody learns for nothing whether the bytes have changed.

    Attributes:
        name: The data set, whose budget pays.
        fingerprint: That of its bytes.
        spec: The question, in one canonical text.
        budget: The budget in nats, where the name is new to the ledger.
        insisted: Whether it must also be the budget of a name that is known.
        new_data: Whether bytes that are new to the ledger may be asked under a name that it knows.
        delta: The δ of the budget, where the name is new.
        insisted_delta: Whether it must also be that of a name that is known.
        analyst: Who asks; None where nobody else does.
        cap: What that analyst may be told of the data set, in nats.
        version: The table's version under a policy.
        frozen: Whether its owner says that the bytes of that version never change.
        most_of_record: The promise beside the first one against adversaries who know all other records, in nats.
        others: The fingerprints that the same people have under other names of the same file.
        after: The number of debits of the data set that the cost takes into account; None where it depends on none.
        goes_on: How a person's value goes on from one version to the next, where the policy supposes something.
        times: How many versions may be asked about; None where there is no schedule.
        renewing: What answers about one version may lose of a group, in nats; None for no such budget.
        sent: The key under which it was sent; None without one.
    """

    name: str
    fingerprint: str
    spec: str
    budget: float
    insisted: bool = False
    new_data: bool = False
    delta: float = 0.0
    insisted_delta: bool = False
    analyst: str | None = None
    cap: float | None = None
    version: str | None = None
    frozen: bool = False
    most_of_record: float | None = None
    others: tuple[str, ...] = ()
    after: int | None = None
    goes_on: Mapping[str, Any] | None = None
    times: int | None = None
    renewing: float | None = None
    sent: RequestKey | None = None

    @property
    def key(self) -> str:
        """The SHA-256 of what makes it the same request."""
        which = [self.fingerprint] if self.version is None else ["version", self.version]
        return sha256(json.dumps(["request", self.name, *which, self.spec]).encode()).hexdigest()

    def as_body(self) -> dict[str, Any]:
        """Returns what a debit says about whose records it read, and who asked."""
        body: dict[str, Any] = {"data": self.name, "fingerprint": self.fingerprint, "request": self.key}
        if self.version is not None:
            body |= {"version": self.version} | ({"frozen": True} if self.frozen else {})
            body |= {"goes_on": dict(self.goes_on)} if self.goes_on is not None else {}
        return body | self.asker()

    def asker(self) -> dict[str, Any]:
        """Returns who asked, and under which key: what an entry says beside whose records it read."""
        key = {} if self.sent is None else {"key": self.sent.as_body()}
        return key if self.analyst is None else {"analyst": self.analyst} | key


def request_of(
    spec: Spec, people: People, budget: float | None = None, new_data: bool = False, delta: float | None = None
) -> Request:
    """Returns the request of a spec that is asked of a table.

    Args:
        spec: The spec.
        people: The table.
        budget: The data set's budget in nats; None for what the first promise says.
        new_data: Whether bytes that are new to the ledger may be asked under a name that it knows.
        delta: The δ of the budget; None for the largest that is promised.
    """
    promises = spec.all_promises()
    return Request(
        people.name,
        people.fingerprint(),
        canonical(spec),
        budget if budget is not None else promises[0].epsilon or 0.0,
        budget is not None,
        new_data,
        delta=delta if delta is not None else max(notion.promised_delta or 0.0 for notion in promises),
        insisted_delta=delta is not None,
        most_of_record=min(
            (
                each.epsilon or 0.0
                for each in promises[1:]
                if each.properties.implied_by == "record" and not each.promised_delta
            ),
            default=None,
        ),
        others=people.other_names(),
    )


# One message for every failure, whatever it was: to say more would be to speak of the data.
SENTENCE: Final = "no answer: the request failed on these data; it is paid for, and the same request fails again"


@final
class Outdated(Refused):
    """The refusal of a cost that was computed before another debit of the same data set: it is to be computed again."""

    def __init__(self, name: str) -> None:
        super().__init__(f'data set "{name}": other answers were paid for meanwhile; ask again')


@final
class Overspent(Refused):
    """The refusal of a request that would cross a budget, or an analyst's cap.

    It says in nats what was requested, what remains, and by how much the one is more than the other. whose: the data
    set, or the analyst.
    """

    def __init__(self, said: str, whose: str, requested: float, remaining: float, difference: float) -> None:
        self.whose, self.requested, self.remaining, self.difference = whose, requested, remaining, difference
        super().__init__(said)


@final
class OthersBytes(Refused):
    """The refusal of bytes that the ledger knows as another data set's.

    A second name would have a second budget for the same people.
    """

    def __init__(self, name: str, owner: str) -> None:
        said = f'data set "{name}": its ledger knows the same bytes as "{owner}", and they have no second budget'
        super().__init__(said)


@final
class Failed(Refused):
    """The refusal of a request that was paid for, and whose answer could not be drawn."""

    def __init__(self) -> None:
        super().__init__(SENTENCE)


def cause_of(error: Exception) -> str:
    """Returns the cause for the owner's log, without any value: which key, what kind of error, and its line."""
    key = f"{error.key}, " if isinstance(error, InputError) else ""
    return f"{key}{type(error).__name__} at {place(error)}"


def as_budget(given: float, spent: Spent, delta: float) -> Budget:
    """Returns a budget of `given` nats at that `delta`, with `spent` nats spent."""
    return Budget(given, spent.nats, spent.route, delta, spent.delta)


def budget_of(history: History, name: str, analyst: str | None = None, cap: float | None = None) -> Budget:
    """Returns the budget of a data set, or of what an analyst was told of it.

    Args:
        history: The ledger's entries.
        name: The data set.
        analyst: The analyst; None for the data set itself.
        cap: The analyst's cap in nats; None for the last one there was, else the budget of the data set: without one an
            analyst may be told all that it has.
    """
    given = history.given(name)
    if analyst is not None and cap is None:
        last = history.newest(name, analyst)
        cap = None if last is None else last.body["own"].get("cap")
    return as_budget(given.initial if cap is None else float(cap), spent_of(history, name, analyst), given.delta)


def spent_of(history: History, name: str, analyst: str | None = None) -> Spent:
    """Returns what is spent in a `history` by data set `name`, or by what the `analyst` was told of it."""
    # Because each entry says what all up to it spend, nothing has to be added up again.
    debits = history.debited(name)
    last = (debits[-1] if debits else None) if analyst is None else history.newest(name, analyst)
    if last is None:
        return Spent(0, "alone")
    body = last.body if analyst is None else last.body["own"]
    return Spent(amounts.amount_of(body["spent"]), body["route"], float(body["spent_delta"]))


def spent_json(spent: Spent) -> dict[str, Any]:
    """Returns what is `spent` as an entry holds it."""
    return {"spent": amounts.amount_json(spent.amount), "spent_delta": spent.delta, "route": spent.route}


def spent_with(
    history: History, request: Request, cost: Entry, body: Mapping[str, Any], given: Budget, analyst: str | None
) -> Spent:
    """Returns what the data set, or that analyst, spends with one debit more.

    Args:
        history: The ledger's entries.
        request: What is asked.
        cost: What it costs.
        body: The body of the debit.
        given: The data set's budget.
        analyst: The analyst who is told; None for the data set itself.

    Raises:
        Overspent: If that is above the budget, or the cap.
        Refused: If it breaks what is promised about one record beside the first promise.
    """
    before = history.sums(request.name) if analyst is None else history.own(request.name, analyst)
    after = before.with_debit(body)
    spent = spent_after(after, body, given.delta, cost.convert)
    most = given.initial if analyst is None else request.cap
    if most is None:
        return spent
    loses = cost.leakage >= 0 and cost.group_loss >= 0  # so that NaN is no loss
    spent = _fitted(spent, cost, most) if loses else Spent(inf, spent.route)
    what, others = ("this release", " of the same data") if analyst is None else (f'this answer to "{analyst}"', "")
    of = f"{what}, after {before.count} earlier{others}, " if before.count else f"{what} "
    over = spent.amount - amounts.budget(most)
    if over > 0:
        left = max(0, amounts.budget(most) - spent_of(history, request.name, analyst).amount)
        requested, remaining, more = (amounts.as_nats(each) for each in (left + over, left, over))
        whose, pot = ("data set", "budget") if analyst is None else ("analyst", "cap")
        at = f" at delta {given.delta:g}" if given.delta else ""
        said = f"{of}would spend {spent.nats:.6g} of a {pot} of {most:.6g} nats{at}"
        numbers = f"{requested:.6g} requested, {remaining:.6g} left, {more:.6g} too much"
        why = _why_more(cost, left + over) if before.count else ""
        why += _why_infinite(spent, after, given.delta, cost.notion)
        why += finer_table_advice(history, request.name, cost.spec) if analyst is None else ""
        raise Overspent(f"{said}: {numbers}{why}", whose, requested, remaining, more)
    if analyst is None:
        _check_record(after, request.most_of_record, of)
        check_renewing(after.by_period.get(request.version or "", 0), request.version, request.renewing)
    return spent


def _fitted(spent: Spent, cost: Entry, given: float) -> Spent:
    """Returns what an only release spends: at most all of the budget, if it leaks no more than that as it was given.

    The budget is rounded down, the leakage up, and a promise of all there is must be payable.
    """
    most = amounts.budget(given)
    within = isfinite(cost.leakage) and 0 <= Fraction(cost.leakage) <= (Fraction(given) if isfinite(given) else 0)
    if spent.route == "alone" and spent.amount > most and within:
        return replace(spent, amount=most)
    return spent


def _why_more(cost: Entry, requested: amounts.Amount) -> str:
    """Writes why more is requested than the answer leaks by itself; nothing where it is not."""
    if not isinstance(requested, int) or amounts.spending(cost.leakage) >= requested:
        return ""
    return f"; alone it would leak {cost.leakage:.6g}: several answers are counted by a rule for all of them"


def _why_infinite(spent: Spent, after: DebitSums, delta: float, notion: str) -> str:
    """Writes why the loss is infinite, for a refusal: Gaussian noise, whose losses add up at a delta; or nothing."""
    if isinstance(spent.amount, int) or not after.gaussian or (delta and after.keep_delta):
        return ""
    missing = f"not all of what was promised ({notion}) has one" if delta else "the budget of this data set has none"
    return f"; Gaussian noise adds up at a delta only, and {missing}"


def _check_record(after: DebitSums, most: float | None, of: str) -> None:
    """Refuses several releases that together say more of one record than is promised beside the first promise.

    The adversary knows all other records. The noise of an only release keeps that promise by itself.

    Args:
        after: The sums with the new release.
        most: The promise in nats, a budget beside that of the first promise; None where there is none.
        of: The start of the refusal.
    """
    if most is not None and after.count > 1 and after.differential > amounts.budget(most):
        loss = f"{amounts.as_nats(after.differential):.6g} nats"
        said = f"{of}would say {loss} of a record to an adversary who knows all others"
        raise Refused(f"{said}, all releases together; promised are {most:.6g}")


# Entries to be written: kinds and bodies.
NewEntries = tuple[tuple[str, dict[str, Any]], ...]


def payer(history: History, request: Request) -> tuple[NewEntries, Budget]:
    """Returns the entries that make the data set's name and bytes known, and its budget.

    Under a policy no price and no number of an entry hangs on bytes, of which analysts are to learn nothing but that
    they are another's.

    Args:
        history: The ledger's entries.
        request: What is asked.

    Raises:
        Refused: If the bytes are another data set's, or are not those known by the name and may not be new.
    """
    name = request.name
    check_owner(history, request)
    # Because analysts ask about a version, whose bytes become known by the debit, which is written whatever they are.
    bytes_of = () if request.version is not None else _bytes(history, request)
    check_budget(history, request)
    check_times(tuple(history.sums(name).periods), request.version or "", request.times)
    given = history.budgets.get(name)
    if given is not None:
        # The file may have been saved again, with one more row, or be of other people under the same name.
        if bytes_of and not request.new_data:
            raise Refused(_other_bytes(name, request.fingerprint, history.fingerprints(name)))
        return bytes_of, given
    body = _budget(name, request.budget, request.delta)
    return (("budget", body), *bytes_of), given_budget(body)


def check_owner(history: History, request: Request) -> None:
    """Raises OthersBytes where a `history` knows the bytes of `request`, or of their other names, as another's."""
    for fingerprint in (request.fingerprint, *request.others):
        owner = history.owners.get(fingerprint)
        if owner is not None and owner != request.name:
            raise OthersBytes(request.name, owner)


def _bytes(history: History, request: Request) -> NewEntries:
    """Returns the entry that makes new bytes known; none for known ones."""
    name, fingerprint = request.name, request.fingerprint
    known = history.owners.get(fingerprint) == name
    return () if known else (("fingerprint", {"data": name, "fingerprint": fingerprint}),)


def _budget(name: str, given: float, delta: float) -> dict[str, Any]:
    """Returns the entry of a budget: in whole nano-nats, and as it was given where that is no whole number of them."""
    initial = amounts.budget(given)
    exactly = {} if amounts.as_nats(initial) == given else {"given": given}
    return {"data": name, "initial": amounts.amount_json(initial)} | exactly | ({"delta": delta} if delta else {})


def check_budget(history: History, request: Request) -> None:
    """Raises InputError where a `request` insists on a budget that is not the one the data set has in a `history`."""
    given, whose = history.budgets.get(request.name), f'what data set "{request.name}" was given in this ledger'
    if given is not None and request.insisted and request.budget != given.initial:
        raise InputError("budget", request.budget, f"{given.initial!r}, {whose}")
    if given is not None and request.insisted_delta and request.delta != given.delta:
        raise InputError("budget delta", request.delta, f"{given.delta!r}, {whose}")


def new_name_advice(history: History, name: str, there: Collection[str] = ()) -> str | None:
    """Returns the advice about a data set `name` new to a `history` with others, beyond these `there`; else None.

    The same people sorted anew, or with one more column, are other bytes.
    """
    others = [each for each in history.budgets if each not in there]
    if name in history.budgets or not others:
        return None
    listed = ", ".join(f'"{each}"' for each in others[:3]) + (", .." if len(others) > 3 else "")
    return (
        f'data set "{name}" is new in this ledger, and has a budget of its own. If it holds people of {listed}, '
        "give both the same [data] name"
    )


def _other_bytes(name: str, fingerprint: str, known: Iterable[str]) -> str:
    """Writes the refusal for a table that was saved again, or for two tables with one name."""
    before = ", ".join(each[:12] for each in known) or "none"
    return (
        f'data set "{name}": its bytes ({fingerprint[:12]}) are not those of earlier releases ({before}); if they are '
        "about the same people, use --new-data on the same budget; if about others, give another [data] name"
    )
