"""Model pairwise at the command line: what is bounded, what is refused, and what a certificate says of it."""

from pathlib import Path

from tests.cli.command import Run, complaint, dalenius, written

NETWORK = """
model = { kind = "pairwise", n = 5, values = [0, 1], edges = [[1, 2], [2, 3]], given = [[0.8, 0.2], [0.2, 0.8]] }
query = { kind = "sum" }
notion = { kind = "inferential", epsilon = 1.0 }
"""
LINKED = NETWORK.replace("[2, 3]]", "[2, 3], [1, 3]]")
NOISE = '\n[noise]\nkind = "laplace"\nscale = 2.0\n'
DATA = '\n[data]\nfile = "people.csv"\nvalue = "ill"\n'


def spec_in(folder: Path, text: str) -> Path:
    (folder / "people.csv").write_text("ill\n0\n1\n1\n0\n0\n", encoding="utf-8")
    return written(folder, text)


def test_audit_bounds_what_is_known_without_a_joint_law(tmp_path: Path) -> None:
    done = dalenius("audit", spec_in(tmp_path, NETWORK + NOISE), "--json", "--epsilon", "0.5").json
    assert done["engine"] == "bounds"
    assert set(done["leakage"]) == {"differential", "inferential", "information"}
    found = done["leakage"]["inferential"]
    assert found["lower"] <= 1.13413403248 <= found["upper"]
    assert found["upper"] - found["lower"] < 1e-8
    assert found["witness"] == {"person": 2, "who": "person with 2 neighbours", "secret": 0, "against": 1}
    assert 0 == found["delta_lower"] < found["delta_upper"] < 1


def test_a_release_names_what_it_supposes(tmp_path: Path) -> None:
    done = dalenius("release", spec_in(tmp_path, LINKED + DATA), "--json").json
    rests = done["certificate"]["hypotheses"]
    assert any("independent of the vector of the person's record and the neighbours'" in each for each in rests)
    assert done["certificate"]["people"] == 5
    assert done["certificate"]["why"].startswith("over all joint laws with the known pairs")


def test_nothing_is_promised_against_the_pairs_themselves(tmp_path: Path) -> None:
    """Person 3 depends on person 2, so that 1 and 2 together are not independent of 3."""
    done = dalenius("compare", spec_in(tmp_path, NETWORK), "--json").json
    assert not any(each["sound"] for each in done["methods"])
    said = {each["method"]: each["why"] for each in done["methods"]}["comonotone"]
    assert "person 1 is no neighbour of person 3, but depends on person 2, who is" in said
    for noise in ("", NOISE.replace("2.0", "20.0")):
        refused = dalenius("release", spec_in(tmp_path, NETWORK + DATA + noise))
        assert "the pairs contradict" in complaint(refused, 1)
    assert dalenius("release", spec_in(tmp_path, LINKED + DATA + NOISE.replace("2.0", "20.0"))).code == 0
    twice = [spec_in(tmp_path, NETWORK + NOISE)] * 2
    together = dalenius("compose", *twice)
    assert "the pairs contradict" in complaint(together, 1)
    differential = NETWORK.replace('kind = "inferential"', 'kind = "differential"')
    assert dalenius("calibrate", spec_in(tmp_path, differential), "--json").json["sound"]
    centre = "\n[secrets]\npeople = [2]\n"
    assert dalenius("calibrate", spec_in(tmp_path, NETWORK + centre), "--json").json["sound"]


NO_LAW = "model.kind: pairwise, wanted a model with a joint law"
NEEDING_A_LAW = {
    ("audit", "--how-likely"): f"{NO_LAW} for tails",
    ("audit", "--tradeoff", "curve.svg"): f"{NO_LAW} for trade-offs",
    ("posterior", "--answers", "2"): f"{NO_LAW} for a posterior",
    ("explain", "--out", "page.html"): f"{NO_LAW} of all records here",
    ("calibrate", "--method", "wasserstein"): NO_LAW,
}
REFUSED = {
    ("[2, 3]]", "[2, 9]]"): "model.edges row 2: 9, wanted people's numbers from 1 to 5",
    ("[0.2, 0.8]]", "[0.2, 0.7]]"): "model.given row 2: [0.2, 0.7], wanted probabilities that sum to 1",
    ("[[0.8, 0.2], ", "[[1.0, 0.0], "): "model.given row 2: Pr[0 | 1] = 0.2, wanted 0",
    ("values = [0, 1]", "values = [0, 1, 2]"): "model.given: 2 rows, wanted 3, one for each value",
    ('kind = "inferential"', 'kind = "relative_entropy"'): "wanted a model with a joint law for relative_entropy",
}


def test_what_is_refused(tmp_path: Path, run: Run) -> None:
    for (command, *more), message in NEEDING_A_LAW.items():
        noise = "" if command == "calibrate" else NOISE
        assert message in complaint(run(command, spec_in(tmp_path, NETWORK + noise), *more))
    for (old, new), message in REFUSED.items():
        assert message in complaint(run("calibrate", spec_in(tmp_path, NETWORK.replace(old, new))))
