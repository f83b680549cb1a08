"""Parts of an assessment that readers took for something else."""

import json
import re

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.guarantees import TunedModel, model_from
from scorecast.guarantees.grids import edges_of
from scorecast.report import Report, render_html, render_text

QUICK = {"n_permutations": 0, "n_null_data": 0, "n_resamples": 0, "random_state": 0}
RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
X = RNG.normal(size=(60, 8)) + 0.6 * Y[:, None]


def page_of(result):
    page = re.sub(r"<[^>]*>", " ", render_html(Report(results=(result,))))
    return " ".join(page.replace("\N{WORD JOINER}", "").split())


@pytest.fixture(scope="module")
def answer():
    return sc.assess("naive-bayes", X, Y, selection=3, sampling="cv5", **QUICK)


def test_bias_and_variance_add_up_to_the_error_of_their_own_fits(answer):
    part = answer.best.bias_variance[0]
    assert part.n_extra == 50
    said = f"error of these fits (naive-bayes {part.error:.3f}), not to that of the"
    assert said in page_of(answer)
    assert "so 50 more were made for this alone" in page_of(answer)
    saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    assert saved.best.bias_variance == answer.best.bias_variance
    again = sc.assess("naive-bayes", X, Y, sampling="cv5x3", **QUICK)
    assert again.best.bias_variance[0].n_extra == 0
    assert "more were made" not in page_of(again)


def test_selection_has_the_interval_that_is_to_be_quoted(answer):
    bias = answer.best.selection_bias
    low, high = bias.inside_interval
    span = f"{100 * low:.1f}-{100 * high:.1f} %".replace("100.0", "100")
    text = render_text(answer, ascii_only=True)
    line = next(x for x in text.splitlines() if "chosen first" in x)
    assert line.split("  ")[-1] == "of the points"
    row = text.splitlines()[text.splitlines().index(line) + 1]
    first, second = (row.index(span), row.index(" to "))
    assert first < second
    page = page_of(answer)
    assert f"95 % interval of chosen inside {span.replace('-', chr(0x2013))}" in page
    assert "of the difference: " in page


def test_axis_and_labels_of_a_selection_are_both_percent(answer):
    page = page_of(answer)
    figure = page[page.index("Features chosen outside and inside the splits") :]
    assert "accuracy, %" in figure
    assert not re.search(r" 0\.\d ", figure[: figure.index("accuracy, %")])


def test_an_unusual_interval_has_its_reason_on_the_terminal():
    lonely = sc.assess("naive-bayes", X, Y, sampling="loo", losses="accuracy", **QUICK)
    bound = lonely.best.losses[0].recommended
    assert bound.method != "nadeau-bengio"
    text = " ".join(render_text(lonely).split())
    reason = bound.reason.partition(";")[0]
    assert f"Interval {bound.method} (accuracy of naive-bayes): {reason}" in text
    usual = sc.assess("naive-bayes", X, Y, losses="accuracy", **QUICK)
    assert usual.best.losses[0].recommended.method == "nadeau-bengio"
    assert "Interval " not in render_text(usual)


def test_a_choice_at_the_edge_of_what_was_tried_is_said():
    model = TunedModel(model_from("naive-bayes"), {"var_smoothing": [1e3, 1e4]})
    found = sc.assess({"tuned": model}, X, Y, sampling="cv3", **QUICK)
    said = "1000.0 is the least var_smoothing tried: try less as well"
    assert found.best.edges == (said,)
    assert said in " ".join(render_text(found).split())
    saved = result_from_dict(json.loads(json.dumps(found.to_dict())))
    assert saved.best.chosen_said() == found.best.chosen_said()


@pytest.mark.parametrize(
    ("values", "chosen", "n_said"),
    [
        ([1, 2, 3], ["3", "3", "2"], 1),
        ([1, 2, 3], ["2", "2", "3"], 0),
        ([1, 3], ["1", "3"], 0),
        (["a", "b"], ["a", "a"], 0),
    ],
)
def test_an_edge_is_said_of_numbers_that_most_splits_chose(values, chosen, n_said):
    model = TunedModel(None, {"C": values})
    assert len(edges_of(model, [{"C": x} for x in chosen])) == n_said
