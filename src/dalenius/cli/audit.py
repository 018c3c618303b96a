"""`dalenius audit`: what a release really leaks about one person.

Each notion has a line: its leakage in nats, both ends where they differ; about whom it is largest; at which output and
against which other value; and how likely that output is. Whoever promises e^0.5 and reads 0.62 there has promised too
much. Options add what else may be asked: deltas, tails, accuracy, the best attacker, a model that is off by a factor.

Two households of two, in each of which 0, 1 or 2 are ill with probabilities 0.9, 0.05 and 0.05, and their count with
geometric noise of scale 4: the inferential line says 0.415760 nats, about person 1, for 1 against 0 at output 4; an
output that leaks so much has probability 0.227, and one that leaks nine tenths of it 0.819. The differential line says
0.250000: whoever knows all others learns less than whoever knows the household's law only. With `--epsilon 0.2` there
is a delta of 0.0998 beside it, and with `--within 5` that the answer is off by 5 or more with probability 0.322.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Annotated, Final

from dalenius.bounds import Enclosure, either
from dalenius.calibration import accuracy
from dalenius.channel import Release, largest_tail
from dalenius.channel.leakage import NEAR
from dalenius.cli.options import (
    AsJson,
    DataFile,
    Encoding,
    Memory,
    Plugins,
    ProgressLines,
    Quiet,
    SpecFile,
    Verbose,
    Within,
    check_within,
    number_option,
    option,
)
from dalenius.cli.output import Further, advise, omitted_part, print_json, print_table, say, working
from dalenius.cli.reading import bound
from dalenius.errors import InputError, Meaningless
from dalenius.models import confidence_of
from dalenius.notions import ALL_NOTIONS, Leakage, Notion, audit as audit_release, by_question, leakage_in_words
from dalenius.omitted import with_omitted
from dalenius.plotting import check_picture
from dalenius.spec import Spec, read_spec
from dalenius.spec.questions_shown import questions_json, questions_table
from dalenius.spec.results_as_json import accuracy_json, delta_json, leakage_json, tail_json
from dalenius.spec.results_in_words import (
    accuracy_words,
    companion_words,
    enclosed,
    how_likely as how_chancy,
    tail_words,
    where,
    whose,
)
from dalenius.spec.spec import level_in_words

_NATS: Final = "nats: natural logarithms of factors; 0.6931 (ln 2) is a factor of 2, 0 is nothing"
_NUMBERED: Final = "person: the model numbers people itself"


# The options that want a model's laws.
_OF_LAWS: Final = ("--tradeoff", "--how-likely", "--relations", "--robust", "--plot", "--within")


def audit(
    spec: SpecFile,
    json: AsJson = False,
    epsilon: Annotated[
        float | None, number_option("Also report the least delta at this epsilon, for every notion that has one.")
    ] = None,
    engine: Annotated[
        str | None,
        option("The engine: enumeration, factor, convolution, tilting or window; bounds if only pairs are known."),
    ] = None,
    data: DataFile = None,
    encoding: Encoding = None,
    tradeoff: Annotated[
        Path | None,
        option("Also draw true positives against false alarms of the best attacker: PNG, SVG or PDF, and a CSV."),
    ] = None,
    verbose: Verbose = False,
    plugin: Plugins = None,
    how_likely: Annotated[
        bool, option("Also report how likely outputs are that leak much.", name="--how-likely")
    ] = False,
    tail: Annotated[
        Path | None,
        option("Also draw how likely outputs are that leak more than each epsilon: PNG, SVG or PDF, and a CSV."),
    ] = None,
    within: Within = None,
    relations: Annotated[
        bool, option("Also report which promise implies which, with the numbers of each.", name="--relations")
    ] = False,
    robust: Annotated[
        float | None,
        number_option(
            "Also report the leakage if every probability of the model is off by a factor e^(+-r), for r up to this."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        option(
            "Also draw the leakage by notion, and by size of household or position in the chain: PNG, SVG or PDF, "
            "and a CSV."
        ),
    ] = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Measure what a release leaks by every notion, and name the person about whom it leaks most."""
    # What is wrong with an option is said before the spec is read, and before anything is computed for minutes.
    if epsilon is not None and not (isfinite(epsilon) and epsilon >= 0):
        raise InputError("--epsilon", epsilon, "a finite number of at least 0")
    check_within(within)
    if robust is not None and not (isfinite(robust) and robust > 0):
        raise InputError("--robust", robust, "a finite number above 0: every probability off by a factor e^±r")
    for picture, key in ((tradeoff, "plot"), (tail, "--tail"), (plot, "plot")):
        if picture is not None:
            check_picture(picture, key)
    start = perf_counter()
    with working("auditing"):
        read, people = bound(read_spec(spec).in_encoding(encoding), spec.parent, data)
        # Moments have no laws, and so no leakages: what theorems certify of the exact sum is printed instead.
        if read.of_moments:
            _check_moments(tradeoff, how_likely or tail, relations, robust, plot, within)
            from dalenius.cli.certificates import print_certificates

            print_certificates(read, epsilon, json)
            return
        release = read.audited(engine)
        precise = None if within is None else accuracy(release, within)
        every = _audited_notions(read.notions)
        found = audit_release(release, every, how_likely=True)
        notions = [notion for notion in every if notion.kind in found]
        deltas = {} if epsilon is None else _deltas(release, notions, epsilon)
        each = [] if read.questions is None else [_each_question(read, engine, notions, found)]
        further: list[Further] = []
        if how_likely or tail is not None:
            further.append(_tail(release, tail))
        if precise is not None:
            words = "accuracy: " + accuracy_words(precise, several=len(release.names) > 1)
            further.append(Further({"accuracy": accuracy_json(precise)}, partial(say, words)))
        # Laws of pairs that cannot hold beside what is supposed of everybody else; `why` says it in JSON.
        if (contradiction := release.worlds.contradiction) is not None:
            further.append(Further({}, partial(say, f"no promise: {contradiction}")))
        # A model that was fitted to data: with which confidence the truth is among its laws.
        if (level := confidence_of(read.model)) is not None:
            further.append(Further({"confidence": level}, partial(say, level_in_words(level))))
        further += omitted_part(release.omitted)
        if tradeoff is not None:
            from dalenius.cli.tradeoff import tests_of

            further.append(tests_of(release, tradeoff))
        # Each of these is a wing's: the command knows what it is called, and not how it is done.
        if robust is not None:
            from dalenius.cli.robust import robust_of

            further.append(robust_of(release, robust, read.notions))
        if relations:
            from dalenius.cli.relations import implied_by

            further.append(implied_by(release))
        if plot is not None:
            from dalenius.reports.plots_of_leakage import audit_figure

            audit_figure(release, found, read.notions, notions, plot)
        limited = release.worlds.refusal
    seconds = perf_counter() - start
    if limited is not None:
        advise(f"bounds only: {limited}")
    name, why = described(release)
    named = {notion.kind: notion for notion in notions}
    if json:
        shown = {kind: leakage_json(leakage, named.get(kind)) for kind, leakage in found.items()}
        shown |= {kind: shown[kind] | delta_json(delta) for kind, delta in deltas.items()}
        extra = {key: value for part in (*each, *further) for key, value in part.as_json.items()}
        print_json({"engine": name, "why": why, "seconds": seconds, "leakage": shown, **extra})
        return
    _print(found, people is not None and people.ordered)
    for part in each:
        part.show()
    # The column of probabilities has two numbers: the worst output may be rare, and those like it not.
    if any(leakage.witness is not None and leakage.witness.log_near is not None for leakage in found.values()):
        say(f"near: the probability that an output leaks at least {NEAR:.0%} of the leakage")
    for kind, leakage in found.items():
        if kind in named and (said := leakage_in_words(named[kind], leakage)):
            say(f"{kind}: {said}")
    for kind, delta in deltas.items():
        say(f"{kind} delta at epsilon {epsilon:g}: {either(delta)}")
    for part in further:
        part.show()
    if verbose:
        say(f"{name} engine ({why}), {seconds:.2f} s")


