"""Files of finished work: what is torn is done again, what was touched is refused."""

import json
import os
import sys

import pytest

from scorecast._core.records import Record
from scorecast.exceptions import CheckpointError, DataWarning


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "run.jsonl"
    record = Record(path, "me")
    for number in range(5):
        record.add("folds", number, {"right": [0, 1, 1][: number + 1], "name": "é"})
    return path


def test_what_was_noted_is_known_again(path):
    again = Record(path, "me")
    assert len(again) == again.count("folds") == 5
    assert again.finished("folds", 0) == {"right": [0], "name": "é"}
    assert again.finished("folds", 5) is None
    again.add("other", 0, 1)
    assert Record.shared(path).count("other") == 1
    with pytest.raises(CheckpointError, match="another run"):
        Record(path, "you")
    path.write_bytes(b"")  # such as mktemp makes
    assert len(Record(path, "you")) == 0


def test_records_of_one_file_may_take_turns(path):
    one, other = Record(path, "me"), Record.shared(path)
    one.add("a", 0, 1)
    other.add("b", 0, 2)
    one.add("a", 1, 3)
    assert len(Record(path, "me")) == 8


@pytest.mark.filterwarnings("ignore")
def test_wherever_a_run_is_stopped_it_goes_on(path):
    whole = path.read_bytes()
    head = whole.index(b"\n") + 1
    for size in range(head, len(whole), 7):
        path.write_bytes(whole[:size])
        record = Record(path, "me")
        kept = whole[:size].count(b"\n") - 1
        assert kept <= len(record) <= kept + 1  # one, if but its end is missing
        for number in range(len(record), 5):
            right = [0, 1, 1][: number + 1]
            record.add("folds", number, {"right": right, "name": "é"})
        assert path.read_bytes() == whole
    path.write_bytes(whole[:-10])
    with pytest.warns(DataWarning, match=r"run\.jsonl: the last line was cut off"):
        Record(path, "me")


def _altered(lines):
    row = json.loads(lines[3])
    row["value"]["right"] = [1 - x for x in row["value"]["right"]]
    lines[3] = json.dumps(row).encode()


def _one_digit(lines):
    lines[3] = lines[3].replace(b"0", b"1", 1)


def _renamed(lines):
    lines[3] = lines[3].replace(b'"number": 2', b'"number": 7')


def _spaced(lines):
    lines[3] += b" "


def _emptied(lines):
    lines[3] = b""


def _copied(lines):
    lines.insert(3, lines[2])


def _swapped(lines):
    lines[3], lines[4] = lines[4], lines[3]


def _taken_out(lines):
    del lines[3]


def _without_check(lines):
    row = json.loads(lines[3])
    del row["check"]
    lines[3] = json.dumps(row).encode()


@pytest.mark.parametrize(
    "change",
    [_altered, _one_digit, _renamed, _spaced, _emptied, _copied, _swapped, _taken_out,
     _without_check],
)  # fmt: skip
def test_what_was_touched_is_refused_with_its_line(path, change):
    lines = path.read_bytes().splitlines()
    change(lines)
    path.write_bytes(b"\n".join(lines) + b"\n")
    kept = path.read_bytes()
    with pytest.raises(CheckpointError, match=r"run\.jsonl, line 4: damaged or edited"):
        Record(path, "me")
    assert path.read_bytes() == kept


def test_lines_of_another_run_do_not_fit(path, tmp_path):
    other = Record(tmp_path / "other.jsonl", "other")
    other.add("folds", 0, {"right": [1]})
    foreign = (tmp_path / "other.jsonl").read_bytes().splitlines()[1]
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([lines[0], foreign]) + b"\n")
    with pytest.raises(CheckpointError, match="line 2"):
        Record(path, "me")
    head = lines[0].replace(b'"scorecast": "', b'"scorecast": "9')
    path.write_bytes(b"\n".join([head, *lines[1:]]) + b"\n")
    with pytest.raises(CheckpointError, match="line 1"):
        Record(path, "me")


@pytest.mark.parametrize(
    "content", [b"\n", b"a,b\n1,2\n", b"[1]\n", b"\xff\xfe\n", b"{}"]
)
def test_other_files_are_no_checkpoints(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        Record(path, "me")
    assert path.read_bytes() == content


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
@pytest.mark.parametrize("room", [0, 10, 60_000])
def test_a_full_disk_keeps_every_whole_line(path, room):
    import resource

    record, whole = Record(path, "me"), path.read_bytes()
    known = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + room, known[1]))
    try:
        with pytest.raises(CheckpointError, match="file too large") as caught:
            record.add("folds", 9, "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, known)
    assert "the same command goes on from there" in caught.value.remedy
    assert path.read_bytes() == whole
    Record(path, "me").add("folds", 9, 1)
    assert Record(path, "me").finished("folds", 9) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_what_cannot_be_written_is_said(path):
    record = Record(path, "me")
    path.chmod(0o400)
    with pytest.raises(CheckpointError, match="cannot be written"):
        record.add("folds", 9, 1)
