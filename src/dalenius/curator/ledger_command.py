"""`dalenius ledger`: what a ledger says, checked."""

import json as json_text
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from dalenius.cli.options import AsJson, option
from dalenius.cli.output import print_json, print_table, say
from dalenius.curator import Account, History, Ledger, Link, Paid, accounts
from dalenius.curator.amounts import amount_of, nats
from dalenius.curator.commands import print_answers, print_certificate, recorded_json, spent_in_words
from dalenius.drawing import write_whole
from dalenius.errors import InputError

Action: TypeAlias = Literal["show", "verify", "export", "copy", "accept"]


def ledger(
    action: Annotated[
        Action,
        typer.Argument(
            help="show: data sets, or one release; verify: the chain of entries; export: all of them; copy: to TO; "
            "accept: an older ledger, or none, in place of the one that was there.",
            show_default=False,
            metavar="ACTION",
        ),
    ],
    address: Annotated[
        str, typer.Argument(help="The ledger: a SQLite file, or a URL.", metavar="LEDGER", show_default=False)
    ],
    to: Annotated[
        str | None, typer.Argument(help="copy: the new ledger, likewise.", metavar="TO", show_default=False)
    ] = None,
    data: Annotated[str | None, option("show: one data set, by its name.", "NAME")] = None,
    entry: Annotated[int | None, option("show: one release, by the number of its entry.", "NUMBER")] = None,
    digest: Annotated[
        str | None, option("verify: of an entry, as it was written down elsewhere.", name="--hash")
    ] = None,
    out: Annotated[Path | None, option("export: the file, a line of JSON per entry.")] = None,
    json: AsJson = False,
) -> None:
    """What was released from which data, what it spent and what is left; the chain of entries checked."""
    _check(action, {"--data": data, "--entry": entry, "--hash": digest, "--out": out, "to": to})
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
        _exported(history, out)
    elif entry is not None:
        _one(history, entry, json)
    else:
        _all(history, data, json)


OF = {
    "--data": "show",
    "--entry": "show",
    "--hash": "verify",
    "--out": "export",
    "to": "copy",
}


def _check(action: Action, given: dict[str, object]) -> None:
    for of, value in given.items():
        if value is not None and OF[of] != action:
            shown = "another ledger" if of == "to" else str(value)  # which may have a password
            raise InputError(of, shown, f"nothing with {action}: it belongs to {OF[of]}")
    if given["--data"] is not None and given["--entry"] is not None:
        raise InputError("--entry", str(given["--entry"]), "either a data set or an entry")


def _copied(book: Ledger, to: str | None) -> None:
    if to is None:
        raise InputError("to", "missing", "the new ledger: a file, or a URL")
    new = Ledger(to)
    count = book.copy(new)
    say(f"{count} entries, each with its hash, are now in {new.shown}")


def _all(history: History, data: str | None, json: bool) -> None:
    found = [each for each in accounts(history) if data is None or each.name == data]
    if data is not None and not found:
        known = ", ".join(history.names()) or "none"
        raise InputError("--data", data, f"one of the ledger's data sets: {known}")
    if json:
        print_json({**history.as_json(), "data_sets": [_account_json(each) for each in found]})
        return
    for account in found:
        columns = ["entry", "promise", "alone (nats)", "beside others", "answers"]
        rows = [_row(each) for each in account.paid]
        if account.analysts:
            columns.append("told")
            rows = [[*row, ", ".join(each.told)] for row, each in zip(rows, account.paid, strict=True)]
        print_table(f"{account.name}: {spent_in_words(account.budget)}", columns, rows)
        if account.analysts:
            told = [[analyst, spent_in_words(budget)] for analyst, budget in account.analysts]
            print_table(f"Analysts of {account.name}", ["", "was told"], told)
    if not found:
        say("nothing was released")
    say(_said(history))


def _row(paid: Paid) -> list[str]:
    body = paid.debit.body
    losses = [f"{nats(amount_of(body[key])):.6g}" for key in ("leakage", "group_loss")]
    found = paid.recorded
    lost = "failed" if paid.failed else "lost, or not kept"
    drawn = lost if found is None else f"{len(found.published.answers)}, entry {found.entry}"
    return [str(paid.debit.number), str(body["notion"]), *losses, drawn]


def _account_json(account: Account) -> dict[str, Any]:
    analysts = [{"analyst": name, "budget": budget.as_json()} for name, budget in account.analysts]
    return {**account.as_json(), "fingerprints": list(account.fingerprints), "analysts": analysts}


def _one(history: History, entry: int, json: bool) -> None:
    paid = [each for account in accounts(history) for each in account.paid]
    for each in paid:
        recorded = each.recorded
        if recorded is not None and entry in (each.debit.number, recorded.entry):
            if json:
                print_json({"entry": recorded.entry, "hash": recorded.hash, **recorded_json(recorded), **_asked(each)})
                return
            print_answers(recorded, str(recorded.published.certificate.get("outcome", "answer")), ".12g")
            print_certificate(recorded, "left")
            say(f"the question as it was asked: {each.debit.body['spec']}")
            return
    numbers = ", ".join(str(each.recorded.entry) for each in paid if each.recorded is not None) or "none"
    raise InputError("--entry", entry, f"the number of an answer's entry, or of its debit; answers: {numbers}")


def _asked(paid: Paid) -> dict[str, Any]:
    """The spec as the ledger keeps it, and when it was paid for."""
    body = paid.debit.body
    try:
        spec = json_text.loads(body["spec"])
    except ValueError:
        spec = body["spec"]
    return {"spec": spec, "time": body.get("time")}


def _verified(history: History, digest: str | None, json: bool) -> None:
    found = None if digest is None else next((link for link in history.links if link.hash == digest), None)
    if digest is not None and found is None:
        raise InputError("--hash", digest, "the hash of an entry: entries are missing here, or this is another ledger")
    if json:
        print_json({**history.as_json(), "verified": True, "entry": None if found is None else found.number})
        return
    say(_said(history))
    if found is not None:
        say(f"entry {found.number} has that hash: all up to it is as it was")


def _exported(history: History, out: Path | None) -> None:
    lines = "".join(f"{_line(link)}\n" for link in history.links)
    if out is None:
        print(lines, end="")
        return

    def write(draft: Path) -> None:
        draft.write_text(lines, encoding="utf-8")

    write_whole(out, write)
    print(out)


def _line(link: Link) -> str:
    return json_text.dumps({"number": link.number, "kind": link.kind, "body": link.body, "hash": link.hash})


def _said(history: History) -> str:
    if history.last is None:
        return "no entries"
    return f"{len(history.links)} entries, each as it was written; the newest has hash {history.last.hash}"
