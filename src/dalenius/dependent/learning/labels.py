"""Two classes as signs."""

from typing import Any

import numpy as np

from dalenius.dependent.learning.arguments import BadArgument
from dalenius.laws.law import Array

ONLY = "two classes. Only binary classification is supported. The type of the target is multiclass"


def signs_of(labels: Any, declared: Any = None) -> tuple[Any, Array]:
    """Both classes in order, and -1 for the first, 1 for the second. declared: the classes, where labels do not say."""
    there = np.unique(labels)
    classes = there if declared is None else _declared(declared)
    if len(classes) == 1:
        raise BadArgument("y", f"one class {classes[0]}", "labels of two classes")
    if len(classes) > 2:
        raise BadArgument("y", f"{len(classes)} classes", ONLY)
    if not np.isin(there, classes).all():
        stranger = there[~np.isin(there, classes)][0]
        raise BadArgument("y", str(stranger), f"one of the classes {classes[0]} and {classes[1]}")
    return classes, np.where(labels == classes[1], 1.0, -1.0)


def _declared(classes: Any) -> Any:
    found = np.unique(np.asarray(classes))
    if len(found) != 2:
        raise BadArgument("classes", np.ravel(classes).tolist(), "two different labels")
    return found
