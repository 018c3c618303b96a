"""What the room offers, and from which file; `__init__` reads it."""

from .adversary import Adversary as Adversary, KnownAnswer as KnownAnswer
from .channel import Channel as Channel
from .finite.averages import RecordChannel as RecordChannel
from .finite.channel import FiniteChannel as FiniteChannel
from .finite.known import Known as Known
from .finite.likelihoods import Likelihoods as Likelihoods
from .finite.refinement import supremum as supremum
from .leakage import Leakage as Leakage
from .peak import Largest as Largest, peak as peak
from .possible import (
    leaves_exact as leaves_exact,
    possible_answers as possible_answers,
    possible_range as possible_range,
)
from .posterior import (
    LawPosterior as LawPosterior,
    Posterior as Posterior,
    Standing as Standing,
    posterior as posterior,
)
from .release import Release as Release, checked as checked
from .secrets import Secrets as Secrets
from .tail import SubjectTail as SubjectTail, largest_tail as largest_tail
from .tradeoff import (
    PairTradeoff as PairTradeoff,
    WorstPair as WorstPair,
    check_rate as check_rate,
    worst_pairs as worst_pairs,
)
from .update import Update as Update, Updated as Updated
from .witness import Found as Found, Movement as Movement, Witness as Witness
