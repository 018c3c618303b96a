"""Text ↔ objects: spec files, the user's table bound to them, and results as JSON."""

from dalenius.spec.binding import bound, true_answer
from dalenius.spec.canonical import canonical
from dalenius.spec.moments import certified_grid, check_exact, exact_answer
from dalenius.spec.spec import Spec, read_spec, spec_from

__all__ = [
    "Spec",
    "bound",
    "canonical",
    "certified_grid",
    "check_exact",
    "exact_answer",
    "read_spec",
    "spec_from",
    "true_answer",
]
