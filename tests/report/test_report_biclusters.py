"""How biclusters are shown: text, figures, page."""

import json

import numpy as np
import pytest
from tests.biclusters.conftest import planted_matrix
from tests.report.conftest import HOSTILE
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast._core.result import result_from_dict
from scorecast.biclusters import as_bicluster_set
from scorecast.biclusters.scoring import choose_heat_map
from scorecast.report import main_drawing
from scorecast.report.biclusters import agreement_drawing, heat_map_drawing
from scorecast.report.figures import NARROW, WIDE
from scorecast.report.svg import svg_of

pytest.importorskip("matplotlib", reason="needs the extra [plot]")


def scored(kind):
    X, hidden = planted_matrix(np.random.default_rng(0), shape=(90, 70))
    if kind == "hostile":
        named = {"biclusters": dict(zip(HOSTILE[:2], map(pair, hidden), strict=True))}
        return sc.score_biclusters(named, truth=named, data=X, n_random=5)
    if kind == "missing":
        X[0, :] = np.nan
        return sc.score_biclusters(hidden, data=X, nan_policy="omit")
    if kind == "nothing":
        return sc.score_biclusters([], truth=hidden)
    if kind == "truth":
        return sc.score_biclusters(hidden[:1], truth=hidden, n_random=5)
    many = [hidden[i % 2] for i in range(20)]
    return sc.score_biclusters(many, truth=hidden, data=X, n_random=5)


def pair(item):
    return {"X": item[0].tolist(), "Y": item[1].tolist()}


@pytest.mark.parametrize("kind", ["hostile", "missing", "nothing", "many"])
def test_every_answer_is_written_and_drawn_at_both_widths(kind):
    answer = scored(kind)
    text = sc.render(answer, ascii_only=True)
    assert text.isascii()
    assert all(len(line) <= 88 for line in text.splitlines())
    assert "nan" not in text
    for width in (WIDE, NARROW):
        assert "<svg" in svg_of(main_drawing(answer), name="x", width=width)
    page = sc.render(answer, "html")
    assert ">nan<" not in page
    assert "<script" not in page
    saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    assert sc.render(saved, "html") == page
    assert len(page) < 400_000


def test_the_answer_reads_like_this():
    X, hidden = planted_matrix(np.random.default_rng(0), shape=(90, 70))
    X[0, 0] = np.nan
    found = [hidden[0], (np.arange(50, 60), np.arange(30, 35)), hidden[0]]
    answer = sc.score_biclusters(
        found, truth=hidden, data=X, nan_policy="omit", n_random=9
    )
    assert_snapshot("bicluster_scores", sc.render(answer))
    assert_snapshot("bicluster_scores_page", page_text(sc.render(answer, "html")))


def test_the_map_keeps_a_share_of_every_bicluster():
    X, hidden = planted_matrix(np.random.default_rng(1), shape=(3000, 400))
    picture = choose_heat_map(X, as_bicluster_set(hidden, shape=X.shape))
    assert len(picture.rows) <= 64
    assert len(picture.columns) <= 48
    assert len(set(picture.rows)) == len(picture.rows)
    for (_, rows, columns), (own_rows, own_columns) in zip(
        picture.biclusters, hidden, strict=True
    ):
        assert {picture.rows[i] for i in rows} <= set(own_rows.tolist())
        assert {picture.columns[i] for i in columns} <= set(own_columns.tolist())
        assert len(rows) >= 10
        # Members lie together.
        assert rows == tuple(range(rows[0], rows[0] + len(rows)))
    values = np.array(picture.values)
    inside = values[np.ix_(picture.biclusters[0][1], picture.biclusters[0][2])]
    assert inside.mean() > 2
    assert np.abs(values).max() <= 3
    assert "6 columns" in heat_map_drawing(picture).description


def test_every_measure_is_drawn():
    answer = scored("truth")
    said = agreement_drawing(answer).description
    assert all(name in said for name in answer.agreement)


def test_a_test_of_a_density_reads_like_this():
    from scipy.stats import norm

    X = np.random.default_rng(0).normal(size=(30, 1))
    answer = sc.density_test(norm(), X, max_samples=20)
    assert_snapshot("density_test", sc.render(answer))
    assert_snapshot("density_test_page", page_text(sc.render(answer, "html")))
