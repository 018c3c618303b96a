"""Opens a file as an Ibis table on DuckDB, and keeps the engine's own errors from whoever asks.

A CSV whose second row has one cell too few is refused with `row 2 has 1 cells, the first line has 2`. Of any other
error of an engine two lines are shown, and none that quotes a row of the table:

>>> gist(ValueError("Conversion Error:\\ncell of column x\\nOriginal Line: 3,yes"))
'Conversion Error: cell of column x'
"""

import csv
import gzip
import re
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from os.path import isdir, isfile
from pathlib import Path
from typing import Any, Final
from warnings import catch_warnings, filterwarnings

from dalenius.errors import InputError, Unreachable


def fault_of(path: Path, delimiter: str) -> str | None:
    """Which row of a CSV that the engine refused is of another width than the first line, or that its quotes are
    wrong; None of anything else, as of another encoding, which the engine names. Rows are numbered from 1, below the
    names."""
    with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
        rows = csv.reader((line.decode(errors="replace") for line in file), delimiter=delimiter, strict=True)
        try:
            names = len(next(rows, []))
            for number, row in enumerate(rows, 1):
                if row and len(row) != names:
                    return f"row {number} has {len(row)} cells, the first line has {names}"
        except csv.Error as error:
            return str(error)
    return None


# How a file's name may end.
_SUPPORTED = (".csv", ".csv.gz", ".parquet", ".duckdb", ".db")
_DATABASES = (".duckdb", ".db")

_MISSING = ["", "NA", "NaN"]
"""Cells of a CSV that say that there is no value: R writes the second, pandas and Python the third."""

IbisTable = Any
"""An Ibis table expression; Ibis carries no types."""


def ibis() -> Any:
    """Ibis, imported when a table is first opened: it takes half a second."""
    return import_module("ibis")


@contextmanager
def engine_errors(key: str, value: object, wanted: str) -> Iterator[None]:
    """Whatever the engine raises inside becomes one line that names the spec's key: an InputError, or Unreachable where
    the connection to a database broke.

    key, value: of the spec; wanted: what should have been there.
    """
    engine = (
        import_module("duckdb").Error,
        import_module("ibis.common.exceptions").IbisError,
        import_module("pyarrow").ArrowException,
        import_module("sqlglot.errors").SqlglotError,
    )
    try:
        with catch_warnings():
            # Ibis 12 calls DuckDB 2 by this old name; not ours to mend, nor the user's to read.
            filterwarnings("ignore", message="fetch_arrow_table", category=DeprecationWarning)
            filterwarnings("ignore", message="The copy keyword is deprecated")  # Ibis 12 and Spark of pandas 3.1
            yield
    except (*engine, *_servers(), OSError, EOFError, zlib.error, UnicodeError, OverflowError) as error:
        refused = Unreachable if _lost(error) else InputError
        raise refused(key, value, f"{wanted} ({gist(error)})") from None


def _servers() -> tuple[type[BaseException], ...]:
    """The errors of the databases that were connected to; what was not imported raises none."""
    named = (("psycopg", "Error"), ("pyspark.errors", "PySparkException"), ("py4j.protocol", "Py4JError"))
    return tuple(getattr(sys.modules[module], name) for module, name in named if module in sys.modules)


def _lost(error: BaseException) -> bool:
    """Whether the connection to a database broke."""
    psycopg = sys.modules.get("psycopg")
    return psycopg is not None and isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))


def is_database(path: Path) -> bool:
    """Whether the file is a DuckDB file, which holds several tables."""
    return path.name.lower().endswith(_DATABASES)


