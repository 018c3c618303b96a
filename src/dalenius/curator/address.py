"""A ledger's address: a path, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE."""

from pathlib import Path
from typing import Final

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from dalenius.curator.database import Database
from dalenius.curator.postgres import Postgres
from dalenius.curator.sqlite import SQLite
from dalenius.errors import InputError

WANTED: Final = "a path, sqlite:///FILE or postgresql://USER@HOST/DATABASE"


def database_at(address: Path | str) -> Database:
    """InputError where it is none of these; what it says has no password in it."""
    if isinstance(address, Path) or "://" not in address:
        return SQLite(Path(address))
    scheme = address.partition("://")[0]
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise InputError("ledger", f"{scheme}://…", WANTED) from None
    if scheme == "sqlite" and url.database and not url.host and not url.query:
        return SQLite(Path(url.database))
    if scheme in ("postgresql", "postgres", "postgresql+psycopg") and url.database:
        user = f"{url.username}@" if url.username else ""
        port = f":{url.port}" if url.port else ""
        shown = f"postgresql://{user}{url.host or ''}{port}/{url.database}"
        return Postgres(url.set(drivername="postgresql+psycopg"), shown)
    raise InputError("ledger", f"{scheme}://…", WANTED)
