"""`dalenius convert`: what any differentially private pipeline can leak under a model, and back.

250 households of four, ill as [0.9, 0.04, 0, 0, 0.06], and a pipeline with --epsilon 1 --neighbours replace: the odds
of a member being ill change by up to 3.800166 nats, which is 44.71-fold, and no chance grows by more than 2.399081
nats, 11.02-fold. Back from the promise of 1 nat for the odds, the largest pure pipeline has ε = 0.273352.
"""

from collections.abc import Mapping, Sequence
from math import inf, isfinite, isinf
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Final, TypeAlias

from dalenius.bounds import Enclosure, down_to_digits, from_below, up_to_digits
from dalenius.cli.options import (
    AsJson,
    DataFile,
    Encoding,
    Memory,
    Plugins,
    ProgressLines,
    Quiet,
    SpecFile,
    number_option,
    option,
)
from dalenius.cli.output import print_json, print_table, say, working
from dalenius.cli.reading import bound
from dalenius.conversion import (
    ApproximateProfile,
    Conversion,
    Converted,
    GaussianProfile,
    Neighbours,
    PrivacyProfile,
    PureProfile,
    ZeroConcentrated,
    check_delta,
    check_epsilon,
    largest,
    read_event,
    read_profile,
)
from dalenius.conversion.plot import draw_conversion, left_by_delta, left_by_epsilon
from dalenius.conversion.resolution import SHARE, delta_not_resolved_below, not_resolved_below
from dalenius.errors import InputError
from dalenius.models import Model
from dalenius.notions import InferentialPrivacy, InformationPrivacy, in_words
from dalenius.omitted import Omitted, omitted_json, with_omitted
from dalenius.plotting import check_picture
from dalenius.spec import read_model
from dalenius.spec.results_as_json import number, printed

_POINTS: Final = 11
"""Of the curve, at equal steps of ε′."""
_GUARANTEES: Final = "one of --epsilon, --rho, --gdp, --profile and --event"
_NOTIONS: Final = {"inferential": False, "information": True}
"""And whether it compares a value with what the record may be."""


