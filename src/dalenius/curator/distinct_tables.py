"""Tells the tables of one policy apart: the same people under two names would have two budgets.

If the data sets "measles" and "mumps" of a policy read `people.csv` and a link to it, `check` refuses "mumps". If mumps
is a copy it is found by its bytes, which are read once and again when the file is written. A table that cannot be read
now is compared when it can: opening it says so.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar, final

from dalenius.curator.policy import Policy
from dalenius.errors import InputError
from dalenius.tables import TableLike, from_here
from dalenius.tables.fingerprint import Mark, mark_of_file
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.table_identity import Key, digest_of, file_of, is_csv, shape_of, table_keys, texts_of

_T = TypeVar("_T")
_OTHERS: Final = "and they have no second budget"


@final
class DistinctTables:
    """The tables of a policy, safe for threads; people: by data set what is held of it, not the policy's place."""

    def __init__(self, policy: Policy, folder: Path, people: Mapping[str, TableLike]) -> None:
        self._lock = Lock()
        tables = {data.name: data.source.location for data in policy.data}
        handed = {name: from_here(each) for name, each in people.items()}
        self._tables = [
            _Table(data.name, table, data.source.table, folder)
            for data in policy.data
            if (table := handed.get(data.name, tables[data.name])) is not None
        ]

    def check(self, name: str | None = None) -> None:
        """Raises InputError where two data sets are of the same table, or of equal ones.

        It names the one that stands later in the policy. name: of one of the two; None for any.
        """
        if len(self._tables) < 2:
            return
        with self._lock:
            for one in self._tables:
                one.refresh(forget=one.name == name)
            for one, other in combinations(self._tables, 2):
                if name in (None, one.name, other.name) and (found := _same(one, other)) is not None:
                    raise InputError("data", other.name, f"other people: {one.name!r} {found}, {_OTHERS}")


def _same(one: "_Table", other: "_Table") -> str | None:
    """Returns how it is known that both are of the same people; None too where one cannot be read."""
    try:
        return one.same_as(other)
    except InputError:
        return None


@final
class _Table:
    """One of the tables, and what was found of it: keys, size and digests, each when it is first asked for."""

    def __init__(self, name: str, table: TableLike, named: str | None, folder: Path) -> None:
        self.name, self._table, self._named, self._folder = name, table, named, folder
        self._mark: Mark = ()
        self._found: dict[str, Any] = {}

    def refresh(self, forget: bool) -> None:
        """Forgets what was found before the file was written.

        forget: also of a table in no file, as it is opened now.
        """
        path = file_of(self._table, self._folder)
        mark = () if path is None else mark_of_file(path)
        if mark != self._mark or (forget and mark == ()):
            self._mark, self._found = mark, {}

    def same_as(self, other: "_Table") -> str | None:
        """Returns in words how it is known that the `other` is of the same people; None where it is not.

        InputError where one cannot be read.
        """
        if self._keys & other._keys:
            return "is the same table"
        # Because a CSV with one more blank line may be another table, two of them are compared by their bytes alone.
        if is_csv(self._table) and is_csv(other._table):
            return "has the same bytes" if self._size == other._size and self._bytes == other._bytes else None
        return "has the same rows" if self._shape == other._shape and self._texts == other._texts else None

    @property
    def _keys(self) -> frozenset[Key]:
        # Because a link may be turned to another file, they are never kept.
        return table_keys(self._table, self._named, self._folder)

    @property
    def _path(self) -> Path:
        path = file_of(self._table, self._folder)
        assert path is not None
        return path

    @property
    def _size(self) -> int:
        return self._once("size", lambda: self._path.stat().st_size)

    @property
    def _bytes(self) -> str:
        return self._once("bytes", lambda: digest_of(self._path))

    @property
    def _shape(self) -> tuple[tuple[str, ...], int]:
        return self._once("shape", lambda: shape_of(self._table, self._named, self._folder))

    @property
    def _texts(self) -> str:
        return self._once("texts", lambda: texts_of(self._table, self._named, self._folder))

    def _once(self, what: str, find: Callable[[], _T]) -> _T:
        """Returns what is found, or was found before; InputError where it cannot be read."""
        if what not in self._found:
            with engine_errors("data", self.name, "a table that can be read"):
                self._found[what] = find()
        found: _T = self._found[what]
        return found
