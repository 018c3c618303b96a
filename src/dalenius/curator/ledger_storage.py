"""The storage of a ledger's entries at its address: read once and then only what is new, written in transactions.

Say somebody puts yesterday's copy of a ledger, with 4 entries, in the place of today's, with 8. A process that has read
the 8 finds no entry 8 with that hash, and refuses. One that starts afterwards finds, beside the file, the line that
says that entry 7 was there (`SQLite.head`), and refuses too.
"""

import signal
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, current_thread, main_thread
from types import TracebackType
from typing import Any, Final, TypeVar, final

from dalenius.curator.group_commit import Attempt, Group
from dalenius.curator.hash_chained_entries import Broken, History, Link, next_link, verified_chain
from dalenius.curator.ledger_database import Database, LedgerRows, Postgres, SQLite
from dalenius.curator.sqlite_file_state import FileState
from dalenius.errors import InputError
from dalenius.tables.servers import ESCAPED, SCHEMES, server_address

_WANTED: Final = "a path, sqlite:///FILE or postgresql://HOST/DATABASE"


def _database_at(address: Path | str) -> Database:
    """Returns the database of a path or a URL; InputError, without any password, where it is none of these."""
    if "\0" in str(address):
        raise InputError("ledger", str(address), f"{_WANTED}, without NUL")
    if isinstance(address, Path) or "://" not in address:
        return SQLite(Path(address))
    scheme, _, file = address.partition("://")
    if scheme == "sqlite" and file.startswith("/") and len(file) > 1 and "?" not in file:
        return SQLite(Path(file[1:]))
    if scheme not in SCHEMES:
        raise InputError("ledger", f"{scheme}://…", _WANTED)
    found = server_address(address, "ledger", f"{_WANTED}; {ESCAPED}")
    if not found.database:
        raise InputError("ledger", str(found), _WANTED)
    return Postgres(found)


_T = TypeVar("_T")


