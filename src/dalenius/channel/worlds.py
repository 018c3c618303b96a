"""The world of a belief: a new kind of belief has one more line here."""

from dataclasses import dataclass
from functools import singledispatch
from typing import final

from dalenius.channel.absent.records import AbsentWorld
from dalenius.channel.adversary import Adversary
from dalenius.channel.credal.world import CredalWorld
from dalenius.channel.finite.answers import kinds_of
from dalenius.channel.finite.records import RecordWorld
from dalenius.channel.gaussian.records import GaussianWorld
from dalenius.channel.imprecise.chain import CredalChainWorld
from dalenius.channel.imprecise.network import CredalNetworkWorld
from dalenius.channel.imprecise.outer import OuterWorld
from dalenius.channel.pairwise.world import PairwiseWorld
from dalenius.channel.secrets import Secrets
from dalenius.channel.world import World
from dalenius.errors import InputError
from dalenius.joints import Belief, CredalGroups, GaussianLaw, Joint, PairwiseLaw
from dalenius.joints.imprecise.chain import CredalChain
from dalenius.joints.imprecise.network import CredalNetwork
from dalenius.joints.imprecise.outer import Outer
from dalenius.laws.lattice import Lattice
from dalenius.models import Missing
from dalenius.queries import Query, Scores


@final
@dataclass(frozen=True)
class Question:
    """What is asked of every law of a model: query None where the model has the answers itself; engine: None where it
    is chosen by size; lattice: common to all laws whose records have finitely many values."""

    query: Query | None
    secrets: Secrets
    adversary: Adversary
    engine: str | None
    lattice: Lattice

    @property
    def asked(self) -> Query:
        """InputError where there is none."""
        if self.query is None:
            raise InputError("query", "missing", "a section [query] with a kind")
        return self.query

    def scores(self, belief: Belief) -> Scores:
        """The query's, on the belief's strata."""
        return self.asked.scores(kinds_of(belief), self.lattice)


@singledispatch
def world_of(belief: Belief, question: Question) -> World:
    """The law's answers and channels under the question. InputError where that makes no sense of such records."""
    raise InputError("model", type(belief).__name__, "a belief that has a world")


@world_of.register
def _records(belief: Joint, question: Question) -> RecordWorld:
    known = question.adversary.answers_of(belief)
    return RecordWorld(belief, question.scores(belief), question.secrets, question.engine, known)


@world_of.register
def _gaussian(belief: GaussianLaw, question: Question) -> GaussianWorld:
    return GaussianWorld(belief, question.asked, question.secrets)


@world_of.register
def _absent(belief: Missing, question: Question) -> AbsentWorld:
    return AbsentWorld(belief, question.secrets)


@world_of.register
def _pairwise(belief: PairwiseLaw, question: Question) -> PairwiseWorld:
    return PairwiseWorld(belief, question.scores(belief), question.secrets, question.engine)


@world_of.register
def _credal_chain(belief: CredalChain, question: Question) -> CredalChainWorld:
    return CredalChainWorld(belief, question.scores(belief), question.secrets, question.engine)


@world_of.register
def _credal_network(belief: CredalNetwork, question: Question) -> CredalNetworkWorld:
    return CredalNetworkWorld(belief, question.scores(belief), question.secrets, question.engine)


@world_of.register
def _credal(belief: CredalGroups, question: Question) -> CredalWorld:
    return CredalWorld(belief, question.scores(belief), question.secrets, question.engine)


@world_of.register
def _outer(belief: Outer, question: Question) -> OuterWorld:
    return OuterWorld(CredalWorld(belief.around, question.scores(belief), question.secrets, question.engine))
