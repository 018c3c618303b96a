"""The option `--measurement` of the command `audit`: what a measurement of OpenDP leaks under the spec's model.

If all its constructors are known, the audit is exact, as for a release. Else it is converted by its privacy map. Take a
sum of bits with Laplace noise of scale 2 and households as in the documentation: exact, it leaks 1.861652 nats. By its
map, which counts a changed bit as two, it is 3.800166 at most.
"""

from pathlib import Path

from dalenius.cli.audit_request import AuditRequest
from dalenius.cli.convert_report import ConversionReport
from dalenius.cli.convert_request import NOTIONS, reported
from dalenius.cli.output import print_json, say, working
from dalenius.cli.reading import bound
from dalenius.errors import InputError
from dalenius.measurements import Unread, conversion_of, read_measurement, release_of
from dalenius.spec import Spec, read_model, sections_of


def audit_measurement(
    request: AuditRequest,
    spec: Path,
    measurement: Path,
    start: float,
    json: bool,
    verbose: bool,
    encoding: str | None,
    data: str | None,
) -> None:
    """Audits a measurement, and prints the report.

    Args:
        request: The options of the audit, checked.
        spec: The file of the spec, of which the model, the secrets and the adversary are read.
        measurement: The file of the measurement.
        start: When the command began, by `perf_counter`, in seconds.
        json: Whether to print JSON.
        verbose: Whether to print more.
        encoding: The encoding of the table; None for the likeliest.
        data: A table instead of the spec's own.
    """
    with working("auditing"):
        _check_unasked(spec)
        made = read_measurement(measurement)
        read, people = bound(read_model(spec).in_encoding(encoding), spec.parent, data)
        try:
            release = release_of(read.model, made, read.secrets, read.adversary)
        except Unread as unread:
            # Because the reason why it is not exact belongs to the answer, it is kept for the report.
            reason = unread
        else:
            asked = read.altered({"query": release.query, "noise": release.noise})
            report = request.run(asked, people is not None and people.ordered, start)
            report.show(json, verbose)
            return
        request.check_by_map(reason.constructor)
        converted = _by_map(request, read, made, reason, start)
    if json:
        print_json(converted.as_json())
    else:
        say(f"by its privacy map, as {reason.constructor} is not read: {reason.why}")
        converted.show()


def _by_map(request: AuditRequest, read: Spec, made: object, reason: Unread, start: float) -> ConversionReport:
    """Returns the report of the conversion by the measurement's map."""
    read.secrets.check_of_records("the conversion by a map")
    if read.adversary.answers or read.adversary.known:
        raise InputError(
            "adversary", reason.constructor, "a measurement that is read, or an adversary of the model alone"
        )
    conversions = {name: conversion_of(read.model, made, information) for name, information in NOTIONS.items()}
    is_pure = conversions["inferential"].profile.pure is not None
    if request.epsilon is None and not is_pure:
        raise InputError(
            "--epsilon", "missing", f"the epsilon at which a delta is reported: {reason.constructor} has one"
        )
    at = 0.0 if request.epsilon is None else None
    why = f"no measurement with this privacy map leaks more ({reason.constructor} is not read: {reason.why})"
    return reported(conversions, request.epsilon, at, why, start, read.omitted)


def _check_unasked(spec: Path) -> None:
    """Raises InputError where the spec asks something itself: which of both is meant is not guessed."""
    sections = sections_of(spec)
    for key in ("query", "noise", "questions"):
        if isinstance(sections, dict) and key in sections:
            raise InputError(key, spec.name, "no such section beside --measurement, which has its own")
