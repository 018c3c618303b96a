"""A request for an audit: the options of `dalenius audit`, checked, and what is computed for them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import final

from dalenius.bounds import Enclosure
from dalenius.calibration import Accuracy, accuracy
from dalenius.channel import Release, largest_tail
from dalenius.cli.audit_report import AuditReport
from dalenius.cli.options import check_within
from dalenius.cli.output import Further, advise, omitted_part, print_table, say
from dalenius.errors import InputError, Meaningless
from dalenius.models import confidence_of
from dalenius.notions import ALL_NOTIONS, Leakage, Notion, audit, by_question
from dalenius.omitted import with_omitted
from dalenius.plotting import check_picture
from dalenius.spec import Spec
from dalenius.spec.questions_shown import questions_json, questions_table
from dalenius.spec.results_as_json import accuracy_json, tail_json
from dalenius.spec.results_in_words import accuracy_words, tail_words


@final
@dataclass(frozen=True)
class AuditRequest:
    """A request for an audit, which says what is wrong with an option before anything is computed for minutes.

    Attributes:
        epsilon: The epsilon in nats at which deltas are wanted; None for no deltas.
        engine: The engine by name; None for the best one.
        tradeoff: Where the picture of the best attacker goes; None for no such picture.
        how_likely: Whether it is wanted how likely outputs are that leak much.
        tail: Where the picture of that goes; None for no such picture.
        within: How far answers may be off, in the query's own unit; None where that is not asked.
        relations: Whether it is wanted which promise implies which.
        robust: The logarithm of the factor by which probabilities may be off; None where that is not asked.
        plot: Where the picture of leakages goes; None for no such picture.
    """

    epsilon: float | None = None
    engine: str | None = None
    tradeoff: Path | None = None
    how_likely: bool = False
    tail: Path | None = None
    within: float | None = None
    relations: bool = False
    robust: float | None = None
    plot: Path | None = None

    def __post_init__(self) -> None:
        if self.epsilon is not None and not (isfinite(self.epsilon) and self.epsilon >= 0):
            raise InputError("--epsilon", self.epsilon, "a finite number of at least 0")
        check_within(self.within)
        if self.robust is not None and not (isfinite(self.robust) and self.robust > 0):
            wanted = "a finite number above 0: every probability off by a factor e^±r"
            raise InputError("--robust", self.robust, wanted)
        for picture, key in ((self.tradeoff, "plot"), (self.tail, "--tail"), (self.plot, "plot")):
            if picture is not None:
                check_picture(picture, key)

    def check_by_map(self, constructor: str) -> None:
        """Checks that nothing is asked of outputs, where a measurement is known by its map alone.

        Raises InputError, which names the `constructor` that is not read.
        """
        options = {
            "--engine": self.engine,
            "--tradeoff": self.tradeoff,
            "--how-likely": self.how_likely or None,
            "--tail": self.tail,
            "--within": self.within,
            "--relations": self.relations or None,
            "--robust": self.robust,
            "--plot": self.plot,
        }
        for option, given in options.items():
            if given is not None:
                raise InputError(option, constructor, "a measurement with known constructors only")

    def check_moments(self) -> None:
        """Checks that nothing is asked of laws, for a model of moments, which has none. Raises InputError."""
        wanted = {
            "--tradeoff": self.tradeoff is not None,
            "--how-likely": self.how_likely or self.tail is not None,
            "--relations": self.relations,
            "--robust": self.robust is not None,
            "--within": self.within is not None,
        }
        for option, given in wanted.items():
            if given:
                law = (
                    "given by probabilities, to be off by a factor" if option == "--robust" else "whose laws are known"
                )
                raise InputError(option, "model moments", f"a model {law}")

    def run(self, spec: Spec, numbered: bool, start: float) -> AuditReport:
        """Audits the release of `spec`, whose table is read.

        Args:
            spec: The spec; its model has laws.
            numbered: Whether people are the rows of a table.
            start: When the command began, by `perf_counter`, in seconds.
        """
        release = spec.audited(self.engine)
        precise = None if self.within is None else accuracy(release, self.within)
        every = _audited_notions(spec.notions)
        found = audit(release, every, how_likely=True)
        notions = [notion for notion in every if notion.kind in found]
        for notion in spec.notions:
            if notion.kind not in found:
                _say_why_not(notion, release)
        deltas = {} if self.epsilon is None else _deltas(release, notions, self.epsilon)
        questions = [] if spec.questions is None else [_each_question(spec, self.engine, notions, found)]
        further = list(self._further(spec, release, precise))
        if self.plot is not None:
            from dalenius.reports.plots_of_leakage import audit_figure

            audit_figure(release, found, spec.notions, notions, self.plot)
        limited = release.worlds.refusal
        named = {notion.kind: notion for notion in notions}
        return AuditReport(
            found,
            named,
            self.epsilon,
            deltas,
            questions,
            further,
            *described(release),
            perf_counter() - start,
            numbered,
            None if limited is None else str(limited),
        )

    def _further(self, spec: Spec, release: Release, precise: Accuracy | None) -> Iterator[Further]:
        """Answers the options beside the table, in the order in which they are shown."""
        if self.how_likely or self.tail is not None:
            yield _tail(release, self.tail)
        if precise is not None:
            words = "accuracy: " + accuracy_words(precise, several=len(release.names) > 1)
            yield Further({"accuracy": accuracy_json(precise)}, partial(say, words))
        # Where laws of pairs cannot hold beside what is supposed of everybody else; `why` says it in JSON.
        if (contradiction := release.worlds.contradiction) is not None:
            yield Further({}, partial(say, f"no promise: {contradiction}"))
        # Where the model was fitted to data: with which confidence the truth is among its laws.
        if (level := confidence_of(spec.model)) is not None:
            from dalenius.spec.suppositions import level_in_words

            yield Further({"confidence": level}, partial(say, level_in_words(level)))
        yield from omitted_part(release.omitted)
        # Because their libraries are slow to import, these are imported where they are asked for.
        if self.tradeoff is not None:
            from dalenius.cli.tradeoff import tests_of

            yield tests_of(release, self.tradeoff)
        if self.robust is not None:
            from dalenius.cli.robust import robust_of

            yield robust_of(release, self.robust, spec.notions)
        if self.relations:
            from dalenius.cli.relations import implied_by

            yield implied_by(release)


def _each_question(read: Spec, engine: str | None, notions: Sequence[Notion], found: Mapping[str, Leakage]) -> Further:
    """Computes the leakage of each question of the spec if it is the only one, and of all together.

    found: of all together, as computed already. It is no sum: what several answers leak together is read from their
    joint law.
    """
    questions = read.questions or ()
    single = by_question(read.workload(questions).one_by_one(engine), notions)
    table = questions_table(single, notions, found)
    shown = {"questions": questions_json(questions, single, notions, found)}
    return Further(shown, lambda: print_table("Alone and together (nats)", *table))


def _tail(release: Release, path: Path | None) -> Further:
    """Computes how likely outputs are that leak much, about the class where they are likeliest.

    path: of the picture and, with the suffix .csv, its numbers; None where only words are wanted.
    """
    likely = largest_tail(channel.tail() for channel in release.all_channels())
    if likely is None:  # nobody's record moves the answers
        return Further({"tail": None}, lambda: None)
    shown = tail_json(likely)
    lines = tail_words(shown)
    if path is not None:
        from dalenius.reports.plots_of_leakage import tail_figure

        tail_figure(likely, path)
        lines.append(f"wrote {path} and {path.with_suffix('.csv')}")

    def show() -> None:
        for line in lines:
            say(line)

    return Further({"tail": shown}, show)


def _say_why_not(notion: Notion, release: Release) -> None:
    """Advises why a promised notion says nothing of this release, as Rényi privacy beside Gaussian noise."""
    try:
        notion.leakage(release)
    except Meaningless as error:
        advise(f"{notion.kind} is not reported: {error}")


def _deltas(release: Release, notions: Iterable[Notion], epsilon: float) -> dict[str, Enclosure]:
    """Computes the least delta of each notion that has one here: with that probability the epsilon need not hold."""
    found = {}
    for notion in notions:
        with suppress(Meaningless):  # a notion that has a delta, but not of this model
            found[notion.kind] = notion.least_delta(release, epsilon)
    return {kind: delta for kind, delta in found.items() if delta is not None}


def _audited_notions(notions: Iterable[Notion]) -> tuple[Notion, ...]:
    """Returns the notions of every audit, and the spec's where they are others, or are not read from channels alone.

    Each kind is audited once, in the order of the table.
    """
    # Where a spec has two notions of one kind, the later one is audited, as a table has one line for each.
    named = {type(notion): notion for notion in notions}
    usual = [each if (own := named.get(type(each), each)).properties.of_channels else own for each in ALL_NOTIONS]
    return (*usual, *(notion for kind, notion in named.items() if kind not in map(type, ALL_NOTIONS)))


def described(release: Release) -> tuple[str, str]:
    """Returns the engine of `release` by its public name, and why it was chosen.

    Each part of a product has an engine of its own: all that were used are named, and why the first was.
    """
    engines = release.worlds.engines()
    names = {engine if engine in ("enumeration", "bounds") else "factor" for engine, _ in engines}
    engine, why = engines[0] if engines else ("none", "nobody's record touches the answer")
    others = f", and {len(engines) - 1} more parts like it" if len(engines) > 1 else ""
    return " and ".join(sorted(names)) or "none", with_omitted(f"{engine}: {why}{others}", release.omitted)
