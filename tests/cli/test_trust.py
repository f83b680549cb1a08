"""What nobody may do to scorecast: options, streams, results and checkpoints in anger.

A seeded mutator, some hundred cases here and many thousands in the slow lane. Exit code
1 says that scorecast is at fault: nothing that users do may lead there.
"""

import copy
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress

import click
import numpy as np
import pytest
from tests.results import every_result

import scorecast as sc
from scorecast._core.records import Record
from scorecast.cli.main import _VERBS, _run, scorecast
from scorecast.exceptions import CheckpointError, InvalidInputError
from scorecast.report import load
from scorecast.report.views import _ROOMS

MANY = [
    pytest.param(1, id="some"),
    pytest.param(100, id="many", marks=[pytest.mark.slow, pytest.mark.timeout(3600)]),
]
COMMAND = [sys.executable, "-P", "-m", "scorecast"]


# Options -----------------------------------------------------------------------------

FINDER = "sklearn.cluster:SpectralCoclustering(n_clusters=2)"
DENSITY = "sklearn.mixture:GaussianMixture(n_components=1)"
VERBS = {  # by the verb, and what else tells one call from another
    "extrapolate": ["both.npz", "--to=100", "--method=bayesian", "--backtest=0"],
    "backtest": ["both.npz", "--method=bayesian", "--repeats=2"],
    "compare": ["results.csv"],
    "size": ["--accuracy=0.9", "--width=0.1"],
    "information": ["odds.csv", "--probability=p", "--label-column=y", "--quick"],
    "identify": ["--scores=both.npz"],
    "assess": ["data.csv", "--target=y", "--model=naive-bayes", "--quick"],
    "settings": ["data.csv", "--target=y", "--model=naive-bayes", "--quick"],
    "survival": ["times.csv", "--time=time", "--event=event", "--quick"],
    "biclusters": ["matrix.csv", "--found=found.json", "--random-sets=5"],
    "biclusters, models": ["matrix.csv", f"--model={FINDER}", "--repeats=2"],
    "biclusters, simulated": [
        "--simulate",
        f"--model={FINDER}",
        "--fix=size=20x6",
        "--repeats=2",
    ],
    "density": ["pairs.csv", f"--density={DENSITY}", "--permutations=39"],
    "report": ["saved.json", "--out=page.html"],
    "reproduce": ["003-fn-4", "--repeats=2"],
    "demo": [],
    "simulate biclusters": ["--out=made.csv", "--n-rows=12", "--n-columns=8"],
    "simulate classification": ["--out=made.csv", "--n-features=9"],
    "simulate forecasts": ["--out=made.csv", "--n-samples=50"],
    "simulate recognition": ["--out=made.csv", "--n-classes=9"],
    "simulate regression": ["--out=made.csv", "--n-features=9"],
    "simulate survival": ["--out=made.csv", "--n-samples=50"],
}
HOSTILE = (
    *("nan", "inf", "-inf", "-1", "0", "1e400", "1e-400", "", " ", "None", "{}", "["),
    *("99999999999999999999", "mc99999999999999999999", "cv0", "mc0x0", "0x10", "1_0"),
    *(
        "=1+1",
        "\u2603",
        "\x1b[31mred",
        "../x",
        "1,2,3",
        "0.5,nan",
        "a" * 3000,
        "\udce9",
    ),
    *("both.npz", "data.csv", ".", "/dev/null", "no/such/folder/x.html"),
)


