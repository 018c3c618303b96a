"""The ledger's request of an analyst under a policy: the spec, with the cap and the budgets that it is paid from.

Ana has a cap of 0.5 nats of a budget of 2. Her request names both, and not the bytes of the table: nothing may depend
on them before it is paid for.
"""

from dalenius.curator.budgets import Request
from dalenius.curator.data_set_policy import Analyst, DataSet
from dalenius.curator.request_key import RequestKey


def cap_of(data: DataSet, analyst: Analyst) -> float:
    """Returns the analyst's cap in nats; without one an analyst may be told all that the data set has."""
    return data.epsilon if analyst.epsilon is None else analyst.epsilon


def policy_request(data: DataSet, analyst: Analyst, spec: str, key: RequestKey | None) -> Request:
    """Makes the request.

    Args:
        data: The data set.
        analyst: The analyst who asks.
        spec: The spec in its canonical text.
        key: The key under which it was sent; None without one.
    """
    schedule = data.schedule
    # Because the budget is the name's, the same people saved again are asked on the same one.
    return Request(
        data.name,
        "",
        spec,
        data.epsilon,
        insisted=True,
        new_data=True,
        delta=data.notion.promised_delta or 0.0,
        insisted_delta=True,
        analyst=analyst.name,
        cap=cap_of(data, analyst),
        version=data.version,
        frozen=data.frozen,
        goes_on=None if schedule is None else schedule.goes_on,
        times=None if schedule is None else schedule.times,
        renewing=None if schedule is None else schedule.renewing,
        sent=key,
    )
