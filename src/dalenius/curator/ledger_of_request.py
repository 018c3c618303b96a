"""The ledger of a request: the one that the user names, or the one beside the table."""

from pathlib import Path

from dalenius.curator.budgets import Request
from dalenius.curator.ledger import SUFFIX, Ledger
from dalenius.errors import InputError


def ledger_path(file: Path, request: Request) -> Path:
    """Finds the ledger of the data set of a `request`, or of its bytes, in the folder of `file` or its target.

    Where there is none, it is FILE.ledger.sqlite. InputError where several ledgers record them: then spending is split
    among ledgers.
    """
    # Because a link to a table is the table, its ledger is the one beside the table.
    own = file.resolve()
    # Because the ledger of a copied or renamed table has the old file's name, and knows the data set's.
    folders = dict.fromkeys((file.parent.resolve(), own.parent))
    near = sorted(path for each in folders for path in each.iterdir() if path.name.endswith(SUFFIX) and path.is_file())
    found = [path for path in near if Ledger(path).knows(request.name, request.fingerprint)]
    if len(found) > 1:
        which = f"one of {', '.join(path.name for path in found)}, which all know data set {request.name!r}"
        raise InputError("ledger", "missing", which)
    return found[0] if found else own.with_name(own.name + SUFFIX)


def ledger_of(request: Request, file: Path | None, ledger: Path | str | None) -> Ledger:
    """Finds the ledger of a request.

    Args:
        request: What is asked.
        file: The file of the table; None for a frame, or a table of a database.
        ledger: The ledger that the user names; None for the one beside the file.

    Raises:
        InputError: If there is neither.
    """
    if ledger is None:
        if file is None:
            raise InputError("ledger", "missing", "where spending is recorded, as the data are in no file")
        ledger = ledger_path(file, request)
    return Ledger(ledger)