def _print(found: Mapping[str, Leakage], numbered: bool) -> None:
    """The table of an audit: a row for each notion, and below it those of its companions, such as its other direction.

    numbered: whether there is a table whose rows people may be looked up in.
    """
    rows = []
    for kind, leakage in found.items():
        rows.append([kind, enclosed(leakage), whose(leakage.witness), where(leakage), how_chancy(leakage)])
        rows += [[f"  {other}", companion_words(value), "", "", ""] for other, value in leakage.companions.items()]
    columns = ["notion", "leakage", "about whom", "where", "probability, near"]
    print_table("What the release leaks (nats)", columns, rows)
    say(_NATS)
    if numbered:
        say(_NUMBERED)


def _each_question(read: Spec, engine: str | None, notions: Sequence[Notion], found: Mapping[str, Leakage]) -> Further:
    """What each question of the spec leaks if it is the only one, and all together.

    found: of all together, as computed already. It is no sum: what several answers leak together is read from their
    joint law.
    """
    questions = read.questions or ()
    single = by_question(read.workload(questions).one_by_one(engine), notions)
    table = questions_table(single, notions, found)
    shown = {"questions": questions_json(questions, single, notions, found)}
    return Further(shown, lambda: print_table("Alone and together (nats)", *table))


def _tail(release: Release, path: Path | None) -> Further:
    """How likely outputs are that leak much about whom they are likeliest, with a picture at the path.

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


def _check_moments(*options: object) -> None:
    """InputError for what is asked of laws, where there are none but their moments.

    options: in the order of `_OF_LAWS`; None or False where an option was not given.
    """
    for of, given in zip(_OF_LAWS, options, strict=True):
        if given not in (None, False):
            law = "given by probabilities, to be off by a factor" if of == "--robust" else "whose laws are known"
            raise InputError(of, "model moments", f"a model {law}")


def _deltas(release: Release, notions: Iterable[Notion], epsilon: float) -> dict[str, Enclosure]:
    """The least delta of each notion that has one here: with that probability the epsilon need not hold."""
    found = {}
    for notion in notions:
        with suppress(Meaningless):  # a notion that has a delta, but not of this model
            found[notion.kind] = notion.least_delta(release, epsilon)
    return {kind: delta for kind, delta in found.items() if delta is not None}


def _audited_notions(notions: Iterable[Notion]) -> tuple[Notion, ...]:
    """The notions of every audit, and the spec's where they are others, or are not read from the channels alone.

    Each kind is audited once, in the order of the table.
    """
    # Two notions of one kind in a spec: the later one is audited, as a table has one line for each.
    named = {type(notion): notion for notion in notions}
    usual = [each if (own := named.get(type(each), each)).properties.of_channels else own for each in ALL_NOTIONS]
    return (*usual, *(notion for kind, notion in named.items() if kind not in map(type, ALL_NOTIONS)))


def described(release: Release) -> tuple[str, str]:
    """The engine by its public name, and why it was chosen.

    Of a product of parts each has an engine of its own: all that were used are named, and why the first was.
    """
    engines = release.worlds.engines()
    names = {engine if engine in ("enumeration", "bounds") else "factor" for engine, _ in engines}
    engine, why = engines[0] if engines else ("none", "nobody's record touches the answer")
    others = f", and {len(engines) - 1} more parts like it" if len(engines) > 1 else ""
    return " and ".join(sorted(names)) or "none", with_omitted(f"{engine}: {why}{others}", release.omitted)
