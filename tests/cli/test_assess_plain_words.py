"""What ``assess`` says to somebody who knows neither Python nor scikit-learn."""

import numpy as np
import pytest

from scorecast.guarantees import check_sampling

QUICK = ("--permutations", "0", "--null-sets", "0")


@pytest.fixture
def arrays(tmp_path):
    """Forty cases of five features, 14 of class 0 and 26 of class 1."""
    y = (np.arange(40) >= 14).astype(np.int8)
    X = np.random.default_rng(0).normal(size=(40, 5)) + 2 * y[:, None]
    np.savez(tmp_path / "data.npz", X=X, y=y)
    return tmp_path / "data.npz"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "svm", "--tune", "C=a"),
         "svm, tuned C=a: C of SVC must be a number in the range (0.0, inf]; got 'a'."),
        (("--model", "svm", "--tune", "C=-1,1"),
         "svm, tuned C=-1,1: C of SVC must be a number in the range (0.0, inf]; got"),
        (("--model", "svm", "--tune", "kernel=a"),
         "kernel of SVC must be one of 'linear', 'poly', 'precomputed', 'rbf', 'sig"),
        (("--model", "sklearn.svm:SVC(C=-1.0)"), "C of SVC must be a number in"),
        (("--model", "sklearn.svm:SVC(Q=1)"), "SVC has no parameter 'Q'; it has C, "),
        (("--model", "sklearn.svm:SVC(kern='a')"), "did you mean 'kernel'?"),
        (("--model", "svm", "--loss", "acc"), "Did you mean 'accuracy'?"),
        (("--model", "neigh"), "Did you mean 'neighbours'?"),
    ],
)  # fmt: skip
def test_slips_are_named_in_plain_words(run, arrays, arguments, said):
    code, out, err = run("assess", arrays, "--target", "y", *arguments, *QUICK)
    assert (code, out) == (2, "")
    assert said in err
    assert "Error" not in err
    assert err.count("\n") == 1


def test_a_class_of_two_cases_needs_no_other_folds(run, tmp_path):
    """Folds by class keep one of the two to learn from; nobody is sent to cv2."""
    y = np.repeat(["a", "b", "c"], [22, 16, 2])
    path = tmp_path / "unequal.npz"
    X = np.random.default_rng(0).normal(size=(40, 5))
    np.savez(path, X=X + 4 * (y == "c")[:, None], y=y)
    call = ("assess", path, "--target", "y", "--model", "nearest-centroid", *QUICK)
    code, out, err = run(*call)
    assert code == 0
    assert "cv2" not in out + err
    assert "cv10: 10 splits" in out
    assert "classes with few cases (c: 2) are learned from even fewer" in out
    # Where the advice is to take fewer folds, they can be taken.
    code, _, err = run(*call, "--sampling", "cv41")
    assert code == 4
    assert "41 folds need 41 cases, but there are 40; take --sampling cv40." in err
    assert run(*call, "--sampling", "cv40")[0] == 0


def test_classes_are_counted_in_words(run, arrays):
    call = ("assess", arrays, "--target", "y", "--model", "naive-bayes", *QUICK)
    assert "5 features; 14 of class 0, 26 of class 1\n" in run(*call)[1]


def test_the_checkpoint_of_another_run_is_blamed_alone(run, arrays, tmp_path):
    kept = str(tmp_path / "ck.jsonl")
    call = ("assess", arrays, "--target", "y", "--model", "naive-bayes", *QUICK)
    assert run(*call, "--checkpoint", kept)[0] == 0
    code, _, err = run(*call, "--checkpoint", kept, "--seed", "3")
    assert code == 3
    assert err.startswith(f"scorecast: {kept}: the checkpoint of another run")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("632+", ".632+-200"), ("632plus-9", ".632+-9"), ("0.632-9", ".632-9")],
)
def test_bootstrap_weights_may_be_written_otherwise(given, meant):
    assert check_sampling(given).name == meant


def test_the_first_missing_value_is_said_with_its_place(run, arrays, tmp_path):
    lines = ["a,b,k", *(f"{i % 7},{i % 3},{'xy'[i % 2]}" for i in range(20))]
    table = tmp_path / "data.csv"
    given = ("assess", table, "--target", "k", "--model", "svm", *QUICK)
    said = "the value is missing (1 such), and svm"
    for word in ("NA", ""):
        rows = [*lines[:7], f"{word},0,x", *lines[8:]]
        table.write_text("\n".join(rows) + "\n")
        assert f"data.csv, column 'a', line 8: {said}" in run(*given)[2]
    data = dict(np.load(arrays))
    data["X"][6, 3] = np.nan
    np.savez(arrays, **data)
    err = run("assess", arrays, "--target", "y", "--model", "svm", *QUICK)[2]
    assert f"data.npz::X, column '4', row 7: {said}" in err


def test_transposed_features_are_recognised(run, arrays):
    data = dict(np.load(arrays))
    np.savez(arrays, X=data["X"].T, y=data["y"])
    code, _, err = run("assess", arrays, "--target", "y", "--model", "svm", *QUICK)
    assert code == 3
    assert "5 rows of features but 40 in 'y'. Transpose the features" in err


def test_a_column_without_a_name_can_be_left_out(run, tmp_path):
    rows = (f'"s{i}",{i % 7},{i % 3},{"xy"[i % 2]}' for i in range(40))
    path = tmp_path / "from_r.csv"
    path.write_text("\n".join(['"","a","b","k"', *rows]) + "\n")
    call = ("assess", path, "--target", "k", "--model", "naive-bayes", *QUICK)
    code, _, err = run(*call)
    assert code == 3
    assert "(--drop)" in err
    assert "row.names=FALSE" in err
    assert run(*call, "--drop", "")[0] == 0


def test_numbers_and_classes_are_told_apart(run, arrays):
    code, out, _ = run("assess", arrays, "--target", "y", "--model", "ridge", *QUICK)
    assert code == 0
    assert "the target has two values only" in out
    data = dict(np.load(arrays))
    np.savez(arrays, X=data["X"], y=np.arange(40))
    code, _, err = run("assess", arrays, "--target", "y", "--model", "svm", *QUICK)
    assert code == 3
    assert "use a regressor, such as ridge, lasso or forest-regressor." in err