@final
class Book:
    """A ledger within one transaction: its history, and what is added to it."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.added: list[Link] = []

    def add(self, kind: str, body: Mapping[str, Any]) -> Link:
        """Adds an entry of this `kind` and `body`, which counts when the transaction does; returns it.

        Its time is now; or the last one's where that is later, and then `clock` is what the clock says.
        """
        now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        late = {"time": self.history.time, "clock": now} if now < self.history.time else {"time": now}
        return self.put(next_link(self.history.last, kind, {**body, **late}))

    def put(self, link: Link) -> Link:
        """Adds an entry, `link`, that is written already, elsewhere, and follows the last; returns it."""
        self.added.append(link)
        self.history.add(link)
        return link


class Storage:
    """A ledger's storage, safe for threads: one at a time reads or writes.

    What it wrote is on the disk before it goes on. Writers that wait for the same commit share the next one: ten debits
    that come while one is being synced are written in one transaction, and each writer goes on once all ten are on the
    disk. The chain is verified when it is first read; later only what is new, which must follow what was there.

    InputError `ledger` where it is no ledger, cannot be read or written, was altered, or is not the one it was.
    """

    def __init__(self, address: Path | str) -> None:
        """Takes a path, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE; nothing is opened yet."""
        self._database = _database_at(address)
        self._lock = Lock()
        self._waiting = Group[Callable[[Book], Any]]()
        self._known: History | None = None
        self._mark: Link | None = None
        # The state of the file whose entries are all known; None where it cannot tell that nobody has written since.
        self._state: FileState | None = None

    @property
    def shown(self) -> str:
        """Returns its address, without a password, for messages and logs."""
        return self._database.shown

    def history(self) -> History:
        """Returns all it says, verified; a file that is not there says nothing, and is not made."""
        return self._look(lambda history: history.copy())

    def _look(self, see: Callable[[History], _T]) -> _T:
        """Returns what is seen in it, quickly: others wait."""
        with self._lock:
            if (known := self._unwritten()) is not None:
                return see(known)
            there, newest = self._place()
            if not there:
                return see(History())
            with self._database.transaction(write=False) as rows:
                found = self._caught_up(rows, newest)
                # So that nobody commits between the look and this, it is within the transaction.
                self._state = self._database.state()
            return see(found)

    def _glance(self, see: Callable[[History], _T]) -> _T | None:
        """Returns what is seen in it, without waiting or a transaction; None where that needs either."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            known = self._unwritten()
            return None if known is None else see(known)
        finally:
            self._lock.release()

    def _unwritten(self) -> History | None:
        """Returns what is known, where nobody has written since it was read; None where that is not certain."""
        if self._known is None or self._state is None or self._database.state() != self._state:
            return None
        return self._known

    def verified(self) -> History:
        """Returns all it says; the whole chain is read and verified again."""
        with self._lock:
            self._known = self._state = None
        return self.history()

    def is_there(self) -> bool:
        """Says whether there is a file, or a database that answers: it may be opened without making it."""
        with self._lock:
            return self._database.is_there

    def accept(self) -> History:
        """Counts what there is as all there was, for an owner who knows that an older ledger, or none, is there."""
        with self._lock:
            if not self._database.is_there:
                self._database.remember(None)
                return History()
            self._known = self._mark = self._state = None
            with self._database.transaction(write=True) as rows:
                known = self._caught_up(rows, None)
                self._database.remember(known.last)
            return known

    def copy(self, new: "Storage") -> int:
        """Writes all entries, with their hashes, into an empty ledger, `new`; returns how many.

        InputError where it is not empty.
        """
        links = self.verified().links

        def put(book: Book) -> None:
            if book.history.last is not None:
                raise InputError("ledger", new.shown, "a new ledger: this one has entries")
            for link in links:
                book.put(link)

        new._write(put)
        return len(links)

    def _write(self, job: Callable[[Book], _T]) -> _T:
        """Does the job, which adds to the book or raises; all that it added is on the disk when this returns.

        Where the transaction cannot end nobody has paid, and what is known is read again.
        """
        (found,) = self._write_each([job])
        return found.result()

    def _write_each(self, jobs: Sequence[Callable[[Book], _T]]) -> Sequence[Attempt[_T]]:
        """Does several jobs, in their order and in one transaction, with those of other threads that wait.

        A job that raises adds nothing, and leaves the others as they are.
        """
        # So that Ctrl-C reaches only the release that it is meant for: the main thread writes for itself alone.
        if current_thread() is main_thread():
            with self._lock:
                return self._committed(jobs)
        return self._waiting.served(jobs, self._lock, self._committed)

    def _committed(self, jobs: Sequence[Callable[[Book], _T]]) -> Sequence[Attempt[_T]]:
        """Returns what comes of each job, in one transaction; for the thread that holds the lock."""
        known: History | None = None
        added: list[Link] = []
        self._state = None
        try:
            _, newest = self._place()
            with self._database.transaction(write=True) as rows:
                known = self._caught_up(rows, newest)
                before, found = known.last, []
                for job in jobs:
                    book = Book(known)
                    try:
                        found.append(Attempt([job(book)]))
                    except Exception as error:
                        # Because part of it is in what is known: all is undone, and each job gets its own transaction.
                        if book.added:
                            raise
                        found.append(Attempt(error=error))
                    added += book.added
                # If there is an answer already, nothing is written, and nothing has to be synced.
                if added:
                    rows.write(added)
                    if before is not None:
                        self._database.remember(before)
            self._mark = known.last
        except BaseException as error:
            # Because overspending is refused before anything is added, what is known of the ledger stays known.
            if known is None or added or known.last is not self._mark:
                self._known = None
            if not isinstance(error, Exception):
                raise
            if len(jobs) == 1 or isinstance(error, InputError):
                return [Attempt(error=error) for _ in jobs]
            return [self._committed([job])[0] for job in jobs]
        return found

    def close(self) -> None:
        """Closes the database, which is opened again where it is used."""
        with self._lock:
            self._database.close()

    def _place(self) -> tuple[bool, tuple[int, str] | None]:
        """Returns whether there is a ledger, and the entry that it must hold; None where it was read before.

        The entry is looked up before the ledger is read, as others write meanwhile. InputError where there was a
        ledger, and is none: what it spent would be spent again.
        """
        try:
            newest = self._database.newest() if self._known is None else None
            there = self._database.is_there
            # A process may go on while its file is deleted.
            if not there and self._mark is not None:
                raise Broken(_changed(self._mark))
        except (Broken, OSError) as error:
            raise self._database.refusal(error) from None
        if not there and newest is not None:  # of one that starts after it was
            raise self._lost(*newest)
        return there, newest

    def _lost(self, number: int, digest: str) -> InputError:
        wanted = (
            f"the ledger that it was: entry {number} had hash {digest[:12]}…, and is gone. Put that ledger back. If it "
            f"is lost for good, this lets its budget be spent again: dalenius ledger accept {self.shown}"
        )
        return InputError("ledger", self.shown, wanted)

    def _caught_up(self, rows: LedgerRows, newest: tuple[int, str] | None) -> History:
        """Returns what is known, with what others have written since.

        Broken where what was there before is not there now: for a ledger put back from a backup, or two that were
        mistaken for each other.
        """
        known = self._known
        # This is the first look of a process, or the first after a transaction that could not end.
        if known is None:
            rows.check()
            known = History()
            _follow(known, rows.after(None))
            if self._mark is not None and self._mark not in known.links[self._mark.number - 1 :][:1]:
                raise Broken(_changed(self._mark))
            if newest is not None and newest[1] not in [link.hash for link in known.links[newest[0] - 1 :][:1]]:
                raise self._lost(*newest)
        else:
            # Because the last one known must still be there, as it was, it is read again.
            last = [] if known.last is None else [known.last]
            found = rows.after(known.last.number - 1 if known.last else None)
            if list(found[: len(last)]) != last:
                raise Broken(_changed(last[0]))
            _follow(known, found[len(last) :])
        self._known, self._mark = known, known.last
        return known


def _follow(known: History, fresh: Sequence[Link]) -> None:
    """Adds these entries; Broken where they are no chain, or one of them says what no ledger does."""
    for link in verified_chain(fresh, known.last):
        try:
            known.add(link)
        # Because somebody who may write to the file can make a chain of hashes of anything.
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
            raise Broken(f"entry {link.number} is none that a ledger has") from None


def _changed(last: Link) -> str:
    return f"entry {last.number}, which was there before, is gone or another one"


ENDS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@final
class Unbroken:
    """A span from `begin` on, in which Ctrl-C, SIGTERM and the terminal's closing wait until it is left.

    Threads are not interrupted anyway: for those of others, and those that others run, it does nothing.
    """

    def __init__(self) -> None:
        self._before: dict[int, Callable[..., Any] | int] = {}
        self._came: list[int] = []

    def __enter__(self) -> "Unbroken":
        return self

    def begin(self) -> None:
        """Lets signals wait from now on: a debit is on its way to the disk, or an answer that was paid for."""
        if current_thread() is not main_thread() or self._before:
            return
        for number in ENDS:
            before = signal.getsignal(number)
            # Because a handler that C code has set (None) could not be put back; ignored ones, as under nohup, stay so.
            if before is not None and before is not signal.SIG_IGN:
                self._before[number] = before
                signal.signal(number, lambda came, _: self._came.append(came))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        for number in self._came:
            signal.raise_signal(number)
