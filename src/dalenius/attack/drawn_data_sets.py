"""Data sets drawn from a model, given one person's record."""

from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.joints import Joint
from dalenius.joints.drawn_records import DrawnRecords
from dalenius.joints.joint import Belief, finite_law


def drawn_data_sets(law: Joint, person: int, value: RecordValue) -> DrawnRecords:
    """Draws everybody's records from a law in which one person's record is known.

    Args:
        law: The law of all records.
        person: The number, from 1, of the person whose record is known.
        value: The value of that record. InputError for one that cannot occur.
    """
    return DrawnRecords(law.given({person: value}))


def law_of(joints: tuple[Belief, ...]) -> Joint:
    """Returns the one law of records with finitely many values. InputError for a model that has none, or several.

    Args:
        joints: The laws of all records that the model has.
    """
    law = finite_law(joints[0]) if len(joints) == 1 else None
    if law is None:
        raise InputError("model", f"{len(joints)} laws", "one law of records with finitely many values each")
    return law
