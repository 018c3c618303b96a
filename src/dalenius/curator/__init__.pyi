"""What the room offers, and from which file; `__init__` reads it."""

from .accounts import (
    Account as Account,
    Paid as Paid,
    account as account,
    accounts as accounts,
    told as told,
)
from .beside import ledger_beside as ledger_beside
from .certificate import (
    GridCertificate as GridCertificate,
    NoiseCertificate as NoiseCertificate,
    ReleaseCertificate as ReleaseCertificate,
)
from .chain import Link as Link
from .curator import Curator as Curator
from .grid import release_rounded as release_rounded
from .history import History as History
from .ledger import Budget as Budget, Ledger as Ledger, Publication as Publication, Recorded as Recorded
from .noised import Released as Released, release_asked as release_asked, release_once as release_once
from .picture import draw_release as draw_release
from .policy import (
    Analyst as Analyst,
    Ask as Ask,
    DataSet as DataSet,
    Measure as Measure,
    NotAllowed as NotAllowed,
    NotOpen as NotOpen,
    Policy as Policy,
    Service as Service,
    TooHeavy as TooHeavy,
    policy_from as policy_from,
    read_ask as read_ask,
    read_policy as read_policy,
)
from .quoted import Quote as Quote
from .ready import Asked as Asked, Compute as Compute, Ready as Ready, ready_of as ready_of
from .refusals import Conflict as Conflict, Failed as Failed, Overspent as Overspent
from .request import Request as Request, request_of as request_of
from .session import Budgets as Budgets, Session as Session
from .workflow import quote as quote, release as release
