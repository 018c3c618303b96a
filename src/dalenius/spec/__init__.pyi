"""What the room offers, and from which file; `__init__` reads it."""

from .condition import Condition as Condition, Conditions as Conditions
from .data_section import Source as Source
from .derived import Derived as Derived, check_derived as check_derived, derived as derived
from .questions import Question as Question
from .spec import (
    Spec as Spec,
    canonical as canonical,
    read_model as read_model,
    read_spec as read_spec,
    sections_of as sections_of,
    spec_from as spec_from,
    text_of as text_of,
)
from .suppositions import hypotheses as hypotheses
