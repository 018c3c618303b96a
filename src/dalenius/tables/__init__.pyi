"""What the room offers, and from which file; `__init__` reads it."""

from .binding_and_true_answer import (
    bound_to_table as bound_to_table,
    check_labels as check_labels,
    check_people as check_people,
    check_table_values as check_table_values,
    slots_of as slots_of,
    true_answer as true_answer,
)
from .conditions import DECIMAL_COMMA as DECIMAL_COMMA
from .opening_and_fingerprints import Mark as Mark, TableLike as TableLike, from_here as from_here
from .people import WRITTEN as WRITTEN, People as People, open_people as open_people, tallied as tallied
