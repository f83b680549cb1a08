"""``scorecast extrapolate --curve``: forecasts from published points."""

import numpy as np
import pytest

import scorecast as sc

pytestmark = pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning")


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("model,classes,miss,samples\na,10,.05,90\na,99,.1,90\nb,10,.2,90\n")
    return path


def test_a_table_of_points_is_answered_as_the_library_does(run, points, tmp_path):
    saved = tmp_path / "o.json"
    code, _, _ = run("extrapolate", "--curve", points, "--to", "1e6", "--json", saved)
    assert code == 0
    answer = sc.load(saved)
    assert [curve.model for curve in answer.curves] == ["a", "b"]
    np.testing.assert_allclose(answer.curves[0].accuracy, [0.95, 0.9])
    same = sc.extrapolate_curve(
        [10, 99, 10], [0.95, 0.9, 0.8], to=10**6, n_samples=90, model=["a", "a", "b"]
    )
    assert same.curves[0].predictions == answer.curves[0].predictions


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--fail-below", ".99"], 5),
        (["--fail-below-low", ".99"], 5),
        (["--cost", "x"], 2),
        (["--method", "kde-ucv"], 2),
        (["--labels", "y.csv"], 2),
        (["--top", "10"], 2),
    ],
)
def test_gates_and_what_has_no_say(run, points, more, code):
    found, _, _ = run("extrapolate", "--curve", points, "--to", "1e6", *more)
    assert found == code


def test_what_is_for_points_is_refused_without_them(run):
    for more in (["--design", "separate"], ["--method", "pitman-yor"]):
        code, _, _ = run("extrapolate", "x.npy", "--to", "9", *more)
        assert code == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("N,acc\n10,.9\n", "Rename N to classes and acc to accuracy"),
        ("gallery size,FNIR,algorithm\n10,.1,a\n", "Rename gallery size to classes"),
        ("classes,error\n10,.1\n", "Rename error to miss"),
        ("model,1000,10000\na,.9,.8\n", "Turn the table round"),
        ("acc@1000,acc@10000\n.9,.8\n", "and below it A,1000,0.95"),
    ],
)
def test_tables_laid_out_otherwise_are_told_how(run, points, text, said):
    points.write_text(text)
    code, _, err = run("extrapolate", "--curve", points, "--to", "1e6")
    assert code == 3
    assert said in " ".join(err.split())


@pytest.mark.parametrize(
    "text", ["size,share\n10,.9\n", "classes,miss\n10,5\n", "classes,accuracy\n10,95\n"]
)
def test_tables_of_other_things_are_refused_with_their_file(run, points, text):
    points.write_text(text)
    code, _, err = run("extrapolate", "--curve", points, "--to", "1e6")
    assert code == 3
    assert "points.csv" in err


def test_several_files_of_scores_are_compared(run, tmp_path, problem):
    scores, own = problem
    np.savez(tmp_path / "a.npz", scores=scores, labels=own)
    np.savez(tmp_path / "b.npz", scores=scores + np.eye(12)[own], labels=own)
    files = [tmp_path / "a.npz", f"better={tmp_path / 'b.npz'}"]
    saved = tmp_path / "o.json"
    code, out, _ = run("extrapolate", *files, "--to", "100", "--json", saved)
    assert code == 0
    answer = sc.load(saved)
    assert list(answer.recognisers) == ["a", "better"]
    assert answer.differences[0].value > 0
    assert "better" in out
    code, _, _ = run("extrapolate", *files, "--to", "9", "--fail-below", ".99999")
    assert code == 5
    assert run("extrapolate", *files, "--to", "100", "--cost", "x")[0] == 2
    code, out, _ = run("extrapolate", *files, "--until", ".3", "--backtest", "0")
    assert code == 0
    assert "30 % or more is held by" in out
    assert run("extrapolate", *files, "--until", ".99999")[0] == 2
    assert run("extrapolate", files[0], files[0], "--to", "100")[0] == 2


def test_an_accuracy_to_hold_is_asked_of_points(run, points, tmp_path):
    saved = tmp_path / "o.json"
    code, out, _ = run(
        "extrapolate", "--curve", points, "--until", ".5", "--json", saved
    )
    assert code == 0
    assert "50 % or more up to" in " ".join(out.split())
    assert all(curve.reach is not None for curve in sc.load(saved).curves)
    code, _, err = run("extrapolate", "--curve", points, "--until", ".9999999")
    assert code == 2
    assert "--until" in err
    code, _, err = run("extrapolate", "--curve", points, "--to", "1e6", "--top", "1,5")
    assert code == 2
    assert "--top" in err


def test_a_wide_table_of_points_is_turned_round_with_its_own_sizes(run, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("name,rank1_640000,rank1_1600000,rank1_3000000\nA,.1,.2,.3\n")
    code, _, err = run("extrapolate", "--curve", path, "--to", "1e8")
    assert code == 3
    assert "A,640000,0.95" in err