def open_table(path: Path, table: str | None, columns: Collection[str], texts: Collection[str]) -> IbisTable:
    """The file as a table; of a CSV only `columns` are read, those in `texts` as they are written.

    Columns that are not there are left out, for the caller to name by their key. table: its name, of a DuckDB file,
    which holds several. InputError for a file that is not there, that is of no known kind, or that cannot be read.
    """
    if isdir(path):
        raise InputError("data.file", str(path), "a file, not a folder")
    if not path.name.lower().endswith(_SUPPORTED):
        raise InputError("data.file", str(path), f"a file that ends in one of {', '.join(_SUPPORTED)}")
    if not isfile(path):  # unlike Path's, of any name
        raise InputError("data.file", str(path), "a file that is there")
    if is_database(path):
        return _database_table(path, table)
    # A name of a table beside a file that is one table.
    if table is not None:
        raise InputError("data.table", table, f"no table: only a DuckDB file holds several, not {path.name}")
    if path.name.lower().endswith(".parquet"):
        with engine_errors("data.file", str(path), "a Parquet file that can be read"):
            return duckdb_connection().read_parquet(_literal(path), hive_partitioning=False)
    with engine_errors("data.file", str(path), "UTF-8 text with as many cells in every row as in the first"):
        try:
            return _csv_table(duckdb_connection(), path, columns, texts)
        except import_module("duckdb").Error as error:
            raise UnicodeError(fault_of(path, _delimiter_of(path)) or gist(error)) from None


def _database_table(path: Path, table: str | None) -> IbisTable:
    """A table of a DuckDB file, opened to be read only. InputError lists the tables there are."""
    with engine_errors("data.file", str(path), "a DuckDB file that can be read"):
        connection = duckdb_connection(path, read_only=True)
        tables = sorted(name for (name,) in connection.raw_sql("SHOW TABLES").fetchall())
    if table not in tables:
        connection.disconnect()
        there = ", ".join(tables) or "none"
        raise InputError("data.table", "missing" if table is None else table, f"one of the file's tables: {there}")
    with engine_errors("data.table", table, "a table that can be read"):
        return connection.table(table)


def answer_of(question: IbisTable) -> Any:
    """The rows of a question, as a pyarrow table. Of DuckDB, Ibis' own way there imports pandas, which takes as long as
    to count a million people."""
    # A table in memory is known to Ibis only, which hands it to the engine itself.
    backend, shown = question.get_backend(), import_module("ibis.expr.operations").InMemoryTable
    if backend.name != "duckdb" or question.op().find(shown):
        return question.to_pyarrow()
    found = backend.con.sql(backend.compile(question)).to_arrow_table()
    return import_module("ibis.formats.pyarrow").PyArrowData.convert_table(found, question.schema())


def counted(question: IbisTable, key: str, column: str) -> dict[str, Any]:
    """The one row of an aggregate, by name. InputError in the key's name where the engine cannot count the column."""
    with engine_errors(key, column, "a column that the engine can count"):
        (row,) = answer_of(question).to_pylist()
    return dict(row)


def duckdb_connection(*database: Path, **options: Any) -> Any:
    """DuckDB, in memory or in a file."""
    connection = ibis().duckdb.connect(*database, **options)
    # The least and greatest value noted in a Parquet file leave out NaN, as its format wants, and DuckDB 2 concludes
    # from them that isnan() is false everywhere: https://github.com/duckdb/duckdb/issues/25521
    connection.raw_sql("SET disabled_optimizers = 'statistics_propagation'")
    return connection


def _csv_table(connection: Any, path: Path, columns: Collection[str], texts: Collection[str]) -> IbisTable:
    """Parsed once, into memory: a view would sniff and parse the file again for every question.

    Types are sniffed from all rows. A sample would call a column integer whose first fraction comes late.
    """
    file = quoted(_literal(path), "'")
    # Left to itself, DuckDB passes over short rows at the top and over "comments", and guesses at quotes.
    form = f"header = true, delim = '{_delimiter_of(path)}', quote = '\"', escape = '\"', comment = '', skip = 0"
    options = f"{form}, null_padding = false, hive_partitioning = false, nullstr = {_MISSING}"
    connection.raw_sql(f"CREATE VIEW cells AS FROM read_csv({file}, all_varchar = true, {options})")
    cells = connection.table("cells")
    read = [name for name in cells.columns if name in columns]
    # A column is misspelt: all names are handed back, so that the caller can list them.
    if set(read) != set(columns):
        return cells
    types = ", ".join(f"{quoted(name, chr(39))}: 'VARCHAR'" for name in read if name in texts)
    forced = f"types = {{{types}}}, " if types else ""
    chosen = ", ".join(quoted(name, '"') for name in read)
    rows = f"SELECT {chosen} FROM read_csv({file}, {forced}sample_size = -1, {options})"
    connection.raw_sql(f"CREATE TABLE people AS {rows}")
    return connection.table("people")


