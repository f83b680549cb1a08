"""Run the command line inside the test process, as the shell would."""

import contextlib
import signal
import subprocess

import numpy as np
import pytest

from scorecast.cli.main import _run


@pytest.fixture
def started():
    """Return a way to start a process that hears interrupts, and is gone in the end."""

    def hears_interrupts():
        # A shell lets commands in the background ignore them, and those they start.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    @contextlib.contextmanager
    def start(command):
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, preexec_fn=hears_interrupts
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            process.stderr.close()

    return start


@pytest.fixture
def run(capsys, monkeypatch):
    """Return a function that runs arguments and gives exit code, stdout, stderr."""
    # What a test sees must not depend on how fast the machine is.
    monkeypatch.setattr("scorecast._core.progress._TO_LOG", (3600.0, 3600.0))
    monkeypatch.setattr("scorecast._core.progress._MOMENT", 3600.0)

    def run(*arguments):
        arguments = [str(a) for a in arguments]
        monkeypatch.setattr("sys.argv", ["scorecast", *arguments])
        code = _run(arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def problem():
    """Scores of 12 classes, five examples each."""
    own = np.arange(60) % 12
    scores = np.random.default_rng(0).normal(size=(60, 12)) + 2.5 * np.eye(12)[own]
    return scores, own


@pytest.fixture
def files(tmp_path, problem):
    """The same as files: scores.npy, labels.csv, both.npz, table.csv."""
    scores, own = problem
    np.save(tmp_path / "scores.npy", scores)
    np.savez(tmp_path / "both.npz", scores=scores, labels=own)
    (tmp_path / "labels.csv").write_text("truth\n" + "\n".join(map(str, own)) + "\n")
    header = "truth," + ",".join(f"logit_c{i}" for i in range(12))
    lines = [
        f"c{y}," + ",".join(f"{x:.17g}" for x in row)
        for y, row in zip(own, scores, strict=True)
    ]
    (tmp_path / "table.csv").write_text("\n".join([header, *lines]) + "\n")
    return tmp_path
