"""The command `ledger`: what was released, what it spent, and whether its entries are as they were written.

`ledger verify` reads all entries and says "8 entries, each as it was written; the newest has hash …". Somebody who
writes that hash down elsewhere sees with `--hash`, a year later, whether the ledger is still the one it was.
"""

import json as json_text
import re
from typing import Annotated, Any, Final, Literal, TypeAlias

from dalenius.cli.options import (
    AsJson,
    argument,
    option,
)
from dalenius.cli.output import print_json, print_table, say
from dalenius.curator import (
    Account,
    Budget,
    History,
    Ledger,
    Paid,
    accounts,
)
from dalenius.curator.amounts import amount_of, as_nats
from dalenius.errors import InputError

_Action: TypeAlias = Literal["show", "verify", "export", "copy", "accept"]


def ledger(
    action: Annotated[
        _Action,
        argument(
            "show: list data sets with their releases; verify: check the chain of entries; export: print all entries; "
            "copy: copy them to TO; accept: accept an older ledger, or none, in place of the previous one.",
            "ACTION",
        ),
    ],
    address: Annotated[str, argument("The ledger: a SQLite file, or a URL.", "LEDGER")],
    to: Annotated[str | None, argument("For copy: the new ledger, a file or a URL.", "TO")] = None,
    digest: Annotated[
        str | None, option("For verify: the hash of an entry that you wrote down elsewhere.", name="--hash")
    ] = None,
    json: AsJson = False,
) -> None:
    """Show what a ledger says was released and spent, and check its chain of entries."""
    if digest is not None and action != "verify":
        raise InputError("--hash", digest, f"nothing with {action}: it belongs to verify")
    if (to is None) == (action == "copy"):
        # Because the address of a second ledger may have a password, it is not shown.
        wanted = "the new ledger of copy, a file or a URL; nothing with any other action"
        raise InputError("to", "missing" if to is None else "another ledger", wanted)
    book = Ledger(address)
    if action == "accept":
        say(f"the previous ledger is no longer expected; now: {_said(book.accept())}")
        return
    if not book.is_there():
        raise InputError("ledger", book.shown, "a file that is there")
    history = book.history()
    if to is not None:
        new = Ledger(to)
        say(f"{book.copy(new)} entries, each with its hash, are now in {new.shown}")
    elif action == "verify":
        _verified(history, digest, json)
    elif action == "export":
        for link in history.links:
            print(json_text.dumps({"number": link.number, "kind": link.kind, "body": link.body, "hash": link.hash}))
    else:
        _show(history, json)


def _show(history: History, json: bool) -> None:
    """Prints a table for each data set, with its releases, and one of its analysts, if it has any."""
    found = accounts(history)
    if json:
        print_json({**history.as_json(), "data_sets": [_account_json(each) for each in found]})
        return
    for each in found:
        columns = ["entry", "asked", "released (UTC)", "promise", "alone (nats)", "beside others", "answers"]
        rows = [_row(paid) for paid in each.paid]
        if each.analysts:
            columns.append("told")
            rows = [[*row, ", ".join(paid.recipients)] for row, paid in zip(rows, each.paid, strict=True)]
        print_table(f"{each.name}: {spent_in_words(each.budget)}", columns, rows)
        if each.analysts:
            shares = [[analyst, spent_in_words(budget)] for analyst, budget in each.analysts]
            print_table(f"Analysts of {each.name}", ["", "was told"], shares)
    if not found:
        say("nothing was released")
    say(_said(history))


def _row(paid: Paid) -> list[str]:
    """Returns the row of a debit: what was asked when, what it cost, alone and beside others, and what was drawn."""
    body = paid.debit.body
    asked = paid.asked if paid.recorded is not None else ""
    time = str(body.get("time") or "").replace("T", " ")[:16]
    losses = [f"{as_nats(amount_of(body[key])):.6g}" for key in ("leakage", "group_loss")]
    found = paid.recorded
    lost = "failed" if paid.failed else "lost, or not kept"
    drawn = lost if found is None else f"{len(found.published.answers)}, entry {found.entry}"
    return [str(paid.debit.number), asked, time, str(body["notion"]), *losses, drawn]


def _account_json(found: Account) -> dict[str, Any]:
    analysts = [{"analyst": name, "budget": budget.as_json()} for name, budget in found.analysts]
    return {**found.as_json(), "fingerprints": list(found.fingerprints), "analysts": analysts}


def _verified(history: History, digest: str | None, json: bool) -> None:
    """Prints that the chain of entries is as it was written; digest: a hash that was written down, None for none.

    InputError where no entry has that hash: the chain was rewritten, or cut off.
    """
    wanted = None if digest is None else digest.strip().lower()
    found = None if wanted is None else next((link for link in history.links if link.hash == wanted), None)
    if wanted is not None and found is None:
        _check_full(history, wanted)
        begun = _like(history, wanted[:_BEGINNING])
        why = f"it differs from that of entry {begun} in some characters" if begun else ""
        missing = f"{why or 'entries are missing here'}, or this is another ledger"
        raise InputError("--hash", digest, f"the hash of an entry: {missing}")
    if json:
        print_json({**history.as_json(), "verified": True, "entry": None if found is None else found.number})
        return
    say(_said(history))
    if found is not None:
        say(f"entry {found.number} has that hash: all up to it is as it was")


_HASH: Final = re.compile("[0-9a-f]{64}")
_BEGINNING: Final = 16
"""Characters that no two hashes share by chance."""


def _like(history: History, digest: str) -> str:
    """Returns the numbers of the entries whose hash begins so; "" for none."""
    alike = [link.number for link in history.links if digest and link.hash.startswith(digest)]
    return " and ".join(map(str, alike[:3]))


def _check_full(history: History, digest: str) -> None:
    """Raises InputError if `digest` is not a whole hash; the error names the entry that may begin with it."""
    # Because the beginning of a hash can be chosen by somebody who writes entries, it proves nothing.
    if _HASH.fullmatch(digest):
        return
    begins = f"; it begins like entry {alike}" if (alike := _like(history, digest)) else ""
    raise InputError("--hash", digest, f"all 64 characters of a hash (this is not a full hash{begins})")


def _said(history: History) -> str:
    """Says how many entries there are, and the newest hash, which proves of all of them that they are as they were."""
    if history.last is None:
        return "no entries"
    return f"{len(history.links)} entries, each as it was written; the newest has hash {history.last.hash}"


def spent_in_words(budget: Budget) -> str:
    """Says how much of a `budget` is spent, in nats, with the delta at which it is counted."""
    at = f" at delta {budget.spent_delta:g} of {budget.delta:g}" if budget.delta else ""
    return f"{budget.spent:.6g} of {budget.initial:.6g} nats spent{at}, {budget.remaining:.6g} left"
