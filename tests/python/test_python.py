"""What a spec answers with one clear line, Python does too.

What is given in place of a release, a section or a number: one clear line, never an error of Python's own.

What a session or a notebook shows is one screen; every number has a name, and a place in a data frame.
"""

from collections.abc import Callable
from fractions import Fraction
from io import StringIO
from math import inf, log
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from rich.console import Console

import dalenius as dl
from dalenius.frozen_section import Frozen
from dalenius.tabular import MOST_SHOWN, WIDTH, Tabular, cell

MODEL = dl.Independent(n=3, probabilities=[0.1])
RELEASE = dl.Release(MODEL, dl.Count(), dl.Geometric(scale=1.0))


def positional(make: Any, *given: Any) -> Any:
    """mypy knows of fields by their names only."""
    return make(*given)


def test_numbers_and_arrays_of_other_libraries() -> None:
    assert dl.Independent(n=np.int64(3), probabilities=np.array([0.1])) == MODEL
    rows = [[0.9, 0.1], [0.2, 0.8]]
    chain = dl.Chain(n=4, initial="stationary", transition=rows)
    assert dl.Chain(n=np.int32(4), initial="stationary", transition=np.array(rows)) == chain
    assert dl.Chain(n=4, initial="stationary", transition=list(np.array(rows))) == chain
    assert dl.Independent(probabilities=pd.Series([0.1, 0.2])) == dl.Independent(probabilities=[0.1, 0.2])
    assert positional(dl.Laplace, 1.0) == dl.Laplace(scale=1.0), "the first field needs no name"
    assert dl.Adversary(known={2: np.int64(1)}) == dl.Adversary(known={"2": 1})


def test_notions_queries_and_noises_by_name() -> None:
    assert positional(dl.Release, MODEL, "count", dl.Geometric(scale=1.0)).noise == RELEASE.noise
    whole = dl.audit(RELEASE)
    assert dict(dl.audit(RELEASE, "inferential")) == dict(dl.audit(RELEASE, dl.InferentialPrivacy()))
    assert list(dl.audit(RELEASE, ["inferential", dl.InformationPrivacy()])) == ["inferential", "information"]
    assert whole["inferential"] == dl.audit(RELEASE, "inferential").inferential


def test_paths_may_be_texts(tmp_path: Path) -> None:
    event, profile, policy = (str(tmp_path / name) for name in ("event.json", "profile.csv", "policy.toml"))
    Path(event).write_text('{"neighbours": "replace", "event": {"kind": "gaussian", "noise_multiplier": 2}}')
    Path(profile).write_text("epsilon,delta\n0,0.2\n")
    Path(policy).write_text(
        '[[data]]\nnotion = {kind = "inferential", epsilon = 1}\nname = "town"\nsource.file = "people.csv"\n'
        'analysts = [{name = "ana"}]\nmeasures = [{name = "ill", value = {column = "ill", equals = 1}, model = '
        '{kind = "households", by = "home", epidemic = {community = 0.06, household = 0.35}}}]\n'
    )
    assert dl.read_event(event) == dl.read_event(Path(event))
    assert dl.read_profile(profile).guarantees == dl.read_profile(Path(profile)).guarantees
    assert dl.read_policy(policy) == dl.read_policy(Path(policy))
    dl.Curator(dl.read_policy(policy), str(tmp_path))
    for read in (dl.read_event, dl.read_profile, dl.read_policy, dl.read_measurement):
        with pytest.raises(dl.InputError, match=r"missing\.json, wanted a file that can be read"):
            read(str(tmp_path / "missing.json"))


def test_a_single_answer_needs_no_list() -> None:
    given = [1], 1, "1", positional(np.int64, 1)
    first, *others = (dl.posterior(RELEASE, each).records() for each in given)
    assert all(each == first for each in others)
    both = dl.Release(MODEL, dl.Histogram(cells=[[0], [1]]), dl.Geometric(scale=1.0))
    with pytest.raises(dl.InputError, match="answers: 1 of them, wanted 2"):
        dl.posterior(both, 1)


