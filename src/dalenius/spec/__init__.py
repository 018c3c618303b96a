"""Text ↔ objects: spec files, the user's table bound to them, and results as JSON."""

from dalenius.spec.binding import bound, true_answer
from dalenius.spec.spec import Spec, read_spec, spec_from

__all__ = ["Spec", "bound", "read_spec", "spec_from", "true_answer"]
