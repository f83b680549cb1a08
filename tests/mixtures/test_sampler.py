"""The sampler as a whole: right, repeatable, resumable, honest about itself."""

import dataclasses
import io
import os
import signal
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import scorecast.mixtures.chain as run_module
import scorecast.mixtures.sampler as sampler_module
from scorecast._core import progress
from scorecast.exceptions import CheckpointError, InvalidInputError, UsageError
from scorecast.mixtures import (
    MOST_RHAT_COMPONENTS,
    Check,
    Prior,
    Sampling,
    SkewStudent,
    log_evidence,
    sample_posterior,
    sample_prior_means,
)
from scorecast.mixtures.chain import Chain, empty_trace, mixture_log_density
from scorecast.mixtures.diagnostics import diagnose, rhat_of
from scorecast.mixtures.kernels import gibbs
from scorecast.mixtures.prior import _draws

INFORMATION = Prior.information()
SHORT = Sampling(n_chains=2, n_warmup=50, n_draws=100, n_extensions=0, n_kept=20)
VALUES = np.random.default_rng(5).standard_t(3, size=40) * 0.1 + 0.2


@pytest.mark.parametrize("reading", ["literal", "inverse-mean"])
def test_prior_mean_has_its_reference_quantiles(reference, reading):
    suffix = {"literal": "literal", "inverse-mean": "smu_inverse_mean"}[reading]
    expected = reference[f"prior_J_B7_{suffix}"]["expected"]
    prior = Prior.information(location_reading=reading)
    means = sample_prior_means(prior, 60_000, random_state=0)
    for name, value in expected.items():
        share = float("0." + name[1:])
        # 2.57 within .05, as the formula book asks; the middle is easier.
        assert_allclose(np.quantile(means, share), value, atol=0.05)


def test_number_of_components_given_the_partition(reference):
    entry = reference["C_given_partition"]
    given, expected = entry["inputs"], entry["expected"]
    prior = Prior.information(growth=given["kappa_C"], concentration=given["kappa_eta"])
    counts = np.array(given["counts"], dtype=float)
    numbers = np.arange(3, 2000)
    logs = [
        gibbs.log_number.py_func(int(n), 3, counts, prior.constants()) for n in numbers
    ]
    chance = np.exp(np.array(logs) - max(logs))
    chance /= chance.sum()
    assert_allclose(chance[:6], expected["P_C_3_to_8"], atol=entry["tolerance"])
    assert_allclose(chance @ numbers, expected["mean"], atol=1e-6)


def test_posterior_of_three_values_against_weighted_prior_draws():
    """Brute force: draws from the prior, each weighted by its likelihood."""
    values = np.array([0.15, 0.35, -0.6])
    draws = _draws(INFORMATION, 40_000, 1)
    constants = INFORMATION.constants()
    logs = np.array(
        [mixture_log_density(values[:, None], kept, constants) for _, kept in draws]
    ).sum(axis=1)
    means = np.array([mean[0] for mean, _ in draws])
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    exact = weights @ means
    spread = np.sqrt(weights @ (means - exact) ** 2)
    n_effective = 1.0 / (weights @ weights)
    found = sample_posterior(values, prior=INFORMATION, random_state=2).means
    allowed = 4.0 * spread * np.sqrt(1.0 / n_effective + 1.0 / 500)
    assert abs(found.mean() - exact) < allowed
    assert abs(found.std() / spread - 1.0) < 0.25


def test_the_same_draws_for_any_number_of_threads():
    one, two = (
        sample_posterior(
            VALUES, prior=INFORMATION, sampling=SHORT, random_state=3, n_jobs=n_jobs
        )
        for n_jobs in (1, 2)
    )
    assert_array_equal(one.means, two.means)
    assert_array_equal(one.n_components, two.n_components)
    other = sample_posterior(VALUES, prior=INFORMATION, sampling=SHORT, random_state=4)
    assert (one.means != other.means).any()


