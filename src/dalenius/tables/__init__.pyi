"""What the room offers, and from which file; `__init__` reads it."""

from .content import Mark as Mark
from .engine import watched as watched
from .held import Held as Held, from_here as from_here
from .people import WRITTEN as WRITTEN, People as People, open_people as open_people
from .source import Condition as Condition, Join as Join, Source as Source, data_name as data_name, stem as stem
from .tallied import Rows as Rows, rows_of as rows_of, tallied as tallied
from .value import DECIMAL_COMMA as DECIMAL_COMMA
