"""What the room offers, and from which file; `__init__` reads it."""

from .budgets import Budget as Budget, Conflict as Conflict, Failed as Failed, Overspent as Overspent
from .certificate import (
    GridCertificate as GridCertificate,
    NoiseCertificate as NoiseCertificate,
    ReleaseCertificate as ReleaseCertificate,
)
from .chain import Link as Link
from .curator import Budgets as Budgets, Curator as Curator, Session as Session
from .history import History as History
from .ledger import Ledger as Ledger
from .noised import (
    Released as Released,
    release_asked as release_asked,
    release_once as release_once,
    release_rounded as release_rounded,
)
from .opened import Asked as Asked, Compute as Compute, Ready as Ready, ready_of as ready_of
from .policy.ask import Ask as Ask, read_ask as read_ask
from .policy.data_set import (
    Analyst as Analyst,
    DataSet as DataSet,
    NotAllowed as NotAllowed,
    NotOpen as NotOpen,
    TooHeavy as TooHeavy,
)
from .policy.measure import Measure as Measure
from .policy.policy import Policy as Policy, Service as Service, policy_from as policy_from, read_policy as read_policy
from .publication import (
    Account as Account,
    Paid as Paid,
    Publication as Publication,
    Recorded as Recorded,
    account as account,
    accounts as accounts,
    draw_release as draw_release,
    told as told,
)
from .request import Request as Request, request_of as request_of
from .workflow import Quote as Quote, ledger_beside as ledger_beside, quote as quote, release as release
