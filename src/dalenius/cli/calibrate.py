"""The command `calibrate`: the least noise for the promise.

It prints the noise and its scale, how far an answer is off on average and with confidence, and whether a theorem proves
that the promise is kept. It also prints what really leaks, which for a sound method is never more than was promised.

Two households of two are counted, with inferential privacy of 0.5 nats. In each, 0, 1 or 2 are ill with probabilities
0.9, 0.05 and 0.05. The noise is geometric of scale 3.33486. An answer is off by 3.2854 on average, and by at most 10 in
95 % of releases. The release leaks 0.500000 nats, and a chance of 7.5 % stays at or below 11.8 %. Advice on standard
error says that the model knows more than such an answer tells: 0 to 2.
"""

from json import dumps
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from dalenius.calibration import (
    CONFIDENCE,
    Calibration,
    Kept,
    Method,
    accuracy,
    advice,
    calibrate as calibrate_release,
    group_advice,
    half_widths,
    method_named,
    method_names,
)
from dalenius.channel import Release
from dalenius.cli.options import (
    AsJson,
    Confidence,
    DataFile,
    Encoding,
    Memory,
    Plugins,
    ProgressLines,
    Quiet,
    SpecFile,
    Within,
    check_within,
    option,
)
from dalenius.cli.output import advise, print_json, print_table, say_omitted, working
from dalenius.cli.reading import bound
from dalenius.models.sample import SAMPLING_ERROR
from dalenius.noise.error_law import missed
from dalenius.notions import Leakage
from dalenius.omitted import omitted_json
from dalenius.plotting import check_picture, check_place, write_atomically
from dalenius.spec import read_spec
from dalenius.spec.precision_shown import share_in_percent
from dalenius.spec.results_as_json import accuracy_json, calibration_json, promises_json
from dalenius.spec.results_in_words import (
    accuracy_words,
    companion_rows,
    companion_words,
    enclosed,
    error,
    spoken,
    where,
    whose,
)


