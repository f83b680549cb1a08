"""Measure speed and memory next to plain NumPy and R, and print one table.

Usage: python benchmarks/run.py [--quick] [NAME...]

Peers run in the same session on the same input. R's work is taken from a sample and
scaled where it would take hours; the table says by how much. The R package ClassEx is
used where it happens to be installed; elsewhere R's own functions, which make up nearly
all of its running time, stand in for it (bw.ucv, bw.bcv, dhyper, pnorm), and for ranks
the figures measured with ClassEx on a machine of the same kind are quoted.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from scorecast.extrapolation.bandwidths import wrong_class_bandwidths
from scorecast.extrapolation.kde import kernel_favourability
from scorecast.extrapolation.observed import ObservedClasses
from scorecast.extrapolation.regression import Regression
from scorecast.scores import (
    Embeddings,
    Scores,
    beating_histogram,
    mean_chances,
    rank_true_classes,
)
from scorecast.simulate import GaussianClasses

ROWS = []
# Seconds of ClassEx's fastRank1nn for n = k = 20,000, measured on a quiet machine.
CLASSEX_RANKS = {10: 2.87, 128: 86.8}


def best_of(function, repeats=3):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def row(job, ours, peers, note=""):
    ROWS.append((job, ours, peers, note))
    ratios = ", ".join(
        f"{name} {t:.3g} s ({t / ours:,.0f}x)" for name, t in peers.items()
    )
    print(f"{job}: ours {ours:.3g} s; {ratios} {note}", flush=True)


def r_seconds(script, arrays=None):
    """Run R on arrays (written as doubles) and read the seconds it printed last."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for name, values in (arrays or {}).items():
            np.asarray(values, dtype="<f8").tofile(Path(folder) / name)
        done = subprocess.run(
            ["Rscript", "-e", script],
            cwd=folder, capture_output=True, text=True, check=True,
        )  # fmt: skip
    return float(done.stdout.split()[-1])


def has_classex():
    if shutil.which("Rscript") is None:
        return False
    probe = 'cat(requireNamespace("ClassEx", quietly=TRUE))'
    done = subprocess.run(["Rscript", "-e", probe], capture_output=True, text=True)
    return done.stdout.strip() == "TRUE"


def ranks(quick):
    n = 5_000 if quick else 20_000
    for d in (10, 128):
        gallery, probes, y = GaussianClasses(n_features=d).sample(n, random_state=0)
        data = Embeddings(gallery, probes, y)
        ours, found = best_of(lambda data=data: rank_true_classes(data, n_groups=1))

        def plain(gallery=gallery, probes=probes, y=y):
            # The usual formulation, in blocks of rows so that it fits in memory.
            squares = (gallery**2).sum(1)
            beaten = np.empty(y.size, dtype=np.int64)
            for i in range(0, y.size, 500):
                score = probes[i : i + 500] @ gallery.T - squares / 2
                own = score[np.arange(score.shape[0]), y[i : i + 500]]
                beaten[i : i + 500] = (score > own[:, None]).sum(1)
            return beaten

        numpy_time, _ = best_of(plain, 1)
        peers = {"NumPy": numpy_time}
        if has_classex():
            script = (
                f'X <- matrix(readBin("x","double",{n * d}),{n},byrow=TRUE);'
                f'Y <- matrix(readBin("y","double",{n * d}),{n},byrow=TRUE)[1:400,];'
                "t <- system.time(ClassEx::fastRank1nn(X,Y,1:400))[3];"
                f"cat(t*{n / 400})"
            )
            peers["ClassEx"] = r_seconds(script, {"x": gallery, "y": probes})
        elif n == 20_000:
            peers["ClassEx (quoted)"] = CLASSEX_RANKS[d]
        row(f"ranks from embeddings, n = k = {n:,}, d = {d}", ours, peers)
        assert found.n_samples == n


def kde(quick):
    n = 500 if quick else 2_000
    gallery, probes, y = GaussianClasses().sample(n, random_state=0)
    scores = np.ascontiguousarray(Embeddings(gallery, probes, y).rows(0, n))
    sample = 100
    for rule in ("ucv", "bcv"):

        def ours_run(rule=rule):
            widths = wrong_class_bandwidths(scores, y, rule)
            return kernel_favourability(scores, y, widths)

        ours_run()
        ours, _ = best_of(ours_run)
        script = (
            f'S <- matrix(readBin("s","double",{sample * n}),{sample},byrow=TRUE);'
            f"t <- system.time(suppressWarnings(for (i in 1:{sample}) {{"
            f'  x <- S[i,-i]; d <- density(x, bw="{rule}");'
            "  mean(pnorm((S[i,i]-x)/d$bw)) }))[3];"
            f"cat(t*{n / sample})"
        )
        seconds = r_seconds(script, {"s": scores[:sample]})
        peers = {} if seconds is None else {f"R (x{n // sample})": seconds}
        row(f"KDE {rule}, {n:,} x {n:,}, bandwidths and favourability", ours, peers)


