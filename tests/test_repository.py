"""What the repository promises about itself."""

import importlib
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def commands():
    """Return the two commands of README's section on trying it."""
    section = README.split("## Try it")[1].split("##")[0]
    block = re.search(r"```\n(.*?)```", section, re.DOTALL)[1]
    return block.strip().splitlines()


def test_readme_has_two_commands_and_ci_runs_them_word_for_word():
    ci = (ROOT / ".ci" / "run").read_text()
    setup, test = commands()
    assert setup in ci
    assert test in ci.splitlines()


def test_make_targets_are_listed_by_help():
    done = subprocess.run(
        ["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for target in ("help", "demo", "test", "lint", "docs", "bench"):
        assert re.search(rf"^{target}\b", done.stdout, re.MULTILINE), done.stdout


def test_pins_name_no_address():
    pins = (ROOT / "constraints.txt").read_text()
    assert "://" not in pins
    assert "numpy==" in pins


def test_links_in_the_readme_lead_somewhere():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("verb", ["information", "identify"])
def test_the_reference_names_every_option(verb):
    page = (ROOT / "docs" / "reference" / "cli.md").read_text()
    # What all verbs share is said once, under the first.
    outputs = {"seed", "jobs", "json", "report", "force", "quiet", "debug"}
    own = re.split(r"^## scorecast ", page, flags=re.MULTILINE)
    section = next(part for part in own if part.startswith(verb))
    command = importlib.import_module(f"scorecast.cli.{verb}").command
    known = {o for p in command.params for o in p.opts if o.startswith("--")}
    missing = (
        known - {f"--{o}" for o in outputs} - set(re.findall(r"--[a-z-]+", section))
    )
    assert not missing