def convert(
    spec: SpecFile,
    neighbours: Annotated[
        str | None,
        option(
            "What the pipeline's guarantee compares: replace (another value of a record) or add_remove (a record more "
            "or less). Needed, unless an --event states it."
        ),
    ] = None,
    epsilon: Annotated[float | None, number_option("The pipeline is epsilon-private.")] = None,
    delta: Annotated[float | None, number_option("With --epsilon: the pipeline is (epsilon, delta)-private.")] = None,
    rho: Annotated[float | None, number_option("The pipeline is rho-zero-concentrated.")] = None,
    gdp: Annotated[float | None, number_option("The pipeline is mu-Gaussian private.")] = None,
    profile: Annotated[Path | None, option("Its privacy profile: a CSV of epsilon and delta.")] = None,
    event: Annotated[Path | None, option("What the pipeline does: a JSON file of events, which are added up.")] = None,
    at_epsilon: Annotated[float | None, number_option("Report the delta that can leak at this epsilon.")] = None,
    at_delta: Annotated[float | None, number_option("Report the epsilon that can leak at this delta.")] = None,
    promise: Annotated[
        bool, option("Report the largest pipelines that leak at most --at-epsilon, --at-delta.", name="--promise")
    ] = False,
    plot: Annotated[
        Path | None,
        option("Also draw what is left of the guarantee, beside the pipeline's own: PNG, SVG or PDF, and a CSV."),
    ] = None,
    json: AsJson = False,
    data: DataFile = None,
    encoding: Encoding = None,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Convert the guarantee of a differentially private pipeline to a leakage under the model, or back."""
    start = perf_counter()
    pipeline = None if event is None else read_event(event)
    if pipeline is not None:
        # A file of events says what its neighbours are: another word on the command line is a mistake.
        if neighbours not in (None, pipeline.neighbours):
            raise InputError("--neighbours", neighbours or "", f"{pipeline.neighbours}, as {event} has it")
        neighbours = pipeline.neighbours
    # Nothing is assumed: a guarantee for add_remove that is read as one for replace would promise too much.
    if neighbours not in ("replace", "add_remove"):
        raise InputError("--neighbours", neighbours or "missing", "replace or add_remove, as the guarantee was given")
    given = {"--epsilon": epsilon, "--rho": rho, "--gdp": gdp, "--profile": profile, "--event": event}
    named = [name for name, value in given.items() if value is not None]
    # Back from a promise: there is no pipeline yet, and its guarantee is what is looked for.
    if promise:
        if named or delta is not None:
            raise InputError("--promise", ", ".join(named) or "--delta", "no guarantee: it is what is looked for")
        if at_epsilon is None:
            raise InputError("--at-epsilon", "missing", "the epsilon that is promised")
    # None, or several about one pipeline: which of them counts is not guessed.
    elif len(named) != 1:
        raise InputError("guarantee", ", ".join(named) or "missing", _GUARANTEES)
    # --delta is the pipeline's own: whoever means the delta that can leak writes --at-delta.
    elif delta is not None and epsilon is None:
        raise InputError("--delta", delta, "an --epsilon beside it")
    # Of epsilon and delta one is given, and the other is what is found.
    elif at_epsilon is not None and at_delta is not None:
        raise InputError("--at-delta", at_delta, "one of --at-epsilon and --at-delta")
    # Before minutes of work: an ending that no picture has, such as .txt.
    if plot is not None:
        check_picture(plot)
        if promise:
            raise InputError("--plot", str(plot), "a guarantee, no --promise")
    if at_epsilon is not None:
        check_epsilon(at_epsilon, "--at-epsilon")
    if at_delta is not None:
        check_delta(at_delta, "--at-delta")
    kind: Neighbours = "replace" if neighbours == "replace" else "add_remove"
    with working("converting"):
        read = read_model(spec).in_encoding(encoding)
        # A file written for `audit`, whose adversary knows totals or records: here the law is that of all records.
        if read.adversary.answers:
            wanted = "none here: a conversion is for the law of all records, given no total"
            raise InputError("adversary.answers", f"{len(read.adversary.answers)} of them", wanted)
        if read.adversary.known:
            wanted = "none here: a conversion is for the law of all records"
            raise InputError("adversary.known", f"{len(read.adversary.known)} of them", wanted)
        read.secrets.check_of_records("the conversion")
        read = bound(read, spec.parent, data)[0]
        model = read.model
        if promise and at_epsilon is not None:
            sizes, limits = _largest(model, kind, at_epsilon, at_delta or 0.0)
            source = Conversion(model, PureProfile(at_epsilon), kind).source
            why = f"no pipeline with such a guarantee between neighbours by {neighbours} leaks more; {source}"
            why = with_omitted(why, read.omitted)
            _print_promise(sizes, limits, at_epsilon, at_delta or 0.0, why, json, start, read.omitted)
            return
        known = pipeline.profile() if pipeline is not None else _profile(epsilon, delta, rho, gdp, profile)
        at = at_delta if at_delta is not None else 0.0 if known.pure is not None and at_epsilon is None else None
        # Gaussian noise, or a table whose last delta is above 0: no epsilon is enough at delta 0, and none is guessed.
        if at is None and at_epsilon is None:
            raise InputError("--at-delta", "missing", "a delta above 0, or --at-epsilon: no epsilon has delta 0 here")
        made = {name: Conversion(model, known, kind, information) for name, information in _NOTIONS.items()}
        found = {
            name: each.delta(at_epsilon) if at_epsilon is not None else each.epsilon(at or 0.0)
            for name, each in made.items()
        }
        ends = {name: (made[name], each.value) for name, each in found.items()}
        unresolved = {name: _unresolved(*each, at_epsilon, at or 0.0) for name, each in ends.items()}
        curve = _curve(made["inferential"], found["inferential"].value, at_epsilon)
        if plot is not None:
            _draw(made, curve, known, pure=at_epsilon is None and not at, path=plot)
    why = (
        f"no pipeline with this guarantee between neighbours by {neighbours} leaks more, whatever it computes "
        f"and however adaptively; {made['inferential'].source}"
    )
    why = with_omitted(why, read.omitted)
    if json:
        print_json(
            {
                **{name: _conversion_json(each, at_epsilon, at, unresolved[name]) for name, each in found.items()},
                "neighbours": neighbours,
                "curve": [[number(e), number(up_to_digits(d, 6))] for e, d in curve],
                "why": why,
                "seconds": perf_counter() - start,
                **omitted_json(read.omitted),
            }
        )
        return
    what = f"delta at epsilon {at_epsilon:g}" if at_epsilon is not None else f"epsilon (nats) at delta {at:g}"
    least = 1e-12 if at_epsilon is None else 1e-280
    rows = [[name, _shown(each.value, least), _whom(each), _pair(each)] for name, each in found.items()]
    print_table("What the pipeline can leak", ["notion", what, "about whom", "secret"], rows)
    for name, each in found.items():
        words = _in_words(name, each.value.upper, at_epsilon, at or 0.0)
        if words is not None:
            say(f"{name}: {words}")
    for name, below in unresolved.items():
        if below is not None:
            say(f"{name}: {_unresolved_words(below)}")
    print_table("inferential", ["epsilon", "delta"], [[f"{e:g}", f"{d:.6g}"] for e, d in curve])
    say(f"{why}, {perf_counter() - start:.2f} s")


def _profile(
    epsilon: float | None, delta: float | None, rho: float | None, gdp: float | None, path: Path | None
) -> PrivacyProfile:
    """The pipeline's profile, by the one guarantee that was given."""
    if epsilon is not None:
        return ApproximateProfile(epsilon, delta) if delta else PureProfile(epsilon)
    if rho is not None:
        return ZeroConcentrated(rho)
    if gdp is not None:
        return GaussianProfile(gdp)
    assert path is not None
    return read_profile(path)


def _curve(made: Conversion, value: Enclosure, at_epsilon: float | None) -> tuple[tuple[float, float], ...]:
    """(ε′, δ′ from above), _POINTS of them from 0 nats to the ε′ that was asked at or found; a single one at 0 where
    nothing leaks."""
    # Nats at which the curve ends where epsilon is larger.
    last = at_epsilon if at_epsilon is not None else up_to_digits(min(value.upper, 10.0), 6)
    return made.curve([last * place / (_POINTS - 1) for place in range(_POINTS)] if last else [0.0])


def _draw(
    made: Mapping[str, Conversion], curve: Sequence[tuple[float, float]], known: PrivacyProfile, pure: bool, path: Path
) -> None:
    """Of a pure guarantee the epsilon that it leaves; of another, or where a delta is asked for, the deltas."""
    # Of two pure guarantees the epsilons say all; a delta, or noise such as Gaussian, needs the whole curve.
    if known.pure is not None and pure:
        draw_conversion(left_by_epsilon(made, known.pure), path)
        return
    epsilons = [epsilon for epsilon, _ in curve]
    curves = {name: curve if name == "inferential" else each.curve(epsilons) for name, each in made.items()}
    draw_conversion(left_by_delta(curves, known), path)


_Sizes: TypeAlias = dict[str, dict[str, float]]
"""By notion and parameter."""


def _largest(model: Model, neighbours: Neighbours, epsilon: float, delta: float) -> tuple[_Sizes, _Sizes]:
    """By notion, the largest parameter of every family (ε in nats, μ, ρ), from below; pure alone where no delta is
    allowed. Infinite where any pipeline keeps the promise. And the δ below which a parameter is not resolved, where it
    may be far below the largest one."""
    families: dict[str, Any] = {"epsilon": PureProfile}
    # At delta 0 Gaussian and zero-concentrated pipelines keep no promise: their delta is above 0 at every epsilon.
    if delta:
        families |= {"mu": GaussianProfile, "rho": ZeroConcentrated}
    found, unresolved = dict[str, dict[str, float]](), dict[str, dict[str, float]]()
    for name, information in _NOTIONS.items():
        made = Conversion(model, PureProfile(epsilon), neighbours, information)
        found[name] = {parameter: largest(made, family, epsilon, delta) for parameter, family in families.items()}
        unresolved[name] = {}
        for parameter, size in found[name].items():
            # Nothing keeps the promise, or anything does: there is no end to be far from.
            if not 0 < size < inf or not delta:
                continue
            other = made.with_profile(families[parameter](size))
            below = not_resolved_below(other, delta, other.epsilon(delta).value)
            if below is not None:
                unresolved[name][parameter] = below
    return found, unresolved


def _print_promise(
    sizes: _Sizes,
    unresolved: _Sizes,
    epsilon: float,
    delta: float,
    why: str,
    json: bool,
    start: float,
    omitted: Sequence[Omitted],
) -> None:
    """As a table of the largest parameters, a row for each notion; or as JSON."""
    if json:
        shown = {"why": why, "seconds": perf_counter() - start, **omitted_json(omitted)}
        below = {name: {key: number(value) for key, value in each.items()} for name, each in unresolved.items()}
        print_json(_promise_json(sizes, epsilon, delta) | {"not_resolved_below": below} | shown)
        return
    words = {"epsilon": "epsilon (pure)", "mu": "mu (Gaussian)", "rho": "rho (zero-concentrated)"}
    parameters = list(sizes["inferential"])
    rows = [[name, *(_number(each[parameter]) for parameter in parameters)] for name, each in sizes.items()]
    title = f"The largest guarantees that keep epsilon {epsilon:g}, delta {delta:g}"
    print_table(title, ["promised", *(words[parameter] for parameter in parameters)], rows)
    for name, each in unresolved.items():
        for parameter, end in each.items():
            said = "at any delta" if isinf(end) else f"below a delta of {end:g}"
            say(f"{name}, {parameter}: not resolved {said}: a larger one may keep the promise too")
    say(f"{why}, {perf_counter() - start:.2f} s")


def _in_words(name: str, found: float, epsilon: float | None, delta: float) -> str | None:
    """Of what was found: a delta at `epsilon` where that was asked, else an epsilon at `delta`. None where that is no
    promise."""
    at, of = (found, delta) if epsilon is None else (epsilon, up_to_digits(found, 6))
    # An infinite epsilon, or a delta of 1, promises nothing: there are no words for it.
    if isinf(at) or of >= 1:
        return None
    notion = InformationPrivacy(delta=of) if name == "information" else InferentialPrivacy(delta=of)
    return in_words(notion, epsilon=at)


def _unresolved(made: Conversion, value: Enclosure, at_epsilon: float | None, delta: float) -> float | None:
    """The δ below which both ends do not agree; None where they do."""
    return not_resolved_below(made, delta, value) if at_epsilon is None else delta_not_resolved_below(value)


def _unresolved_words(below: float) -> str:
    if isinf(below):
        return f"not resolved at any delta: its ends are further apart than {SHARE:.0%} of the upper one"
    return f"not resolved below a delta of {below:g}: there the upper end may be far above the truth"


def _number(value: float) -> str:
    """With nine digits, for a table's cell."""
    return "∞" if isinf(value) else f"{value:.9g}"


def _shown(value: Enclosure, least: float = 1e-12) -> str:
    """The upper end where the two agree to six digits, as for groups that are listed; else both, as for long chains.
    least: of nats, or of a probability, below which the ends differ by roundings alone."""
    if value.half_open:
        return from_below(value)
    if isinf(value.lower):
        return "∞"
    if value.upper - value.lower <= 1e-6 * value.upper or value.upper < least:
        return _number(value.upper) if isinf(value.upper) else f"{value.upper:.7g}"
    return f"{value.lower:.6g} to {_number(value.upper) if isinf(value.upper) else f'{value.upper:.6g}'}"


def _whom(found: Converted) -> str:
    """Who the upper end is about, for a table's cell; nobody where no record is uncertain."""
    return "nobody" if found.person is None else f"person {found.person}, {found.who}"


def _pair(found: Converted) -> str:
    """The value that is worst, and for `inferential` what it is compared with; empty where no record is uncertain."""
    if found.person is None:
        return ""
    return f"{found.secret}" if found.against is None else f"{found.secret} against {found.against}"


def _conversion_json(
    found: Converted, at_epsilon: float | None, at_delta: float | None, unresolved: float | None
) -> dict[str, Any]:
    """epsilon and delta, of which one was asked at; lower and upper enclose the other, which is given from above.
    unresolved: the delta below which they do not agree, if any."""
    # No epsilon is enough: an infinite end has no digits to be rounded to.
    low, _, high = (
        printed(found.value) if isfinite(found.value.upper) else (down_to_digits(found.value.lower, 9), inf, inf)
    )
    lower, upper = number(low), number(high)
    numbers = (
        {"epsilon": at_epsilon, "delta": upper} if at_epsilon is not None else {"epsilon": upper, "delta": at_delta}
    )
    whom = {"person": found.person, "who": found.who, "secret": found.secret}
    if found.against is not None:
        whom["against"] = found.against
    below = None if unresolved is None else number(unresolved)
    whose = None if found.person is None else whom
    return {**numbers, "lower": lower, "upper": upper, "not_resolved_below": below, "witness": whose}


def _promise_json(sizes: Mapping[str, Mapping[str, float]], epsilon: float, delta: float) -> dict[str, Any]:
    """By notion, the largest parameter of each family of guarantees; and what was promised."""
    found = {name: {key: number(value) for key, value in each.items()} for name, each in sizes.items()}
    return {"promised": {"epsilon": epsilon, "delta": delta}, "largest": found}
