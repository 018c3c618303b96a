"""The command `sheet`: one A4 page about a release in a ledger, for the person who signs it."""

from pathlib import Path
from typing import Annotated, TypeAlias

from dalenius.cli.options import Plugins, Quiet, argument, option
from dalenius.cli.output import note, say, working
from dalenius.curator import History, Ledger
from dalenius.errors import InputError
from dalenius.plotting import check_place, write_atomically
from dalenius.reports.language import language as language_of
from dalenius.reports.printed import check_printable, print_pdf
from dalenius.reports.sheet import SIZES, Sheet, html, sheet_of
from dalenius.reports.sheet_facts import facts_of_entry

LanguageName: TypeAlias = Annotated[str, option("The language: en, de, or a .toml file of sentences.", "NAME")]
Reason: TypeAlias = Annotated[str, option("Why the assumption may be made; left out, there is a line to write on.")]
LedgerAddress: TypeAlias = Annotated[str, argument("The ledger: a SQLite file, or a URL.", "LEDGER")]
EntryNumber: TypeAlias = Annotated[int, option("The number of the entry with the answers, as release says it.")]


def sheet(
    address: LedgerAddress,
    entry: EntryNumber,
    out: Annotated[Path, option("The page to write, an .html or .pdf file.")],
    language: LanguageName = "en",
    reason: Reason = "",
    plugin: Plugins = None,
    quiet: Quiet = False,
) -> None:
    """Write one A4 page about a release in a ledger, for the signer: as HTML, or as PDF by a browser."""
    if out.suffix not in (".html", ".pdf"):
        raise InputError("--out", str(out), "a file ending in .html or .pdf")
    check_place(out)
    check_printable(out)
    words = language_of(language)
    made = sheet_of(facts_of_entry(history_of(address), entry), words, reason)
    with working("writing the sheet"):
        if out.suffix == ".html":
            write_atomically(out, lambda draft: draft.write_text(html(made), encoding="utf-8", newline="\n"))
        else:
            write_atomically(out, lambda draft: _print(made, draft))
    say(f"wrote {out}")


def _print(made: Sheet, draft: Path) -> None:
    """Prints a sheet with the largest letters with which it is one page."""
    if not any(print_pdf(html(made, size), draft) == 1 for size in SIZES):
        note("the sheet has more than one page: its question or its model is long")


def history_of(address: str) -> History:
    """Reads the ledger at an `address`; InputError where there is none."""
    book = Ledger(address)
    if not book.is_there():
        raise InputError("ledger", book.shown, "a file that is there")
    return book.history()
