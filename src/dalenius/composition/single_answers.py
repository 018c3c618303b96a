"""The leakage of one answer of several alone: a lower end of what all of them leak together.

An adversary who forgets all answers but one learns no more than from all of them, so that no notion falls when the
others are added. It is asked where no route has an upper end: a count with Gaussian noise beside one with Laplace noise
leaks without bound, since the Gaussian one alone does, though nobody computes the joint law of both.
"""

from collections.abc import Iterator, Sequence
from math import inf
from typing import Literal, final

from dalenius.channel import Release
from dalenius.composition.limits import MOST_SINGLE_ANSWERS
from dalenius.composition.releases import Releases
from dalenius.errors import DaleniusError
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.queries import Column, Kind, Query
from dalenius.queries.query import AnyQuery, Weights


@final
class OneAnswer(Query):
    """The query of one coordinate of another query's answer.

    Attributes:
        query: The other query.
        place: The coordinate, counted from 0.
    """

    kind: Literal["one answer"] = "one answer"
    query: AnyQuery
    place: int

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return (self.query.columns(strata)[self.place],)

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        return (self.query.linear(labels)[self.place],)


def most_of_one_answer(releases: Releases, notion: Notion) -> float:
    """Returns the largest lower end of what any one answer of `releases` leaks alone under `notion`, in nats.

    It is 0 where nothing is known of any.

    >>> import dalenius as dl
    >>> three = dl.Independent(n=3, probabilities=[0.3])
    >>> both = [dl.Release(three, dl.Count(), noise(scale=1.0)) for noise in (dl.Laplace, dl.Gaussian)]
    >>> most_of_one_answer(Releases(tuple(both[:1])), dl.InferentialPrivacy()) > 0.999
    True
    >>> most_of_one_answer(Releases(tuple(both)), dl.InferentialPrivacy())
    inf
    """
    found = 0.0
    for release in _single(releases):
        try:
            found = max(found, notion.leakage(release).lower)
        # If nothing is known of this answer either, the others may still be known.
        except DaleniusError:
            continue
        if found == inf:
            break
    return found


def _single(releases: Releases) -> Iterator[Release]:
    """Yields every answer as a release of its own, equal ones once."""
    before = list[tuple[Query, object]]()
    for release in releases.each:
        axes = len(release.names)
        for place, noise in enumerate(release.noise.by_coordinate(axes)):
            query = release.query if axes == 1 else OneAnswer(query=release.query, place=place)
            if (query, noise) in before:
                continue
            if len(before) == MOST_SINGLE_ANSWERS:
                return
            before.append((query, noise))
            if axes == 1:
                yield release
                continue
            exact = Release(release.model, query, NoNoise(), release.secrets, adversary=release.adversary)
            yield exact.with_noise(noise)
