"""`dalenius audit`: the public JSON, the engines, and what people read.

`dalenius audit --relations`: the keys, the table.
"""

import tomllib
from math import exp
from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, dalenius, dalenius_once, sections, written

PAIR, XOR = EXAMPLES / "pair.toml", EXAMPLES / "xor.toml"

# DESIGN, "The contract"; `why`, `who` and `answers` came later.
KEYS = {"engine", "why", "seconds", "leakage"}
LEAKAGE = {"epsilon", "lower", "upper", "is_bound", "witness"}
SPOKEN = {"differential", "inferential", "information", "min_entropy"}
COMPANIONS = {
    "information": {"two_sided", "two_sided_is_bound"},
    "relative_entropy": {"reverse", "reverse_is_bound"},
}
NOTIONS = {"differential", "inferential", "information", "relative_entropy", "mutual_information", "min_entropy"}
WITNESS = {"person", "secret", "against", "output"}


def test_the_keys_are_those_of_the_contract() -> None:
    shown = dalenius_once("audit", PAIR, "--json").json
    assert set(shown) == KEYS
    assert shown["engine"] == "enumeration"
    assert shown["seconds"] >= 0
    assert set(shown["leakage"]) == NOTIONS
    for notion, leakage in shown["leakage"].items():
        words = {"in_words"} if notion in SPOKEN else set()
        assert set(leakage) == LEAKAGE | words | COMPANIONS.get(notion, set())
        assert leakage["lower"] <= leakage["epsilon"] <= leakage["upper"]
    witness = shown["leakage"]["inferential"]["witness"]
    assert set(witness) >= WITNESS
    assert set(witness) <= WITNESS | {"who", "answers", "probability", "near"}
    assert (witness["person"], witness["secret"], witness["against"], witness["output"]) == (1, 0, 1, 0)


def test_a_notion_asked_for_by_name_is_read_too(tmp_path: Path) -> None:
    given = tomllib.loads(XOR.read_text(encoding="utf-8")) | {"notion": {"kind": "bayesian", "epsilon": 1.0}}
    spec = sections(tmp_path, given)
    shown = dalenius_once("audit", spec, "--json").json["leakage"]
    assert set(shown) > NOTIONS
    assert shown["bayesian"]["epsilon"] == pytest.approx(2.0)  # who knows one of three knows the others are equal
    assert shown["bayesian"]["witness"]["known"] == {"3": 0}
    assert "knowing record 3 = 0" in dalenius("audit", spec).out
    calibrated = dalenius("calibrate", spec, "--json").json
    assert calibrated["noise"]["scale"] == pytest.approx(2.0)
    assert calibrated["leakage"]["upper"] <= 1.0


def test_a_bound_shows_both_its_ends(tmp_path: Path) -> None:
    given = {
        "model": {"kind": "households", "count": 1, "infected": [0.3, 0.1, 0.1, *[0.0] * 27, 0.5]},
        "query": {"kind": "count"},
        "noise": {"kind": "laplace", "scale": 60},
        "notion": {"kind": "bayesian", "epsilon": 1.0},
    }
    assert " to 0.5" in dalenius("audit", sections(tmp_path, given)).out


def test_epsilon_adds_delta() -> None:
    shown = dalenius("audit", PAIR, "--json", "--epsilon", "0.5").json["leakage"]["inferential"]
    assert set(shown) == LEAKAGE | {"in_words", "delta", "delta_lower", "delta_upper"}
    share = (1 - exp(-1)) / (1 + exp(-1))  # two-sided geometric of scale 1; equal records lie 2 apart
    wanted = sum(max(share * (exp(-abs(y)) - exp(0.5 - abs(y - 2))), 0.0) for y in range(-60, 60))
    assert shown["delta_lower"] - 1e-15 <= wanted <= shown["delta_upper"] + 1e-15
    assert shown["delta"] == pytest.approx(wanted, abs=1e-10)


