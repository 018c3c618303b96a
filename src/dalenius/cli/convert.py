"""The command `convert`: what any differentially private pipeline can leak under a model, and back.

Take 250 households of four, ill as [0.9, 0.04, 0, 0, 0.06], and a pipeline with --epsilon 1 --neighbours replace. The
odds that a member is ill change by up to 3.800166 nats, which is 44.71-fold. No chance grows by more than 2.399081
nats, 11.02-fold. Back from the promise of 1 nat for the odds, the largest pure pipeline has ε = 0.273352.
"""

from pathlib import Path
from time import perf_counter
from typing import Annotated

from dalenius.cli.convert_report import ConversionReport
from dalenius.cli.convert_request import ConvertRequest
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
from dalenius.cli.output import advise, print_json, working
from dalenius.cli.reading import bound
from dalenius.errors import InputError
from dalenius.spec import Spec, read_model


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
    request = ConvertRequest(neighbours, epsilon, delta, rho, gdp, profile, event, at_epsilon, at_delta, promise, plot)
    with working("converting"):
        read = read_model(spec).in_encoding(encoding)
        _check_law(read)
        report = request.run(bound(read, spec.parent, data)[0], start)
    if isinstance(report, ConversionReport) and report.advice is not None:
        advise(report.advice)
    if json:
        print_json(report.as_json())
    else:
        report.show()


def _check_law(read: Spec) -> None:
    """Checks that a conversion is about the law of all records, given no total. Raises InputError.

    A file written for `audit` may have an adversary who knows totals or records.
    """
    if read.adversary.answers:
        wanted = "none here: a conversion is for the law of all records, given no total"
        raise InputError("adversary.answers", f"{len(read.adversary.answers)} of them", wanted)
    if read.adversary.known:
        wanted = "none here: a conversion is for the law of all records"
        raise InputError("adversary.known", f"{len(read.adversary.known)} of them", wanted)
    read.secrets.check_of_records("the conversion")
