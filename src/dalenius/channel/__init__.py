"""Release -> Channel: the laws of every output given every secret, and which engine computed them."""

from dalenius.channel.absent.channel import AbsentChannel as AbsentChannel
from dalenius.channel.adversary import Adversary as Adversary, KnownAnswer as KnownAnswer
from dalenius.channel.channel import Channel as Channel
from dalenius.channel.finite.channel import FiniteChannel as FiniteChannel
from dalenius.channel.finite.known import Known as Known
from dalenius.channel.finite.likelihoods import Likelihoods as Likelihoods
from dalenius.channel.finite.refinement import supremum as supremum
from dalenius.channel.leakage import Leakage as Leakage
from dalenius.channel.peak import Largest as Largest, peak as peak
from dalenius.channel.possible import (
    leaves_exact as leaves_exact,
    possible_answers as possible_answers,
    possible_range as possible_range,
)
from dalenius.channel.posterior import (
    LawPosterior as LawPosterior,
    Posterior as Posterior,
    Standing as Standing,
    posterior as posterior,
)
from dalenius.channel.release import Release as Release, checked as checked
from dalenius.channel.secrets import Secrets as Secrets
from dalenius.channel.tail import SubjectTail as SubjectTail, largest_tail as largest_tail
from dalenius.channel.tradeoff import (
    PairTradeoff as PairTradeoff,
    WorstPair as WorstPair,
    check_rate as check_rate,
    worst_pairs as worst_pairs,
)
from dalenius.channel.update import Update as Update, Updated as Updated
from dalenius.channel.witness import Found as Found, Movement as Movement, Witness as Witness
