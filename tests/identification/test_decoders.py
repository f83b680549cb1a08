"""Decoders compared on the scale of implied information."""

import json

import numpy as np
import pytest
from tests.identification.in_nats import (
    compare_decoders,
    identify,
    identify_from_scores,
)

import scorecast as sc
from scorecast.exceptions import (
    ResultWarning,
    UsageError,
)
from scorecast.identification import DecoderComparison, Identification, Unpaired


@pytest.fixture(scope="module")
def pair(models):
    return models.gaussian_pair(np.random.default_rng(0), 90, 6, 2.0)


def test_decoders_side_by_side(models, pair):
    x, y = pair
    whole, part = models.bayes_scores(x, y), models.bayes_scores(x[:, :2], y[:, :2])
    table = compare_decoders({"whole": whole, "part": part}, units="bits")
    assert [row.name for row in table.rows] == ["whole", "part"]
    assert table.best.name == "whole"
    first, second = table.rows
    alone = identify_from_scores(whole, units="bits")
    assert first.implied == alone.implied.value
    # The bounds hold for both at once, so each is lower than alone.
    assert first.bound < alone.bound.value
    assert first.difference == 0
    assert second.difference == pytest.approx(second.implied - first.implied)
    assert second.difference_low < second.difference < second.difference_high < 0
    assert table.to_frame().shape == (2, 10)
    assert table.assumptions == alone.assumptions
    again = DecoderComparison.from_dict(json.loads(json.dumps(table.to_dict())))
    assert again.to_dict() == table.to_dict()


def test_paired_differences_are_sharper_than_two_intervals(models):
    rng = np.random.default_rng(5)
    x, y = models.gaussian_pair(rng, 80, 30, 3.0)
    scores = {str(p): models.bayes_scores(x[:, :p], y[:, :p]) for p in (30, 27)}
    first, second = compare_decoders(scores).rows
    apart = np.hypot(first.high - first.low, second.high - second.low)
    assert second.difference_high - second.difference_low < apart


def test_decoders_without_error_or_in_common_are_told_apart(models, pair):
    scores = models.bayes_scores(*pair)
    with pytest.warns(ResultWarning, match="infinite"):
        table = compare_decoders(
            {"ok": scores, "perfect": np.eye(90), "small": scores[:20, :20]}
        )
    assert table.best.name == "perfect"
    assert np.isnan(table.rows[1].difference)
    assert np.isnan(table.rows[2].difference)
    assert [row.unpaired for row in table.rows[1:]] == [
        Unpaired.ALL_RIGHT,
        Unpaired.OTHER_STIMULI,
    ]
    again = DecoderComparison.from_dict(json.loads(json.dumps(table.to_dict())))
    assert again.rows[1].implied == np.inf


def test_other_stimuli_have_no_paired_difference(models, pair):
    x, y = pair
    options = {"model": models.LinearEncoder(), "n_splits": 3}
    first = identify(x, y, **options)
    others = {
        "first": first,
        "fewer channels": identify(x, y[:, :3], **options),
        "other seed": identify(x, y, random_state=1, **options),
        "scores": identify_from_scores(models.bayes_scores(x, y)),
        "read": Identification.from_dict(first.to_dict()),
        "described otherwise": identify(2 * x, y, **options),
    }
    table = compare_decoders(others)
    found = {row.name: row.difference for row in table.rows}
    assert [name for name in found if np.isnan(found[name])] == [
        "other seed", "scores", "read",
    ]  # fmt: skip
    why = {row.name: row.unpaired for row in table.rows if row.unpaired}
    assert why == {
        "other seed": Unpaired.OTHER_STIMULI,
        "scores": Unpaired.OTHER_STIMULI,
        "read": Unpaired.NO_REPLICATES,
    }
    unlike = [row.name for row in table.rows if row.has_other_features]
    assert unlike == ["described otherwise"]


def test_columns_in_another_order_are_not_paired(models, pair):
    scores = models.bayes_scores(*pair)
    names = [f"s{i}" for i in range(90)]
    turned = sc.Scores(scores[:, ::-1], names, classes=names[::-1])
    both = {"a": sc.Scores(scores, names, classes=names), "b": turned}
    table = compare_decoders(both)
    assert table.rows[1].implied == pytest.approx(table.rows[0].implied)
    assert np.isnan(table.rows[1].difference)
    named = compare_decoders({"a": both["a"], "b": both["a"]})
    assert named.rows[1].difference == 0
    assert named.rows[0].implied == pytest.approx(table.rows[0].implied)


def test_ten_decoders_of_growing_size_do_not_saturate(models):
    rng = np.random.default_rng(6)
    x, y = models.gaussian_pair(rng, 60, 64, 12.0)
    table = compare_decoders(
        {str(p): models.bayes_scores(x[:, :p], y[:, :p]) for p in (2, 8, 16, 32)}
    )
    implied = [row.implied for row in table.rows]
    assert implied == sorted(implied)
    assert implied[-1] > 1.3 * implied[-2]


def test_comparisons_say_what_there_is_to_compare(models, pair):
    scores = models.bayes_scores(*pair)
    one = compare_decoders({"a": scores})
    assert one.best.name == "a"
    same = compare_decoders({"a": scores, "b": scores})
    assert same.rows[1].unpaired is None
    assert same.rows[1].difference_low == same.rows[1].difference_high == 0
    apart = compare_decoders({"a": scores, "b": scores[:50, :50]})
    assert apart.rows[1].unpaired is Unpaired.OTHER_STIMULI


def test_intervals_of_another_level_are_not_relabelled(models, pair):
    scores = models.bayes_scores(*pair)
    answers = {"a": identify_from_scores(scores, confidence_level=0.95)}
    with pytest.raises(UsageError, match="'a' has an interval of level"):
        compare_decoders(answers, confidence_level=0.5)
    assert compare_decoders(answers).confidence_level == 0.95


def test_no_decoder_is_refused():
    with pytest.raises(UsageError):
        compare_decoders({})
