"""Every released answer has its interval, the same whenever it is shown; advice comes before the budget is spent."""

from math import e
from pathlib import Path

import pytest

from dalenius.curator import release
from dalenius.spec import read_spec
from tests.cli.command import Run, complaint
from tests.curator.asking import around, entries, kinds
from tests.curator.test_named_release import SPEC, written

ADVICE = "which is narrower"


def within(scale: float, confidence: float) -> int:
    """The least m with Pr[|k| > m] = 2a^{m+1}/(1+a) <= 1 - confidence, tried one after the other."""
    a, m = e ** (-1 / scale), 0
    while 2 * a ** (m + 1) / (1 + a) > 1 - confidence:
        m += 1
    return m


def test_interval_and_relative_size(run: Run, tmp_path: Path) -> None:
    spec = written(tmp_path)
    shown = run("release", spec, "--json").json
    certificate = shown["certificate"]
    half = within(certificate["noise"]["scale"], 0.95)
    assert shown["confidence"] == 0.95
    assert shown["interval"] == [around(answer, half) for answer in shown["answers"]]
    assert shown["relative"] == [
        None if answer == 0 else pytest.approx(half / abs(answer), rel=1e-5) for answer in shown["answers"]
    ]
    assert {key: certificate[key] for key in ("confidence", "interval", "relative", "advice")} == {
        key: shown[key] for key in ("confidence", "interval", "relative", "advice")
    }
    assert run("release", spec, "--json").json == {**shown, "repeated": True}
    again, half = run("release", spec, "--json", "--confidence", "0.5").json, within(certificate["noise"]["scale"], 0.5)
    assert again["interval"] == [around(answer, half) for answer in shown["answers"]]
    same = shown.keys() - {"certificate", "confidence", "interval", "relative", "advice"}
    assert {key: again[key] for key in same} == {key: shown[key] for key in same}
    text = run("release", spec).out
    low, high = shown["interval"][0]
    assert all(said in text for said in ("95 % interval", f"{low} to {high}", "repeated"))


def test_advice_is_a_line_before_the_answers(run: Run, tmp_path: Path) -> None:
    spec = written(tmp_path)
    done = run("release", spec)
    assert done.err.startswith("dalenius: advice: Hill: an answer near ")
    assert ADVICE in done.err
    assert done.err.count("\n") == 1
    assert "│ advice" in done.out
    assert ADVICE in run("release", spec, "--json").json["advice"]
    assert run("release", spec).err == ""  # nothing is spent by asking again


def test_it_is_given_before_the_debit(tmp_path: Path) -> None:
    """Whoever stops there has spent nothing."""
    spec, ledger = read_spec(written(tmp_path)), tmp_path / "people.csv.ledger.sqlite"
    seen: list[str] = []

    def stop(line: str) -> None:
        seen.append(line)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release(spec, tmp_path, advise=stop)
    assert len(seen) == 1
    assert not ledger.exists()
    done = release(spec, tmp_path, advise=seen.append)
    assert (done.repeated, len(seen)) == (False, 2)
    assert kinds(ledger) == ["budget", "fingerprint", "debit", "answer"]
    assert entries(ledger)[-1][1]["certificate"]["interval"] == done.published.certificate["interval"]


def test_the_refusal_of_an_exact_answer_names_a_promise_that_adds_noise(run: Run, tmp_path: Path) -> None:
    spec = written(tmp_path)
    spec.write_text(SPEC.replace("epsilon = 1.0", "epsilon = 9.0"), encoding="utf-8")
    said = complaint(run("release", spec), code=1)
    start, rest = said.split("; the cheapest promise that adds noise is information epsilon below ")
    assert start.endswith("learns this one")
    least, rest = rest.split(", or differential epsilon = 9 (geometric, scale 0.111111)")
    assert rest.startswith(" (to release it nevertheless")
    for promise in (f'"information", epsilon = {float(least) * (1 - 1e-6)}', '"differential", epsilon = 9.0'):
        spec.write_text(SPEC.replace('"information", epsilon = 1.0', promise), encoding="utf-8")
        ledger = tmp_path / f"{len(promise)}.sqlite"
        assert run("release", spec, "--ledger", ledger, "--json").json["certificate"]["noise"]["kind"] == "geometric"
    spec.write_text(SPEC.replace("epsilon = 1.0", f"epsilon = {float(least) * (1 + 1e-5)}"), encoding="utf-8")
    complaint(run("release", spec, "--ledger", tmp_path / "last.sqlite"), code=1)
