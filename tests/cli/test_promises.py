"""Several promises in a spec: calibrate, compare, release and audit keep or show all of them."""

from pathlib import Path

import pytest

from tests.cli.command import Run, complaint

HEAD = """
model = { kind = "households", by = "home", epidemic = { community = 0.06, household = 0.35 } }
query = { kind = "count" }
data = { file = "people.csv", value = "ill" }
"""
INFORMATION = """
[[promises]]
kind = "information"
factor = 2
delta = 0.05
"""
DIFFERENTIAL = """
[[promises]]
kind = "differential"
epsilon = 2
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    rows = [f"h{home},{int(home % 7 == 0)}" for home in range(40) for _ in range(3)]
    (tmp_path / "people.csv").write_text("\n".join(["home,ill", *rows]), encoding="utf-8")
    file = tmp_path / "spec.toml"
    file.write_text(HEAD + INFORMATION + DIFFERENTIAL, encoding="utf-8")
    return file


def test_calibrate(run: Run, spec: Path) -> None:
    done = run("calibrate", spec, "--json").json
    assert done["noise"]["kind"] == "geometric"
    assert done["noise"]["scale"] == pytest.approx(0.5, rel=1e-9)
    first, second = done["promises"]
    assert (first["notion"]["kind"], first["notion"]["factor"], first["notion"]["delta"]) == ("information", 2, 0.05)
    assert first["leakage"]["upper"] <= first["notion"]["epsilon"]
    assert (second["notion"]["kind"], second["leakage"]["upper"]) == ("differential", 2)
    assert done["leakage"] == first["leakage"]
    assert done["why"].endswith("(differential privacy asks for the most noise)")
    shown = run("calibrate", spec).out
    assert "information leakage" in shown
    assert "differential leakage" in shown


def test_release(run: Run, spec: Path) -> None:
    done = run("release", spec, "--json").json
    certificate = done["certificate"]
    assert certificate["notion"]["kind"] == "information"
    assert [each["notion"]["kind"] for each in certificate["promises"]] == ["information", "differential"]
    again = run("release", spec)
    assert "differential privacy, 2 nats" in again.out
    assert "information privacy, 0.693147 nats" in again.out


def test_audit_shows_the_notions_promised(run: Run, spec: Path) -> None:
    more = '[[promises]]\nkind = "noiseless"\nepsilon = 3\ndelta = 1e-3\n[noise]\nkind = "geometric"\nscale = 1\n'
    spec.write_text(HEAD + INFORMATION + more, encoding="utf-8")
    found = run("audit", spec, "--epsilon", "1", "--json").json["leakage"]
    for kind in ("inferential", "information", "noiseless"):
        assert found[kind]["delta_lower"] <= found[kind]["delta"] <= found[kind]["delta_upper"]
    assert found["information"]["delta"] < found["inferential"]["delta"]


BAD = {
    "promises = []\n" + HEAD: "promises: [], wanted at least one promise (or a section [notion])",
    HEAD: "notion: missing, wanted a section [notion] with kind and epsilon, or several [[promises]]",
    HEAD + '[notion]\nkind = "information"\nepsilon = 1\n' + DIFFERENTIAL: (
        "wanted no [[promises]] beside a section [notion]: write it as one of them"
    ),
    HEAD + INFORMATION + '[[promises]]\nkind = "inferential"\n': (
        "promises row 2.epsilon: missing, wanted a finite number above 0"
    ),
    HEAD + INFORMATION + '[[promises]]\nkind = "magic"\nepsilon = 1\n': "promises 2.kind: magic, wanted one of ",
    HEAD + DIFFERENTIAL + "delta = 0.1\n": "promises 1.delta: 0.1, wanted one of the keys of promises 1: kind",
}


def test_bad_promises(run: Run, spec: Path) -> None:
    for promises, said in BAD.items():
        spec.write_text(promises, encoding="utf-8")
        before = sorted(spec.parent.iterdir())
        for command in ("calibrate", "compare", "release"):
            assert said in complaint(run(command, spec))
        assert sorted(spec.parent.iterdir()) == before
