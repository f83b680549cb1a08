"""The command as a process: start-up, pipes, signals."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from scorecast.cli.main import _VERBS
from scorecast.exceptions import InsufficientDataError

TOOL = [sys.executable, "-c", "from scorecast.cli import main; main()"]


def test_help_and_version_load_neither_numpy_nor_scikit_learn():
    for argument in ("--help", "--version"):
        code = (
            "import sys\nfrom scorecast.cli.main import _run\n"
            f"_run([{argument!r}])\n"
            "print([m for m in ('numpy', 'sklearn', 'scipy', 'numba', 'matplotlib')"
            " if m in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("verb", sorted(_VERBS))
def test_help_of_a_verb_loads_little(verb):
    heavy = "('sklearn', 'scipy.stats', 'numba', 'pandas', 'matplotlib', 'rich')"
    code = (
        "import sys\nfrom scorecast.cli.main import _run\n"
        f"_run([{verb!r}, '--help'])\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_small_forecast_loads_few_modules_of_ours(files):
    code = (
        "import sys\nfrom scorecast.cli.main import _run\n"
        f"_run(['extrapolate', {str(files / 'both.npz')!r}, '--to', '50'])\n"
        "print(len([m for m in sys.modules if m.startswith('scorecast')]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert int(done.stdout.splitlines()[-1]) < 120


def test_a_small_job_loads_neither_scikit_learn_nor_numba_nor_matplotlib(files):
    code = (
        "import sys\nfrom scorecast.cli.main import _run\n"
        f"_run(['extrapolate', {str(files / 'both.npz')!r}, '--to', '50', '--quiet'])\n"
        "print([m for m in ('sklearn', 'numba', 'matplotlib', 'pandas', 'joblib')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_a_reader_that_has_seen_enough_is_no_error(files):
    command = " ".join(
        [
            f"{sys.executable} -c 'from scorecast.cli import main; main()'",
            f"extrapolate {files / 'both.npz'} --to 24 --method gaussian --json -",
            "| head -c 1",
        ]
    )
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True
    )
    assert done.stdout == "{"
    said = [x for x in done.stderr.splitlines() if not x.startswith("progress: ")]
    assert said == []


def test_ascii_terminals_get_ascii(files):
    environment = {
        **os.environ,
        "PYTHONIOENCODING": "ascii",
        "LANG": "C",
        "TERM": "dumb",
    }
    job = ["extrapolate", str(files / "both.npz"), "--to", "5000", "--method", "spline"]
    done = subprocess.run([*TOOL, *job], capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr
    done.stdout.decode("ascii")


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize(("columns", "at_most"), [(56, 56), (88, 88), (300, 110)])
def test_answers_take_the_width_of_the_terminal_within_reason(files, columns, at_most):
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    size = struct.pack("HHHH", 24, columns, 0, 0)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    environment = {**kept, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    job = ["extrapolate", str(files / "both.npz"), "--to", "5000", "--method", "spline"]
    with subprocess.Popen(
        [*TOOL, *job], stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        os.close(theirs)
        text = b""
        try:
            while block := os.read(ours, 65536):
                text += block
        except OSError:  # how Linux says that the other end is closed
            pass
    os.close(ours)
    assert process.returncode == 0
    widths = [len(line) for line in text.decode().splitlines()]
    assert at_most - 25 < max(widths) <= at_most


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupted_run_leaves_nothing_half_written(tmp_path, started, name):
    own = np.arange(600) % 60
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(600, 60)) + 3 * np.eye(60)[own]
    np.savez(tmp_path / "big.npz", scores=scores, labels=own)
    out = tmp_path / "o.json"
    command = [
        *TOOL, "backtest", str(tmp_path / "big.npz"), "--repeats", "100000",
        "--json", str(out), "--report", str(tmp_path / "o.html"),
    ]  # fmt: skip
    with started(command) as process:
        assert process.stderr.readline().startswith("progress: ")  # it is at work
        process.send_signal(getattr(signal, name))
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert [p.name for p in tmp_path.iterdir()] == ["big.npz"]


def test_results_of_every_kind_become_one_page(run, files):
    np.savetxt(files / "cost.csv", 2.0 * (1 - np.eye(12)), delimiter=",")
    scores, saved = files / "both.npz", [files / f"{x}.json" for x in "abc"]
    for result, arguments in zip(
        saved,
        (
            ("extrapolate", scores, "--to", 24, "--top", 2),
            ("extrapolate", scores, "--to", 24, "--cost", files / "cost.csv"),
            ("backtest", scores, "--method", "gaussian", "--repeats", 2),
        ),
        strict=True,
    ):
        code, _, err = run(*arguments, "--json", result, "--quiet")
        assert code == 0, err
    code, _, err = run("report", *saved, "--out", files / "page.html")
    assert code == 0, err
    page = (files / "page.html").read_text()
    for words in ("wrong first guesses", "a decision costs", "Classes hidden"):
        assert words in page


def test_saved_results_become_one_page(run, files):
    result, page = files / "r.json", files / "page.html"
    job = ("extrapolate", files / "both.npz", "--to", "24", "--method", "gaussian")
    assert run(*job, "--json", result, "--quiet")[0] == 0
    code, _, err = run("report", result, "-o", page)
    assert code == 0, err
    assert "24" in page.read_text()
    broken, lacks = files / "broken.json", files / "lacks.json"
    broken.write_text(result.read_text()[:200])
    data = json.loads(result.read_text())
    data["result"].pop("curve")
    lacks.write_text(json.dumps(data))
    for bad in (broken, files / "labels.csv", lacks):
        code, _, err = run("report", bad, "-o", files / "x.html")
        assert code == 3, err
        assert err.count("\n") == 1
    assert "curve" in err


@pytest.fixture
def trapped(tmp_path):
    """A directory of data, and of Python files that must not be run."""
    rng = np.random.default_rng(0)
    rows = "\n".join(
        f"{x:.3f},{'ab'[i % 2]}" for i, x in enumerate(rng.normal(size=30))
    )
    (tmp_path / "data.csv").write_text(f"x,kind\n{rows}\n")
    trap = "open('ran.txt', 'a').write(__name__ + chr(10))\nraise ImportError\n"
    names = ("threadpoolctl", "joblib", "cloudpickle", "loky", "sklearn", "numpy")
    cluster = ("dask", "distributed", "tornado", "msgpack", "toolz", "zict", "yaml")
    for name in (*names, *cluster, "click"):
        (tmp_path / f"{name}.py").write_text(trap)
    return tmp_path


# What starts workers (or chains, which are threads), and the kind of its answer.
BESIDE = {
    "assess": (
        "data.csv --target kind --model naive-bayes --cv 3 --permutations 0 "
        "--time-limit 600 --checkpoint run.ck",
        "assessment",
    ),
    "information": (
        "odds.csv --probability p --label-column kind --leave-one-out --chains 2 "
        "--draws 50 --max-seconds 0 --allow-unconverged --checkpoint run.ck",
        "information",
    ),
    "reproduce": ("001-sec-5.1 --repeats 2 --checkpoint run.ck", "reproduction"),
    "settings": (
        "data.csv --target kind --model naive-bayes --model tree --cv 3 "
        "--vary n_samples=20,25,30 --collect null --permutations 5 --null-sets 2 "
        "--time-limit 600 --checkpoint run.ck",
        "settings-assessment",
    ),
    "survival": (
        "times.csv --time time --event event --cv 2 --chains 2 --draws 20 "
        "--max-seconds 0 --allow-unconverged --checkpoint run.ck",
        "survival",
    ),
    "backtest": ("scores.npz --repeats 4 --show 6", "backtest"),
    "extrapolate": ("scores.npz --to 40 --backtest 4", "extrapolation"),
    "identify": (
        "--stimuli stimuli.csv --responses responses.csv --n-splits 2",
        "identification",
    ),
    "density": (
        "responses.csv --permutations 39 "
        "--density sklearn.mixture:GaussianMixture(n_components=1)",
        "density-test",
    ),
    "biclusters": (
        "responses.csv --repeats 4 "
        "--model sklearn.cluster:SpectralCoclustering(n_clusters=2)",
        "estimate-assessment",
    ),
}


@pytest.fixture
def desk(trapped):
    """The same with a file for every verb that starts workers."""
    rng = np.random.default_rng(1)

    def table(name, names, columns):
        rows = zip(*columns, strict=True)
        lines = [",".join(map(str, row)) for row in (names, *rows)]
        (trapped / name).write_text("\n".join(lines) + "\n")

    kinds, noise = rng.integers(0, 2, 30), np.round(rng.uniform(0.1, 0.9, (4, 30)), 3)
    table("odds.csv", ["p", "kind"], [noise[0], kinds])
    waits = np.round(rng.exponential(9, 30), 2) + 0.1
    table("times.csv", ["time", "event", "age"], [waits, kinds, noise[1]])
    table("stimuli.csv", ["x", "z"], noise[:2])
    table("responses.csv", ["a", "b", "c", "d"], noise[:2].repeat(2, axis=0) + noise)
    own = np.arange(36) % 12
    scores = rng.normal(size=(36, 12)) + 2 * np.eye(12)[own]
    np.savez(trapped / "scores.npz", scores=scores, labels=own)
    return trapped


@pytest.mark.parametrize(
    ("verb", "engine"),
    [
        ("assess", "local"),
        ("backtest", "local"),
        *(
            pytest.param(verb, "local", marks=pytest.mark.slow)
            for verb in BESIDE
            if verb not in ("assess", "backtest")
        ),
        *(
            pytest.param(verb, "dask", marks=pytest.mark.slow)
            for verb in ("assess", "backtest", "biclusters", "reproduce")
        ),
    ],
)
def test_no_worker_runs_what_lies_beside_the_data(desk, verb, engine):
    tool = os.path.join(os.path.dirname(sys.executable), "scorecast")
    (desk / "scorecast.py").write_text((desk / "joblib.py").read_text())
    wanted, kind = BESIDE[verb]
    wanted = f"{wanted} --jobs 2 --engine {engine} --json -"
    done = subprocess.run(
        [tool, verb, *wanted.split()],
        cwd=desk, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not (desk / "ran.txt").exists(), (desk / "ran.txt").read_text()
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kind"] == kind
    if verb == "assess":
        usual = ("progress: ", "First", "  naive")
        assert not [x for x in done.stderr.splitlines() if not x.startswith(usual)]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no groups of processes")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("moment", ["starting", "computing"])
def test_an_interrupt_of_a_cluster_is_one_line(trapped, started, moment, name):
    """As of a terminal, which interrupts every process of the command."""
    for path in trapped.glob("*.py"):
        path.unlink()
    command = [
        *TOOL, "assess", str(trapped / "data.csv"), "--target", "kind", "--model",
        "logistic", "--permutations", "30000", "--engine", "dask",
    ]  # fmt: skip
    with started(["setsid", *command]) as process:
        if moment == "starting":
            time.sleep(1.5)
        else:
            while not process.stderr.readline().startswith("First scores"):
                pass
            time.sleep(1)
        begun = time.monotonic()
        if name == "SIGINT":
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.terminate()
        _, err = process.communicate(timeout=60)
        seconds = time.monotonic() - begun
    said = [x for x in err.splitlines() if not x.startswith(("progress: ", "  logis"))]
    assert len(said) == 1, err
    assert said[0].startswith("scorecast: interrupted; ")
    assert process.returncode == 130
    assert seconds < 10


def test_the_module_runs_nothing_of_the_current_directory_either(trapped):
    for start in (["-m", "scorecast"], TOOL[1:]):
        done = subprocess.run(
            [sys.executable, *start, "size", "--accuracy", "0.9", "--width", "0.1"],
            cwd=trapped, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert not (trapped / "ran.txt").exists(), (trapped / "ran.txt").read_text()


def test_a_new_process_reads_results_of_every_question(tmp_path):
    """In the processes of other tests all kinds are loaded already."""
    import subprocess
    import sys

    import scorecast as sc

    found = sc.compare(np.random.default_rng(0).normal(size=(8, 3)))
    (tmp_path / "a.json").write_text(json.dumps(found.to_dict()))
    words = [sys.executable, "-m", "scorecast", "report", "a.json", "-o", "a.html"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Mean ranks" in (tmp_path / "a.html").read_text()


# Of every verb that reads: its arguments, and where its computing begins.
COMPUTING = {
    "extrapolate": ("both.npz --to 40", "scorecast.extrapolation.extrapolate"),
    "extrapolate costs": (
        "both.npz --to 40 --cost cost.csv",
        "scorecast.extrapolation.extrapolate",
    ),
    "backtest": ("both.npz", "scorecast.extrapolation.backtest"),
    "identify": (
        "--scores square.npy",
        "scorecast.identification.identify_from_scores",
    ),
    "information": (
        "cases.csv --q q --p p",
        "scorecast.information.apparent_information",
    ),
    "assess": (
        "cases.csv --target won --model naive-bayes",
        "scorecast.evaluation.assess",
    ),
    "assess right": (
        "cases.csv --right won",
        "scorecast.evaluation.proportion_interval",
    ),
    "density": (
        "features.csv --density sklearn.mixture:GaussianMixture()",
        "scorecast.evaluation.density_test",
    ),
    "biclusters": (
        "features.csv --found found.json",
        "scorecast.biclusters.score_biclusters",
    ),
    "settings": (
        "cases.csv --target won --model naive-bayes --vary n_samples=20,30",
        "scorecast.evaluation.assess_settings",
    ),
    "survival": (
        "cases.csv --time q --event won --covariates p",
        "scorecast.survival.evaluate_survival",
    ),
    "compare": ("results.csv", "scorecast.cli.compare.compare"),
    "size": ("--accuracy 0.9 --width 0.1", "scorecast.cli.size.required_test_size"),
    "demo": ("", "scorecast.extrapolation.extrapolate"),
}


@pytest.mark.parametrize("verb", COMPUTING)
def test_no_verb_says_it_reads_while_it_computes(verb, files, run, monkeypatch):
    from scorecast._core import progress

    rng = np.random.default_rng(0)
    table = {"q": rng.uniform(0.4, 0.9, 40), "p": rng.uniform(0.4, 0.6, 40)}
    rows = "".join(f"{a:.4f},{b:.4f}\n" for a, b in zip(*table.values(), strict=True))
    (files / "features.csv").write_text("q,p\n" + rows)
    (files / "cases.csv").write_text(
        "q,p,won\n" + "".join(f"{row},{i % 2}\n" for i, row in enumerate(rows.split()))
    )
    (files / "results.csv").write_text("tree,net\n" + rows)
    (files / "found.json").write_text("[[[0, 1, 2, 3], [0, 1]]]")
    np.save(files / "square.npy", rng.normal(size=(20, 20)) + 2 * np.eye(20))
    np.savetxt(files / "cost.csv", 1 - np.eye(12), delimiter=",")
    arguments, place = COMPUTING[verb]
    lines = []

    def seen(*_, **__):
        lines.append(progress._display.get().line())
        msg = "enough was seen"
        raise InsufficientDataError(msg)

    monkeypatch.chdir(files)
    monkeypatch.setattr(place, seen)
    code, _, err = run(verb.split()[0], *arguments.split())
    assert code == 4, err
    assert lines[0].startswith("computing; ")  # however long loading took
