"""How identification is shown: every kind of answer in every form."""

import json

import numpy as np
import pytest

import scorecast as sc
from scorecast.identification import Identification
from scorecast.report.document import Document
from scorecast.report.figures import NARROW, WIDE
from scorecast.report.svg import svg_of
from scorecast.report.views import document

pytest.importorskip("matplotlib", reason="needs the extra [plot]")
pytestmark = pytest.mark.filterwarnings(
    "ignore::scorecast.exceptions.ResultWarning",
    "ignore::scorecast.exceptions.DataWarning",
)


def scores(kind, n=40):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 10)) * 0.7
    y = x + rng.normal(size=(n, 10))
    return {
        "plain": y @ x.T - (x**2).sum(axis=1) / 2,
        "perfect": np.eye(n),
        "chance": rng.normal(size=(n, n)),
        "worse": -np.eye(n),
        "four": rng.normal(size=(4, 4)) + 2 * np.eye(4),
    }[kind]


KINDS = ("plain", "perfect", "chance", "worse", "four")


def drawings(shown: Document):
    return [part.figure for part in shown.sections if part.figure is not None]


@pytest.mark.parametrize("to", [(), (500, 100_000)])
@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_is_written_and_drawn_at_both_widths(kind, to):
    answer = sc.identify_from_scores(scores(kind), to=to)
    text = sc.render(answer, ascii_only=True)
    assert text.isascii()
    assert all(len(line) <= 88 for line in text.splitlines())
    for drawing in drawings(document(answer)):
        for width in (WIDE, NARROW):
            assert "<svg" in svg_of(drawing, name="x", width=width)
    page = sc.render(answer, "html")
    assert ">nan<" not in page
    saved = Identification.from_dict(json.loads(json.dumps(answer.to_dict())))
    assert sc.render(saved, "html") == page


@pytest.mark.parametrize("kind", ["plain", "perfect", "four"])
def test_parts_of_the_answer_have_pages_of_their_own(kind):
    answer = sc.identify_from_scores(scores(kind))
    for part in (answer.implied, answer.bound):
        (drawing,) = drawings(document(part))
        assert "<svg" in svg_of(drawing, name="x", width=WIDE)
        assert part.summary() in sc.render(part).replace("\n", " ")


def test_many_decoders_are_written_and_drawn():
    given = {f"decoder {i}": scores("plain")[:, :] + 0.0 for i in range(60)}
    table = sc.compare_decoders({**given, "perfect": scores("perfect")})
    (drawing,) = drawings(document(table))
    for width in (WIDE, NARROW):
        assert "<svg" in svg_of(drawing, name="x", width=width)
    page = sc.render(table, "html")
    assert ">nan<" not in page
    assert "perfect" in sc.render(table)


@pytest.mark.parametrize("best_first", [True, False])
def test_a_decoder_that_may_be_no_better_is_not_called_best_alone(best_first):
    rng = np.random.default_rng(1)
    good = scores("plain")
    near, far = (good + spread * rng.normal(size=good.shape) for spread in (0.5, 9))
    for other, is_said in ((near, True), (far, False)):
        given = [("one", good), ("two", other)]
        found = sc.compare_decoders(dict(given if best_first else given[::-1]))
        said = sc.render(found).partition("\n\n")[0]
        assert ("not surely more than" in said) == is_said


def test_what_two_decoders_share_is_said_once():
    both = {"a": scores("worse"), "b": scores("worse")}
    notes = document(sc.compare_decoders(both)).notes
    assert {note.partition(":")[0] for note in notes} == {"a, b"}
    assert len(set(notes)) == len(notes)
