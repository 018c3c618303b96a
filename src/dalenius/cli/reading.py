"""Reading of a spec for a command, with what its model needs of the table."""

from pathlib import Path
from typing import TYPE_CHECKING

from dalenius.cli.output import advise
from dalenius.spec import Spec

if TYPE_CHECKING:
    from dalenius.tables import People


def bound(spec: Spec, folder: Path, data: str | None) -> "tuple[Spec, People | None]":
    """Returns the spec with what its model reads from the table, and the table; None where the spec names no data.

    Args:
        spec: The spec as it was read.
        folder: The folder from which the data's path in the spec is read.
        data: A table to read instead of the one that the spec names; its path is relative to where the user is. None
            for the spec's own.
    """
    # Because most examples are a model and a query, and nobody's data, nothing that reads tables is imported for them.
    if spec.data is None and data is None:
        return spec, None
    from dalenius.tables.binding import bound_to_table
    from dalenius.tables.check import near_advice

    read, people = bound_to_table(spec, folder, data)
    # So that what is doubtful in the table is said before anything is computed from it.
    for line in () if people is None else near_advice(people):
        advise(line)
    return read, people
