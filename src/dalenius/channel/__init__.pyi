"""What the room offers, and from which file; `__init__` reads it."""

from .adversary import Adversary as Adversary, KnownAnswer as KnownAnswer
from .answer_window_channel import RecordChannel as RecordChannel
from .attainable_answers import (
    leaves_exact as leaves_exact,
    possible_answers as possible_answers,
    possible_range as possible_range,
)
from .channel import Channel as Channel, Update as Update, Updated as Updated
from .counted_sets import counted_sets as counted_sets
from .finite_secret_channel import FiniteChannel as FiniteChannel, supremum as supremum
from .leakage import (
    Found as Found,
    Largest as Largest,
    Leakage as Leakage,
    Movement as Movement,
    SubjectTail as SubjectTail,
    Witness as Witness,
    largest_tail as largest_tail,
    peak as peak,
)
from .likelihoods import Likelihoods as Likelihoods
from .posterior import (
    LawPosterior as LawPosterior,
    Posterior as Posterior,
    Standing as Standing,
    posterior as posterior,
)
from .release import Release as Release, checked as checked
from .secrets import Secrets as Secrets