def test_specs_by_path_by_text_and_as_dictionaries(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('[model]\nkind = "independent"\nn = 3\nprobabilities = [0.1]\n[query]\nkind = "count"\n')
    sections = {"model": {"kind": "independent", "n": 3, "probabilities": [0.1]}, "query": {"kind": "count"}}
    assert dl.read_spec(path) == dl.read_spec(str(path)) == dl.read_spec(sections)


def test_copies_remember_nothing() -> None:
    """What a section computed once of its values is not that of a copy with others."""
    truth = dl.Kernel(answers=(0, 1), probabilities=((0.75, 0.25), (0.25, 0.75)))
    assert truth.privacy_loss([Fraction(1)]) == pytest.approx(log(3))
    sharper = truth.model_copy(update={"probabilities": ((0.9, 0.1), (0.1, 0.9))})
    assert sharper.privacy_loss([Fraction(1)]) == pytest.approx(log(9))


def test_copies_are_checked() -> None:
    noise = dl.Laplace(scale=1.0)
    assert noise.model_copy(update={"scale": 2}) == dl.Laplace(scale=2.0)
    promise = dl.InferentialPrivacy(from_=0.1, to=0.2)
    assert promise.model_copy(update={"to": 0.3}).to == 0.3
    with pytest.raises(dl.InputError, match=r"^Laplace\.scale: -3, wanted a finite number above 0$"):
        noise.model_copy(update={"scale": -3})
    with pytest.raises(dl.InputError, match=r"^Laplace\.width: 3, wanted one of the keys of Laplace: kind, scale"):
        noise.model_copy(update={"width": 3})


MODEL_OF_MISUSED: Any = dl.Households(count=3, infected=(0.9, 0.04, 0.06))
RELEASE_OF_MISUSED: Any = dl.Release(MODEL_OF_MISUSED, dl.Count(), dl.Laplace(scale=1.0))
NOTION = dl.InformationPrivacy(epsilon=1.0)
WANTED = ", wanted a Release(model, query, noise)"
TEXT: Any = "1"
OF_RELEASES: tuple[Callable[..., object], ...] = (
    dl.tradeoff,
    dl.relations,
    lambda given: dl.accuracy(given, 1.0),
    lambda given: dl.within(given, 0.05),
    dl.bayes_attacks,
    lambda given: dl.posterior(given, [1]),
    lambda given: dl.delta_of(given, 1.0),
    dl.audit,
    lambda given: dl.calibrate(given, "inferential"),
    lambda given: dl.compare(given, "inferential"),
)


def release(*given: Any, **more: Any) -> object:
    return dl.Release(*given, **more)


def any_of(called: Any, *given: Any) -> Any:
    """mypy knows what each takes."""
    return called(*given)


SAID: tuple[tuple[Callable[[], object], str], ...] = (
    (lambda: any_of(dl.audit, None), f"release: nothing{WANTED}"),
    (lambda: any_of(dl.compare, pd.DataFrame(), "inferential"), f"release: DataFrame{WANTED}"),
    (lambda: dl.compose(RELEASE_OF_MISUSED, NOTION), "releases: Release, wanted several releases, in "),
    (lambda: dl.compose([TEXT], NOTION), f"release: '1'{WANTED}"),
    (lambda: release(MODEL_OF_MISUSED, dl.Count, dl.Laplace(scale=1.0)), "query: the class Count itself, "),
    (lambda: release(MODEL_OF_MISUSED, dl.Count(), 1.0), "noise: 1.0, wanted a noise: an object, or the name"),
    (lambda: release("chain", dl.Count(), dl.Laplace()), "model."),
    (
        lambda: release(MODEL_OF_MISUSED, "count", dl.Laplace(), adversary={"known": {1: 1}}),
        "adversary: dict, wanted an",
    ),
    (lambda: any_of(dl.Laplace, 1.0, 2), "Laplace: 2, wanted fields by their names: scale"),
    (lambda: dl.Laplace(*[1.0], scale=2), "Laplace.scale: 2, wanted it once"),
    (
        lambda: dl.calibrate(RELEASE_OF_MISUSED, "inferential"),
        "notion.epsilon: missing, wanted a finite number above 0",
    ),
    (lambda: dl.audit(RELEASE_OF_MISUSED, "inferental"), "notion.kind: inferental, wanted one of "),
    (
        lambda: any_of(dl.audit, RELEASE_OF_MISUSED, 3),
        "notion: 3, wanted a notion, such as InferentialPrivacy(epsilon=1.0), or",
    ),
    (
        lambda: any_of(dl.audit, RELEASE_OF_MISUSED, [3]),
        "notion: 3, wanted a notion: an object, or the name of its kind",
    ),
    (lambda: dl.compare(RELEASE_OF_MISUSED, NOTION)["exat"], "method: exat, wanted one of "),
    (lambda: dl.within(RELEASE_OF_MISUSED, TEXT), "beta: 1, wanted a number above 0 and below 1"),
    (lambda: dl.delta_of(RELEASE_OF_MISUSED, TEXT), "epsilon: 1, wanted a number, not a text"),
    (lambda: setattr(MODEL_OF_MISUSED, "count", 4), "count: 4, wanted no change: model_copy(update={...}) makes "),
    (lambda: any_of(dl.read_spec, 3), "spec: int, wanted a spec, the path of its file, or its sections by"),
)


def test_one_line_says_it() -> None:
    cases = [
        *((lambda called=called: called(MODEL_OF_MISUSED), f"release: Households{WANTED}") for called in OF_RELEASES),
        *SAID,
    ]
    for asked, said in cases:
        with pytest.raises(dl.InputError) as raised:
            asked()
        assert str(raised.value).startswith(said)
        assert "\n" not in str(raised.value)


def test_pydantics_own_methods_are_out_of_sight() -> None:
    for shown in (dir(dl.Laplace), dir(dl.Laplace(scale=1.0)), dir(MODEL_OF_MISUSED)):
        assert not {"construct", "parse_obj", "from_orm", "model_dump", "model_fields"} & set(shown)
    assert {"scale", "with_scale", "model_copy"} <= set(dir(dl.Laplace(scale=1.0)))
    assert issubclass(dl.Laplace, Frozen)


mpl.use("Agg")
HOMES = dl.Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
RELEASE_OF_SHOWN = dl.Release(HOMES, dl.Count(), dl.Geometric(scale=1.0))
PROMISE = dl.InferentialPrivacy(epsilon=1.0)


@pytest.fixture(scope="module")
def compared() -> dl.Comparison:
    small = dl.Release(dl.Households(count=4, infected=[0.9, 0.04, 0.06]), dl.Count(), dl.Geometric())
    return dl.compare(small, PROMISE)


def is_one_screen(text: str) -> bool:
    lines = text.splitlines()
    return len(lines) <= 50 and max(map(len, lines)) <= WIDTH


def test_every_representation_is_one_screen(compared: dl.Comparison) -> None:
    calibration = dl.calibrate(RELEASE_OF_SHOWN, PROMISE)
    shown = [dl.audit(RELEASE_OF_SHOWN), calibration, compared]
    assert all(is_one_screen(repr(each)) for each in shown)
    for each in (
        RELEASE_OF_SHOWN,
        HOMES,
        dl.audit(RELEASE_OF_SHOWN).inferential,
        dl.Independent(probabilities=[0.1] * 100_000),
    ):
        assert len(repr(each)) < 1000


def test_an_audit_is_its_numbers() -> None:
    found = dl.audit(RELEASE_OF_SHOWN)
    assert found.information.epsilon == found["information"].epsilon
    assert "information" in dir(found)
    frame = found.frame()
    assert list(frame["notion"]) == list(found)
    assert list(frame["upper"]) == [each.upper for each in found.values()]
    assert frame["lower"].dtype == np.float64
    with pytest.raises(AttributeError, match="an audit has no 'rho'; of this release it has differential, "):
        _ = found.rho


def test_a_comparison_is_ranked(compared: dl.Comparison) -> None:
    frame = compared.frame()
    assert len(frame) == len(compared)
    made = frame[frame["sound"].notna()]
    sound = [found for _, found in compared.ranked if found.sound]
    places = [(found.differential == inf, found.expected_error) for found in sound]
    assert places == sorted(places), "what has no bound for whoever knows all others comes last, and is not the least"
    assert {found.differential == inf for found in sound} == {True, False}
    assert made["times_least"].tolist()[0] == 1
    assert made["sound"].astype(bool).tolist() == sorted(made["sound"].astype(bool), reverse=True)
    assert frame["sound"].isna().tolist() == sorted(frame["sound"].isna())
    assert compared["exact"].calibration is not None
    assert compared["exact"].calibration.noise.scale in frame["scale"].tolist()
    assert "not applicable here: " in repr(compared)


class Many(Tabular):
    @property
    def caption(self) -> str:
        return "<many>"

    def records(self) -> list[dict[str, str | float | bool | None]]:
        return [{"place": float(k), "even": k % 2 == 0, "none": None} for k in range(1000)]


def test_long_tables_begin() -> None:
    assert repr(Many()).endswith("and 986 more rows: frame() has all")
    assert f"and {1000 - MOST_SHOWN} more rows: frame() has all" in Many()._repr_html_()
    assert is_one_screen(repr(Many()))
    assert len(Many().frame()) == 1000
    written = StringIO()
    Console(file=written, width=40).print(Many())
    assert max(map(len, written.getvalue().splitlines())) <= 40
    assert [cell(each) for each in (None, True, False, 1 / 3, "a")] == ["", "yes", "no", "0.333333", "a"]


def test_pictures_are_drawn_where_wanted(compared: dl.Comparison) -> None:
    found = dl.audit(RELEASE_OF_SHOWN)
    axes = plt.subplots()[1]
    assert found.plot(axes) is axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [kind.replace("_", " ") for kind in found]
    axes = compared.plot()
    assert len(axes.get_yticklabels()) == len(compared.ranked)
    axes.get_figure(root=True).draw_without_rendering()  # type: ignore[union-attr]
    ticks = [label.get_text() for label in axes.get_xticklabels() if label.get_text()]
    assert len(ticks) > 1
    assert all(float(tick) > 0 for tick in ticks)
    assert not any(label.get_text() for label in axes.get_xticklabels(minor=True))
    plt.close("all")
