"""The settings of a release that every law of its model shares: query, secrets, adversary, engine."""

from dataclasses import dataclass
from typing import final

from dalenius.channel.adversary import Adversary
from dalenius.channel.answer_laws import kinds_of
from dalenius.channel.secrets import Secrets
from dalenius.errors import InputError
from dalenius.joints import Belief
from dalenius.laws.lattice import Lattice
from dalenius.queries import Query, Scores


@final
@dataclass(frozen=True)
class ReleaseSettings:
    """The question that a release asks of each law.

    Args:
        query: The query; None where the model has the answers itself.
        secrets: What is secret: each person's record, or a function of several.
        adversary: The adversary's certain knowledge.
        engine: The name of the engine; None where it is chosen by size.
        lattice: The lattice common to all laws whose records have finitely many values.
        groups_first: Whether a person's own group is read first, however few groups there are.
    """

    query: Query | None
    secrets: Secrets
    adversary: Adversary
    engine: str | None
    lattice: Lattice
    groups_first: bool = False

    @property
    def known_query(self) -> Query:
        """The query. InputError where there is none."""
        if self.query is None:
            raise InputError("query", "missing", "a section [query] with a kind")
        return self.query

    def scores(self, belief: Belief) -> Scores:
        """Returns the query's scores on the strata of `belief`, in steps of the common lattice.

        InputError where the query makes no sense of these records.
        """
        return self.known_query.scores(kinds_of(belief), self.lattice)
