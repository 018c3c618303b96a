"""The command `compare`: every method for the same promise.

Two tables: what each adds, sound ones of least error first, with how many times the least error that is; and what each
leaks in fact. A method that adds less noise than `exact` and is not sound is a published one whose theorem fails here:
the number in brackets says why.

Two households of two are counted, with inferential privacy of 0.5 nats. `exact` adds geometric noise of scale 3.335, an
error of 3.285, and achieves 0.500000. `group` adds scale 4 and achieves 0.415760. `independent` adds scale 2 and
achieves 0.842027. It is marked NO, because records depend on each other in groups of 2. No mechanism's error is below
0.3, which `optimal` attains. Seven methods do not apply: `--all` says that one of them wants a chain.
"""

from collections.abc import Sequence
from math import inf, isinf
from pathlib import Path
from typing import Annotated, Any, Final

from dalenius.bounds import Enclosure, near_to_digits
from dalenius.calibration import (
    Calibration,
    Compared,
    compare as compare_methods,
    least_possible,
    least_used,
    times_least,
    unbounded,
)
from dalenius.cli.options import AsJson, DataFile, Encoding, Memory, Plugins, ProgressLines, Quiet, SpecFile, option
from dalenius.cli.output import print_json, print_table, say, say_omitted, working
from dalenius.cli.reading import bound
from dalenius.notions import Notion, in_words, leakage_in_words
from dalenius.omitted import omitted_json
from dalenius.plotting import check_picture
from dalenius.spec import read_spec
from dalenius.spec.results_as_json import FEW_SHOWN, bound_json, compared_json, promises_json
from dalenius.spec.results_in_words import ALL_OTHERS, UNBOUNDED, error, loss, nearly

# Because beyond so many times the least error the exact number helps nobody to choose.
_MANY: Final = 10_000
# So that a row is a line of 80 columns, scales and errors have so many digits; `calibrate` and JSON have more.
_DIGITS: Final = 4