@pytest.fixture
def desk(files, monkeypatch):
    """A folder with a file for every verb, which is the current one."""
    rng = np.random.default_rng(1)
    rows = [f"i{i},{i % 3 > 0:d},{i % 2}" for i in range(30)]
    (files / "results.csv").write_text("\n".join(["item,A,B", *rows]) + "\n")
    rows = [f"{p:.3f},{int(u < p)}" for p, u in rng.uniform(0.1, 0.9, (40, 2))]
    (files / "odds.csv").write_text("\n".join(["p,y", *rows]) + "\n")
    rows = [
        f"{x:.3f},{z:.3f},{i % 2}" for i, (x, z) in enumerate(rng.normal(size=(40, 2)))
    ]
    (files / "data.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    rows = [f"{t:.3f},{i % 3 > 0:d},{i}" for i, t in enumerate(rng.exponential(9, 40))]
    (files / "times.csv").write_text("\n".join(["time,event,age", *rows]) + "\n")
    rows = [f"{x:.3f},{z:.3f}" for x, z in rng.normal(size=(40, 2))]
    (files / "pairs.csv").write_text("\n".join(["a,b", *rows]) + "\n")
    rows = [",".join(f"{x:.3f}" for x in row) for row in rng.normal(size=(12, 6))]
    (files / "matrix.csv").write_text("\n".join(["a,b,c,d,e,f", *rows]) + "\n")
    (files / "found.json").write_text("[[[0, 1, 2], [0, 1]], [[3, 4], [1, 2, 5]]]")
    answer = sc.compare(rng.normal(size=(8, 3)))
    (files / "saved.json").write_text(json.dumps(answer.to_dict()))
    monkeypatch.chdir(files)
    return files


@pytest.fixture
def shortened():
    """Return what lets the demo answer at once, and nothing else."""
    own = np.arange(60) % 12
    scores = np.random.default_rng(0).normal(size=(60, 12)) + 2 * np.eye(12)[own]
    answer = sc.extrapolate(scores, own, to=[242, 1623], method="bayesian", backtest=0)
    gained = np.random.default_rng(0).normal(0.2, 0.1, 40)
    known = sc.apparent_information(gained, np.zeros(40), quick=True)

    def shorten(patch, verb):
        if verb == "demo":
            name = "scorecast.extrapolation.extrapolate"
            patch.setattr(name, lambda *args, **kwargs: answer)
            patch.setattr("scorecast.cli.demo._matches", lambda options: [known])

    return shorten


def _hostile_calls():
    """Return calls with every value for every option that takes one, by option."""
    for name, usual in VERBS.items():
        words = name.partition(",")[0].split()
        command = scorecast
        for word in words:
            command = command.get_command(click.Context(command), word)
        for param in command.params:
            if not isinstance(param, click.Option) or param.is_flag:
                continue
            option = max(param.opts, key=len)
            given = [x for x in usual if not x.startswith(f"{option}=")]
            yield [
                [
                    *words,
                    *given,
                    *([option, x, x] if param.nargs == 2 else [f"{option}={x}"]),
                ]
                for x in HOSTILE
            ]


def test_hostile_values_are_given_to_every_verb():
    assert {name.partition(",")[0].split()[0] for name in VERBS} == set(_VERBS)
    simulators = scorecast.get_command(click.Context(scorecast), "simulate")
    made = {f"simulate {x}" for x in simulators.list_commands(click.Context(scorecast))}
    assert {name for name in VERBS if name.startswith("simulate ")} == made


@pytest.mark.parametrize(
    "is_every_option", [False, pytest.param(True, marks=MANY[1].marks)]
)
@pytest.mark.filterwarnings("ignore")
def test_no_value_of_an_option_is_a_fault_of_ours(
    desk, shortened, monkeypatch, capsys, is_every_option
):
    rng, by_option = random.Random(0), list(_hostile_calls())
    n_values = 6 if is_every_option else 1
    calls = [call for one in by_option for call in rng.sample(one, n_values)]
    kept = {name: (desk / name).read_bytes() for name in os.listdir(desk)}
    for arguments in calls if is_every_option else rng.sample(calls, 120):
        with monkeypatch.context() as patch:
            shortened(patch, arguments[0])
            code = _run(arguments)
        out, err = capsys.readouterr()
        said = [line for line in err.splitlines() if line.startswith("scorecast: ")]
        assert code in (0, 2, 3, 4, 5), (arguments, err)
        assert "\x1b" not in out + err, arguments
        assert not said or (len(said) == 1 and len(said[0]) < 1600), arguments
        for name, content in kept.items():
            assert (desk / name).read_bytes() == content, arguments
        for name in set(os.listdir(desk)) - set(kept):  # in the way of the next call
            if os.path.isfile(name):
                os.unlink(name)


@pytest.mark.parametrize(
    ("verb", "option"),
    [
        ("extrapolate", "--backtest"),
        ("backtest", "--repeats"),
        ("assess", "--permutations"),
        ("assess", "--null-sets"),
        ("settings", "--datasets"),
        ("reproduce", "--repeats"),
    ],
)
def test_nothing_is_done_more_often_than_anybody_waits_for(desk, run, verb, option):
    usual = ["001-table-1"] if verb == "reproduce" else VERBS[verb]
    given = [x for x in usual if not x.startswith(f"{option}=") and x != "--quick"]
    code, _, err = run(verb, *given, f"{option}={10**15}")
    assert code == 2
    assert option in err
    assert "1,000,000" in err


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan"])
def test_a_threshold_that_is_no_number_is_no_threshold(desk, run, text):
    found = run("extrapolate", "both.npz", "--to", 100, f"--fail-below={text}")
    assert found[0] == 2
    assert "--fail-below" in found[2]


def test_what_was_written_is_not_echoed_at_length(desk, run):
    for arguments in (["x" * 5000], ["both.npz", "--method", "y" * 5000]):
        code, _, err = run("extrapolate", *arguments, "--to", 100)
        assert code in (2, 3)
        assert len(err) < 1600


def test_names_of_files_do_not_speak_to_the_terminal(desk, run):
    os.rename("both.npz", "a\x1b[31mb.npz")
    code, out, err = run(
        "extrapolate", "a\x1b[31mb.npz", "--to", 100, "--json", "c\x1b[32md.json"
    )
    assert code == 0
    assert "\x1b" not in out + err


# Streams -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rest", "code", "words"),
    [
        ("--json - | true; exit ${PIPESTATUS[0]}", 141, ""),
        (">&-", 0, ""),
        ("--json - >&-", 2, "standard output, which is closed"),
        ("> /dev/full", 3, "the answer cannot be printed"),
        ("--json - > /dev/full", 3, "the answer cannot be printed"),
        ("--help > /dev/full", 3, "this cannot be printed"),
        ("2>&- > answer.txt", 0, ""),
    ],
)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_a_stream_that_is_closed_or_full_is_no_fault_of_ours(desk, rest, code, words):
    call = f"{' '.join(COMMAND)} extrapolate both.npz --to 100 --method bayesian {rest}"
    done = subprocess.run(
        ["bash", "-c", call], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "fault" not in done.stderr


# Results -----------------------------------------------------------------------------

WRONG = (
    *(None, True, -1, 0, 0.5, 1e308, 10**400, float("inf"), "", "x", "nan", "9" * 400),
    *([], {}, [[]], [1, [2]], {"kind": "x"}, [None], {"": None}),
)


@pytest.fixture(scope="module")
def saved():
    """A result of every kind that `report` shows, as JSON, small and quick."""
    return every_result()


def places(data, path=()):
    """Return the path of every part of a JSON value."""
    yield path
    if isinstance(data, dict | list):
        items = data.items() if isinstance(data, dict) else enumerate(data)
        for key, item in items:
            yield from places(item, (*path, key))


def damaged(data, rng):
    """Return text of a result of which something was altered, lost or put in."""
    if rng.random() < 0.25:
        raw = bytearray(json.dumps(data).encode())
        for _ in range(rng.choice([1, 3, 10])):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        return bytes(raw[: rng.randrange(len(raw))] if rng.random() < 0.3 else raw)
    data = copy.deepcopy(data)
    for _ in range(rng.choice([1, 1, 2, 4])):
        path = rng.choice(list(places(data))[1:] or [()])
        if not path:
            break
        parent = data
        for key in path[:-1]:
            parent = parent[key]
        match rng.randrange(4):
            case 0:
                del parent[path[-1]]
            case 1 if isinstance(parent, dict):
                parent[f"_{path[-1]}"] = parent.pop(path[-1])
            case 1:
                parent.append(copy.deepcopy(parent[path[-1]]))
            case _:
                parent[path[-1]] = copy.deepcopy(rng.choice(WRONG))
    return json.dumps(data).encode()


@pytest.mark.parametrize("times", MANY)
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_result_is_refused_by_its_name_or_read(saved, tmp_path, times):
    rng, path = random.Random(0), tmp_path / "damaged.json"
    n_refused = 0
    for data in random_results(saved, 200 * times):
        path.write_bytes(damaged(data, rng))
        try:
            load(path)
        except InvalidInputError as error:
            n_refused += 1
            is_named = "damaged.json" in str(error)
        else:
            is_named = True
        assert is_named
    assert n_refused > 100 * times


def random_results(saved, times):
    """Return results one after the other, every kind as often."""
    kinds = sorted(saved)
    return (saved[kinds[i % len(kinds)]] for i in range(times))


def test_results_of_every_kind_are_damaged(saved):
    assert saved.keys() == _ROOMS.keys()
    assert all(data["kind"] == kind for kind, data in saved.items())


def test_an_option_of_a_damaged_result_is_blamed_on_the_file(saved, tmp_path, run):
    text, path = json.dumps(saved["extrapolation"]), tmp_path / "damaged.json"
    path.write_text(text.replace('"ties": "random"', '"ties": ""'))
    code, _, err = run("report", path, "--out", tmp_path / "a.html")
    assert code == 3, err
    assert "damaged.json" in err


def test_a_centre_that_is_no_view_is_blamed_on_the_file(saved, tmp_path, run):
    data, path = copy.deepcopy(saved["information"]), tmp_path / "damaged.json"
    place = next(x for x in places(data) if x[-1:] == ("centre",))
    parent = data
    for key in place[:-1]:
        parent = parent[key]
    parent["centre"] = "elsewhere"
    path.write_text(json.dumps(data))
    code, _, err = run("report", path, "--out", tmp_path / "a.html")
    assert code == 3
    assert "damaged.json" in err
    assert "'elsewhere' is none of the views" in err


@pytest.mark.parametrize("times", MANY)
@pytest.mark.filterwarnings("ignore")
def test_a_page_of_a_damaged_result_is_made_or_refused(saved, tmp_path, capsys, times):
    rng, path = random.Random(1), tmp_path / "damaged.json"
    page = tmp_path / "page.html"
    for data in random_results(saved, 200 * times):
        path.write_bytes(damaged(data, rng))
        code = _run(["report", str(path), "--out", str(page), "--force"])
        err = capsys.readouterr().err
        assert code in (0, 3), err
        assert code == 0 or "damaged.json" in err


def test_fields_that_contradict_each_other_are_blamed_on_the_file(saved, tmp_path, run):
    data = copy.deepcopy(saved["comparison"])
    path = next(x for x in places(data) if x[-1:] == ("models",))
    parent = data
    for key in path[:-1]:
        parent = parent[key]
    parent["models"] = parent["models"][:1]
    path = tmp_path / "short.json"
    path.write_text(json.dumps(data))
    code, _, err = run("report", path, "--out", tmp_path / "a.html")
    assert code == 3
    assert "short.json" in err
    assert not (tmp_path / "a.html").exists()


# Checkpoints -------------------------------------------------------------------------


def noted(path):
    """Write a checkpoint of some tasks; return its values."""
    record = Record(path, "run")
    values = {number: {"right": [number, 1], "x": number / 7} for number in range(6)}
    for number, value in values.items():
        record.add("folds", number, value)
    return values


def signed(rows):
    """Write lines as `Record` would, checksums and all: what a clever hand can do."""
    last, lines = b"", []
    for row in rows:
        body = json.dumps(row)[:-1].encode()
        last = hashlib.sha256(last + body).hexdigest()[:16].encode()
        lines.append(body + b', "check": "' + last + b'"}\n')
    return b"".join(lines)


@pytest.mark.parametrize("times", MANY)
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_checkpoint_is_refused_or_what_it_notes_is_true(tmp_path, times):
    path, rng = tmp_path / "run.jsonl", random.Random(0)
    values = noted(path)
    whole = path.read_bytes()
    for _ in range(200 * times):
        raw = bytearray(whole)
        match rng.randrange(4):
            case 0:
                raw = raw[: rng.randrange(len(raw))]
            case 1:
                lines = whole.splitlines(keepends=True)
                rng.shuffle(lines)
                raw = b"".join(lines[: rng.randrange(1, len(lines) + 1)])
            case 2:
                at = rng.randrange(len(raw))
                raw[at:at] = bytes([rng.randrange(256)])
            case _:
                raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        path.write_bytes(bytes(raw))
        try:
            record = Record(path, "run")
        except CheckpointError:
            continue
        for number, value in values.items():
            assert record.finished("folds", number) in (None, value)


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"part": "folds"},
        {"part": ["folds"], "number": 0, "value": 1},
        {"part": "folds", "number": "0", "value": 1},
        {"part": "folds", "number": 1e9, "value": 1},
    ],
)
def test_lines_with_right_checksums_may_still_note_nothing(tmp_path, row):
    path = tmp_path / "run.jsonl"
    path.write_bytes(signed([{"scorecast": "1", "run": "run"}, row]))
    with pytest.raises(CheckpointError, match=r"run\.jsonl, line 2: it notes nothing"):
        Record(path, "run")


