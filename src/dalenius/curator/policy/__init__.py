"""Who may ask what of which data: the policy of a curator, as one file."""

from dalenius.curator.policy.ask import Ask as Ask, read_ask as read_ask
from dalenius.curator.policy.data_set import (
    Analyst as Analyst,
    DataSet as DataSet,
    NotAllowed as NotAllowed,
    NotOpen as NotOpen,
    TooHeavy as TooHeavy,
)
from dalenius.curator.policy.measure import Measure as Measure
from dalenius.curator.policy.policy import (
    Policy as Policy,
    Service as Service,
    policy_from as policy_from,
    read_policy as read_policy,
)
