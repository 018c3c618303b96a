"""What the room offers, and from which file; `__init__` reads it."""

from .accounts import (
    Account as Account,
    Paid as Paid,
    account as account,
    accounts as accounts,
    answers_learned as answers_learned,
    paid_by_entry as paid_by_entry,
)
from .analyst_question import Ask as Ask
from .answers_told import AnswersTold as AnswersTold, AnswerTold as AnswerTold
from .budgets import Failed as Failed, Overspent as Overspent, Request as Request, request_of as request_of
from .certificate import ReleaseTerms as ReleaseTerms
from .cost_of_releases import Budget as Budget
from .curator import Curator as Curator, Seen as Seen
from .data_set_policy import (
    Analyst as Analyst,
    DataSet as DataSet,
    Measure as Measure,
    NotAllowed as NotAllowed,
    NotOpen as NotOpen,
    TooHeavy as TooHeavy,
)
from .fewer_people import advice_on_fewer as advice_on_fewer, of_fewer as of_fewer
from .group_commit import Attempt as Attempt
from .hash_chained_entries import History as History, Link as Link
from .identifiability_session import IdentifiabilitySession as IdentifiabilitySession
from .inquiry import (
    Compute as Compute,
    Inquiry as Inquiry,
    PolicyAsk as PolicyAsk,
    Public as Public,
    not_computable as not_computable,
    ready_of as ready_of,
)
from .largest_share import shares as shares
from .learned_ask import LearnedAsk as LearnedAsk, read_ask as read_ask
from .learned_measure import LearnedMeasure as LearnedMeasure
from .ledger import Ledger as Ledger, Stored as Stored
from .ledger_of_request import ledger_path as ledger_path
from .opened_table import Opened as Opened, TableChanged as TableChanged
from .policy import Policy as Policy, Service as Service, policy_from as policy_from, read_policy as read_policy
from .practice import (
    PracticeTable as PracticeTable,
    Practised as Practised,
    check_practised as check_practised,
    why_no_practice as why_no_practice,
)
from .prepared_release import Prepared as Prepared, Ready as Ready
from .price_quote import Quote as Quote, free_quote as free_quote
from .priced_noise import Priced as Priced, prepared_from as prepared_from, priced_of as priced_of
from .purchases import Purchase as Purchase, pay as pay
from .recorded_answers import Publication as Publication, Recorded as Recorded, notion_of as notion_of
from .release_from_spec import quote as quote, release as release
from .request_key import Lost as Lost, RequestKey as RequestKey
from .session import Session as Session
from .session_budgets import Budgets as Budgets
from .sign_on_policy import SignOn as SignOn, is_private as is_private
