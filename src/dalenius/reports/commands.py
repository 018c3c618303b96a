"""`dalenius explain`, and what `dalenius audit` reports with --robust."""

from pathlib import Path
from typing import Annotated

from dalenius.calibration import CONFIDENCE
from dalenius.channel import Release
from dalenius.cli.options import Confidence, DataFile, Plugins, ProgressLines, Quiet, SpecFile, option
from dalenius.cli.output import Further, print_table, say, working
from dalenius.noise.answer_intervals import missed
from dalenius.notions import Notion
from dalenius.reports.page import check_page, write_page
from dalenius.reports.people import judged
from dalenius.reports.robustness import Robustness, broken_words, robustness, robustness_json, robustness_table
from dalenius.spec import read_spec, text_of


def explain(
    spec: SpecFile,
    out: Annotated[Path, option("The page to write, an .html file.")],
    data: DataFile = None,
    confidence: Confidence = CONFIDENCE,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
) -> None:
    """A report for whoever signs the release: what is published, promised, assumed and leaked."""
    check_page(out)
    missed(confidence, "--confidence")
    with working("explaining"):
        read = read_spec(spec)
        found = judged(read, text_of(spec), spec.parent, data, confidence)
        write_page(found, out)
    say(f"wrote {out}")


def robust_of(release: Release, most: float, notions: tuple[Notion, ...]) -> Further:
    """The leakages where the model is off by up to that factor, and where promises break. InputError for a factor that
    is none."""
    found = robustness(release, most, notions, promises=notions)
    return Further({"robust": robustness_json(found)}, lambda: _say_robust(found))


def _say_robust(found: Robustness) -> None:
    print_table("If every probability is off by a factor (nats)", *robustness_table(found))
    for each in found.broken:
        say(broken_words(each))
