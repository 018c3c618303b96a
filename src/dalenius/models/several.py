"""Several models: the worst counts (a Pufferfish class, Kifer & Machanavajjhala), or independent, of other people."""

from collections.abc import Sequence
from itertools import product as pairings
from pathlib import Path
from typing import Final, Literal, final

from pydantic import Field

from dalenius import wings
from dalenius.errors import InputError
from dalenius.joints.joint import Belief, Joint
from dalenius.joints.product import product_of
from dalenius.models.model import Composition, InnerModel, Model, Readable, listed


@final
class Any(Model):
    """models: what the adversary may believe; leakage is the largest over them, noise must keep the promise for all."""

    kind: Literal["any"] = "any"
    models: tuple[InnerModel, ...] = Field(min_length=1)

    def parts_of(self) -> tuple[Model, ...]:
        return self.models

    @property
    def words(self) -> str:
        parts = (f"({number}) {each.words}" for number, each in enumerate(self.models, 1))
        return f"any one of these, whichever is worst: {listed(parts, '; ')}"

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

    def bound(self, table: Readable) -> "Any":
        return self.altered({"models": tuple(each.bound(table) for each in self.models)})

    def in_folder(self, folder: Path) -> "Any":
        return self.altered({"models": tuple(each.in_folder(folder) for each in self.models)})

    def self_contained(self) -> "Any":
        return self.altered({"models": tuple(each.self_contained() for each in self.models)})

    def widened(self, log_factor: float) -> "Any":
        return self.altered({"models": tuple(each.widened(log_factor) for each in self.models)})

    def divergence(self, log_factor: float) -> float:
        """Each law is compared with the model it is near."""
        return max(each.divergence(log_factor) for each in self.models)

    def joints(self) -> tuple[Belief, ...]:
        return tuple(joint for model in self.models for joint in model.joints())


NORMAL: Final = "normal law"
"""The nature of records that are real numbers."""


@final
class Product(Model):
    """parts: models of disjoint people, numbered on from part to part; parts of several laws give all combinations."""

    kind: Literal["product"] = "product"
    parts: tuple[InnerModel, ...] = Field(min_length=1)

    def parts_of(self) -> tuple[Model, ...]:
        return self.parts

    @property
    def words(self) -> str:
        parts = (f"({number}) {each.words}" for number, each in enumerate(self.parts, 1))
        return f"people of several parts, which do not depend on each other: {listed(parts, '; ')}"

    def in_folder(self, folder: Path) -> "Product":
        return self.altered({"parts": tuple(part.in_folder(folder) for part in self.parts)})

    def self_contained(self) -> "Product":
        return self.altered({"parts": tuple(part.self_contained() for part in self.parts)})

    def widened(self, log_factor: float) -> "Product":
        return self.altered({"parts": tuple(part.widened(log_factor) for part in self.parts)})

    def divergence(self, log_factor: float) -> float:
        """The records that depend on a secret are all in one part."""
        return max(part.divergence(log_factor) for part in self.parts)

    def joints(self) -> tuple[Belief, ...]:
        return tuple(_together(choice) for choice in pairings(*(part.joints() for part in self.parts)))


def _together(parts: Sequence[Belief]) -> Belief:
    """InputError where these have no law together."""
    if any(part.is_set for part in parts):
        return _found("product with intervals", parts)
    joints = [part for part in parts if isinstance(part, Joint)]
    normal = [part for part in parts if part.nature == NORMAL]
    if len(joints) + len(normal) < len(parts):
        raise InputError("model.parts", "absent", "parts that are models of records: one person is absent in all")
    if joints and normal:
        raise InputError("model.parts", "gaussian beside others", "parts that are all gaussian, or none of them")
    return product_of(joints) if joints else _found("product of normal laws", normal)


def _found(name: str, parts: Sequence[Belief]) -> Belief:
    belief: Belief = wings.found(wings.PARTS[name])(parts)
    return belief