@pytest.mark.parametrize("value", [1, "x", [], {}, [[1]], {"right": None}, 1e308])
def test_what_a_checkpoint_notes_must_be_what_the_run_notes(desk, run, value):
    call = ("assess", "data.csv", "--target=y", "--model=naive-bayes", "--cv=3",
            "--permutations=20", "--checkpoint=run.jsonl")  # fmt: skip
    assert run(*call)[0] == 0
    lines = (desk / "run.jsonl").read_bytes().splitlines()
    rows = [{k: v for k, v in json.loads(x).items() if k != "check"} for x in lines]
    rows[1]["value"] = value
    (desk / "run.jsonl").write_bytes(signed(rows))
    code, _, err = run(*call)
    assert code in (0, 3), err
    assert code == 0 or "run.jsonl" in err


# Kills -------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_two_runs_do_not_write_to_one_checkpoint(tmp_path):
    path = tmp_path / "run.jsonl"
    code = (
        "import sys; from scorecast._core.records import Record;"
        "r = Record(sys.argv[1], 'run'); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-P", "-c", code, path],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as other:  # fmt: skip
        assert other.stdout.readline() == "held\n"
        with pytest.raises(CheckpointError, match="another run is writing"):
            Record(path, "run")
        other.kill()
    Record(path, "run").add("a", 0, 1)


