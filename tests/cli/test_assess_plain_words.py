"""What ``assess`` says to somebody who knows neither Python nor scikit-learn."""

import numpy as np
import pytest

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
