"""Words of the page of a data set that say what an analyst can still do once a budget is spent.

If Ana has spent her cap of 1.5 nats and the data set has 0.5 left, she reads that her own budget is spent, that her
answers stay free, and that the owner may raise her cap.
"""

from collections.abc import Mapping
from typing import Any, Final

from dalenius.curator import Budgets, DataSet, Session
from dalenius.server import api

_LEAST: Final = 1e-6
"""The least that a question may cost, in nats: with less, a budget is spent."""
_COMPUTE: Final = "compute anything from answers that went out, such as sums, shares and trends: that costs nothing"


def budgets_left(session: Session) -> dict[str, Any]:
    """Returns the budgets of a session, as the page shows them, and what can still be done where one is spent."""
    budgets = session.budget()
    return {"budgets": api.budgets_json(budgets), "left": left_of(session.data, budgets)}


def left_of(data: DataSet, budgets: Budgets) -> Mapping[str, str | list[str]] | None:
    """Returns what is spent and what can still be done, in words; None while there is something left.

    Args:
        data: The data set.
        budgets: The analyst's own budget, and that of the data set.
    """
    whole = budgets.data.remaining < _LEAST
    if not whole and budgets.own.remaining >= _LEAST:
        return None
    again = "" if data.schedule is None else f" of this {data.schedule.every}"
    still = [f"open your answers below, and ask the same questions{again} again: that is free", _COMPUTE]
    if whole:
        if budgets.own.remaining >= _LEAST:
            still.append("ask what another analyst was answered: that is paid from your own budget alone")
        still.append(_no_new_budget(data))
        return {"spent": "the budget of all analysts is spent, and no new question is answered", "still": still}
    left = f"{budgets.data.remaining:.4g} nats are left of the data set's budget"
    still.append(f"ask the owner to raise what you may be told: {left}")
    return {"spent": "your own budget is spent, and no new question is answered to you", "still": still}


def _no_new_budget(data: DataSet) -> str:
    if data.schedule is None:
        return "a new version of the table has no new budget, as it is about the same people"
    every, times = data.schedule.every, data.schedule.times
    return f"a later {every} has no new budget, as the promise was about all {times} {every}s together"
