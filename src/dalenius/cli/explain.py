"""The command `explain`: a report for the officer who signs a release, written as one HTML page."""

from pathlib import Path
from typing import Annotated

from dalenius.calibration import CONFIDENCE
from dalenius.cli.options import Confidence, DataFile, Encoding, Memory, Plugins, ProgressLines, Quiet, SpecFile, option
from dalenius.cli.output import say, working
from dalenius.noise.error_law import missed
from dalenius.plotting import write_atomically
from dalenius.reports.most_exposed import judge
from dalenius.reports.page import check_page, page
from dalenius.spec import read_spec, text_of


def explain(
    spec: SpecFile,
    out: Annotated[Path, option("The page to write, an .html file.")],
    data: DataFile = None,
    encoding: Encoding = None,
    ledger: Annotated[
        str | None, option("The ledger of earlier releases of the table [default: beside the data].")
    ] = None,
    confidence: Confidence = CONFIDENCE,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Write a report for the signer of a release: what is published, promised, assumed and leaked."""
    check_page(out)
    missed(confidence, "--confidence")
    with working("explaining"):
        read = read_spec(spec).in_encoding(encoding)
        text = page(judge(read, text_of(spec), spec.parent, data, confidence, ledger))
        write_atomically(out, lambda draft: draft.write_text(text, encoding="utf-8", newline="\n"))
    say(f"wrote {out}")
