"""A ledger's address: a path, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE."""

from pathlib import Path
from typing import Final

from dalenius.curator.database import Database
from dalenius.curator.postgres import Postgres
from dalenius.curator.sqlite import SQLite
from dalenius.errors import InputError
from dalenius.tables.server_address import ESCAPED, SCHEMES, server_address

WANTED: Final = "a path, sqlite:///FILE or postgresql://HOST/DATABASE"


def database_at(address: Path | str) -> Database:
    """InputError where it is none of these; what it says has no password in it."""
    if "\0" in str(address):
        raise InputError("ledger", str(address), f"{WANTED}, without NUL")
    if isinstance(address, Path) or "://" not in address:
        return SQLite(Path(address))
    scheme, _, file = address.partition("://")
    if scheme == "sqlite" and file.startswith("/") and len(file) > 1 and "?" not in file:
        return SQLite(Path(file[1:]))
    if scheme not in SCHEMES:
        raise InputError("ledger", f"{scheme}://…", WANTED)
    found = server_address(address, "ledger", f"{WANTED}; {ESCAPED}")
    if not found.database:
        raise InputError("ledger", str(found), WANTED)
    return Postgres(found)
