"""Release(model, query, noise): what is published.

Two days alike with .9 depend on each other, and a count of both moves by 2 where a day alone moves it by 1:

>>> import dalenius as dl
>>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
>>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
>>> int(release.sensitivity), release.worlds.group_sensitivity == (2, 2)
(1, True)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, final

from dalenius import wings
from dalenius.channel.adversary import Adversary
from dalenius.channel.answer_laws import kinds_of
from dalenius.channel.channel import Channel
from dalenius.channel.finite_secret_channel import FiniteChannel, draw_beliefs
from dalenius.channel.release_settings import ReleaseSettings
from dalenius.channel.secrets import Secrets
from dalenius.channel.worlds import Worlds
from dalenius.errors import InputError
from dalenius.frozen_section import shown
from dalenius.joints import Belief, finite_law
from dalenius.laws.lattice import Lattice, lattice_of
from dalenius.models import MODELS, Model
from dalenius.noise import NOISES, Noise
from dalenius.omitted import Omitted, in_fact
from dalenius.queries import QUERIES, Query, Scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_T = TypeVar("_T")
_FINE: Final = Fraction(1, 2**60)


@final
class Release:
    """A model of the records, a query and a noise: what is published. It is immutable.

    Args:
        model: The model of the records: what the adversary believes.
        query: The query, or the name of its kind; None where the model has the answers itself (`absent`).
        noise: The noise, or the name of its kind; its scale may be left open for `calibrate` and `compare`.
        secrets: Whose records, and which pairs of values, are secret; None (the default) for everybody's and all.
        engine: The name of the engine that computes the laws of the answer; None (the default) chooses it by size (see
            `Release.worlds.engines`).
        adversary: The background knowledge besides the model; None (the default) for nothing.

    Example:
        >>> from dalenius import Count, Geometric, Households, InferentialPrivacy
        >>> homes = Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
        >>> round(InferentialPrivacy().leakage(Release(homes, Count(), Geometric(scale=1.0))).upper, 6)
        3.800166
    """

    def __init__(
        self,
        model: Model,
        query: Query | str | None,
        noise: Noise | str,
        secrets: Secrets | None = None,
        engine: str | None = None,
        adversary: Adversary | None = None,
    ) -> None:
        self.model: Model = MODELS.given(model, "model")
        self._query: Query | None = None if query is None else QUERIES.given(query, "query")
        self.noise: Noise = NOISES.given(noise, "noise")
        self.secrets = _section(secrets, Secrets, "secrets") or Secrets()
        self.adversary = _section(adversary, Adversary, "adversary") or Adversary()
        # Because known answers depend on the query, each world conditions on them; known records are conditioned on
        # here.
        records = [self.adversary.conditioned(belief) for belief in self.model.joints()]
        beliefs = self._reported(records)
        # Because normal records have no finite universe: they are not scored, and their lattice is as fine as
        # drawing's.
        scored = [belief for belief in beliefs if belief.strata()]
        lattice = lattice_of([row for belief in scored for row in self.query.scores(kinds_of(belief)).exact])
        self._check_known(beliefs)
        self.omitted: tuple[Omitted, ...] = in_fact(self.model.omitted())
        self._question = ReleaseSettings(self._query, self.secrets, self.adversary, engine, lattice)
        self.worlds = Worlds(beliefs, self._question)

    @classmethod
    def of(
        cls, model: Model, measurement: Any, secrets: Secrets | None = None, adversary: Adversary | None = None
    ) -> "Release":
        """Reads what a measurement of the library OpenDP releases, from the constructors that made it.

        It is read where it is a count, a sum, a mean or a histogram, or several of them, with Laplace, geometric or
        Gaussian noise, or randomised response of each record. For others see `dalenius.conversion_of`.

        Args:
            model: The model of the records: what the adversary believes.
            measurement: The measurement, an object of OpenDP, or what `read_measurement` reads from its file.
            secrets: Whose records, and which pairs of values, are secret; None (the default) for everybody's and all.
            adversary: The background knowledge besides the model; None (the default) for nothing.

        Raises:
            InputError: For a measurement that is not read; it names the constructor and the reason.

        Example:
            >>> import dalenius as dl
            >>> import opendp.prelude as dp
            >>> dp.enable_features("contrib")
            >>> records = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
            >>> ill = records >> dp.t.then_clamp((0, 1)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=2.0)
            >>> homes = dl.Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
            >>> release = dl.Release.of(homes, ill)
            >>> release.query.words, release.noise.words
            ('how many records are 1', 'geometric, scale 2')
        """
        return _OF_MEASUREMENT.function(model, measurement, secrets, adversary)

    def _reported(self, records: list[Belief]) -> list[Belief]:
        """Returns the laws of what people report; those of the `records` where they report nothing."""
        if not self.noise.shape.on_records and (self._query is None or self._query.told_apart is None):
            return records
        # So that other releases load nothing of it: imported here.
        from dalenius.channel.reported_records import bound_noise, reported

        self.noise = bound_noise(self.noise, records)
        return reported(records, self._query, self.noise, self.secrets, self.adversary)

    def __repr__(self) -> str:
        given = [self.model, self._query, self.noise]
        named = {"secrets": (self.secrets, Secrets()), "adversary": (self.adversary, Adversary())}
        more = [f"{name}={value!r}" for name, (value, usual) in named.items() if value != usual]
        return f"Release({', '.join([*map(repr, given), *more])})"

    def __reduce__(self) -> tuple[type["Release"], tuple[object, ...]]:
        """Pickles the release as it was given: all computed numbers are computed again."""
        given = self._question
        return Release, (self.model, self._query, self.noise, self.secrets, given.engine, self.adversary)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draws the posterior of the person about whom the answers leak most, for each answer.

        The picture has the probabilities of the record's values, before and after.

        Args:
            ax: The matplotlib axes to draw on; None (the default) for new ones.

        Returns:
            The axes.

        Raises:
            Meaningless: The release has several answers.
            InputError: Records are real numbers, or the secret is who is absent.
        """
        return draw_beliefs(list(self.channels()), ax)

    def with_noise(self, noise: Noise) -> "Release":
        """Returns the same release with another noise; the laws of the exact answer are shared.

        Args:
            noise: The noise that is added instead of this release's.
        """
        # Because a law of reports depends on the noise on records, it is made anew.
        if noise.shape.on_records or self.noise.shape.on_records:
            return self._with_noise_on_records(noise)
        # Because `copy` makes all anew, as unpickling does, it is not used.
        other = self._alike()
        other.noise = noise
        return other

    def _alike(self) -> "Release":
        other = object.__new__(Release)
        other.__dict__.update(self.__dict__)
        return other

    def _with_noise_on_records(self, noise: Noise) -> "Release":
        engine, first = self._question.engine, self.groups_first
        made = Release(self.model, self._query, noise, self.secrets, engine, self.adversary).noting(self.omitted)
        return made.with_groups_first() if first else made

    @property
    def groups_first(self) -> bool:
        """Whether suprema are looked for in one person's group first (see `with_groups_first`)."""
        return self._question.groups_first

    def with_groups_first(self) -> "Release":
        """Returns the same release, whose suprema are looked for in one person's group first.

        It does so however few groups there are, for a caller who asks for many suprema.
        """
        other = self._alike()
        other._question = replace(self._question, groups_first=True)
        other.worlds = Worlds(self.worlds._beliefs, other._question)
        return other

    def noting(self, omitted: Sequence[Omitted]) -> "Release":
        """Returns the same release, which also says that these rows of the user's table were left out.

        Args:
            omitted: The rows that were left out, by file.
        """
        other = self._alike()
        other.omitted = tuple(dict.fromkeys((*self.omitted, *in_fact(omitted))))
        return other

    def altered(self, model: Model | None = None, adversary: Adversary | None = None) -> "Release":
        """Returns the same question under another model of the same people, or about another adversary.

        Args:
            model: The other model; None (the default) for the same.
            adversary: The other adversary; None (the default) for the same.
        """
        made = Release(
            model or self.model, self._query, self.noise, self.secrets, adversary=adversary or self.adversary
        )
        return made.noting(self.omitted)

    def _check_known(self, beliefs: Sequence[Belief]) -> None:
        if any(belief.sampling_rate is not None for belief in beliefs):
            _check_sample(self.secrets, self.adversary)
        if self.adversary.answers and any(finite_law(belief) is None for belief in beliefs):
            wanted = f"none beside model {self.model.kind}: records of finitely many values are conditioned on answers"
            raise InputError("adversary.answers", f"{len(self.adversary.answers)} of them", wanted)

    def channels(self) -> Iterator[FiniteChannel]:
        """Makes one channel per class of exchangeable people whose group the answer depends on, law by law.

        Raises:
            InputError: Records are real numbers, or the secret is who is absent: use `all_channels` there.
        """
        self.worlds.check_finite()
        for world in self.worlds.finite:
            yield from world.complete(self.noise)

    def all_channels(self) -> Iterator[Channel]:
        """Makes the channels of secrets of any kind, law by law."""
        for world in self.worlds:
            yield from world.channels(self.noise)

    @property
    def query(self) -> Query:
        """The query. InputError where there is none."""
        if self._query is None:
            raise InputError("query", "missing", "a section [query] with a kind")
        return self._query

    @property
    def secret(self) -> Literal["record", "number", "absence"]:
        """The kind of the secret: records of finitely many values, real numbers under some law, or who is absent."""
        return self.worlds.secret

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the answer's coordinates."""
        return self.worlds[0].names

    @property
    def scores(self) -> Scores:
        """The query's scores on the first law's strata. InputError where the records are real numbers."""
        scores = self.worlds[0].scores
        if scores is None:
            # The case of a query about normal records: the error says so.
            self.worlds.check_finite()
        assert scores is not None
        return scores

    @property
    def lattice(self) -> Lattice:
        """The lattice of the answers, the same for all laws of the model.

        If none is known, and for real numbers, it has steps of 2^-60.
        """
        if self.secret == "absence":
            # The case of values without a common divisor, as for a mean: a fine lattice stands for the reals.
            known = [world.lattice.steps[0] for world in self.worlds if world.lattice is not None]
            step = lattice_of([[each] for each in known]).steps[0] if len(known) == len(self.worlds) else _FINE
            return Lattice((step,))
        return Lattice((_FINE,) * len(self.names)) if self.secret == "number" else self.scores.lattice

    @property
    def sensitivity(self) -> Fraction:
        """Δ: the most one record can move the answer (L1), in the query's unit.

        Meaningless where secrets are of several people.
        """
        return self.worlds.sensitivity


def _check_sample(secrets: Secrets, adversary: Adversary) -> None:
    """Raises InputError for secrets of several people, and for known answers, where a sample is asked."""
    if not secrets.of_records:
        wanted = "one person's record each where a sample is asked: several people are not drawn together"
        raise InputError("secrets", "of several people", wanted)
    # Because a published total is one of everybody, and the answers here are those of the sample.
    if adversary.answers:
        wanted = "none where a sample is asked: answers about everybody are no answers of the sample"
        raise InputError("adversary.answers", f"{len(adversary.answers)} of them", wanted)


def _section(given: _T | None, wanted: type[_T], key: str) -> _T | None:
    if given is None or isinstance(given, wanted):
        return given
    raise InputError(key, shown(given), f"an object: {wanted.__name__}(...)")


def checked(given: object) -> Release:
    """Returns the Release `given`; InputError for anything else, such as its model alone."""
    if isinstance(given, Release):
        return given
    raise InputError("release", shown(given), "a Release(model, query, noise)")


_OF_MEASUREMENT: Final = wings.Part[Callable[[Model, Any, Secrets | None, Adversary | None], Release]](
    "release of a measurement"
)