def calibrate(
    spec: SpecFile,
    json: AsJson = False,
    method: Annotated[str, typer.Option(help="The method: " + ", ".join(method_names()) + ".")] = "exact",
    objective: Annotated[
        str | None, option("For method optimal: which error is least, absolute (the default), squared or worst.")
    ] = None,
    data: DataFile = None,
    encoding: Encoding = None,
    plot: Annotated[
        Path | None,
        option(
            "Also draw the leakage by notion, and by size of household or position in the chain: PNG, SVG or PDF, "
            "and a CSV."
        ),
    ] = None,
    out: Annotated[
        Path | None, option("Also write the JSON to this file, on one line: the JSON of a kernel is long.")
    ] = None,
    confidence: Confidence = CONFIDENCE,
    within: Within = None,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Find the least noise that keeps the promise."""
    missed(confidence, "--confidence")
    check_within(within)
    if plot is not None:
        check_picture(plot)
    if out is not None:
        check_place(out)
    with working("calibrating"):
        read = bound(read_spec(spec).in_encoding(encoding), spec.parent, data)[0]
        release, promises = read.calibrated(), read.all_promises()
        single = None if plot is None else read.promise()  # a picture is of one promise
        result = calibrate_release(release, promises, _chosen(method, objective))
        precise = None if within is None else accuracy(release.with_noise(result.noise), within)
        wide, limited = advice(release.with_noise(result.noise), confidence), release.worlds.refusal
        chosen = _chosen(method, objective)
        few = group_advice(release, result, confidence, lambda each: calibrate_release(each, promises, chosen))
        advised = "; ".join(filter(None, [wide, few])) or None
    if limited is not None:
        advise(f"bounds only: {limited}")
    if plot is not None and single is not None:
        with working("drawing"):
            from dalenius.reports.plots_of_leakage import calibration_figure

            calibration_figure(release, single, result, plot)
    # So that JSON is alone on standard output, the picture's and the table's numbers are in it.
    if json or out is not None:
        extra: dict[str, Any] = {} if precise is None else {"accuracy": accuracy_json(precise)}
        extra |= {} if release.model.drawn() is None else {"sampling_error": SAMPLING_ERROR}
        extra |= omitted_json(release.omitted)
        shown = promises_json(promises) | calibration_json(result) | {"advice": advised} | extra
        if out is not None:
            write_atomically(out, lambda draft: _write(draft, dumps(shown, allow_nan=False)))
        if json:
            print_json(shown)
            return
    if advised is not None:
        advise(advised)
    rows = [
        ["noise", result.noise.words],
        ["expected error", f"{error(result)} per answer{_widest(release, result, confidence)}"],
        *([] if release.model.drawn() is None else [["sampling error", SAMPLING_ERROR]]),
        *([] if precise is None else [["accuracy", accuracy_words(precise, several=len(release.names) > 1)]]),
        *_translated(result),
        *(
            [["no mechanism's is below", f"{best.lower_bound:.6g}"]]
            if (best := result.optimum) and best.lower_bound
            else []
        ),
        *_given_answers(result),
        ["sound", f"{'yes' if result.sound else 'NO'}: {result.why}"],
        *[row for kept in result.promises for row in _kept_rows(kept, several=len(result.promises) > 1)],
        *companion_rows(result),
        *([_about_whom(result.leakage)] if len(result.promises) == 1 else []),
    ]
    print_table(f"Calibrated by method {result.method}", ["", ""], rows)
    say_omitted(release.omitted)


def _write(path: Path, text: str) -> None:
    """Writes the JSON on one line, with its end."""
    path.write_text(text + "\n", encoding="utf-8")


def _widest(release: Release, result: Calibration, confidence: float) -> str:
    """Says how far an answer is off at most, with that confidence.

    Nothing where that depends on the answer, as for words, or is not bounded. Of several answers it is the widest: in
    the query's unit, to six digits.
    """
    found = [width for width in half_widths(release, result.noise, confidence).values() if width is not None]
    return f"; {share_in_percent(confidence)} within ± {max(found):.6g}" if found and isfinite(max(found)) else ""


def _kept_rows(kept: Kept, several: bool) -> list[list[str]]:
    """Returns the rows of one promise: the leakage in nats, what that means in words, and the notion's companions.

    several: whether there are other promises, so that it has to say about whom by itself.
    """
    notion, leakage = kept.notion, kept.leakage
    return [
        [f"{notion.called} leakage", f"{enclosed(leakage)} nats (promised {notion.epsilon:g})"],
        *spoken(notion, leakage),
        *[[f"  {name}", companion_words(value)] for name, value in leakage.companions.items()],
        *([_about_whom(leakage, "  ")] if several else []),
    ]


def _about_whom(leakage: Leakage, indent: str = "") -> list[str]:
    """Returns the row that says about whom most leaks, and where that is attained."""
    return [f"{indent}about whom", f"{whose(leakage.witness)}; {where(leakage)}"]


def _chosen(method: str, objective: str | None) -> Method:
    """Returns the method of that name, with its objective.

    InputError for a name or an objective that is not known, or an objective of a method that has none.
    """
    chosen = method_named(method)
    return chosen if objective is None else chosen.with_objective(objective)


def _translated(result: Calibration) -> list[list[str]]:
    """Returns rows of the largest log-ratio of likelihoods and the ε of differential privacy (DI), of absences.

    They are of this table and of the worst one that the model knows of; there are none where the secret is another.
    """
    if (found := result.translation) is None:
        return []
    shown = [["Θ/λ", f"{found.log_ratio_bound:.6g} nats (ε of DP: Δ/λ)"]]
    if found.differential is not None:
        worst = f"Θ = {found.theta_worst:.6g}, Δ = {found.sensitivity:.6g}"
        shown.append(["over all such tables", f"{worst}: ε of DP = {found.differential:.6g}"])
    return shown


def _given_answers(result: Calibration) -> list[list[str]]:
    """Returns the true answer with the largest error, of a method that reports errors by true answer."""
    errors = {} if result.optimum is None else result.optimum.error_given_answer
    if not errors:
        return []
    # Because an average error of an optimal mechanism hides the answer that it serves worst.
    answer = max(errors, key=errors.__getitem__)
    return [["largest for a true answer", f"{errors[answer]:.6g}, of {answer:g} (--json has all)"]]
