"""`dalenius compare`: every method for the same promise."""

from math import inf
from pathlib import Path
from typing import Annotated, Final

import typer

from dalenius.bounds import Enclosure, near_to_digits
from dalenius.calibration import Compared, compare as compare_methods, least_possible
from dalenius.channel import Release
from dalenius.cli.options import AsJson, DataFile, Plugins, SpecFile
from dalenius.cli.output import print_json, print_table, working
from dalenius.notions import Notion, in_words, leakage_in_words
from dalenius.reports import FACTORS, Promised, check_picture, draw_by_promise
from dalenius.spec import bound, read_spec
from dalenius.spec.results import FEW, bound_json, compared_json, promises_json
from dalenius.spec.words import ALL_OTHERS, UNBOUNDED, error, loss, nats, nearly

MANY: Final = 10_000


def compare(
    spec: SpecFile,
    json: AsJson = False,
    data: DataFile = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Also draw scale and expected error against epsilon, a quarter to four times the promise."),
    ] = None,
    plugin: Plugins = None,
) -> None:
    """What every method would add, whether it is sound, and what it really achieves."""
    if plot is not None:
        check_picture(plot)
    with working("comparing"):
        read = bound(read_spec(spec), spec.parent, data)[0]
        release, promises = read.calibrated(), read.all_promises()
        single = None if plot is None else read.promise()
        results = compare_methods(release, promises)
        least = least_possible(results)
    if plot is not None and single is not None:
        with working("drawing"):
            draw_by_promise(_promised(release, single, results), single, plot)
    if json:
        methods = [compared_json(result, least) for result in results]
        print_json({"methods": methods, "lower_bound": bound_json(least), **promises_json(promises)})
        return
    columns = [
        "method",
        "sound",
        "noise",
        "scale",
        "expected error",
        "of least",
        "achieved (nats)",
        "differential",
        "bayesian",
        "seconds",
        "why",
    ]
    bounded = "" if least is None else f"; no mechanism's expected error is below {least:.6g}"
    promised = "; ".join(f"{notion.kind} privacy, promised {notion.epsilon:g} nats" for notion in promises)
    title = f"{promised}{bounded}"
    print_table(title, columns, [_row(result, least) for result in results])
    for place, notion in enumerate(promises):
        for line in _spoken(notion, place, results):
            print(line)
    _explain(results)


def _spoken(notion: Notion, place: int, results: list[Compared]) -> list[str]:
    """The promise of that place in words, and the most that any method leaks."""
    if (said := in_words(notion)) is None:
        return []
    made = {result.method: result.calibration for result in results if result.calibration is not None}
    leaks = {method: found.promises[place].leakage for method, found in made.items()}
    if not leaks:
        return [f"promised: {said}"]
    worst = max(leaks, key=lambda method: near_to_digits(leaks[method].upper, FEW))
    return [f"promised: {said}", f"most, with method {worst}: {leakage_in_words(notion, leaks[worst])}"]


def _explain(results: list[Compared]) -> None:
    """What ∞ means, a line for each reason there is."""
    made = [(each.method, each.calibration) for each in results if each.calibration is not None]
    infinite = [(method, found) for method, found in made if inf in (found.differential, *(found.bayesian or ()))]
    for exact, said in ((True, ALL_OTHERS), (False, UNBOUNDED)):
        methods = [method for method, found in infinite if found.exact == exact]
        if methods:
            print(f"∞ ({', '.join(methods)}): {said}.")


def _promised(release: Release, notion: Notion, results: list[Compared]) -> list[Promised]:
    """The results at other epsilons too; those at the promise are not computed again."""
    found = []
    for factor in FACTORS:
        epsilon = factor * (notion.epsilon or 0.0)
        other = notion.model_copy(update={"epsilon": epsilon})
        methods = results if factor == 1 else compare_methods(release, other)
        found.append(Promised(epsilon, tuple(methods)))
    return found


def _row(result: Compared, least: float | None) -> list[str]:
    calibration = result.calibration
    if calibration is None:
        return [result.method, "", "", "", "", "", "", "", "", f"{result.seconds:.2f}", f"does not apply: {result.why}"]
    return [
        result.method,
        "yes" if calibration.sound else "NO",
        calibration.noise.kind,
        f"{calibration.noise.scale or 0:.6g}",
        error(calibration),
        _times(calibration.expected_error / least) if least else "",
        ", ".join(nearly(Enclosure(kept.leakage.lower, kept.leakage.upper)) for kept in calibration.promises),
        "" if calibration.differential is None else nats(calibration.differential),
        "" if calibration.bayesian is None else loss(calibration.bayesian),
        f"{result.seconds:.2f}",
        result.why,
    ]


def _times(ratio: float) -> str:
    return f"{ratio:.4g} times" if ratio < MANY else f"over {MANY:,} times"
