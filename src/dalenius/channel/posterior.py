"""The posterior after a release: each class of people given the answers, and how surprising the answers are."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import final

from dalenius.bounds import Enclosure
from dalenius.channel.channel import ChannelAtOutput, Update
from dalenius.channel.leakage import Largest
from dalenius.channel.release import Release, checked
from dalenius.channel.world import World
from dalenius.errors import InputError
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.noise import Answer
from dalenius.noise.place_of_given_output import numbers_of
from dalenius.tabular import Cell, Tabular, between, cell, ends


@final
@dataclass(frozen=True)
class Standing:
    """The place of the answers among all that the law makes possible.

    Attributes:
        person: The first number of the class that the answers leak most about.
        leaks: The probability of answers that leak at least as much (but for a rounding) about that class; None where
            it is not known.
        sides: By coordinate of the answer, the probabilities of at most, and at least, the released one; None for
            words, and where no secret moves that coordinate or it is not known.
    """

    person: int
    leaks: Enclosure | None
    sides: tuple[Sides | None, ...]


@final
@dataclass(frozen=True)
class LawPosterior:
    """The posterior under one law of the model.

    Attributes:
        law: The number of the law, from 1.
        people: The classes of exchangeable people about whom the answers may say something, in the order of their
            first numbers.
        stands: The place of the answers among all possible; None where there are no such people.
        likelihood: The log-probability (or density, per the query's unit) of all coordinates that these people's
            records move, in nats. None where the law rules the answers out: then nothing is said of anybody.
    """

    law: int
    people: tuple[Update, ...]
    stands: Standing | None
    likelihood: Enclosure | None

    @property
    def most(self) -> Update | None:
        """The first class that these answers may leak most about; None where there is none."""
        largest = Largest[Update]()
        for each in self.people:
            largest.add(each.leaks, each)
        return largest.first


@final
@dataclass(frozen=True, repr=False)
class Posterior(Tabular):
    """The posterior of each class of people given released answers, under every law of the model.

    Attributes:
        answers: The answers as released.
        names: The names of the coordinates.
        laws: The posteriors, law by law.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> found = dl.posterior(release, [3])
        >>> len(found.laws), round(found.worst.most.leaks.middle, 6)
        (1, 0.351126)
    """

    answers: tuple[Answer, ...]
    names: tuple[str, ...]
    laws: tuple[LawPosterior, ...]

    @property
    def caption(self) -> str:
        """The title of the table."""
        return f"Chances of {self.laws[0].people[0].what} after the answers" if any(self._rows) else "Nothing is said"

    @property
    def _rows(self) -> Iterator[tuple[LawPosterior, Update]]:
        return ((law, each) for law in self.laws for each in law.people)

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each law, class of people and value, or one without a value for Gaussian records.

        The columns are law, person (the first number), people (how many), who, value, prior, posterior_lower and
        posterior_upper (probabilities), leaks_lower and leaks_upper (nats, of the class).
        """
        found: list[dict[str, Cell]] = []
        for law, each in self._rows:
            whose: dict[str, Cell] = {"law": law.law, "person": each.person, "people": each.people, "who": each.who}
            for value in each.values or (None,):
                chances: dict[str, Cell] = {
                    "value": None if value is None else str(value.value),
                    "prior": None if value is None else value.prior,
                    **ends("posterior", None if value is None else value.posterior),
                }
                found.append(whose | chances | ends("leaks", each.leaks))
        return found

    def shown(self) -> list[dict[str, str]]:
        """Return the rows as people read them: ends that agree as one number."""
        names = ("law", "person", "who", "value", "prior")
        return [
            {
                **{name: cell(row[name]) for name in names},
                "posterior": between(row, "posterior"),
                "leaks (nats)": between(row, "leaks"),
            }
            for row in self.records()
        ]

    @property
    def worst(self) -> LawPosterior:
        """The first law under which the answers may leak most."""
        largest = Largest[LawPosterior]()
        for each in self.laws:
            if each.likelihood is not None:
                largest.add(Enclosure(0.0, 0.0) if each.most is None else each.most.leaks, each)
        return largest.first or self.laws[0]


def posterior(release: Release, answers: Sequence[Answer] | Answer) -> Posterior:
    """Returns the posterior of each class of people, by Bayes' rule on the release's exact channels.

    Args:
        release: The model, the query and the noise that made the answers.
        answers: One answer for each coordinate of the release: a number in the query's unit (a float, or a text, as
            the decimal it is written as) or a kernel's word. A single one needs no list.

    Returns:
        Priors and posteriors by law and class of people, and how likely answers are that say as much.

    Raises:
        InputError: The answers are not as many, are no outputs of the noise, or are ruled out by every law of the
            model (key `answers`).

    Example:
        Two days are alike with .9, and a count with noise of scale 2 gave 3. Then each day was ill with .710333. A
        share of 0.676199 of all outputs says at least as much.

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> found = posterior(dl.Release(days, dl.Count(), dl.Laplace(scale=2.0)), [3])
        >>> [round(each.posterior.middle, 6) for each in found.worst.most.values]
        [0.289667, 0.710333]
        >>> round(found.worst.stands.leaks.middle, 6)
        0.676199
    """
    checked(release)
    given = tuple(answers) if isinstance(answers, Iterable) and not isinstance(answers, str) else (answers,)
    if len(given) != len(release.names):
        named = ", ".join(name for name in release.names if name)
        wanted = f"{len(release.names)}, one per coordinate{f' ({named})' if named else ''}"
        raise InputError("answers", f"{len(given)} of them", wanted)
    if release.noise.shape.additive:
        numbers_of(given)  # before any law is made
    found, ruled_out = [], None
    for number, world in enumerate(release.worlds, 1):
        try:
            found.append(_under(number, world, release, given))
        # Because a law that makes the answers impossible is no longer believed, and the other laws of the model are.
        except _RuledOut as error:
            found.append(LawPosterior(number, (), None, None))
            ruled_out = ruled_out or error
    if all(each.likelihood is None for each in found) and ruled_out is not None:
        raise ruled_out.wanted
    return Posterior(given, release.names, tuple(found))


class _RuledOut(Exception):
    def __init__(self, wanted: InputError) -> None:
        self.wanted = wanted
        super().__init__(str(wanted))


def _under(number: int, world: World, release: Release, answers: tuple[Answer, ...]) -> LawPosterior:
    """Returns one law's block; _RuledOut where that law makes the answers impossible."""
    at_outputs = []
    for channel in world.singly(release.noise):
        try:
            at_outputs.append(channel.at(answers))
        except InputError as error:
            if error.key != "answers":
                raise
            raise _RuledOut(error) from None
    ordered = sorted((update.person, place, update, own) for place, (update, own) in enumerate(_updates(at_outputs)))
    owners = [own for *_, own in ordered]
    people = tuple(update for _, _, update, _ in ordered)
    block = LawPosterior(number, people, None, _likelihood(at_outputs))
    # The case of a law under which nobody's record moves the answer.
    if block.most is None:
        return block
    most = block.most
    own = next(owner for owner, update in zip(owners, people, strict=True) if update is most)
    # Because roundings would leave the very output out, this is a little less than the leakage.
    # Outputs that leak less by no more than this, in nats and relatively, count as equal, because rounding would decide
    # among them.
    level = most.leaks.lower - 1e-9 * max(1.0, most.leaks.lower)
    # Because every output leaks at least 0.
    share = Enclosure(1.0, 1.0) if level <= 0 else own.exceeded(most, level)
    stands = Standing(most.person, share, _sides(at_outputs, len(answers)))
    return LawPosterior(number, people, stands, block.likelihood)


def _updates(at_outputs: Sequence[ChannelAtOutput]) -> Iterator[tuple[Update, ChannelAtOutput]]:
    for own in at_outputs:
        yield from ((update, own) for update in own.updates)


def _likelihood(at_outputs: Sequence[ChannelAtOutput]) -> Enclosure:
    """Adds up the likelihoods of the coordinates.

    Those that share no group of records are independent; channels of the same ones have the same mixture.
    """
    # So that the first channel of each set of coordinates stays: reversed.
    first = {own.axes: own.likelihood for own in reversed(at_outputs)}
    return Enclosure(sum(each.lower for each in first.values()), sum(each.upper for each in first.values()))


def _sides(at_outputs: Sequence[ChannelAtOutput], axes: int) -> tuple[Sides | None, ...]:
    """Returns the probabilities of at most, and at least, the answer, by coordinate; None where no channel has them."""
    found: list[Sides | None] = [None] * axes
    for own in {each.axes: each for each in reversed(at_outputs)}.values():
        for axis, sides in zip(own.axes, own.sides(), strict=True):
            found[axis] = sides
    return tuple(found)
