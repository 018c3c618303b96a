"""`dalenius explain`: a report for whoever signs a release."""

from pathlib import Path
from typing import Annotated

from dalenius.calibration import CONFIDENCE
from dalenius.cli.options import Confidence, DataFile, Plugins, ProgressLines, Quiet, SpecFile, option
from dalenius.cli.output import say, working
from dalenius.noise.intervals import missed
from dalenius.reports.pages import check_page, judged, write_page
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
