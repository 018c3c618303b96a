"""Which models read their groups from the user's table, or themselves from a file, and how they are told."""

from collections.abc import Callable
from pathlib import Path

from dalenius.errors import InputError
from dalenius.laws.left_out import LeftOut
from dalenius.models.absent import Absent
from dalenius.models.any import Any
from dalenius.models.households import Compositions, Households
from dalenius.models.model import Model
from dalenius.models.moments import Moments
from dalenius.models.network import Network
from dalenius.models.product import Product


def household_columns(model: Model) -> frozenset[str]:
    """The columns that say who lives together; empty where the model says its groups itself."""
    match model:
        case Households(by=str(column)):
            return frozenset([column])
        case Any():
            return frozenset().union(*(household_columns(each) for each in model.models))
        case _:
            return frozenset()


def told(model: Model, compositions: Callable[[], Compositions]) -> Model:
    """The model with the table's households, wherever it waits for them."""
    match model:
        case Households(by=str()):
            return model.with_compositions(compositions())
        case Any():
            return Any(models=tuple(told(each, compositions) for each in model.models))
        case _:
            return model


def answered(model: Model, left_out: Callable[[bool], LeftOut]) -> Model:
    """The model with the table's answers without each person, wherever it waits for them; left_out is told whether
    people are asked for one by one, in the table's order. InputError where the model has its own."""
    match model:
        case Absent(answers=None):
            return model.with_left_out(left_out(model.one_by_one))
        case Absent():
            raise InputError("model.answers", "given", "no answers beside [data], whose table and query tell them")
        case Any():
            return Any(models=tuple(answered(each, left_out) for each in model.models))
        case _:
            return model


def tells_answers(model: Model) -> bool:
    """Whether it needs no query."""
    match model:
        case Absent() | Moments():
            return True
        case Any():
            return all(map(tells_answers, model.models))
        case _:
            return False


def in_folder(model: Model, folder: Path) -> Model:
    """The model as it stands in a spec in this folder: what it reads from files is relative to that."""
    match model:
        case Network():
            return model.with_folder(folder)
        case Product():
            return Product(parts=tuple(in_folder(each, folder) for each in model.parts))
        case Any():
            return Any(models=tuple(in_folder(each, folder) for each in model.models))
        case _:
            return model


def self_contained(model: Model) -> Model:
    """The model with what it reads from files in it, so that what is asked is known without them."""
    match model:
        case Network(file=Path()):
            return Network(nodes=model.known_nodes())
        case Product():
            return Product(parts=tuple(self_contained(each) for each in model.parts))
        case Any():
            return Any(models=tuple(self_contained(each) for each in model.models))
        case _:
            return model