def compare(
    spec: SpecFile,
    json: AsJson = False,
    data: DataFile = None,
    encoding: Encoding = None,
    plot: Annotated[
        Path | None,
        option("Also draw the expected errors of the best sound methods (--all: of all): PNG, SVG or PDF, and a CSV."),
    ] = None,
    everything: Annotated[
        bool, option("Also say why each method is sound or does not apply, and draw all that apply.", name="--all")
    ] = False,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Compare the noise of all methods, whether each is sound, and what it really achieves."""
    if plot is not None:
        check_picture(plot)
    with working("comparing"):
        read = bound(read_spec(spec).in_encoding(encoding), spec.parent, data)[0]
        release, promises = read.calibrated(), read.all_promises()
        single = None if plot is None else read.promise()
        results = compare_methods(release, promises)
        least = least_possible(results)
    # So that a file that cannot be written is an error, and no answer with half of its files, it is written first.
    if plot is not None and single is not None:
        with working("drawing"):
            from dalenius.reports.plot_of_a_comparison import comparison_figure

            comparison_figure(release, single, results, plot, everything)
    if json:
        found = {"methods": _all_json(results, least), "lower_bound": bound_json(least), **promises_json(promises)}
        print_json(found | omitted_json(release.omitted))
        return
    made = results.ranked
    _print_errors(made, least, promises, everything)
    if made:
        _print_leakages(made)
    for place, notion in enumerate(promises):
        for line in _spoken(notion, place, results):
            say(line)
    _explain(results)
    _print_others([each for each in results if each.calibration is None], everything)
    say_omitted(release.omitted)


def _all_json(results: Sequence[Compared], least: float | None) -> list[dict[str, Any]]:
    """Returns every method's outcome, ready for JSON.

    times_least: as the table has it, null where a method does not apply.
    """
    used = least_used(each.calibration for each in results if each.calibration is not None)
    times = [None if each.calibration is None else times_least(each.calibration, used) for each in results]
    return [
        {**compared_json(each, least), "times_least": None if of is None else near_to_digits(of, FEW_SHOWN)}
        for each, of in zip(results, times, strict=True)
    ]


def _print_errors(
    made: Sequence[tuple[Compared, Calibration]], least: float | None, promises: Sequence[Notion], everything: bool
) -> None:
    """Prints the table, and below it the reasons, once each: all, or why some are not sound.

    made: the methods that apply, in the order in which they are printed; least: a lower bound on any mechanism's error,
    in the query's unit.
    """
    reasons = list(dict.fromkeys(each.why for each, found in made if everything or not found.sound))
    bounded = "" if least is None else f"; no mechanism's expected error is below {least:.6g}"
    title = "; ".join(f"{notion.called} privacy, promised {notion.epsilon:g} nats" for notion in promises) + bounded
    used = least_used(found for _, found in made)
    columns = ["method", "sound", "noise", "error", *(["× least"] if used else [])]
    rows = [
        [
            each.method,
            f"{'yes' if found.sound else 'NO'}{f' [{reasons.index(each.why) + 1}]' if each.why in reasons else ''}",
            _noise(found),
            error(found, _DIGITS),
            *([_times(times_least(found, used))] if used else []),
        ]
        for each, found in made
    ]
    print_table(title, columns, rows)
    # Because beside a method that gives some answers away exactly, the least error of the others is what counts.
    if used and len({unbounded(found) for _, found in made if found.sound}) > 1:
        say(f"least: {used:.6g}, of the sound methods that leak a finite amount to an adversary who knows all others")
    for number, why in enumerate(reasons, 1):
        say(f"[{number}] {why}", "    ")


def _print_leakages(made: Sequence[tuple[Compared, Calibration]]) -> None:
    """Prints what is achieved of each promise, and what the same noise means to an adversary who knows other records.

    All in nats; ∞ where some answer goes out exactly, or no bound is known.
    """
    rows = [
        [
            each.method,
            ", ".join(nearly(Enclosure(kept.leakage.lower, kept.leakage.upper)) for kept in found.promises),
            "" if found.differential_ends is None else loss(found.differential_ends),
            "" if found.bayesian is None else loss(found.bayesian),
        ]
        for each, found in made
    ]
    print_table("What each leaks (nats)", ["method", "achieved", "differential", "bayesian"], rows)


def _print_others(others: Sequence[Compared], everything: bool) -> None:
    """Prints the methods that do not apply: how many, or each with the reason."""
    if others and not everything:
        do = "does" if len(others) == 1 else "do"
        say(f"{len(others)} more {do} not apply: --all says why, and why each is sound")
    elif others:
        print_table("Do not apply", ["method", "why"], [[each.method, each.why] for each in others])


def _spoken(notion: Notion, place: int, results: Sequence[Compared]) -> list[str]:
    """Returns the promise of that place in words, and the most that any method leaks.

    There are no lines for a notion without words.
    """
    if (said := in_words(notion)) is None:
        return []
    made = {result.method: result.calibration for result in results if result.calibration is not None}
    leaks = {method: found.promises[place].leakage for method, found in made.items()}
    if not leaks:
        return [f"promised: {said}"]
    worst = max(leaks, key=lambda method: near_to_digits(leaks[method].upper, FEW_SHOWN))
    return [f"promised: {said}", f"most, with method {worst}: {leakage_in_words(notion, leaks[worst])}"]


def _explain(results: Sequence[Compared]) -> None:
    """Prints what ∞ means, a line for each reason there is."""
    made = [(each.method, each.calibration) for each in results if each.calibration is not None]
    # Because Bayesian losses are pairs of ends, one of them may be infinite.
    infinite = [(name, one) for name, one in made if _infinite(one.differential_ends) or _infinite(one.bayesian)]
    for exact, said in ((True, ALL_OTHERS), (False, UNBOUNDED)):
        methods = [method for method, found in infinite if found.exact == exact]
        if methods:
            say(f"∞ ({', '.join(methods)}): {said}.")


def _infinite(found: Enclosure | None) -> bool:
    """Says whether a loss is known to be infinite."""
    return found is not None and found.lower == inf


def _noise(made: Calibration) -> str:
    """Writes the kind of the noise, and its scale, if it has one."""
    return made.noise.kind if made.noise.scale is None else f"{made.noise.kind} {made.noise.scale:.{_DIGITS}g}"


def _times(ratio: float | None) -> str:
    """Writes how many times the least error it is; nothing for a method that has none, as of words.

    >>> _times(1.0421), _times(12345.0), _times(None)
    ('1.042', 'over 10,000', '')
    """
    if ratio is None or isinf(ratio):
        return ""
    return f"{ratio:.4g}" if ratio < _MANY else f"over {_MANY:,}"
