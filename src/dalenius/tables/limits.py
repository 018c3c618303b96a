"""Limits of tables that are read."""

from typing import Final

from dalenius.limits import Limit

LONGEST_ROW: Final = Limit(
    "tables.longest_row",
    16_000_000,
    "bytes",
    "The length of a row of a file of cells. DuckDB holds two rows for each processor.",
)
LONGEST_LINE: Final = Limit(
    "tables.longest_line",
    16_000_000,
    "bytes",
    "The length of a line of a file of JSON lines. DuckDB holds two lines for each processor.",
)
MOST_HOUSEHOLDS: Final = Limit(
    "tables.households",
    100_000,
    "households",
    "Households that may be absent. The query is asked of the table without each of them, which takes 15 seconds.",
)
MOST_NAMES: Final = Limit(
    "tables.names", 1000, "texts", "Different texts of a column without a role. They are searched for a likely role."
)
MOST_TABLE_STAGES: Final = Limit(
    "tables.table_stages",
    64,
    "stages",
    "Stages in a table with a row for each person and stage. More are likely a mistake.",
)
MOST_RARE: Final = Limit("tables.rare", 1000, "names", "Names whose rows a warning looks for.")
