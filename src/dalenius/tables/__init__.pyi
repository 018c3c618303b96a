"""What the room offers, and from which file; `__init__` reads it."""

from .conditions import DECIMAL_COMMA as DECIMAL_COMMA
from .opened_table import Held as Held, Mark as Mark, from_here as from_here
from .people import (
    WRITTEN as WRITTEN,
    People as People,
    Rows as Rows,
    open_people as open_people,
    rows_of as rows_of,
    tallied as tallied,
)
from .source import Condition as Condition, Join as Join, Source as Source, data_name as data_name, stem as stem
