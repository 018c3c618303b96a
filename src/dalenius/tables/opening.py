"""Opens a table that a user hands over: a file, a database's table, or a frame of Python's.

A table is a path, a URL, a pandas, polars or pyarrow frame, a table of a DuckDB connection or an Ibis table. Two
columns of a pandas frame are one, and a list of dictionaries is none.

A fingerprint says whether a table is the one of the last release, a mark whether it was written to since it was opened;
marks are compared often, and cost less. A frame with one column `v` of 0, 1 and 1 has a fingerprint that begins with
c8f9bd40, in the order 1, 0, 1 too; one of 0 and 1 alone begins with 3fadcf24. The mark of a file is its time, in
nanoseconds, its size, in bytes, and its number. A file that is gone has an empty one:

>>> mark_of_file(Path("no such file"))
()
"""

from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias, final

from dalenius.errors import InputError
from dalenius.spec.table_url import checked_url, is_server, path_of, scheme_of
from dalenius.tables.column_names import check_columns
from dalenius.tables.csv_files import TextForm
from dalenius.tables.fingerprint import Mark, content_of, mark_of_file, mark_of_table
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening_with_ibis import (
    IbisTable,
    duckdb_connection,
)
from dalenius.tables.servers import open_server_table
from dalenius.tables.table_files import digest, open_table
from dalenius.tables.time_zones import with_zones, zones_in

TableLike: TypeAlias = Path | str | Any
"""A path; a path or URL as text; a pandas, polars or pyarrow frame, or a relation of DuckDB; a table of Ibis."""

_KINDS: Final = "a path, a URL, a pandas, polars or pyarrow frame, a table of a DuckDB connection or an Ibis table"


@final
@dataclass(frozen=True)
class TablePart:
    """A table that people are read from.

    Attributes:
        table: The Ibis table.
        path: Its file; None where it is in none.
        named: Its name in that file.
        owned: Whether its connection is ours to close.
        ordered: Whether its rows have an order.
        before: The mark from before it was read.
        copied: Whether nobody else can write to it.
    """

    table: IbisTable
    path: Path | None = None
    named: str | None = None
    owned: bool = True
    ordered: bool = False
    before: Mark | None = None
    copied: bool = False

    def fingerprint(self) -> str:
        """SHA-256 of the file (`table_files.digest`), or of the content where there is no file."""
        # Because a frame, or a database's table, has no bytes of a file, its rows are hashed.
        return content_of(self.table) if self.path is None else digest(self.path, self.named)

    def mark(self) -> Mark:
        """Returns a mark that changes whenever the table does: the file's, or that of its rows (`mark_of_table`)."""
        # A copy in memory cannot change, whatever becomes of the frame.
        if self.copied:
            return ("copied",)
        return mark_of_table(self.table) if self.path is None else mark_of_file(self.path)

    def close(self) -> None:
        """Lets go of the table, unless it is the user's."""
        if self.owned:
            self.table.get_backend().disconnect()


def open_part(
    table: TableLike,
    name: str | None,
    columns: Collection[str],
    texts: Collection[str],
    folder: Path,
    form: TextForm | None = None,
) -> TablePart:
    """Opens the table.

    Args:
        table: The table, as the user hands it over.
        name: The table of a database, or the sheet of a workbook; None where there is one. It is passed over for what
            is one table itself, as a frame is.
        columns: The columns that are read from a file without types.
        texts: Those of them that are read as they are written.
        folder: Where relative paths start.
        form: How a file of text is written; it is passed over for another table.

    Raises:
        InputError: If it is no table that can be read.
        Unreachable: If a database does not answer.
    """
    # The order decides: first a path, then a text that is a path or a URL, then something of Python's.
    if isinstance(table, Path):
        return _file(folder / table, name, columns, texts, form)
    if isinstance(table, str):
        url = _known(table, "data.url")
        if is_server(url):
            # Because Spark's session is one for all of the process, it is not ours to close.
            part = TablePart(open_server_table(url, name), named=name, owned="spark" not in scheme_of(url))
            return _checked(part, name or "table")
        return _file(folder / path_of(url), name, columns, texts, form)
    # Because a frame is one table, `name` does not say which: it is of the place that the frame stands for.
    return _checked(_in_memory(table), type(table).__name__)


