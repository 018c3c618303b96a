"""The world of a belief: a new kind of belief has one more function here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from dalenius.channel.adversary import Adversary
from dalenius.channel.finite.answers import kinds_of
from dalenius.channel.finite.records import RecordWorld
from dalenius.channel.secrets import Secrets
from dalenius.channel.world import World
from dalenius.errors import InputError
from dalenius.joints import Belief, Joint
from dalenius.laws.lattice import Lattice
from dalenius.queries import Query, Scores

if TYPE_CHECKING:
    from dalenius.joints import CredalGroups, GaussianLaw, PairwiseLaw
    from dalenius.joints.imprecise.chain import CredalChain
    from dalenius.joints.imprecise.network import CredalNetwork
    from dalenius.models import Missing


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


def world_of(belief: Belief, question: Question) -> World:
    """The law's answers and channels under the question. InputError where that makes no sense of such records."""
    if belief.nature not in WORLDS:
        raise InputError("model", type(belief).__name__, "a belief that has a world")
    return WORLDS[belief.nature](belief, question)


def _records(belief: Joint, question: Question) -> RecordWorld:
    known = question.adversary.answers_of(belief)
    return RecordWorld(belief, question.scores(belief), question.secrets, question.engine, known)


def _gaussian(belief: "GaussianLaw", question: Question) -> World:
    from dalenius.channel.gaussian.records import GaussianWorld

    return GaussianWorld(belief, question.asked, question.secrets)


def _absent(belief: "Missing", question: Question) -> World:
    from dalenius.channel.absent.records import AbsentWorld

    return AbsentWorld(belief, question.secrets)


def _pairwise(belief: "PairwiseLaw", question: Question) -> World:
    from dalenius.channel.pairwise.world import PairwiseWorld

    return PairwiseWorld(belief, question.scores(belief), question.secrets, question.engine)


def _credal_chain(belief: "CredalChain", question: Question) -> World:
    from dalenius.channel.imprecise.chain import CredalChainWorld

    return CredalChainWorld(belief, question.scores(belief), question.secrets, question.engine)


def _credal_network(belief: "CredalNetwork", question: Question) -> World:
    from dalenius.channel.imprecise.network import CredalNetworkWorld

    return CredalNetworkWorld(belief, question.scores(belief), question.secrets, question.engine)


def _credal(belief: "CredalGroups", question: Question) -> World:
    from dalenius.channel.credal.world import CredalWorld

    return CredalWorld(belief, question.scores(belief), question.secrets, question.engine)


WORLDS: Final[Mapping[str, Callable[[Any, Question], World]]] = {
    "joint law": _records,
    "normal law": _gaussian,
    "absence": _absent,
    "laws of pairs": _pairwise,
    "chain with intervals": _credal_chain,
    "network with intervals": _credal_network,
    "groups with intervals": _credal,
}
"""By a belief's nature; each is imported with the first such belief, and few commands meet more than one."""
