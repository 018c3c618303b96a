"""The two budgets from which a session's questions are paid."""

from dataclasses import dataclass
from typing import final

from dalenius.curator.cost_of_releases import Budget
from dalenius.curator.largest_share import LEAST_SHARE
from dalenius.tabular import Cell, Tabular


@final
@dataclass(frozen=True, repr=False)
class Budgets(Tabular):
    """The budgets that an ask is paid from, in nats.

    Attributes:
        own: What this analyst may be told. It starts with their cap, or without one with the data set's budget.
        data: The data set's budget, of all analysts together.
    """

    own: Budget
    data: Budget

    @property
    def caption(self) -> str:
        """The title of the table."""
        return "Budgets, in nats"

    @property
    def room(self) -> tuple[float, float]:
        """The rest for one more question, and the most that this analyst may ever be told, in nats."""
        own, data = self.own.remaining, self.data.remaining
        # Because what another analyst was told costs the data set nothing, a spent data set is no end.
        return min(own, data) if data >= LEAST_SHARE else own, self.own.initial

    def records(self) -> list[dict[str, Cell]]:
        """Return two rows, the analyst's own budget and the data set's: initial, spent and remaining, in nats."""
        return [
            {"whose": whose, "initial": each.initial, "spent": each.spent, "remaining": each.remaining}
            for whose, each in (("own", self.own), ("data set", self.data))
        ]
