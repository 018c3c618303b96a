"""What an owner says with `frozen`: that the bytes of a version never change; and what becomes of one that did.

Where losses are converted together, the law must be one of the same records. That they are cannot be looked up for an
analyst, who would learn for nothing whether anything has changed: so the owner declares it, and where it does not hold
the whole data set is closed to everybody, whatever is asked, until the policy names another version.
"""

from logging import getLogger
from typing import Final

from dalenius.curator.history import History
from dalenius.curator.storage import Book
from dalenius.errors import InputError

LOG: Final = getLogger("dalenius")


def is_kept(history: History, name: str, version: str, fingerprint: str) -> bool:
    """Whether the version was never asked, or in these bytes alone."""
    if history.is_closed(name, version):
        return False
    return history.frozen(name, version) in (None, fingerprint)


def close_version(book: Book, name: str, version: str) -> None:
    """Written once: put back as it was the table would say, each time, that it was changed in between."""
    if not book.history.is_closed(name, version):
        book.add("closed", {"data": name, "version": version})
        LOG.error("%s", changed(name, version))


def changed(name: str, version: str) -> InputError:
    """For the owner: an analyst is told that the table is not open."""
    wanted = "the bytes it was first asked in, as it is frozen; it is closed until the policy gives it another version"
    return InputError(f"data {name!r} version", version, wanted)
