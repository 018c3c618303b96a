"""Who may ask what of which data, and what is left."""

from dalenius.curator.accounts import (
    Account as Account,
    Paid as Paid,
    account as account,
    accounts as accounts,
    told as told,
)
from dalenius.curator.beside import ledger_beside as ledger_beside
from dalenius.curator.certificate import (
    GridCertificate as GridCertificate,
    NoiseCertificate as NoiseCertificate,
    ReleaseCertificate as ReleaseCertificate,
)
from dalenius.curator.chain import Link as Link
from dalenius.curator.curator import Curator as Curator
from dalenius.curator.grid import release_rounded as release_rounded
from dalenius.curator.history import History as History
from dalenius.curator.ledger import Budget as Budget, Ledger as Ledger, Publication as Publication, Recorded as Recorded
from dalenius.curator.noised import Released as Released, release_asked as release_asked, release_once as release_once
from dalenius.curator.picture import draw_release as draw_release
from dalenius.curator.policy import (
    Analyst as Analyst,
    Ask as Ask,
    DataSet as DataSet,
    Measure as Measure,
    NotAllowed as NotAllowed,
    NotOpen as NotOpen,
    Policy as Policy,
    Service as Service,
    policy_from as policy_from,
    read_ask as read_ask,
    read_policy as read_policy,
)
from dalenius.curator.quoted import Quote as Quote
from dalenius.curator.refusals import Conflict as Conflict, Failed as Failed, Overspent as Overspent
from dalenius.curator.request import Request as Request, request_of as request_of
from dalenius.curator.session import Budgets as Budgets, Session as Session
from dalenius.curator.workflow import quote as quote, release as release
