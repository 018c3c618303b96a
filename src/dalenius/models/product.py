"""Models side by side, independent of each other."""

from itertools import product as pairings
from typing import Annotated, Literal, final

from pydantic import Field

from dalenius.models.beside import beside
from dalenius.models.model import Joint, Model


@final
class Product(Model):
    """parts: models of disjoint people, numbered on from part to part; one of several laws gives every combination."""

    kind: Literal["product"] = "product"
    parts: tuple[Annotated["AnyModel", Field(discriminator="kind")], ...] = Field(min_length=1)  # type: ignore[name-defined]  # noqa: F821

    def joints(self) -> tuple[Joint, ...]:
        return tuple(beside(choice) for choice in pairings(*(part.joints() for part in self.parts)))
