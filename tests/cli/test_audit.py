"""`dalenius audit`: the public JSON, the reference numbers, the engines, and what people read.

[adversary] known, through the command.

`dalenius audit --relations`: the keys, the table; what is refused.
"""

import json
import tomllib
from math import exp
from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, dalenius, dalenius_once, written

PAIR, XOR = EXAMPLES / "pair.toml", EXAMPLES / "xor.toml"

# DESIGN, "The contract"; `why`, `who` and `answers` came later.
KEYS = {"engine", "why", "seconds", "leakage"}
LEAKAGE = {"epsilon", "lower", "upper", "witness"}
SPOKEN = {"differential", "inferential", "information", "min_entropy"}
COMPANIONS = {"information": {"two_sided"}, "relative_entropy": {"reverse"}}
NOTIONS = {"differential", "inferential", "information", "relative_entropy", "mutual_information", "min_entropy"}
WITNESS = {"person", "secret", "against", "output"}

# Theory §12, made there by an independent enumeration.
REFERENCE = {
    PAIR: {
        "inferential": {"epsilon": 2.0},
        "information": {"epsilon": 1.505971, "two_sided": 1.909565},
        "relative_entropy": {"epsilon": 0.407677},
        "mutual_information": {"epsilon": 0.106714},
        "min_entropy": {"epsilon": 0.0},
    },
    XOR: {
        "inferential": {"epsilon": 1.433781},
        "information": {"epsilon": 0.479322},
        "relative_entropy": {"epsilon": 0.203305},
        "mutual_information": {"epsilon": 0.067168},
        "min_entropy": {"epsilon": 0.274643},
    },
}


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


def test_reference_numbers() -> None:
    for spec, reference in REFERENCE.items():
        shown = dalenius_once("audit", spec, "--json").json["leakage"]
        found = {notion: {key: shown[notion][key] for key in wanted} for notion, wanted in reference.items()}
        assert found == {notion: pytest.approx(wanted, abs=5e-7) for notion, wanted in reference.items()}


def test_a_notion_asked_for_by_name_is_read_too(tmp_path: Path) -> None:
    spec = tmp_path / "bayesian.json"
    given = tomllib.loads(XOR.read_text(encoding="utf-8")) | {"notion": {"kind": "bayesian", "epsilon": 1.0}}
    spec.write_text(json.dumps(given), encoding="utf-8")
    shown = dalenius_once("audit", spec, "--json").json["leakage"]
    assert set(shown) > NOTIONS
    assert shown["bayesian"]["epsilon"] == pytest.approx(2.0)  # who knows one of three knows the others are equal
    assert shown["bayesian"]["witness"]["known"] == {"3": 0}
    assert "knowing record 3 = 0" in dalenius("audit", spec).out
    calibrated = dalenius("calibrate", spec, "--json").json
    assert calibrated["noise"]["scale"] == pytest.approx(2.0)
    assert calibrated["leakage"]["upper"] <= 1.0


def test_a_bound_shows_both_its_ends(tmp_path: Path) -> None:
    spec = tmp_path / "crowd.json"
    given = {
        "model": {"kind": "households", "count": 1, "infected": [0.3, 0.1, 0.1, *[0.0] * 27, 0.5]},
        "query": {"kind": "count"},
        "noise": {"kind": "laplace", "scale": 60},
        "notion": {"kind": "bayesian", "epsilon": 1.0},
    }
    spec.write_text(json.dumps(given), encoding="utf-8")
    assert " to 0.5" in dalenius("audit", spec).out


def test_epsilon_adds_delta() -> None:
    shown = dalenius("audit", PAIR, "--json", "--epsilon", "0.5").json["leakage"]["inferential"]
    assert set(shown) == LEAKAGE | {"in_words", "delta", "delta_lower", "delta_upper"}
    share = (1 - exp(-1)) / (1 + exp(-1))  # two-sided geometric of scale 1; equal records lie 2 apart
    wanted = sum(max(share * (exp(-abs(y)) - exp(0.5 - abs(y - 2))), 0.0) for y in range(-60, 60))
    assert shown["delta"] == pytest.approx(wanted, abs=1e-10)
    assert shown["delta_lower"] <= wanted + 1e-15
    assert shown["delta_upper"] >= wanted - 1e-15


def test_engines_agree_and_json_says_what_toml_says(tmp_path: Path) -> None:
    spec = tmp_path / "households.json"
    given = tomllib.loads((EXAMPLES / "households.toml").read_text(encoding="utf-8"))
    given["model"]["count"] = 3
    spec.write_text(json.dumps(given | {"noise": {"kind": "geometric", "scale": 1.5}}), encoding="utf-8")
    one, other = (dalenius("audit", spec, "--json", "--engine", name).json for name in ("enumeration", "factor"))
    assert (one["engine"], other["engine"]) == ("enumeration", "factor")
    for notion in NOTIONS:
        assert one["leakage"][notion]["epsilon"] == pytest.approx(other["leakage"][notion]["epsilon"], abs=1e-9)
        assert one["leakage"][notion]["witness"] == other["leakage"][notion]["witness"]


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


CHAIN = """
model = { kind = "chain", n = 7, initial = "stationary", transition = [[0.8, 0.2], [0.2, 0.8]] }
query = { kind = "count" }
noise = { kind = "laplace", scale = 2.0 }
secrets = { people = [4] }
"""


def spec(folder: Path, known: str, text: str = CHAIN) -> Path:
    return written(folder, f"{text}[adversary]\nknown = {{ {known} }}\n")


KNOWN = {
    '"9" = 1': "adversary.known.9: 9, wanted a person's number from 1 to 7",
    '"Ann" = 1': "adversary.known.Ann: Ann, wanted a person's number or name",
    '"2" = 3': "adversary.known.2: 3, wanted a value that record can have [0, 1]",
}
PEOPLE = {
    '["Ann"]': "secrets.people: Ann, wanted a person's number or name",
    "[8]": "secrets.people: 8, wanted a person's number from 1 to 7",
}


def test_what_cannot_be_known(tmp_path: Path, run: Run) -> None:
    assert {known: complaint(run("audit", spec(tmp_path, known))) for known in KNOWN} == KNOWN
    still = CHAIN.replace("[[0.8, 0.2], [0.2, 0.8]]", "[[1.0, 0.0], [0.0, 1.0]]").replace('"stationary"', "[0.5, 0.5]")
    said = complaint(run("audit", spec(tmp_path, '"1" = 0, "2" = 1', still)))
    assert said == "adversary.known: 1 = 0, 2 = 1, wanted values that can occur together"


def test_secrets_of_nobody(tmp_path: Path, run: Run) -> None:
    texts = {people: CHAIN.replace("[4]", people) for people in PEOPLE}
    assert {people: complaint(run("audit", written(tmp_path, text))) for people, text in texts.items()} == PEOPLE


SIDE = {"quantity", "epsilon", "lower", "upper"}
MOMENTS = '[model]\nkind = "moments"\nn = 40000\nvariance = 4.0\nthird = 9.0\nrange = 10\n[query]\nkind = "sum"\n'


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


def test_moments_are_refused(tmp_path: Path, run: Run) -> None:
    found = complaint(run("audit", written(tmp_path, MOMENTS), "--relations"))
    assert found == "--relations: model moments, wanted a model whose laws are known"
