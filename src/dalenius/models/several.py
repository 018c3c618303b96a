"""Several models: the worst counts (a Pufferfish class, Kifer & Machanavajjhala), or independent, of other people."""

import abc
from collections.abc import Callable, Sequence
from itertools import product as pairings
from pathlib import Path
from typing import ClassVar, Literal, Self, final

from pydantic import Field

from dalenius import wings
from dalenius.errors import InputError
from dalenius.joints.joint import WITHIN, Belief, Joint
from dalenius.joints.product import product_of
from dalenius.models.model import Composition, InnerModel, Model, Readable, listed


class Several(Model, abc.ABC):
    """A model made of others."""

    of: ClassVar[str]
    """The field that has them."""

    def parts_of(self) -> tuple[Model, ...]:
        found: tuple[Model, ...] = getattr(self, self.of)
        return found

    def _each(self, change: Callable[[Model], Model]) -> Self:
        return self.altered({self.of: tuple(map(change, self.parts_of()))})

    def in_folder(self, folder: Path) -> Self:
        return self._each(lambda part: part.in_folder(folder))

    def self_contained(self) -> Self:
        return self._each(lambda part: part.self_contained())

    def widened(self, log_factor: float) -> Self:
        return self._each(lambda part: part.widened(log_factor))

    def _numbered(self) -> str:
        """The words of each."""
        return listed((f"({number}) {each.words}" for number, each in enumerate(self.parts_of(), 1)), "; ")


@final
class Any(Several):
    """models: what the adversary may believe; leakage is the largest over them, noise must keep the promise for all."""

    of: ClassVar[str] = "models"
    kind: Literal["any"] = "any"
    models: tuple[InnerModel, ...] = Field(min_length=1)

    @property
    def words(self) -> str:
        return f"any one of these, whichever is worst: {self._numbered()}"

    def rests_on(self) -> tuple[str, ...]:
        return ("it holds for each of the listed models",)

    @property
    def household_columns(self) -> frozenset[str]:
        return frozenset().union(*(each.household_columns for each in self.models))

    def household_of(self, law: int, person: int) -> Composition | None:
        for model in self.models:
            laws = len(model.joints())
            if law < laws:
                return model.household_of(law, person)
            law -= laws
        return None

    @property
    def reveals_answers(self) -> bool:
        return all(each.reveals_answers for each in self.models)

    def bound(self, table: Readable) -> Self:
        return self._each(lambda part: part.bound(table))

    def joints(self) -> tuple[Belief, ...]:
        return tuple(joint for model in self.models for joint in model.joints())


@final
class Product(Several):
    """parts: models of disjoint people, numbered on from part to part; parts of several laws give all combinations."""

    of: ClassVar[str] = "parts"
    kind: Literal["product"] = "product"
    parts: tuple[InnerModel, ...] = Field(min_length=1)

    @property
    def words(self) -> str:
        return f"people of several parts, which do not depend on each other: {self._numbered()}"

    def joints(self) -> tuple[Belief, ...]:
        return tuple(_together(choice) for choice in pairings(*(part.joints() for part in self.parts)))


def _together(parts: Sequence[Belief]) -> Belief:
    """InputError where these have no law together."""
    if any(part.nature.over == WITHIN for part in parts):
        return _found("product with intervals", parts)
    joints = [part for part in parts if isinstance(part, Joint)]
    normal = [part for part in parts if part.nature.secret == "number"]
    if len(joints) + len(normal) < len(parts):
        raise InputError("model.parts", "absent", "parts that are models of records: one person is absent in all")
    if joints and normal:
        raise InputError("model.parts", "gaussian beside others", "parts that are all gaussian, or none of them")
    return product_of(joints) if joints else _found("product of normal laws", normal)


def _found(name: str, parts: Sequence[Belief]) -> Belief:
    belief: Belief = wings.found(wings.PARTS[name])(parts)
    return belief
