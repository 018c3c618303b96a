"""The user's table of people, read through Ibis: the engine counts, only counts and row numbers come back."""

from dalenius.tables.condition import Condition as Condition
from dalenius.tables.dependent_sensitivity import (
    DependentSensitivity as DependentSensitivity,
    dependent_sensitivity as dependent_sensitivity,
)
from dalenius.tables.edges import EdgeTable as EdgeTable, open_edges as open_edges
from dalenius.tables.held import Held as Held, from_here as from_here
from dalenius.tables.marks import Mark as Mark
from dalenius.tables.people import WRITTEN as WRITTEN, People as People, open_people as open_people
from dalenius.tables.progress import watched as watched
from dalenius.tables.rows import Rows as Rows, rows_of as rows_of
from dalenius.tables.source import Join as Join, Source as Source, data_name as data_name, stem as stem
from dalenius.tables.tallied import tallied as tallied
from dalenius.tables.value import DECIMAL_COMMA as DECIMAL_COMMA
