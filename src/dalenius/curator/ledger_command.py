"""`dalenius ledger`: what a ledger says, checked.

`verify` reads all entries and says "8 entries, each as it was written; the newest has hash …": whoever writes that hash
down elsewhere sees with `--hash`, a year later, whether the ledger is still the one it was.
"""

import json as json_text
from typing import Annotated, Any, Final, Literal, TypeAlias

from dalenius.cli.options import AsJson, argument, option
from dalenius.cli.output import print_json, print_table, say
from dalenius.curator import Account, History, Ledger, Paid, account, accounts
from dalenius.curator.amounts import amount_of, as_nats
from dalenius.curator.commands import print_answers, print_certificate, recorded_json, spent_in_words
from dalenius.errors import InputError

_Action: TypeAlias = Literal["show", "verify", "export", "copy", "accept"]


def ledger(
    action: Annotated[
        _Action,
        argument(
            "show: data sets, or one release; verify: the chain of entries; export: all of them; copy: to TO; "
            "accept: an older ledger, or none, in place of the one that was there.",
            "ACTION",
        ),
    ],
    address: Annotated[str, argument("The ledger: a SQLite file, or a URL.", "LEDGER")],
    to: Annotated[str | None, argument("copy: the new ledger, likewise.", "TO")] = None,
    data: Annotated[str | None, option("show: one data set, by its name.", "NAME")] = None,
    entry: Annotated[int | None, option("show: one release, by the number of its entry.", "NUMBER")] = None,
    digest: Annotated[
        str | None, option("verify: of an entry, as it was written down elsewhere.", name="--hash")
    ] = None,
    json: AsJson = False,
) -> None:
    """What was released from which data, what it spent and what is left; the chain of entries checked."""
    # Of a second ledger the address is not shown, as it may have a password.
    given = {"--data": data, "--entry": entry, "--hash": digest, "to": None if to is None else "another ledger"}
    for of, value in given.items():
        if value is not None and _OF[of] != action:
            raise InputError(of, str(value), f"nothing with {action}: it belongs to {_OF[of]}")
    book = Ledger(address)
    if action == "accept":
        say(f"what was there before is no longer asked for; now: {_said(book.accept())}")
        return
    if not book.is_there():
        raise InputError("ledger", book.shown, "a file that is there")
    history = book.history()
    if action == "copy":
        _copied(book, to)
    elif action == "verify":
        _verified(history, digest, json)
    elif action == "export":
        for link in history.links:
            print(json_text.dumps({"number": link.number, "kind": link.kind, "body": link.body, "hash": link.hash}))
    elif entry is not None:
        _one(_accounts(history, data), entry, json)
    else:
        _all(history, _accounts(history, data), json)


# The action that each belongs to.
_OF: Final = {"--data": "show", "--entry": "show", "--hash": "verify", "to": "copy"}


def _copied(book: Ledger, to: str | None) -> None:
    """For an organisation that moves from a file to a server: the same entries with the same hashes."""
    if to is None:
        raise InputError("to", "missing", "the new ledger: a file, or a URL")
    new = Ledger(to)
    count = book.copy(new)
    say(f"{count} entries, each with its hash, are now in {new.shown}")


def _accounts(history: History, data: str | None) -> list[Account]:
    """Of that data set, or of all. InputError for one that the ledger does not know."""
    if data is None:
        return list(accounts(history))
    if data not in history.budgets:
        known = ", ".join(history.names()) or "none"
        raise InputError("--data", data, f"one of the ledger's data sets: {known}")
    return [account(history, data)]


def _all(history: History, found: list[Account], json: bool) -> None:
    """A table for each data set, with its releases, and one of its analysts, if it has any."""
    if json:
        print_json({**history.as_json(), "data_sets": [_account_json(each) for each in found]})
        return
    for each in found:
        columns = ["entry", "promise", "alone (nats)", "beside others", "answers"]
        rows = [_row(paid) for paid in each.paid]
        if each.analysts:
            columns.append("told")
            rows = [[*row, ", ".join(paid.told)] for row, paid in zip(rows, each.paid, strict=True)]
        print_table(f"{each.name}: {spent_in_words(each.budget)}", columns, rows)
        if each.analysts:
            told = [[analyst, spent_in_words(budget)] for analyst, budget in each.analysts]
            print_table(f"Analysts of {each.name}", ["", "was told"], told)
    if not found:
        say("nothing was released")
    say(_said(history))


def _row(paid: Paid) -> list[str]:
    """A debit: what it cost, alone and beside others, and what was drawn for it."""
    body = paid.debit.body
    losses = [f"{as_nats(amount_of(body[key])):.6g}" for key in ("leakage", "group_loss")]
    found = paid.recorded
    lost = "failed" if paid.failed else "lost, or not kept"
    drawn = lost if found is None else f"{len(found.published.answers)}, entry {found.entry}"
    return [str(paid.debit.number), str(body["notion"]), *losses, drawn]


def _account_json(found: Account) -> dict[str, Any]:
    analysts = [{"analyst": name, "budget": budget.as_json()} for name, budget in found.analysts]
    return {**found.as_json(), "fingerprints": list(found.fingerprints), "analysts": analysts}


def _one(found: list[Account], entry: int, json: bool) -> None:
    """One release as it was shown first, with more digits. InputError for an entry that is none."""
    paid = [each for one in found for each in one.paid]
    for each in paid:
        recorded = each.recorded
        if recorded is not None and entry in (each.debit.number, recorded.entry):
            if json:
                print_json({"entry": recorded.entry, "hash": recorded.hash, **recorded_json(recorded), **_asked(each)})
                return
            print_answers(recorded, ".12g")
            print_certificate(recorded)
            say(f"the question as it was asked: {each.debit.body['spec']}")
            return
    numbers = ", ".join(str(each.recorded.entry) for each in paid if each.recorded is not None) or "none"
    raise InputError("--entry", entry, f"the number of an answer's entry, or of its debit; answers: {numbers}")


def _asked(paid: Paid) -> dict[str, Any]:
    """The spec as the ledger keeps it, and when it was paid for."""
    body = paid.debit.body
    try:
        spec = json_text.loads(body["spec"])
    except ValueError:  # of a release that a Python program paid for, in words of its own
        spec = body["spec"]
    return {"spec": spec, "time": body.get("time")}


def _verified(history: History, digest: str | None, json: bool) -> None:
    """digest: a hash that was written down. InputError where no entry has it: the chain was rewritten, or cut off."""
    found = None if digest is None else next((link for link in history.links if link.hash == digest), None)
    if digest is not None and found is None:
        raise InputError("--hash", digest, "the hash of an entry: entries are missing here, or this is another ledger")
    if json:
        print_json({**history.as_json(), "verified": True, "entry": None if found is None else found.number})
        return
    say(_said(history))
    if found is not None:
        say(f"entry {found.number} has that hash: all up to it is as it was")


def _said(history: History) -> str:
    """How many entries there are, and the newest hash, which says of all of them that they are as they were."""
    if history.last is None:
        return "no entries"
    return f"{len(history.links)} entries, each as it was written; the newest has hash {history.last.hash}"
