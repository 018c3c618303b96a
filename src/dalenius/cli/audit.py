"""The command `audit`: what a release really leaks about one person.

Each notion has a line. It has the leakage in nats (both ends if they differ), the person about whom it is largest, the
output and the other value at which it is attained, and the probability of that output. A promise of 0.5 nats is broken
if the line says 0.62. Options add what else may be asked: deltas, tails, accuracy, the best attacker, a model that is
off by a factor.

Two households of two are counted with geometric noise of scale 4. In each, 0, 1 or 2 are ill with probabilities 0.9,
0.05 and 0.05. The inferential line says 0.415760 nats, about person 1, for 1 against 0 at output 4. An output that
leaks so much has probability 0.227, and one that leaks nine tenths of it 0.819. The differential line says 0.250000: an
adversary who knows all others learns less than one who knows the household's law only. With `--epsilon 0.2` there is a
delta of 0.0998 beside it, and with `--within 5` that the answer is off by 5 or more with probability 0.322.
"""

from pathlib import Path
from time import perf_counter
from typing import Annotated

from dalenius.cli.audit_request import AuditRequest
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
    number_option,
    option,
)
from dalenius.cli.output import working
from dalenius.cli.reading import bound
from dalenius.spec import read_spec


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
            "Also draw the leakage by notion, and by size of household or position in the chain (certificates by the "
            "number of people): PNG, SVG or PDF, and a CSV."
        ),
    ] = None,
    measurement: Annotated[
        Path | None,
        option(
            "Audit this measurement of OpenDP, as its `serialize` writes it, instead of the spec's query and noise."
        ),
    ] = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Measure what a release leaks by every notion, and name the person about whom it leaks most."""
    request = AuditRequest(epsilon, engine, tradeoff, how_likely, tail, within, relations, robust, plot)
    start = perf_counter()
    if measurement is not None:
        from dalenius.cli.audit_measurement import audit_measurement

        audit_measurement(request, spec, measurement, start, json, verbose, encoding, data)
        return
    with working("auditing"):
        read, people = bound(read_spec(spec).in_encoding(encoding), spec.parent, data)
        # Because moments have no laws, and so no leakages, what theorems certify of the exact sum is printed instead.
        if read.of_moments:
            request.check_moments()
            from dalenius.cli.certificates import print_certificates

            print_certificates(read, epsilon, json, plot)
            return
        report = request.run(read, people is not None and people.ordered, start)
    report.show(json, verbose)
