"""What the repository promises about itself."""

import ast
import importlib
import importlib.util
import pkgutil
import re
import subprocess
from pathlib import Path

import click

import scorecast
from scorecast.cli.main import scorecast as group

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


def test_the_reference_of_verbs_names_every_option():
    """It is made from the commands themselves: none is left out."""
    path = ROOT / "docs" / "write_reference.py"
    spec = importlib.util.spec_from_file_location("write_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = module._verbs()
    for verb in group.list_commands(click.Context(group)):
        command = importlib.import_module(f"scorecast.cli.{verb}").command
        own = page.partition(f"\n## scorecast {verb}\n")[2].partition("\n## ")[0]
        for option in options_of(command):
            shown = re.findall(rf"^\| `(?:-\w, )?{option}[ `,/]", own, re.MULTILINE)
            assert shown, (verb, option)


def options_of(command):
    """All options of a verb and of what stands below it, one name each."""
    below = getattr(command, "commands", {}).values()
    found = set().union(*(options_of(each) for each in below))
    for param in command.params:
        names = [o for o in param.opts if o.startswith("--")]
        if names and not getattr(param, "hidden", False):
            found.add(names[0])
    return found


def test_the_contract_names_every_kind_of_result():
    import scorecast
    from scorecast._core import result as results

    for name in scorecast.__all__:
        getattr(scorecast, name)  # kinds are known once their folder is loaded
    page = (ROOT / "docs" / "reference" / "json.md").read_text()
    listed = next(x for x in page.splitlines() if x.startswith("| `kind` |"))
    public = {
        k
        for k, c in results._kinds.items()
        if not k.startswith("simulated") and c.__module__.startswith("scorecast.")
    }
    assert {k for k in public if f'"{k}"' not in listed} == set()


def test_the_contract_names_every_field_of_a_permutation_test():
    import numpy as np
    from sklearn.naive_bayes import GaussianNB

    import scorecast as sc

    page = (ROOT / "docs" / "reference" / "json.md").read_text()
    own = page.partition('`"permutation-test"`\n')[2].partition("\n\n")[0]
    X, y = np.arange(24.0).reshape(12, 2) % 5, np.arange(12) % 2
    found = sc.permutation_test(GaussianNB(), X, y, cv=3, n_permutations=3).to_dict()
    fields = [*found["inputs"], *found["options"], *found["result"]]
    assert [name for name in fields if f"`{name}`" not in own] == []


def test_the_example_of_the_contract_has_what_the_command_line_adds():
    from scorecast._core.result import _ORIGIN

    example = (ROOT / "docs" / "reference" / "json.md").read_text()
    assert [name for name in _ORIGIN if f'"{name}"' not in example] == []


def test_the_words_of_a_verdict_are_in_the_glossary():
    from scorecast.report.assess import _WORDS

    page = (ROOT / "docs" / "glossary.md").read_text()
    words = next(x for x in page.splitlines() if x.startswith("feasible, "))
    assert words.split(", ") == list(_WORDS.values())


def test_every_mutant_is_where_it_says():
    """A verdict on code that nobody finds again says nothing."""
    mutants = tool("mutants")
    live = [mutant for mutant in mutants._load() if mutants.is_live(mutant)]
    sources = {x["file"]: (ROOT / x["file"]).read_text() for x in live}
    lost = [x for x in live if mutants.place_of(x, sources[x["file"]]) is None]
    assert live
    assert lost == []
    moved = {x["file"]: "\n# more\n" + sources[x["file"]] for x in live}
    line, column = mutants.place_of(live[0], moved[live[0]["file"]])
    assert moved[live[0]["file"]].splitlines()[line][column:].startswith(live[0]["old"])
    assert (
        mutants.place_of({**live[0], "inside": "nothing"}, sources[live[0]["file"]])
        is None
    )


def tool(name):
    """Load a file of tools/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tests_go_through_the_surface_of_a_room():
    surfaces = {
        room.name: set(
            getattr(importlib.import_module(f"scorecast.{room.name}"), "__all__", ())
        )
        for room in pkgutil.iter_modules(scorecast.__path__)
    }
    deep = [
        (path.relative_to(ROOT).as_posix(), node.lineno, name.name)
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and is_deep(node.module or "")
        for name in node.names
        if name.name in surfaces[node.module.split(".")[1]]
    ]
    assert deep == []


def is_deep(module):
    """Tell whether a module lies within a room, such as `scorecast.scores.ranks`."""
    return re.fullmatch(r"scorecast\.\w+\..+", module) is not None


def test_lines_of_code_are_counted_without_what_is_said_about_them():
    count = tool("house_table").counted_lines
    assert count('"""One.\n\nTwo.\n"""\n\nimport os  # a comment\n\n# Another\n') == (
        1,
        4,
    )
    assert count('def f():\n    """Do."""\n    return """a\n    b"""\n') == (3, 1)