def _delimiter_of(path: Path) -> str:
    """Which of comma, semicolon, tab and bar the first line has most of, outside quotes. InputError where it is
    empty."""
    try:
        with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
            header = file.readline().decode(errors="replace")
    except (gzip.BadGzipFile, EOFError):
        raise InputError("data.file", str(path), "a file compressed by gzip, as its name says") from None
    # An empty file, or one that begins with a blank line.
    if not header.strip():
        raise InputError("data.file", str(path), "a first line with the names of the columns")
    bare = re.sub(r'"[^"]*"', "", header)
    return max(",;\t|", key=bare.count)


def as_text(cells: Any) -> Any:
    """Each cell as a text."""
    written = cells.cast("string")
    # To Ibis PostgreSQL's enumerations are texts already, but not to PostgreSQL.
    return written + "" if cells.type().is_string() and cells.get_backend().name == "postgres" else written


def _literal(path: Path) -> str:
    """The path with the characters that DuckDB would expand as a pattern taken literally."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path.absolute()))


def quoted(name: str, quote: str) -> str:
    """A name or text as SQL writes it, whatever quotes are in it."""
    return quote + name.replace(quote, quote * 2) + quote


def gist(error: BaseException) -> str:
    """The engine's first two lines as one, without the row of the table that it may quote."""
    lines = [line.strip() for line in str(error).strip().split("\n\n")[0].splitlines()]
    problems = [line for line in lines if not line.startswith(("Original Line", "Possible"))]
    gist = " ".join(problems[:2]) or type(error).__name__
    return gist if len(gist) <= 200 else gist[:199] + "…"


_WANTED: Final = "a database in which several questions can be of one state"


@contextmanager
def one_state(table: IbisTable) -> Iterator[None]:
    """All questions to the table's connection until it is left are of the state at the first of them.

    It is a transaction, in PostgreSQL of REPEATABLE READ. Nothing happens in an engine that has none, and where
    whoever owns the connection is in a transaction already.
    """
    backend = table.get_backend()
    begin = _BEGINS.get(backend.name)
    with engine_errors("data", "table", _WANTED):
        begun = begin is not None and begin(backend.con)
    try:
        yield
    except BaseException:
        with suppress(Exception):  # of a connection that was lost meanwhile there is nothing to roll back
            if begun:
                backend.con.execute("ROLLBACK")
        raise
    if begun:
        # What was read was read, if the connection is lost by now.
        with suppress(Unreachable), engine_errors("data", "table", _WANTED):
            backend.con.execute("COMMIT")


def _in_postgres(connection: Any) -> bool:
    """Begins a transaction of one state; False where whoever owns the connection has one open."""
    if not connection.autocommit or connection.info.transaction_status.name != "IDLE":
        return False
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    return True


def _in_duckdb(connection: Any) -> bool:
    """The same in DuckDB, which says by a number whether two statements are of one transaction."""
    one, two = (connection.execute("SELECT txid_current()").fetchall() for _ in range(2))
    if one == two:  # else each statement would be a transaction of its own
        return False
    connection.execute("BEGIN TRANSACTION")
    return True


_BEGINS: Final[Mapping[str, Callable[[Any], bool]]] = {"duckdb": _in_duckdb, "postgres": _in_postgres}
"""Begins a transaction, by engine, and says whether it did."""
