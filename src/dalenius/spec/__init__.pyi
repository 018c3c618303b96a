"""What the room offers, and from which file; `__init__` reads it."""

from .binding import (
    bound as bound,
    check_labels as check_labels,
    check_people as check_people,
    check_values as check_values,
    slots_of as slots_of,
    true_answer as true_answer,
)
from .questions import (
    Derived as Derived,
    Question as Question,
    check_derived as check_derived,
    derived as derived,
)
from .spec import (
    Spec as Spec,
    canonical as canonical,
    hypotheses as hypotheses,
    read_model as read_model,
    read_spec as read_spec,
    sections_of as sections_of,
    spec_from as spec_from,
    text_of as text_of,
)
