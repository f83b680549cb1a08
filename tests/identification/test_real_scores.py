"""Score matrices of real recognisers; they cannot be shipped."""

import numpy as np
import pytest
from tests.identification.in_nats import codes, identify_from_scores

from scorecast.identification import IdentificationNote


@pytest.fixture(scope="module")
def telugu(shared_data):
    path = shared_data / "telugu_authors_scores.npz"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    return np.load(path)


def test_characters_told_apart_by_five_recognisers(telugu):
    found = {}
    for name, truth in (
        ("deep_20", "y_20"), ("logistic_20", "y_20"), ("svm_20", "y_20"),
        ("logistic_100", "y_100"), ("svm_100", "y_100"),
    ):  # fmt: skip
        answer = identify_from_scores(telugu[name], telugu[truth], units="bits")
        found[name] = answer
        right = (telugu[name].argmax(axis=1) == telugu[truth]).mean()
        assert answer.accuracy == pytest.approx(right, abs=1e-9)
        assert 0 < answer.bound.value < answer.implied.low
        assert answer.implied.low < answer.implied.value < answer.implied.high
        # 50 cases per class fill a matrix of 20 classes, not one of 100.
        enough = name.endswith("_20")
        assert np.isnan(answer.bound.confusion) == (not enough)
        assert not enough or answer.bound.fano[-1] < answer.bound.confusion
    ordered = [found[n].implied.value for n in ("svm_20", "logistic_20", "deep_20")]
    assert ordered == sorted(ordered)
    assert found["svm_100"].implied.value == pytest.approx(7.7, abs=0.05)


def test_implied_information_of_twenty_characters_foretells_a_hundred(telugu):
    few = identify_from_scores(telugu["logistic_20"], telugu["y_20"], to=[100])
    (forecast,) = few.forecasts
    assert forecast.low - 0.05 < 0.849 < forecast.high + 0.05


@pytest.mark.parametrize(
    ("name", "dimension"), [("att_openface128.npz", 128), ("lfw_openface3d.npz", 3)]
)
def test_faces_by_their_embeddings(shared_data, name, dimension):
    path = shared_data / name
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    data = np.load(path)
    vectors, people = _faces(data, dimension)
    first = np.unique(people, return_index=True)[1]
    second = first + 1
    paired = second < people.size
    first, second = first[paired], second[paired]
    same = people[first] == people[second]
    gallery, probes = vectors[first[same]], vectors[second[same]]
    scores = -((probes[:, None] - gallery) ** 2).sum(axis=2)
    answer = identify_from_scores(scores, units="bits")
    assert answer.bound.value > 0
    assert np.isfinite(answer.implied.high)
    if dimension == 3:
        # 1-NN of image 2 against image 1, 1,680 people.
        assert answer.n_candidates == 1680
        assert answer.accuracy == pytest.approx(0.0173, abs=5e-4)
        # Three dimensions are few: the curve is far from ideal, and more is proved
        # than implied. The answer says both.
        assert answer.implied.misfit > 0.1
        assert answer.proved_exceeds_implied
        assert IdentificationNote.LEAVES_IDEAL_CURVE in codes(answer)
        assert IdentificationNote.PROVED_EXCEEDS_IMPLIED in codes(answer)


def _faces(data, dimension):
    """Find vectors and people by shape: the files name them differently."""
    arrays = {name: data[name] for name in data.files}
    vectors = next(
        a for a in arrays.values() if a.ndim == 2 and a.shape[1] == dimension
    )
    people = next(
        a for a in arrays.values() if a.ndim == 1 and a.size == vectors.shape[0]
    )
    return vectors.astype(np.float64), people
