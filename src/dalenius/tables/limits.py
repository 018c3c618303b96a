"""Limits of tables that are read."""

from typing import Final

from dalenius.limits import Limit

LONGEST_ROW: Final = Limit(
    "tables.longest_row", 16_000_000, "bytes", "of a file of cells: DuckDB holds two of them for each processor"
)
LONGEST_LINE: Final = Limit(
    "tables.longest_line", 16_000_000, "bytes", "of a file of JSON lines: likewise two for each processor"
)
MOST_NAMES: Final = Limit(
    "tables.names", 1000, "texts", "different ones of a column without a role, looked at for a role that is likely"
)
MOST_RARE: Final = Limit("tables.rare", 1000, "names", "that a warning looks for the rows of")