def _checked(part: TablePart, where: str) -> TablePart:
    """Returns the table as it is; InputError where two columns have one name."""
    try:
        check_columns(list(part.table.columns), "data", where)
    except InputError:
        part.close()
        raise
    return part


def from_here(table: TableLike) -> TableLike:
    """Returns `table` so that no folder is its start: a path becomes an absolute one."""
    if isinstance(table, str) and not is_server(table):
        table = path_of(_known(table, "data"))
    return table.absolute() if isinstance(table, Path) else table


def _known(url: str, key: str) -> str:
    """Returns the URL or path; InputError, which shows its scheme only, for one of no kind that can be read."""
    try:
        return checked_url(url)
    except ValueError as error:
        raise InputError(key, f"{scheme_of(url)}://…", str(error)) from None


def _file(
    path: Path, table: str | None, columns: Collection[str], texts: Collection[str], form: TextForm | None
) -> TablePart:
    """Opens a file's table; its mark is from before it was read, so that what is written meanwhile is noticed later."""
    before = mark_of_file(path)
    return TablePart(open_table(path, table, columns, texts, form), path, table, ordered=True, before=before)


def _in_memory(table: Any) -> TablePart:
    """Opens a table of what Python holds: a table of Ibis or a frame.

    A pandas frame is copied, as its cells may be written in place.
    """
    maker = type(table).__module__.partition(".")[0]
    # So that none of these libraries is imported for users of another, modules and attributes tell them apart.
    if maker == "ibis" and hasattr(table, "get_backend") and hasattr(table, "columns"):
        return TablePart(table, owned=False)
    with engine_errors("data", type(table).__name__, "a frame whose columns have one type each"):
        frame = _arrow(table, maker)
        backend = duckdb_connection()
        if maker == "pandas":  # whose cells may be written in place, and which pyarrow shares
            backend.con.register("given", frame)
            backend.raw_sql("CREATE TABLE people AS FROM given")
            backend.con.unregister("given")
        else:
            backend.con.register("people", frame)
        rows = with_zones(backend.table("people"), zones_in(frame.schema))
        return TablePart(rows, ordered=True, copied=True)


def _arrow(table: Any, maker: str) -> Any:
    """Returns the frame's columns as pyarrow holds them; those of few different cells as these cells."""
    arrow = import_module("pyarrow")
    # Because polars' stream has texts in a form that pyarrow cannot take out of categories.
    if maker == "polars" and hasattr(table, "lazy"):
        table = table.lazy().collect().to_arrow()
    # A list, or one column, is no frame: a frame has columns and is handed over as Arrow's own stream.
    if not (hasattr(table, "columns") and (maker == "pandas" or hasattr(table, "__arrow_c_stream__"))):
        raise InputError("data", f"{maker}.{type(table).__name__}", _KINDS)
    if maker == "pandas":
        check_columns(list(map(str, table.columns)), "data", "DataFrame")
    frame = arrow.Table.from_pandas(_dense(table), preserve_index=False) if maker == "pandas" else arrow.table(table)
    check_columns(frame.schema.names, "data", type(table).__name__)
    flat = [
        column.cast(column.type.value_type) if arrow.types.is_dictionary(column.type) else column
        for column in frame.columns
    ]
    return arrow.table(flat, names=frame.schema.names)


def _dense(frame: Any) -> Any:
    """Returns a pandas frame whose sparse columns, which pyarrow does not know, have a cell in every row."""
    kinds = {place: kind.subtype for place, kind in enumerate(frame.dtypes) if str(kind).startswith("Sparse")}
    return frame.astype({frame.columns[place]: kind for place, kind in kinds.items()}) if kinds else frame
