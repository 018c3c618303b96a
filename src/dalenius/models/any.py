"""Several models, none of them trusted: the worst counts (a Pufferfish class, Kifer & Machanavajjhala)."""

from typing import Annotated, Literal, final

from pydantic import Field

from dalenius.models.model import Belief, Model


@final
class Any(Model):
    """models: what the adversary may believe; leakage is the largest over them, noise must do for all."""

    kind: Literal["any"] = "any"
    models: tuple[Annotated["AnyModel", Field(discriminator="kind")], ...] = Field(min_length=1)  # type: ignore[name-defined]  # noqa: F821

    def joints(self) -> tuple[Belief, ...]:
        return tuple(joint for model in self.models for joint in model.joints())