LONG = {
    "assess": "data.csv --target y --model logistic --permutations 300 --null-sets 4",
    "information": "odds.csv --probability p --label-column y --leave-one-out "
    "--chains 2 --draws 3000 --max-seconds 0 --allow-unconverged",
    "reproduce": "001-fig-6 004-fig-8c 003-fig-1",
    "settings": "--simulate --vary n_samples=20,30,40 --vary noise=0,0.1,0.2 "
    "--model naive-bayes --model tree --model logistic",
    "survival": "times.csv --time time --event event --cv 3 --draws 100 --chains 2 "
    "--max-seconds 0 --allow-unconverged",
}


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
@pytest.mark.parametrize(
    "verb",
    [
        "information",
        *(pytest.param(x, marks=pytest.mark.slow) for x in LONG if x != "information"),
    ],
)
def test_a_second_run_on_a_checkpoint_is_told_so(desk, run, started, verb):
    call = [verb, *LONG[verb].split(), "--quiet", "--checkpoint=run.ck"]
    with ExitStack() as stack:
        for _ in range(10):  # a busy machine may look too late
            first = stack.enter_context(started([*COMMAND, *call]))
            until = time.monotonic() + 60
            while not os.path.exists("run.ck"):
                assert time.monotonic() < until
                time.sleep(0.01)
            first.send_signal(signal.SIGSTOP)  # that it may not end before
            if first.poll() is None:
                break
            os.unlink("run.ck")
        code, _, err = run(*call)
        assert code == 3, err
        assert "run.ck" in err
        assert "another run is writing to this checkpoint; wait for its end" in err
        first.kill()
    code, _, err = run(*call)  # nobody writes any more
    assert code == 0, err


