"""The verb ``reproduce``: what there is, what came out, and what goes wrong."""

import json

import pytest
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast.reproduction import ENTRIES, catalogue


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("SCORECAST_DATA", raising=False)


def test_alone_it_lists_what_is_at_hand(run):
    code, out, err = run("reproduce")
    assert code == 0, err
    assert [name for name in ENTRIES if name not in out] == []
    n = sum(row.is_at_hand for row in catalogue().rows)
    assert out.startswith(f"{n} of {len(ENTRIES)} ")


def test_it_says_what_python_says(run):
    code, out, err = run("reproduce", "003-fn-4", "002-coin", "--json", "-")
    assert code == 0, err
    wanted = sc.reproduce(["002-coin", "003-fn-4"]).to_dict()
    data = json.loads(out)
    assert [data[x] for x in ("kind", "options", "result")] == [
        wanted[x] for x in ("kind", "options", "result")
    ]


def test_the_answer_is_printed_and_the_page_written(run, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    page = tmp_path / "page.html"
    code, out, err = run("reproduce", "000-thm-2.5", "000-kay", "--report", page)
    assert code == 0, err
    assert "0.5471992955" in out
    assert "McDiarmid" in page.read_text()


def test_what_people_read_is_kept(run, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    page = tmp_path / "page.html"
    asked = ("001-sec-2.4", "000-kay", "000-thm-2.5", "002-coin", "003-fn-4")
    code, out, err = run("reproduce", *asked, "--report", page)
    assert code == 0, err
    assert_snapshot("reproduce", out.replace(str(page), "page.html"))
    words = page_text(page.read_text()).replace(str(page), "page.html")
    assert_snapshot("reproduce_page", words)


def test_what_lacks_its_data_is_told_or_refused(run, tmp_path):
    code, out, err = run("reproduce", "001-table-3", "--data", tmp_path)
    assert (code, out) == (4, "")
    assert "telugu_authors_scores.npz" in err
    assert str(tmp_path) in err
    (tmp_path / "telugu_authors_scores.npz").write_text("no arrays")
    code, out, err = run("reproduce", "001-table-3", "--data", tmp_path)
    assert (code, out) == (3, "")
    assert "telugu_authors_scores.npz: cannot be read" in err
    code, out, err = run("reproduce", "003-table-7-heritage")
    assert (code, out) == (4, "")
    assert "under a permission of its own" in err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("001-sec-24",), 2, "Try '001-sec-2.4'"),
        (("all", "--data", "nowhere"), 2, "there is no folder 'nowhere'"),
        (("--full",), 2, "has no say without an ENTRY"),
        (("002-coin", "--repeats", "1"), 2, "--repeats"),
    ],
)
def test_bad_input_is_one_line(run, words, code, said):
    found, out, err = run("reproduce", *words)
    assert (found, out) == (code, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_a_misprint_comes_out_as_corrected_and_never_as_printed(run):
    code, out, err = run("reproduce", "001-sec-2.4")
    assert code == 0, err
    start = " ".join(out.split("\n\n")[0].split())
    assert start.startswith("0 of 1 printed numbers")
    assert "come out as printed, 1 as corrected." in start
