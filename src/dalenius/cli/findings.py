"""What `dalenius audit` finds beside leakage: robust promises, the best attacker, certificates of moments alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.cli.options import as_number
from dalenius.cli.output import print_json, print_table, say
from dalenius.errors import DaleniusError, InputError
from dalenius.notions import RATES, Notion, Tradeoff, tradeoff
from dalenius.spec import Spec
from dalenius.spec.words import nats, whose

if TYPE_CHECKING:
    from dalenius.certificates import Certified
    from dalenius.models import Moments
    from dalenius.notions.robustness import Robustness

Robust: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--robust",
        help="Also report what leaks if every probability of the model is off by a factor e^(+-r), for r up to this.",
        show_default=False,
        parser=as_number,
        metavar="<float>",
    ),
]
RobustCurve: TypeAlias = Annotated[
    Path | None,
    typer.Option("--robust-curve", help="Draw that curve, and write a CSV beside it.", show_default=False),
]


def check_robust(most: float | None, path: Path | None) -> None:
    """InputError for a factor that is none, and for a picture of no curve."""
    if most is not None:
        from dalenius.notions.robustness import check_factor  # here and below: what few audits want

        check_factor(most, "--robust")
    if path is not None:
        from dalenius.reports import check_picture

        check_picture(path, "--robust-curve")
        if most is None:
            raise InputError("--robust", "missing", "the largest r, beside --robust-curve")


def robust_of(release: Release, most: float, path: Path | None, notions: tuple[Notion, ...]) -> "Robustness":
    """The curve of the notions, where those with an epsilon break, and their picture at the path."""
    from dalenius.notions.robustness import robustness

    found = robustness(release, most, notions, [each for each in notions if each.epsilon is not None])
    if path is not None:
        from dalenius.reports import draw_robustness

        draw_robustness(found, path)
    return found


def print_robust(found: "Robustness", path: Path | None) -> None:
    from dalenius.spec.robustness import broken_words, robustness_table

    print_table("If every probability is off by a factor (nats)", *robustness_table(found))
    for each in found.broken:
        say(broken_words(each))
    if path is not None:
        say(f"wrote {path} and {path.with_suffix('.csv')}")


TradeoffFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--tradeoff", help="Also draw false alarms against true positives of the best attacker (PNG, and a CSV)."
    ),
]


def drawn(release: Release, path: Path) -> Tradeoff:
    """The tests of the release, and their picture at the path."""
    from dalenius.reports import draw_tradeoff  # with what draws, which few audits want

    found = tradeoff(release)
    draw_tradeoff(found, path)
    return found


def print_tradeoff(found: Tradeoff) -> None:
    value, witness = found.advantage
    pair = "" if witness is None or witness.secret is None else f": {witness.secret} against {witness.against}"
    say(f"advantage of the best attacker: {_shown(value)}, about {whose(witness)}{pair}")
    for rate in RATES:
        share = _shown(found.true_positives(rate).value)
        say(f"true positives at {100 * rate:g} % false alarms: {share}. {found.in_words(rate)}")


def _shown(value: Enclosure) -> str:
    if value.upper - value.lower <= 1e-6:
        return f"{value.middle:.6g}"
    return f"{value.lower:.6g} to {value.upper:.6g}"


def print_certificates(spec: Spec, moments: "Moments", epsilon: float | None, json: bool) -> None:
    """Every theorem's certificate of the exact sum, where the model gives only moments of the records; epsilon: by
    default the notion's, else that of Theorem 2."""
    from dalenius.certificates import INTERVALS_ONLY, certify  # with its theorems, which few audits want
    from dalenius.spec import certified_grid, check_exact
    from dalenius.spec.results import certified_json

    check_exact(spec)
    chosen = epsilon if epsilon is not None else (spec.notions[0].epsilon if spec.notions else None)
    found = certify(moments, chosen)
    delta = spec.notions[0].promised_delta or 0.0 if spec.notions else 0.0
    if spec.rounding is not None:
        certified_grid(spec, moments)
    grid = _thresholds(moments, chosen, delta) if chosen is not None and delta > 0 else None
    if json:
        rounded = {} if grid is None else {"rounded": {"epsilon": chosen, "delta": delta, "thresholds": grid}}
        print_json({"certificates": [certified_json(each) for each in found], **rounded})
        return
    columns = ["certificate", "sound", "epsilon (nats)", "delta", "events", "why, or source"]
    print_table("What is certified of the exact sum, without noise", columns, [_row(each) for each in found])
    for hypothesis in moments.hypotheses(fourth=True):
        say(f"rests on: {hypothesis}")
    say(f"events: {INTERVALS_ONLY}")
    if grid is not None:
        said = f"a grid of at most {grid:,} thresholds is" if grid else "no grid is"
        say(f"{said} ({chosen:g}, {delta:g}) for all events")


def _thresholds(moments: "Moments", epsilon: float, delta: float) -> int:
    from dalenius.certificates import approximation_of, most_thresholds

    try:
        return most_thresholds(approximation_of(moments), epsilon, delta)
    except DaleniusError:
        return 0


def _row(certified: "Certified") -> list[str]:
    certificate = certified.certificate
    if certificate is None:
        return [certified.name, "", "", "", "", f"does not apply: {certified.why}"]
    sound = "yes" if certificate.sound else "NO"
    reason = certificate.why or certificate.source
    return [certified.name, sound, nats(certificate.epsilon), f"{certificate.delta:.6g}", certificate.events, reason]
