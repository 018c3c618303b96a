"""Several models, none of them trusted: the worst counts (a Pufferfish class, Kifer & Machanavajjhala)."""

from pathlib import Path
from typing import Literal, final

from pydantic import Field

from dalenius.joints.joint import Belief
from dalenius.models.model import Composition, InnerModel, Model, Readable
from dalenius.models.wording import listed


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
