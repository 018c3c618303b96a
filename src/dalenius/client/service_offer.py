"""Offer of a service to an analyst: the promise about a data set, and the measures that may be asked about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from dalenius.curator import notion_of
from dalenius.errors import InputError
from dalenius.notions import Notion
from dalenius.tabular import Cell, Tabular


@final
@dataclass(frozen=True)
class OfferedMeasure:
    """A measure that may be asked about, without what is the owner's: the column, and the numbers of the model.

    Attributes:
        name: The measure's name.
        description: Words for analysts.
        lower: The least number, in the measure's unit; None for a condition, or where none is declared.
        upper: The greatest number.
        step: The step to which numbers are rounded.
        models: The kinds of its models.
        queries: The kinds of query that may be asked; None for all.
    """

    name: str
    description: str
    lower: float | None
    upper: float | None
    step: float | None
    models: tuple[str, ...]
    queries: tuple[str, ...] | None


@final
@dataclass(frozen=True, repr=False)
class Offer(Tabular):
    """An offer: the promise about a data set, and the measures that may be asked about.

    Attributes:
        name: The data set's name.
        description: Words for analysts.
        notion: The promise for everything that is ever answered; None where its kind is not plugged in here.
        in_words: The promise in words.
        analyst: The name of the token's owner.
        cap: The most that this analyst may be told, in nats; None for all that the data set has.
        measures: What may be asked about.
        takes_keys: Whether the service answers an ask under a key once.
    """

    name: str
    description: str
    notion: Notion | None
    in_words: str
    analyst: str
    cap: float | None
    measures: tuple[OfferedMeasure, ...]
    takes_keys: bool

    @property
    def caption(self) -> str:
        """The title of the table."""
        return f"Data set {self.name}: what {self.analyst} may ask"

    def records(self) -> Sequence[Mapping[str, Cell]]:
        """Return a row for each measure, numbers in its unit."""
        return [
            {
                "measure": each.name,
                "description": each.description,
                "lower": each.lower,
                "upper": each.upper,
                "step": each.step,
                "queries": "all" if each.queries is None else ", ".join(each.queries),
            }
            for each in self.measures
        ]

    def notes(self) -> Sequence[str]:
        """Return the promise, in words."""
        return [f"promised: {self.in_words}"]


def not_an_analyst() -> InputError:
    """Make the refusal of a token of somebody else, who sees everybody's budgets and asks nothing."""
    return InputError("token", "of an owner or auditor", "a token of an analyst")


def offer_from(found: Mapping[str, Any]) -> Offer:
    """Read an offer.

    Args:
        found: The data set, as the service's JSON has it.

    Raises:
        InputError: For a token that is no analyst's.
    """
    if "analyst" not in found:
        raise not_an_analyst()
    analyst = found["analyst"]
    return Offer(
        str(found["name"]),
        str(found["description"]),
        notion_of(found["notion"]),
        str(found["in_words"]),
        str(analyst["name"]),
        None if analyst["cap"] is None else float(analyst["cap"]),
        tuple(_measure(each) for each in found["measures"]),
        found.get("keys") is True,
    )


def _measure(found: Mapping[str, Any]) -> OfferedMeasure:
    lower, upper, step = (None if found[key] is None else float(found[key]) for key in ("lower", "upper", "step"))
    queries = found["queries"]
    return OfferedMeasure(
        str(found["name"]),
        str(found["description"]),
        lower,
        upper,
        step,
        tuple(found["models"]),
        None if queries is None else tuple(queries),
    )
