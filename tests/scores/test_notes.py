import numpy as np
import pytest

from scorecast._core.result import Note
from scorecast.scores import (
    Embeddings,
    Marginality,
    ScoreNote,
    Scores,
    direction_note,
    marginality,
    rank_true_classes,
    score_notes,
    score_warning,
)

OWN = np.repeat(np.arange(24), 3)


def notes_of(data):
    return {note.code: note for note in score_notes(data, rank_true_classes(data))}


def good_scores(own, n_classes=24, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(own.size, n_classes)) + 4 * np.eye(n_classes)[own]


def test_unremarkable_data_have_no_notes():
    assert notes_of(Scores(good_scores(OWN), OWN)) == {}


@pytest.mark.parametrize("shift", [-1, 1])
def test_labels_off_by_one_are_noted_with_the_shift_that_mends_them(shift):
    own = OWN[(OWN > 0) & (OWN < 23)]
    note = notes_of(Scores(good_scores(own), own - shift))[ScoreNote.LABELS_SHIFTED]
    assert note.count == shift
    assert note.value > 0.8


def test_labels_off_by_one_from_a_gallery_are_noted():
    rng = np.random.default_rng(1)
    gallery = np.random.default_rng(0).normal(size=(24, 6))
    own = OWN[OWN < 23]
    probes = gallery[own] + 0.3 * rng.normal(size=(own.size, 6))
    note = notes_of(Embeddings(gallery, probes, own + 1))[ScoreNote.LABELS_SHIFTED]
    assert note.count == -1


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.DataWarning")
def test_noise_and_clustered_mistakes_do_not_look_like_labels_off_by_one():
    rng = np.random.default_rng(0)
    own = np.repeat(np.arange(20), 3)
    for run in range(200):
        # Mistakes that all samples of a class share, in every other run.
        shared = 2 * rng.normal(size=(20, 20)) * (run % 2)
        scores = Scores(rng.normal(size=(60, 20)) + shared[own], own)
        assert ScoreNote.LABELS_SHIFTED not in notes_of(scores)


def test_noise_is_no_better_than_chance_and_constants_tell_nothing():
    noise = np.random.default_rng(0).normal(size=(60, 3))
    own = np.arange(60) % 3
    named = Scores(noise, np.array(list("abc"))[own], classes="abc")
    assert set(notes_of(named)) == {ScoreNote.NO_BETTER_THAN_CHANCE}
    constant = Scores(np.ones((60, 3)), own)
    assert ScoreNote.ALL_TIED in notes_of(constant)
    assert rank_true_classes(constant).is_all_tied


def test_text_labels_without_names_for_columns_are_taken_in_sorted_order():
    names = np.array(["item 2", "item 10"])
    scores = Scores([[1.0, 0.0], [0.0, 1.0]], names)
    assert notes_of(scores)[ScoreNote.ORDER_ASSUMED].names == ("item 10", "item 2")
    assert notes_of(Scores(scores.values, names, classes=names)) == {}


def test_counts_of_what_is_odd():
    values = good_scores(OWN)
    values[1] = values[0]
    values[:, 5] = values[:, 4]
    kept = OWN != 7
    found = notes_of(Scores(values[kept], OWN[kept]))
    assert found[ScoreNote.CLASSES_WITHOUT_SAMPLES].count == 1
    assert found[ScoreNote.CLASSES_WITHOUT_SAMPLES].total == 24
    assert found[ScoreNote.MANY_TIES].count == 6
    assert found[ScoreNote.DUPLICATE_SAMPLES].count == 1
    assert found[ScoreNote.DUPLICATE_CLASSES].count == 1
    gallery = np.vstack([np.eye(3), np.eye(3)[:1]])
    vectors = Embeddings(gallery, np.eye(3) + 0.1, range(3))
    assert notes_of(vectors)[ScoreNote.DUPLICATE_VECTORS].count == 1


def test_names_that_nearly_agree_are_noted_in_pairs():
    names = ["Ana", "ana ", "bo", "BO", "cy"]
    note = notes_of(Scores(np.eye(5), names, classes=names))[ScoreNote.SIMILAR_NAMES]
    assert note.names == ("Ana", "ana ", "bo", "BO")
    assert note.count == 2


@pytest.mark.filterwarnings("ignore::scorecast.exceptions.DataWarning")
def test_a_wrong_direction_is_noted_either_way():
    values = good_scores(OWN)
    assert direction_note(Scores(values, OWN)) is None
    lower = direction_note(Scores(-values, OWN))
    assert lower.code == ScoreNote.LOOKS_LIKE_DISTANCES
    higher = direction_note(Scores(values, OWN, greater_is_better=False))
    assert higher.code == ScoreNote.LOOKS_LIKE_SIMILARITIES


def test_probabilities_and_their_logarithms_come_from_coupled_classes():
    raw = np.exp(good_scores(OWN))
    shares = raw / raw.sum(axis=1, keepdims=True)
    for values in (shares, np.log(shares)):
        assert marginality(Scores(values, OWN)) is Marginality.COUPLED
    assert marginality(Scores(raw, OWN)) is Marginality.UNKNOWN
    vectors = Embeddings(np.eye(3), np.eye(3), range(3))
    assert marginality(vectors) is Marginality.EMBEDDINGS


@pytest.mark.parametrize("code", ScoreNote)
def test_every_note_has_words_that_name_no_option(code):
    note = Note(code=code, names=("a", "A"), count=1, total=2, value=0.5)
    text = str(score_warning(note))
    assert text
    assert "--" not in text
