"""The result of a conversion: what a guarantee becomes for people who depend on each other, and about whom."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from dalenius.bounds import Enclosure
from dalenius.conversion.bounds_for_large_groups import Whose
from dalenius.conversion.conditional_law_of_others import Dependence
from dalenius.tabular import Cell, Tabular, ends


@final
@dataclass(frozen=True, repr=False)
class Converted(Tabular):
    """The most that a pipeline can leak, and the person it leaks most about.

    If records are only bounded, it is the person about whom a pure pipeline may leak most. If the model has no secrets
    there is nobody: then `person` is None and the value is 0.

    Attributes:
        value: The enclosed number: ε′ in nats, or a probability δ′.
        person: The number of the person whom the upper end is about, from 1.
        who: What that person is called.
        secret: The value of their record.
        against: The other value of the pair; None where the value is compared with everything the record may be.

    Example:
        >>> from dalenius import Conversion, Households, PureProfile
        >>> homes = Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
        >>> found = Conversion(homes, PureProfile(1.0), "replace").epsilon(0.0)  # a Converted
        >>> round(found.value.upper, 6), found.who, found.secret, found.against
        (3.800166, 'member of a household of 4', 1, 0)
    """

    value: Enclosure
    person: int | None = None
    who: str | None = None
    secret: object = None
    against: object = None

    @property
    def caption(self) -> str:
        """The title of the table."""
        return "The most that such a pipeline can leak, and about whom"

    def records(self) -> list[dict[str, Cell]]:
        """Return one row: value_lower and value_upper (ε′ in nats or δ′), person, who, secret and against."""
        secret, against = (None if each is None else str(each) for each in (self.secret, self.against))
        whose: dict[str, Cell] = {"person": self.person, "who": self.who, "secret": secret, "against": against}
        return [ends("value", self.value) | whose]


def worst_of(found: Iterable[tuple[Dependence | Whose, Enclosure]]) -> Converted:
    """Returns the largest of all that was `found`; the first of those within rounding is named."""
    given = list(found)
    # If everybody's record is certain, there is no question, and nothing can leak.
    if not given:
        return Converted(Enclosure(0.0, 0.0))
    upper = max(value.upper for _, value in given)
    lower = max(value.lower for _, value in given)
    each = next(each for each, value in given if value.upper >= upper * (1 - 1e-6))
    return Converted(Enclosure(lower, upper), each.person, each.who, each.secret, each.against)