def test_engines_agree_and_json_says_what_toml_says(tmp_path: Path) -> None:
    given = tomllib.loads((EXAMPLES / "households.toml").read_text(encoding="utf-8"))
    given["model"]["count"] = 3
    spec = sections(tmp_path, given | {"noise": {"kind": "geometric", "scale": 1.5}})
    one, other = (dalenius("audit", spec, "--json", "--engine", name).json for name in ("enumeration", "factor"))
    assert (one["engine"], other["engine"]) == ("enumeration", "factor")
    ends = [found["leakage"]["inferential"]["epsilon"] for found in (one, other)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_people_read_the_same_numbers_without_escape_codes() -> None:
    done = dalenius("audit", PAIR, "--epsilon", "0.5")
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out
    for shown in ("2.000000", "1.505971", "1.909565", "0.407677", "0.106714", "0.567937"):
        assert shown in done.out
    assert "engine" not in done.out
    assert "enumeration engine" in dalenius("audit", PAIR, "--verbose").out


def test_within_adds_accuracy() -> None:
    """Of one geometric answer of scale b, 2a^α/(1+a) with a = e^{-1/b}."""
    found = dalenius_once("audit", PAIR, "--within", "3", "--json").json["accuracy"]
    assert set(found) == {"within", "beta", "lower", "upper", "sum"}
    assert found["lower"] <= 2 * exp(-3) / (1 + exp(-1)) <= found["upper"]
    assert found["sum"] == {"beta": found["beta"], "lower": found["lower"], "upper": found["upper"]}
    said = dalenius_once("audit", PAIR, "--within", "3").out
    assert "accuracy: the answer is off by 3 or more with probability 0.0728\n" in said
    assert complaint(dalenius("audit", PAIR, "--within", "-3")) == "--within: -3.0, wanted a finite number above 0"


SIDE = {"quantity", "epsilon", "lower", "upper"}


def test_the_keys() -> None:
    shown = dalenius("audit", EXAMPLES / "xor.toml", "--json", "--relations").json
    assert set(shown) == {"engine", "why", "seconds", "leakage", "relations"}
    assert set(shown["relations"]) == {"arrows", "left_out"}
    assert shown["relations"]["left_out"] == []
    for arrow in shown["relations"]["arrows"]:
        assert set(arrow) == {"from", "to", "always", "holds", "source"}
        assert set(arrow["from"]) == set(arrow["to"]) == SIDE
        assert arrow["holds"] or not arrow["always"]
        for side in (arrow["from"], arrow["to"]):
            assert side["lower"] <= side["epsilon"] <= side["upper"]
    by_ends = {(each["from"]["quantity"], each["to"]["quantity"]): each for each in shown["relations"]["arrows"]}
    denied = by_ends["differential", "inferential"]
    assert (denied["always"], denied["holds"], denied["from"]["epsilon"]) == (False, False, 1)
    assert denied["to"]["epsilon"] == pytest.approx(1.433781, abs=1e-6)
    assert "relations" not in dalenius("audit", EXAMPLES / "xor.toml", "--json").json


def test_the_table(run: Run, tmp_path: Path) -> None:
    done = run("audit", EXAMPLES / "xor.toml", "--relations")
    assert (done.code, done.err) == (0, "")
    (row,) = [line for line in done.out.splitlines() if line.startswith("│ inferential           │ information ")]
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        "inferential",
        "information",
        "1.433781",
        "0.479322",
        "always",
        "holds",
        "IP Prop 1 a",
    ]
    absent = '[model]\nkind = "absent"\nanswers = [1, 2, 2]\n[noise]\nkind = "geometric"\nscale = 1.0\n'
    said = run("audit", written(tmp_path, absent), "--relations").out
    assert "given_others is left out: model.kind: absent, wanted records with finitely many values" in said


def test_a_promise_that_says_nothing_of_the_noise_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(
        'model = { kind = "independent", n = 3, probabilities = [0.3] }\nquery = { kind = "count" }\n'
        'noise = { kind = "gaussian", scale = 1.0 }\nnotion = { kind = "renyi", alpha = 2, epsilon = 1.0 }\n'
    )
    done = run("audit", str(path))
    assert done.code == 0
    assert "renyi is not reported: noise.kind: gaussian, wanted laplace" in " ".join(done.err.split())