def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(tmp_path, monkeypatch):
    whole = sample_posterior(VALUES, prior=INFORMATION, sampling=SHORT, random_state=3)
    file = tmp_path / "state.npz"
    advance = run_module.Run.advance

    def interrupted(run, goal):
        if goal > 100:
            raise KeyboardInterrupt
        advance(run, goal)

    monkeypatch.setattr(run_module.Run, "advance", interrupted)
    arguments = {"prior": INFORMATION, "sampling": SHORT, "checkpoint": file}
    with pytest.raises(KeyboardInterrupt):
        sample_posterior(VALUES, random_state=3, **arguments)
    monkeypatch.setattr(run_module.Run, "advance", advance)
    assert file.exists()
    resumed = sample_posterior(VALUES, random_state=3, **arguments)
    assert_array_equal(resumed.means, whole.means)
    assert_array_equal(resumed.log_likelihood, whole.log_likelihood)
    for one, other in zip(resumed.kept, whole.kept, strict=True):
        assert_array_equal(one.location, other.location)
    again = sample_posterior(VALUES, random_state=3, **arguments)  # finished already
    assert_array_equal(again.means, whole.means)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    file = tmp_path / "state.npz"
    arguments = {"prior": INFORMATION, "sampling": SHORT, "checkpoint": file}
    sample_posterior(VALUES, random_state=3, **arguments)
    before = file.read_bytes()
    with pytest.raises(InvalidInputError, match="another run"):
        sample_posterior(VALUES, random_state=4, **arguments)
    with pytest.raises(InvalidInputError, match="another run"):
        sample_posterior(VALUES[1:], random_state=3, **arguments)
    assert file.read_bytes() == before
    file.write_bytes(before[: len(before) // 2])
    with pytest.raises(InvalidInputError, match="damaged"):
        sample_posterior(VALUES, random_state=3, **arguments)
    # An archive that was unpacked, altered and packed again.
    file.write_bytes(before)
    with np.load(file) as saved:
        arrays = dict(saved)
    means, header = "0/trace/means", arrays["header"].tobytes()
    for change, place in (
        ({means: -arrays[means]}, means),
        ({means: arrays["1/trace/means"]}, means),
        ({"header": header.replace(b'"stage": 0', b'"stage": 1')}, "header"),
        ({"new": np.ones(3)}, "new"),
    ):
        edited = arrays | change
        edited["header"] = np.frombuffer(bytes(edited["header"]), dtype=np.uint8)
        np.savez(file, **edited)
        with pytest.raises(CheckpointError, match=f"npz, {place}: damaged or edited"):
            sample_posterior(VALUES, random_state=3, **arguments)
    np.savez(file, **{k: v for k, v in arrays.items() if k != means})
    with pytest.raises(CheckpointError, match=f"npz, {means}: damaged or edited"):
        sample_posterior(VALUES, random_state=3, **arguments)
    assert os.listdir(tmp_path) == ["state.npz"]


def test_no_cap_on_the_number_of_components():
    prior = Prior.information(growth=0.995, concentration=200.0)
    chain = Chain(
        VALUES[:3, None], prior.constants(), np.random.default_rng(0), n_jumps=2
    )
    record = empty_trace(400, 1)
    chain.run(400, record)
    assert record.numbers.max() > 400
    assert np.isfinite(record.means).all()


@pytest.mark.slow
def test_chains_from_one_and_from_eight_components_come_to_agree():
    """With jumps; without them a chain hardly ever leaves where it started."""
    rng = np.random.default_rng(6)
    values = np.where(rng.random(60) < 0.6, rng.normal(-0.3, 0.1, 60),
                      rng.normal(0.5, 0.05, 60))  # fmt: skip
    numbers = {
        n_jumps: [
            _average_log_number(values, n_jumps, start, seed)
            for start, seed in ((1, 0), (8, 1))
        ]
        for n_jumps in (8, 0)
    }
    assert abs(np.diff(numbers[8])[0]) < 0.25, numbers
    assert abs(np.diff(numbers[0])[0]) > 0.6, numbers


def _average_log_number(values, n_jumps, n_start, seed):
    chain = Chain(
        values[:, None],
        INFORMATION.constants(),
        np.random.default_rng(seed),
        n_jumps=n_jumps,
        n_start=n_start,
    )
    record = empty_trace(24_000, 1)
    chain.run(24_000, record)
    return np.log(record.numbers[4000:]).mean()


@pytest.mark.parametrize(
    "values", [[0.3], [0.3, 0.3], [0.1, 0.1000001, 5.0], [1e3, -1e3, 0.0]]
)
def test_few_or_odd_values_do_not_break_it(values):
    found = sample_posterior(values, prior=INFORMATION, sampling=SHORT, random_state=0)
    assert np.isfinite(found.means).all()
    assert found.means.std() > 0.0


def test_a_chain_that_meets_no_number_ends_and_is_refused():
    """Squares that overflow give scales that are no numbers, and no end to draws."""
    values = np.append(VALUES, 1e160)[:, None]
    chain = Chain(values, INFORMATION.constants(), np.random.default_rng(0), n_jumps=3)
    record = empty_trace(2000, 1)
    chain.run(2000, record)
    assert np.isnan(record.means[-1]).all()
    found = diagnose(record.means[None], record.numbers[None], record.centres[None])
    assert "not a number" in found.reasons[0]


def test_mixtures_without_a_mean_are_judged_by_their_centre():
    """A component of tail m <= 1/2 has no mean; that alone is no failure."""
    prior = Prior.survival(np.eye(1), np.zeros(1), tail_b=1.0, growth=0.5)
    sampling = Sampling(n_chains=2, n_warmup=200, n_draws=1000, n_extensions=1)
    found = sample_posterior(VALUES, prior=prior, sampling=sampling, random_state=0)
    assert not np.isfinite(found.means).all()
    assert np.isfinite(found.centres).all()
    assert found.diagnostics.judged == "centre"
    assert found.diagnostics.passed, found.diagnostics
    assert found.diagnostics.rhat == rhat_of(found.centres[:, :, 0])


def test_the_mean_decides_wherever_every_draw_has_one():
    found = sample_posterior(VALUES, prior=INFORMATION, sampling=SHORT, random_state=0)
    alone = diagnose(found.means, found.n_components)
    assert found.diagnostics == alone
    assert alone.judged == "mean"


def test_longer_runs_until_the_chains_can_be_trusted():
    # 200 effective draws are wanted, more than 2 chains of 80 can give.
    patient = dataclasses.replace(SHORT, n_draws=20, n_extensions=2)
    found = sample_posterior(
        VALUES, prior=INFORMATION, sampling=patient, random_state=0
    )
    n_sweeps = 70 + 35 + 53
    assert found.n_discarded == n_sweeps // 3
    assert found.means.shape == (2, n_sweeps - n_sweeps // 3, 1)
    assert found.n_components_warmup.shape == (2, n_sweeps // 3)
    assert len(found.kept) == 20


def test_chains_that_fall_short_go_on_by_themselves_until_they_pass():
    hasty = Sampling(n_chains=2, n_warmup=50, n_draws=60, n_kept=20)
    planned = dataclasses.replace(hasty, max_seconds=0)
    arguments = {"prior": INFORMATION, "random_state": 0}
    short = sample_posterior(VALUES, sampling=planned, **arguments)
    assert not short.diagnostics.passed
    assert short.means.shape[1] == 60
    found = sample_posterior(VALUES, sampling=hasty, **arguments)
    assert found.diagnostics.passed, found.diagnostics
    # The same draws wherever the clock stands: those of the first pass.
    again = sample_posterior(VALUES, sampling=hasty, n_jobs=1, **arguments)
    assert_array_equal(found.means, again.means)
    # They are draws of one longer run, of which the first third is left out.
    n_draws = found.n_discarded + found.means.shape[1]
    longer = dataclasses.replace(planned, n_warmup=0, n_draws=n_draws)
    whole = sample_posterior(VALUES, sampling=longer, **arguments)
    assert_array_equal(found.means, whole.means[:, found.n_discarded :])
    assert_array_equal(
        found.n_components_warmup, whole.n_components[:, : found.n_discarded]
    )
    assert len(found.kept) == 20


def test_a_spent_budget_ends_the_run_with_what_was_judged_last(monkeypatch):
    """A clock that runs ten seconds ahead whenever it is read."""
    import scorecast.mixtures.sampler as sampler_module

    class Clock:
        now = 0.0

        def monotonic(self):
            self.now += 10.0
            return self.now

    monkeypatch.setattr(sampler_module, "time", Clock())
    never = Sampling(n_chains=2, n_warmup=0, n_draws=12, n_kept=4, max_seconds=25.0)
    found = sample_posterior(VALUES, prior=INFORMATION, sampling=never, random_state=0)
    assert not found.diagnostics.passed
    assert found.means.shape[1] == 12  # the stage that was cut off counts for nothing


def test_compiling_takes_from_the_budget(monkeypatch):
    """A clock that stands still but while kernels are compiled."""
    import scorecast.mixtures.sampler as sampler_module

    class Clock:
        now = 0.0

        def monotonic(self):
            return self.now

    def compile_slowly(run):
        clock.now += 20.0

    clock = Clock()
    monkeypatch.setattr(sampler_module, "time", clock)
    monkeypatch.setattr(run_module.Run, "compile", compile_slowly)
    lengths = {}
    for seconds in (20.0, 21.0):
        never = Sampling(n_chains=2, n_warmup=0, n_draws=12, max_seconds=seconds)
        found = sample_posterior(
            VALUES, prior=INFORMATION, sampling=never, random_state=0
        )
        lengths[seconds] = found.means.shape[1]
    assert lengths[20.0] == 12 < lengths[21.0]


def test_a_run_that_fell_short_goes_on_from_its_checkpoint(tmp_path):
    file = tmp_path / "state.npz"
    hasty = Sampling(n_chains=2, n_warmup=50, n_draws=60, n_kept=20)
    arguments = {"prior": INFORMATION, "random_state": 0}
    first = dataclasses.replace(hasty, n_extensions=1)
    short = sample_posterior(VALUES, sampling=first, checkpoint=file, **arguments)
    assert not short.diagnostics.passed
    found = sample_posterior(VALUES, sampling=hasty, checkpoint=file, **arguments)
    whole = sample_posterior(VALUES, sampling=hasty, **arguments)
    assert_array_equal(found.means, whole.means)
    for one, other in zip(found.kept, whole.kept, strict=True):
        assert_array_equal(one.location, other.location)


def test_a_chain_lost_to_no_number_is_not_waited_for(monkeypatch):
    from scorecast.mixtures.kernels import sweep

    def lost(_rng, n_sweeps, _n_jumps, _constants, _state, trace):
        for noted in trace:
            noted[...] = np.nan if noted.dtype == float else 1
        return n_sweeps

    monkeypatch.setitem(Chain._sweep.__globals__, "run_sweeps", lost)
    assert sweep.run_sweeps is not lost
    found = sample_posterior(VALUES, prior=INFORMATION, sampling=Sampling(n_draws=20))
    assert found.means.shape[1] == 20
    assert "not a number" in found.diagnostics.reasons[0]


def test_chains_are_not_waited_for_because_of_the_number_of_components():
    """400 long-tailed values: J is settled at once, the number of components is not."""
    values = np.random.default_rng(1).standard_t(3, 400) * 0.1 + 0.12
    found = sample_posterior(values, prior=INFORMATION, random_state=0)
    assert found.diagnostics.passed
    assert found.means.shape[1] == Sampling().n_draws
    assert found.diagnostics.rhat_components > MOST_RHAT_COMPONENTS


@pytest.mark.parametrize("excess", [1e-3, 4e-4, 1e-6])
def test_a_gate_never_contradicts_itself_by_rounding(excess):
    from scorecast._core.rounding import told_apart
    from scorecast.mixtures import MOST_RHAT
    from scorecast.mixtures.diagnostics import LEAST_ESS_PER_CHAIN

    least = 2 * LEAST_ESS_PER_CHAIN
    chains = np.random.default_rng(0).normal(size=(2, 50, 1))
    found = dataclasses.replace(
        diagnose(chains, np.ones((2, 50), dtype=int)),
        failed=(Check.RHAT, Check.ESS_BULK),
        rhat=MOST_RHAT + excess,
        ess_bulk=least - excess,
        ess_tail=1e6,
    )
    said = found.reasons
    shown = [float(word.strip(",")) for line in said for word in line.split()
             if word[0].isdigit()]  # fmt: skip
    rhat, most, found, wanted = shown
    assert rhat > most == MOST_RHAT
    assert found < wanted == least
    assert told_apart(0.2, 0.1, 2) == "0.20"


def test_predictive_density_and_distribution_agree():
    found = sample_posterior(VALUES, prior=INFORMATION, sampling=SHORT, random_state=0)
    grid = np.linspace(-3, 3, 6001)
    density = found.predictive_density(grid)
    area = np.sum((density[1:] + density[:-1]) / 2 * np.diff(grid))
    low, high = np.mean([m.cdf(grid[[0, -1]]) for m in found.mixtures], axis=0)
    assert_allclose(area, high - low, atol=1e-5)
    direct = np.mean([m.density(grid[::500]) for m in found.mixtures], axis=0)
    assert_allclose(density[::500], direct, rtol=1e-9)


def test_a_stuck_chain_is_a_failure_not_a_perfect_one():
    rng = np.random.default_rng(0)
    means = rng.normal(size=(4, 1000, 1))
    numbers = rng.integers(1, 5, size=(4, 1000))
    assert diagnose(means, numbers).passed
    elsewhere = diagnose(means, numbers + 9 * np.arange(4)[:, None])
    assert elsewhere.passed  # the mean alone decides
    assert elsewhere.rhat_components > 1.5
    assert np.isnan(diagnose(means, np.ones_like(numbers)).rhat_components)
    stuck = means.copy()
    stuck[2] = 0.1
    assert "never moved" in diagnose(stuck, numbers).reasons[0]
    assert not diagnose(np.ones((4, 1000, 1)), numbers).passed
    apart = means.copy()
    apart[0] += 3
    assert "disagree" in diagnose(apart, numbers).reasons[0]
    slow = np.cumsum(means, axis=1)
    assert not diagnose(slow, numbers).passed
    broken = means.copy()
    broken[0, 0] = np.nan
    assert "not a number" in diagnose(broken, numbers).reasons[0]


def test_a_single_chain_can_fail_too():
    rng = np.random.default_rng(0)
    means, numbers = rng.normal(size=(1, 2000, 1)), rng.integers(1, 4, (1, 2000))
    found = diagnose(means, numbers)
    assert found.passed
    assert found.rhat == pytest.approx(1.0, abs=0.01)
    drifting = means + (np.arange(2000) > 1000)[:, None]
    assert "halves of the chain disagree" in diagnose(drifting, numbers).reasons[0]
    widening = means * (1 + 4 * (np.arange(2000) > 1000)[:, None])
    assert "halves of the chain disagree" in diagnose(widening, numbers).reasons[0]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_jumps": -1}, "n_jumps.*-1"),
        ({"n_draws": 100.0}, "n_draws.*whole number.*100.0"),
        ({"n_chains": 10**9}, "n_chains.*to 10,000"),
        ({"n_draws": 10**9}, "n_draws.*to 1,000,000"),
        ({"n_chains": 0}, "n_chains"),
        ({"n_extensions": -1}, "n_extensions"),
        ({"max_seconds": -1.0}, "max_seconds.*-1.0"),
        ({"max_seconds": "x"}, "max_seconds"),
        ({"max_seconds": float("nan")}, "max_seconds"),
        ({"n_kept": "x"}, "n_kept"),
        ({"starts": (1, 2.5)}, "starts"),
        ({"starts": ()}, "starts"),
    ],
)
def test_bad_settings_are_told_in_one_line(settings, words):
    with pytest.raises(UsageError, match=words):
        Sampling(**settings)


@pytest.mark.parametrize(
    "changes",
    [
        {"centre": np.nan}, {"centre_precision": np.nan}, {"rate_rate": -1.0},
        {"skew_spread": np.nan}, {"growth": np.nan}, {"location_shape": np.nan},
        {"tail_b": np.inf}, {"scale_shape": np.nan},
    ],
)  # fmt: skip
def test_a_prior_of_no_numbers_is_refused(changes):
    with pytest.raises((UsageError, InvalidInputError), match=next(iter(changes))):
        Prior.information(**changes)


def test_a_matrix_must_be_symmetric():
    skewed = [[2.0, 0.5], [0.0, 2.0]]
    with pytest.raises(InvalidInputError, match=r"cov.*symmetric"):
        Prior.survival(skewed, [0.0, 0.0])
    with pytest.raises(InvalidInputError, match=r"precision.*symmetric"):
        SkewStudent([0.0, 0.0], [0.0, 0.0], skewed, 2.0, 1.0)


def test_no_workers_are_refused():
    for n_jobs in (0, 1.5):
        with pytest.raises(UsageError, match="n_jobs"):
            sample_posterior([0.1, 0.2], prior=INFORMATION, n_jobs=n_jobs)
        with pytest.raises(UsageError, match="n_jobs"):
            log_evidence([0.1, 0.2], prior=INFORMATION, n_jobs=n_jobs)


def test_bad_values_and_settings_are_refused():
    with pytest.raises(InvalidInputError, match="row 2"):
        sample_posterior([0.1, np.nan], prior=INFORMATION)
    with pytest.raises(InvalidInputError, match=r"row 2: .*\[1\.e\+154\]. Use an"):
        sample_posterior([0.1, 1e154, 0.3], prior=INFORMATION)
    with pytest.raises(InvalidInputError, match="n >= 1"):
        sample_posterior([], prior=INFORMATION)
    with pytest.raises(InvalidInputError, match="shape"):
        sample_posterior(np.ones((3, 2)), prior=INFORMATION)
    with pytest.raises(InvalidInputError, match="4 values are exactly equal"):
        sample_posterior([0.2, 0.2, 0.1, 0.2, 0.2], prior=INFORMATION)
    with pytest.raises(UsageError, match="n_draws"):
        Sampling(n_draws=0)
    with pytest.raises(UsageError, match="growth"):
        Prior.information(growth=1.0)
    with pytest.raises(InvalidInputError, match="positive eigenvalues"):
        Prior.survival([[1, 2], [2, 1]], [0, 0])


def test_a_real_interrupt_leaves_a_state_that_goes_on_the_same(tmp_path):
    """The signal may fall anywhere, also between a sweep and its entry."""
    longer = dataclasses.replace(SHORT, n_draws=4000)
    arguments = {"prior": INFORMATION, "sampling": longer, "n_jobs": 1}
    whole = sample_posterior(VALUES, random_state=3, **arguments)
    for delay in (0.05, 0.11, 0.17):
        file = tmp_path / f"{delay}.npz"
        timer = threading.Timer(delay, signal.raise_signal, [signal.SIGINT])
        timer.start()
        try:
            sample_posterior(VALUES, random_state=3, checkpoint=file, **arguments)
        except KeyboardInterrupt:
            pass
        finally:
            timer.cancel()
        resumed = sample_posterior(VALUES, random_state=3, checkpoint=file, **arguments)
        assert_array_equal(resumed.means, whole.means)


def test_what_has_one_caller_is_compiled_with_it_alone():
    """Compiled by itself as well, it would be optimised once for every level above."""
    from scorecast.mixtures.kernels import split_merge, sweep

    values = np.random.default_rng(0).normal(size=12)
    short = Sampling(n_chains=1, n_warmup=4, n_draws=4, n_extensions=0, n_kept=1)
    sample_posterior(values, prior=Prior.information(), sampling=short, random_state=0)
    assert sweep.run_sweeps.signatures
    for one in (sweep.sweep, split_merge._split, split_merge._merge):
        assert not one.signatures


@pytest.mark.parametrize("noisy", [False, True])
def test_kernels_are_compiled_before_the_first_sweep(noisy, monkeypatch):
    """Or compiling would count as sampling, and the time left be far too long."""
    from scorecast.mixtures import Noise, Observations

    values, asked = np.random.default_rng(0).normal(size=(12, 1)), []
    prior = Prior.information()
    name = "run_noisy_sweeps" if noisy else "run_sweeps"
    kernel = getattr(run_module, name)

    def noted(*arguments):
        asked.append(next(x for x in arguments if isinstance(x, int)))
        return kernel(*arguments)

    monkeypatch.setattr(run_module, name, noted)
    short = Sampling(n_chains=1, n_warmup=4, n_draws=4, n_extensions=0, n_kept=1)
    given = values
    if noisy:
        given = Observations(values, np.zeros(12, bool), Noise(np.ones(1), 5.0))
    (run,) = run_module.start_runs(
        given, prior.constants(), short, [np.random.default_rng(0)]
    )
    run.compile()
    assert asked == [0]
    assert run.done == 0


def test_the_time_left_allows_for_chains_that_go_on(monkeypatch):
    """A third of the sweeps come after the plan; while it runs, they are counted in."""
    now, seen = [0.0], []
    monkeypatch.setattr(progress, "_now", lambda: now[0])
    monkeypatch.setattr(progress, "_TO_LOG", (1e6, 1e6))
    advance = run_module.advance_runs

    def timed(runs, goal, **more):
        before = runs[0].done
        advance(runs, goal, **more)
        now[0] += 0.5 * (runs[0].done - before)
        seen.append((progress._display.get().left(), now[0]))

    monkeypatch.setattr(run_module, "advance_runs", timed)
    monkeypatch.setattr(sampler_module, "_may_improve", lambda _: True)
    lasting = dataclasses.replace(SHORT, n_extensions=1)
    with (
        progress.progress_shown(io.StringIO()),
        progress.stages({"fit": 1.0}),
        progress.stage("fit"),
    ):
        sample_posterior(VALUES, prior=INFORMATION, sampling=lasting, random_state=0)
    said = [(left, now[0] - then) for left, then in seen if left is not None]
    assert len(said) > 60
    assert all(0.5 * true <= left <= 2 * true for left, true in said if true > 2)
