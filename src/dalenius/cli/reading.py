"""Reading of a spec for a command, with what its model needs of the table."""

import json
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from dalenius.cli.output import advise
from dalenius.errors import InputError
from dalenius.spec import Spec
from dalenius.spec.spec import spec_from

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
    from dalenius.tables.true_answer import check_no_texts

    read, people = bound_to_table(spec, folder, data)
    if people is not None and read.model.gives == "laws":
        check_no_texts(people, (belief.strata() for belief in read.model.joints()))
    # So that what is doubtful in the table is said before anything is computed from it.
    for line in () if people is None else near_advice(people):
        advise(line)
    return read, people


def released(address: str, entry: int, data: str | None) -> tuple[Spec, tuple[Fraction | str, ...]]:
    """Returns the spec of the answers in a ledger, with the noise that was drawn, and the answers.

    Args:
        address: The ledger: a file or a URL.
        entry: The number of the entry with the answers.
        data: The table, which the ledger does not name; None where the spec needs none.

    Raises:
        InputError: For no ledger, no such entry, a spec of a table that `data` does not give, and answers without a
            spec or a noise.
    """
    from dalenius.curator import Ledger, paid_by_entry

    book = Ledger(address)
    if not book.is_there():
        raise InputError("ledger", book.shown, "a file that is there")
    name, paid = paid_by_entry(book.history(), entry)
    found = paid.recorded
    try:
        sections = json.loads(str(paid.debit.body["spec"]))
        noise = {} if found is None else dict(found.published.certificate["noise"])
    except (KeyError, TypeError, ValueError):
        raise InputError("--entry", entry, "answers with a spec and a certificate, as release writes them") from None
    assert found is not None
    if "data" in sections:
        if data is None:
            raise InputError("--data", "missing", f"the table of data set {name}: the ledger does not say where it is")
        sections["data"]["file"] = data
    return spec_from({**sections, "noise": noise}), found.published.answers