def begun(call, **options):
    """Start a command that hears interrupts, whatever this process does."""
    return subprocess.Popen(
        call,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


@pytest.mark.parametrize(
    ("verb", "name", "n_kills"),
    [
        ("settings", "SIGKILL", 2),
        *(
            pytest.param(verb, name, 20, marks=MANY[1].marks)
            for verb in LONG
            for name in ("SIGINT", "SIGTERM", "SIGKILL")
        ),
    ],
)
def test_a_killed_run_goes_on_to_the_same_bytes(desk, verb, name, n_kills):
    """Killed again and again on its way, then left to end."""
    call = [*COMMAND, verb, *LONG[verb].split(), "--quiet", "--checkpoint=run.ck"]
    started = time.monotonic()
    subprocess.run([*call, "--json=whole.json"], check=True)
    seconds = time.monotonic() - started
    whole = (desk / "whole.json").read_bytes()
    (desk / "run.ck").unlink()
    n_hit, rng = 0, random.Random(name + verb)
    ahead = seconds  # of what is left to do, as far as one knows
    for _ in range(3 * n_kills):
        moment, started = rng.uniform(0.1, 0.7) * ahead, time.monotonic()
        with begun([*call, "--json=cut.json", "--force"]) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(moment)
            process.send_signal(getattr(signal, name))
            code = process.wait()
        # At the very start and end nobody looks after signals.
        assert code in (0, 130, -signal.Signals[name], -signal.SIGINT), code
        left = set(os.listdir(desk))
        if name != "SIGKILL":
            assert not [x for x in left if re.search(r"\.(tmp|part)", x)], left
        if code == 0:  # it had ended before, on a machine that is quicker by now
            assert (desk / "cut.json").read_bytes() == whole
            (desk / "cut.json").unlink()
            (desk / "run.ck").unlink()
            ahead = seconds = min(seconds, time.monotonic() - started)
            continue
        n_hit += 1
        ahead = max(ahead - moment, min(1.5, seconds))
        if n_hit == n_kills:
            break
    subprocess.run([*call, "--json=cut.json", "--force"], check=True)
    assert (desk / "cut.json").read_bytes() == whole
    assert not (desk / "run.ck.part").exists()
    assert n_hit == n_kills, "most runs had ended before they were to be killed"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
@pytest.mark.parametrize(
    ("verb", "room"),
    [
        ("assess", 20_000),
        ("information", 200_000),
        ("reproduce", 8_000),
        ("settings", 900),
        ("survival", 200_000),
    ],
)
def test_a_full_disk_ends_a_run_that_can_go_on(desk, verb, room):
    import resource

    call = [*COMMAND, verb, *LONG[verb].split(), "--quiet"]
    kept = [*call, "--checkpoint=run.ck"]
    subprocess.run([*call, "--json=whole.json"], check=True)
    done = subprocess.run(
        [*kept, "--json=cut.json"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert done.stderr.count("\n") == 1
    for words in (
        "run.ck: the checkpoint cannot be written (file too large)",
        "Free some space or name another file",
        "the same command goes on from there",
    ):
        assert words in done.stderr
    assert "cut.json" not in os.listdir(desk)
    assert not [x for x in os.listdir(desk) if re.search(r"\.(tmp|part)", x)]
    assert (desk / "run.ck").stat().st_size <= room
    subprocess.run([*kept, "--json=cut.json"], check=True)
    assert (desk / "cut.json").read_bytes() == (desk / "whole.json").read_bytes()


def workers_of(pid):
    """Return the processes in which joblib works for another one."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{name}/cmdline") as file:
                is_worker = "popen_loky" in file.read()
        except (OSError, ValueError):  # it has just ended
            continue
        if parent == pid and is_worker:
            found.append(int(name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc"), reason="looks for workers there")
def test_a_killed_worker_is_told_and_the_run_can_go_on(desk):
    call = [
        *COMMAND, "assess", "data.csv", "--target=y", "--model=logistic", "--jobs=2",
        "--null-sets=200", "--permutations=1000", "--quiet", "--checkpoint=run.ck",
        "--time-limit=600", "--json=cut.json",
    ]  # fmt: skip
    with begun(call, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 60
        while not workers_of(process.pid):
            assert time.monotonic() < until
            time.sleep(0.02)
        time.sleep(0.5)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, err = process.communicate()
    assert process.returncode == 4, err
    assert err.count("\n") == 1
    assert "a worker was killed, probably for want of memory; try --jobs 1" in err
    assert "what was finished is kept in run.ck" in err
    assert Record.shared(desk / "run.ck").count("folds") >= 0
