"""``--method-option``: settings as people write them, found through the registry."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.cli.method_options import configured, configured_each
from scorecast.cli.verb import described, write_setting
from scorecast.exceptions import UsageError
from scorecast.extrapolation import EXTRAPOLATORS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("constrained=false", {"constrained": False}),
        ("constrained=FALSE", {"constrained": False}),
        ("constrained=True", {}),
        ("sizes=5", {"sizes": (5,)}),
        ("sizes=5,10, 20", {"sizes": (5, 10, 20)}),
        ("sizes=(5, 10)", {"sizes": (5, 10)}),
        ("sizes=[5,10,]", {"sizes": (5, 10)}),
        ("bandwidths=.2,.4", {"bandwidths": (0.2, 0.4)}),
        ("bandwidth=0.3", {"bandwidth": 0.3}),
        ("bandwidth=None", {}),
        ("form=risk", {"form": "risk"}),
        ("form='risk'", {"form": "risk"}),
        ("n-subsamples=1e1", {"n_subsamples": 10}),
    ],
)
def test_values_are_written_without_python(text, expected):
    assert configured("regression", [text]).settings() == expected


@pytest.mark.parametrize("name", EXTRAPOLATORS)
def test_what_help_shows_can_be_given(name):
    method = EXTRAPOLATORS[name]
    shown = described(method)[1]
    for setting, value in method.usual_settings().items():
        written = f"{setting}={write_setting(value)}"
        assert written in shown
        if name != "kde-fixed" or setting != "rule":
            again = configured(name, [written])
            assert getattr(again, setting) == value


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("constrained=maybe", "constrained"),
        ("sizes=a,b", "sizes"),
        ("n_subsamples=2.5", "n_subsamples"),
        ("bandwidth=wide", "bandwidth"),
        ("form=round", "form"),
        ("constrained", "no NAME=VALUE"),
        ("constrained=", "no NAME=VALUE"),
    ],
)
def test_what_is_no_value_is_refused(text, word):
    with pytest.raises(UsageError) as caught:
        configured("regression", [text])
    assert word in f"{caught.value} {caught.value.parameter}"


def test_each_of_several_methods_takes_what_it_has():
    given = ["bandwidth=0.4", "degree=2"]
    one, other, third = configured_each(["regression", "polynomial", "gaussian"], given)
    assert (one.bandwidth, other.degree) == (0.4, 2)
    assert third == EXTRAPOLATORS["gaussian"]
    with pytest.raises(UsageError, match="none of gaussian has a setting 'degree'"):
        configured_each(["gaussian"], given[1:])


def test_a_back_test_takes_settings(run, tmp_path, problem):
    scores, own = problem
    np.savez(tmp_path / "both.npz", scores=scores, labels=own)
    asked = ("backtest", tmp_path / "both.npz", "--repeats", 2, "--ratio", 2)
    methods = ("--method", "polynomial", "--method", "regression")
    code, out, err = run(
        *asked, *methods, "--method-option", "degree=1", "--method-option",
        "constrained=FALSE", "--method-option", "bandwidth=0.5",
        "--json", tmp_path / "out.json",
    )  # fmt: skip
    assert code == 0, err
    found = sc.load(tmp_path / "out.json")
    assert found.settings == {
        "polynomial": {"degree": 1},
        "regression": {"bandwidth": 0.5, "constrained": False},
    }
    assert "polynomial with degree 1" in " ".join(out.split())
    code, _, err = run(*asked, *methods, "--method-option", "shift=1")
    assert code == 2
    assert "--method-option: none of polynomial, regression has a setting" in err
    code, _, err = run(
        "extrapolate", tmp_path / "both.npz", "--to", 50, "--method", "regression",
        "--method-option", "form=simplex", "--method-option", "constrained=false",
    )  # fmt: skip
    assert code == 2
    assert "--method-option constrained: the form 'simplex' is a distribution" in err
    assert err.count("\n") == 1
