"""Networks that are too wide for the memory: every advice of the refusal leads to an answer, and audit gives bounds."""

import re
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.errors import InputError, TooLarge
from dalenius.memory_budget import allowed, budget_in_use, enough, or_more, spelled
from tests.cli.command import Run, written

SIDE = 6
STEPS = ([[0.7, 0.3]], [[0.7, 0.3], [0.4, 0.6]], [[0.7, 0.3], [0.4, 0.6], [0.45, 0.55], [0.2, 0.8]])


def grid() -> dl.Network:
    """People in rows, each like the one before and the one above."""
    nodes = []
    for row in range(SIDE):
        for column in range(SIDE):
            near = ([f"x{row - 1}_{column}"] if row else []) + ([f"x{row}_{column - 1}"] if column else [])
            nodes.append({"name": f"x{row}_{column}", "parents": near, "probabilities": STEPS[len(near)]})
    return dl.Network.model_validate({"nodes": nodes})


GRID = grid()
SMALL, PEOPLE = "1M", SIDE * SIDE
COUNTED = 'query = { kind = "count" }\n'
PROMISE = 'notion = { kind = "inferential", epsilon = 1.0 }\n'


def spec(folder: Path, noise: str = 'noise = { kind = "laplace", scale = 2.0 }\n', promise: str = PROMISE) -> Path:
    nodes = "".join(
        f'[[model.nodes]]\nname = "{each.name}"\nparents = {list(each.parents)}\n'
        f"probabilities = {[list(row) for row in STEPS[len(each.parents)]]}\n".replace("'", '"')
        for each in GRID.nodes or ()
    )
    return written(folder, COUNTED, noise, promise, '[model]\nkind = "network"\n', nodes)


def budget_named(message: str) -> str:
    (found,) = re.findall(r"or allow --memory (\S+) \(limit [^()]*\)$", message.strip())
    return str(found)


def test_an_audit_gives_what_needs_no_law() -> None:
    release = dl.Release(GRID, dl.Count(), dl.Laplace(scale=2.0))
    with dl.memory(SMALL):
        found = dl.audit(release)
        known = dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0), "group")
    truth = dl.audit(release)
    assert found.differential.epsilon == truth.differential.epsilon == 0.5
    assert (found.inferential.lower, found.inferential.upper) == (0.0, PEOPLE / 2)
    for kind in found:
        assert found[kind].lower <= truth[kind].lower
        assert truth[kind].upper <= found[kind].upper
    assert known.sound
    assert known.noise.scale == PEOPLE
    assert known.bayesian is not None
    assert known.bayesian.upper == pytest.approx(1.0)


def test_gaussian_noise_keeps_a_delta_without_a_law() -> None:
    release = dl.Release(GRID, dl.Count(), dl.Gaussian())
    notion = dl.InferentialPrivacy(epsilon=1.0, delta=1e-3)
    with dl.memory(SMALL):
        exact, theorem = (dl.calibrate(release, notion, method) for method in ("exact", "gaussian"))
        assert notion.least_delta(release.with_noise(theorem.noise), 1.0).upper <= 1e-3  # type: ignore[union-attr]
    assert exact.noise.scale == pytest.approx(theorem.noise.scale, rel=1e-6)


def test_only_some_people_are_asked_about() -> None:
    asked = dl.Secrets(people=("x0_0",))
    release = dl.Release(GRID, dl.Count(), dl.Laplace(scale=2.0), asked)
    with dl.memory(SMALL):
        small = dl.Release(GRID, dl.Count(), dl.Laplace(scale=2.0), asked)
        assert dl.calibrate(small, dl.InferentialPrivacy(epsilon=1.0), "group").sound
        assert dl.audit(small).differential.upper == dl.audit(release).differential.upper


def test_the_method_and_the_memory_that_a_refusal_names(run: Run, tmp_path: Path) -> None:
    where = spec(tmp_path)
    refused = run("posterior", where, "--answers", "9", "--memory", SMALL)
    assert refused.code == 2
    assert "use calibrate --method group, which needs no law" in refused.err
    group = run("calibrate", where, "--method", "group", "--memory", SMALL, "--json").json
    assert (group["sound"], group["noise"]["scale"]) == (True, PEOPLE)
    assert run("posterior", where, "--answers", "9", "--memory", budget_named(refused.err)).code == 0


def test_audit_says_that_it_gives_bounds(run: Run, tmp_path: Path) -> None:
    done = run("audit", spec(tmp_path), "--memory", SMALL, "--json")
    assert done.json["engine"] == "bounds"
    assert done.err.startswith("dalenius: advice: bounds only: summing out the network: a width of ")
    more = run("audit", spec(tmp_path), "--memory", budget_named(done.err), "--json")
    assert more.json["leakage"]["inferential"]["is_bound"] is False


def test_compare_lists_what_applies(run: Run, tmp_path: Path) -> None:
    done = run("compare", spec(tmp_path), "--memory", SMALL, "--json").json["methods"]
    assert {"group", "exact", "independent"} <= {each["method"] for each in done if each["applies"]}


def test_more_epsilon_is_advised_only_where_it_helps(run: Run, tmp_path: Path) -> None:
    people = 'model = { kind = "independent", n = 5, probabilities = [0.3] }\n'
    bad = run("calibrate", written(tmp_path, people, COUNTED, 'noise = { kind = "gaussian" }\n', PROMISE))
    assert bad.code == 2
    assert bad.err.endswith(
        "laplace or geometric (the outermost outputs of Gaussian noise leak without bound at any scale), or a delta\n"
    )
    for noise, promise in (
        ("laplace", PROMISE),
        ("geometric", PROMISE),
        ("gaussian", PROMISE.replace("1.0", "1.0, delta = 1e-3")),
    ):
        given = f'noise = {{ kind = "{noise}" }}\n'
        assert run("calibrate", written(tmp_path, people, COUNTED, given, promise)).code == 0


def test_budgets_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, size in (("8G", 8 << 30), ("500 MB", 500 << 20), ("1.5GiB", 3 << 29), (1 << 21, 1 << 21)):
        with dl.memory(text):
            assert budget_in_use() == size
    monkeypatch.setenv("DALENIUS_MEMORY", "2G")
    assert allowed(100) == 50
    monkeypatch.setenv("DALENIUS_MEMORY", "much")
    with pytest.raises(InputError, match=r"^DALENIUS_MEMORY: much, wanted an amount of at least 1M"):
        budget_in_use()


@pytest.mark.parametrize("wrong", ["8", "-1G", "1K", "G", "", 5])
def test_what_is_no_budget_is_refused(wrong: str | int) -> None:
    with pytest.raises(InputError, match="wanted an amount of at least 1M, such as 8G or 500M"), dl.memory(wrong):
        pass


def test_a_budget_that_is_named_is_enough() -> None:
    for used in (1, 12345, (1 << 23) + 1, 3 << 40):
        with dl.memory(spelled(max(enough(used, 1 << 23), 1 << 20))):
            assert used <= allowed(1 << 23)
    assert or_more("wait", 1 << 60) == "wait"


def test_the_refusal_is_of_the_budget_in_use() -> None:
    with dl.memory(SMALL):
        found = dl.Release(GRID, dl.Count(), dl.Laplace(scale=2.0)).worlds.refusal
    assert isinstance(found, TooLarge)
    assert dl.Release(GRID, dl.Count(), dl.Laplace(scale=2.0)).worlds.refusal is None
