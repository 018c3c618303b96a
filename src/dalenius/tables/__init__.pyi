"""What the room offers, and from which file; `__init__` reads it."""

from .condition import Condition as Condition
from .dependent_sensitivity import (
    DependentSensitivity as DependentSensitivity,
    dependent_sensitivity as dependent_sensitivity,
)
from .edges import EdgeTable as EdgeTable, open_edges as open_edges
from .held import Held as Held, from_here as from_here
from .marks import Mark as Mark
from .people import WRITTEN as WRITTEN, People as People, open_people as open_people
from .progress import watched as watched
from .rows import Rows as Rows, rows_of as rows_of
from .source import Join as Join, Source as Source, data_name as data_name, stem as stem
from .tallied import tallied as tallied
from .value import DECIMAL_COMMA as DECIMAL_COMMA