def regression(quick):
    k1 = 200 if quick else 500
    gallery, probes, y = GaussianClasses().sample(k1, random_state=0)
    scores = Scores(Embeddings(gallery, probes, y).rows(0, k1), y)
    target = np.array([100_000])
    for quadrature in ("exact", "r"):
        method = Regression(knots="r", quadrature=quadrature)

        def ours_run(method=method):
            fit = method.fit(ObservedClasses.of(scores), np.random.default_rng(0))
            return [one.law.accuracy(target)[0] for one in fit.by_bandwidth]

        ours_run()
        ours, _ = best_of(ours_run)
        n_kernels = sum(2 * int(np.ceil(4.465 / h)) - 1 for h in np.arange(1, 11) / 10)
        # The basis is 99.6 % of what the authors' code does here; one kernel of it.
        script = (
            f"q <- qnorm((1:10000-.5)/10000); k <- c(2:{k1}, 1e5);"
            "t <- system.time(for (i in 1:3) { p <- pnorm(1+.3*q);"
            f"  colMeans(exp(outer(log(p), k-1))) }})[3]; cat(t/3*{n_kernels})"
        )
        seconds = r_seconds(script)
        peers = {} if seconds is None else {f"R basis (x{n_kernels})": seconds}
        name = "exact quadrature" if quadrature == "exact" else "R's own rule"
        job = f"regression, 10 bandwidths, 25 subsamples, k1 = {k1}, k2 = 100,000"
        row(f"{job}, {name}", ours, peers)


def curve(quick):
    k1, n = (10_000, 100_000) if quick else (100_000, 1_000_000)
    rng = np.random.default_rng(0)
    beaten = np.minimum(rng.exponential(1, n) ** 3 * 0.01 * k1, k1 - 1).astype(np.int64)
    weights = np.full(n, 1 / n)
    sizes = np.arange(2, k1 + 1)

    def ours_run():
        histogram = beating_histogram(
            beaten, np.zeros_like(beaten), weights, k1, "random"
        )
        return mean_chances(histogram, k1, sizes)

    ours_run()
    ours, _ = best_of(ours_run)
    share = (k1 - 1) / 2 * n / 100_000
    script = (
        'r <- readBin("r","double",100000);'
        f"t <- system.time(for (k in c(2,{k1 // 2}))"
        f"  mean(dhyper(0,r,{k1 - 1}-r,k-1)))[3];"
        f"cat(t*{share})"
    )
    seconds = r_seconds(script, {"r": beaten[:100_000]})
    peers = {} if seconds is None else {f"R dhyper (x{share:,.0f})": seconds}
    row(f"accuracy curve, every k to {k1:,}, {n:,} ranks", ours, peers)


MEMORY = """
import re, sys, time
import numpy as np
from scorecast.scores import Embeddings, rank_true_classes

def resident(name):
    status = open("/proc/self/status").read()
    return int(re.search(name + r":\\s+(\\d+)", status)[1]) / 1024

n = int(sys.argv[1])
rng = np.random.default_rng(0)
gallery = rng.standard_normal((n, 128), dtype=np.float32)
probes = gallery + rng.standard_normal((n, 128), dtype=np.float32)
small = Embeddings(gallery[:3000], probes[:3000], range(3000))
rank_true_classes(small, n_groups=1)
before = resident("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
start = time.perf_counter()
rank_true_classes(Embeddings(gallery, probes, range(n)), n_groups=1)
seconds = time.perf_counter() - start
print(resident("VmHWM") - before, seconds)
"""


def memory(quick):
    n = 20_000 if quick else 100_000
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(n)],
        capture_output=True,
        text=True,
        check=True,
    )
    extra, seconds = map(float, done.stdout.split())
    job = f"memory of ranks over the input, n = k = {n:,}, d = 128"
    ROWS.append((job, f"{extra:.0f} MB", {}, f"{seconds:.1f} s"))
    print(f"{job}: {extra:.0f} MB, {seconds:.1f} s", flush=True)


def cpu_seconds(command, env):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def usual_cpu_seconds(command, env):
    """Take the median of five runs, after one that fills the caches."""
    cpu_seconds(command, env)
    return statistics.median(cpu_seconds(command, env) for _ in range(5))


def start_up(_quick):
    tool = [sys.executable, "-c", "from scorecast.cli import main; main()"]
    with tempfile.TemporaryDirectory() as folder:
        rng = np.random.default_rng(0)
        own = np.arange(1000) % 20
        scores = rng.normal(size=(1000, 20)) + 2.5 * np.eye(20)[own]
        path = Path(folder) / "scores.npz"
        np.savez(path, scores=scores, labels=own)
        job = [*tool, "extrapolate", str(path), "--to", "400"]
        # Caches of our own: some machines keep no bytecode, where every import counts.
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        env["NUMBA_CACHE_DIR"] = str(Path(folder) / "kernels")
        code = [sys.executable, "-c"]
        for name, seconds in (
            ("extrapolate, 1,000 x 20, nothing cached, CPU", cpu_seconds(job, env)),
            ("the same again, caches warm, CPU", usual_cpu_seconds(job, env)),
            ("scorecast --help, CPU", usual_cpu_seconds([*tool, "--help"], env)),
            (
                "import numpy and scipy.special, CPU",
                usual_cpu_seconds([*code, "import scipy.special"], env),
            ),
            (
                "import numpy alone, CPU",
                usual_cpu_seconds([*code, "import numpy"], env),
            ),
        ):
            ROWS.append((name, f"{seconds:.2f} s", {}, ""))
            print(f"{name}: {seconds:.2f} s", flush=True)


def table():
    lines = ["| job | ours | peer | ratio |", "|---|---|---|---|"]
    for job, ours, peers, note in ROWS:
        if isinstance(ours, str):
            lines.append(f"| {job} | {ours} | {note} | |")
        for name, seconds in peers.items():
            cells = (
                job,
                f"{ours:.3g} s",
                f"{name} {seconds:.3g} s",
                f"{seconds / ours:,.0f}x",
            )
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


JOBS = {f.__name__: f for f in (ranks, kde, regression, curve, memory, start_up)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", nargs="*", choices=[*JOBS, []])
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    options = parser.parse_args()
    if not has_classex():
        print("note: the R package ClassEx is not installed; see the top of this file")
    for name in options.jobs or JOBS:
        JOBS[name](options.quick)
    print("\n" + table())


if __name__ == "__main__":
    main()
