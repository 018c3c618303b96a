"""Several models, none of them trusted: the worst counts (a Pufferfish class, Kifer & Machanavajjhala)."""

from typing import Literal, final

from pydantic import Field

from dalenius.models.model import Belief, InnerModel, Model


@final
class Any(Model):
    """models: what the adversary may believe; leakage is the largest over them, noise must do for all."""

    kind: Literal["any"] = "any"
    models: tuple[InnerModel, ...] = Field(min_length=1)

    def joints(self) -> tuple[Belief, ...]:
        return tuple(joint for model in self.models for joint in model.joints())
