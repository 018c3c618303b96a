"""Which ledger in the data's folder is theirs: the one that records them, whatever file they were in."""

from pathlib import Path

from dalenius.curator.ledger import SUFFIX, Ledger
from dalenius.curator.request import Request
from dalenius.errors import InputError


def ledger_beside(file: Path, request: Request) -> Path:
    """The ledger of the data set or its bytes in the file's folder, else FILE.ledger.sqlite.

    InputError where several record them: what was spent is split among ledgers.
    """
    near = sorted(path for path in file.parent.iterdir() if path.name.endswith(SUFFIX) and path.is_file())
    found = [path for path in near if Ledger(path).knows(request.name, request.fingerprint)]
    if len(found) > 1:
        which = f"one of {', '.join(path.name for path in found)}, which all know data set {request.name!r}"
        raise InputError("ledger", "missing", which)
    return found[0] if found else file.with_name(file.name + SUFFIX)
