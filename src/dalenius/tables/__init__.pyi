"""What the room offers, and from which file; `__init__` reads it."""

from .binding import bound_to_table as bound_to_table
from .conditions import DECIMAL_COMMA as DECIMAL_COMMA
from .fingerprint import Mark as Mark
from .opening import TableLike as TableLike, from_here as from_here
from .people import WRITTEN as WRITTEN, People as People, open_people as open_people
from .tally_of_table import tallied as tallied
from .true_answer import (
    answer_in_slots as answer_in_slots,
    check_labels as check_labels,
    check_people as check_people,
    check_table_values as check_table_values,
    plain_answer as plain_answer,
    slots_of as slots_of,
    true_answer as true_answer,
)
