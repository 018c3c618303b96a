"""Files of measurements, and the command that audits them: each bad one is refused in one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from dalenius.errors import InputError
from dalenius.measurements import conversion_of, read_measurement
from dalenius.models import Households
from tests.cli.command import dalenius
from tests.measurements.made import INTS, READ, SUM, UNREAD, dp

HOMES = Households(count=250, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
SPEC = '[model]\nkind = "households"\ncount = 250\ninfected = [0.9, 0.04, 0.0, 0.0, 0.06]\n'
WRITTEN = json.loads(dp.serialize(READ["bits, laplace"]))
INNER = WRITTEN["__kwargs__"]["measurement1"]
USED = {"__function__": "make_count", "__module__": "transformations", "__kwargs__": {}, "__version__": "0.16.0"}


def written(folder: Path, found: Any) -> Path:
    path = folder / "m.json"
    path.write_text(found if isinstance(found, str) else json.dumps(found), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ("{", "measurement: .*, wanted JSON .*|measurement m.json line 1.*"),
        ({"epsilon": 1}, "measurement: m.json, wanted what OpenDP's serialize writes of a measurement"),
        ({**WRITTEN, "__version__": "0.99.1"}, "measurement.__version__: 0.99.1, wanted a file of OpenDP 0.16"),
        ({k: v for k, v in WRITTEN.items() if k != "__version__"}, "measurement.__version__: missing, wanted a "),
        ({**WRITTEN, "__function__": "make_unheard"}, "measurement: make_unheard, wanted a constructor that"),
        ({**WRITTEN, "__module__": "mod"}, "measurement: mod.make_chain_mt, wanted constructors of OpenDP that a file"),
        ({**WRITTEN, "__function__": "make_user_measurement", "__module__": "measurements"}, "wanted constructors"),
        ({**USED, "__kwargs__": {"input_domain": {"__lazyframe__": "AA=="}}}, "measurement: __lazyframe__, wanted no"),
        ({**USED, "__kwargs__": {"size": 3}}, "measurement: make_count, wanted arguments that OpenDP accepts"),
        (WRITTEN["__kwargs__"]["transformation0"], "measurement: make_chain_tt, wanted a measurement, which"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_in_a_line(tmp_path: Path, found: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_measurement(written(tmp_path, found))
    assert "\n" not in str(caught.value)


def test_what_is_read_back_is_the_same_measurement(tmp_path: Path) -> None:
    for name in ("bits, laplace", "mean", "restated", "two"):
        again = read_measurement(written(tmp_path, dp.serialize(READ[name])))
        assert again.map(2) == READ[name].map(2)


def test_the_command_audits_a_measurement_that_is_read(tmp_path: Path) -> None:
    spec, path = tmp_path / "spec.toml", written(tmp_path, WRITTEN)
    spec.write_text(SPEC, encoding="utf-8")
    found = dalenius("audit", spec, "--measurement", path, "--json").json
    assert found["leakage"]["inferential"]["upper"] == pytest.approx(1.861652, abs=1e-6)


def test_the_command_converts_any_other_by_its_map(tmp_path: Path) -> None:
    spec, path = tmp_path / "spec.toml", written(tmp_path, dp.serialize(UNREAD["make_count_distinct"][0]))
    spec.write_text(SPEC, encoding="utf-8")
    found = dalenius("audit", spec, "--measurement", path, "--json").json
    expected = conversion_of(HOMES, UNREAD["make_count_distinct"][0]).epsilon(0.0).value.upper
    assert found["inferential"]["upper"] == pytest.approx(expected)
    assert "make_count_distinct is not read" in found["why"]
    refused = dalenius("audit", spec, "--measurement", path, "--how-likely")
    assert refused.code == 2
    assert "--how-likely: make_count_distinct, wanted a measurement with known constructors only" in refused.err
    spec.write_text(SPEC + '[query]\nkind = "count"\n', encoding="utf-8")
    refused = dalenius("audit", spec, "--measurement", path)
    assert refused.code == 2
    assert "query: spec.toml, wanted no such section beside --measurement" in refused.err


@pytest.mark.lengthy
def test_a_map_of_another_measure_needs_an_epsilon(tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC, encoding="utf-8")
    path = written(tmp_path, dp.serialize(INTS >> dp.t.then_count_distinct() >> dp.m.then_gaussian(scale=2.0)))
    refused = dalenius("audit", spec, "--measurement", path)
    assert refused.code == 2
    assert "--epsilon: missing, wanted the epsilon at which a delta is reported: make_count_distinct" in refused.err
    found = dalenius("audit", spec, "--measurement", path, "--epsilon", "1", "--json").json
    assert 0 < found["inferential"]["lower"] < found["inferential"]["upper"] < 1


def by_user(measure: Any, loss: Any) -> Any:
    return dp.m.make_user_measurement(*INTS, measure, len, loss, TO=int)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("pure", by_user(dp.max_divergence(), lambda d: 0.2 * d)),
        ("approximate", by_user(dp.approximate(dp.max_divergence()), lambda d: (0.2 * d, 1e-3))),
        ("zcdp", by_user(dp.zero_concentrated_divergence(), lambda d: 0.02 * d * d)),
        (
            "approximate zcdp",
            by_user(dp.approximate(dp.zero_concentrated_divergence()), lambda d: (0.02 * d * d, 1e-3)),
        ),
        ("smoothed", dp.c.make_zCDP_to_approxDP(INTS >> dp.t.then_count_distinct() >> dp.m.then_gaussian(scale=5.0))),
    ],
)
def test_every_measure_of_loss_is_converted(name: str, made: Any) -> None:
    value = conversion_of(HOMES, made).delta(0.5).value
    assert 0 <= value.lower <= value.upper < 1
    alone = Households(count=5, infected=(0.7, 0.3))
    assert conversion_of(alone, made).delta(0.5).value.upper <= value.upper + 1e-12
    # Two steps of OpenDP's symmetric distance are one changed record.
    if name == "pure":
        assert conversion_of(alone, made).epsilon(0.0).value.upper == pytest.approx(0.4)


def test_a_measurement_of_no_data_or_without_a_loss_is_refused() -> None:
    bare = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)
    with pytest.raises(InputError, match=r"measurement.input_metric: AbsoluteDistance.* wanted a measurement of data"):
        conversion_of(HOMES, bare)
    with pytest.raises(
        InputError, match=r"measurement: make_laplace, wanted a finite loss at distance 2|make_chain_mt"
    ):
        conversion_of(HOMES, SUM >> dp.m.then_laplace(scale=0.0))
    other = by_user(dp.user_divergence("mine"), lambda d: d)
    with pytest.raises(InputError, match=r"measurement.output_measure: .* wanted one of MaxDivergence"):
        conversion_of(HOMES, other)
