"""The tool that holds pages against what is printed: it finds what differs."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def tool():
    path = ROOT / "tools" / "check_docs.py"
    spec = importlib.util.spec_from_file_location("check_docs", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["check_docs"] = module  # where dataclasses look for their annotations
    spec.loader.exec_module(module)
    yield module
    del sys.modules["check_docs"]


def test_an_excerpt_that_is_printed_is_left_alone_and_any_other_is_found(tool):
    printed = "one\ntwo 0.29 bits\nthree\nfour\nfive\n"
    for shown in (printed, "...\ntwo 0.29 bits\n...\nfive\n", "one\n...\n"):
        assert tool.excerpt(shown, printed) == shown
    wrong = "...\ntwo 0.28 bits\n...\nfive\n"
    assert tool.excerpt(wrong, printed) == "...\ntwo 0.29 bits\n...\nfive\n"


def test_only_the_last_digits_of_long_numbers_are_the_machines(tool):
    assert tool.same("J 0.123456", "J 0.123457")
    assert not tool.same("J 0.123456", "J 0.129456")
    assert not tool.same("J 0.12", "J 0.13")
    assert not tool.same("J 0.123456", "j 0.123456")


PAGE = """Ask `scorecast size --accuracy 0.9 --width 0.1` or `scorecast assess`.

```
scorecast size --accuracy 0.9 --width 7
```

```text
$ scorecast size --accuracy 0.9 --versus .8
...
nobody says so
```

<!-- run
total = 1
-->

```python
total += 1
print("sum", total)
```

```text
sum 3
```

<!-- run data=no_such_file.npz
print("never")
-->

```text
what another machine printed
```

```python
raise ValueError("me")
```
"""


def test_a_page_is_run_and_its_faults_are_told(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    path = tmp_path / "README.md"
    path.write_text(PAGE)
    page = tool.Page(path, tmp_path, runs_all=True, writes=False)
    page.run()
    width, shown, total, error = page.faults
    assert "--width 7\nends with exit code 2" in width
    assert "-nobody says so" in shown
    assert "-sum 3\n+sum 2" in total
    assert "ValueError: me" in error
    page = tool.Page(path, tmp_path, runs_all=True, writes=True)
    text = page.run()
    assert "nobody" not in text
    assert "sum 2" in text
    assert "what another machine printed" in text


def formulas():
    """Yield every formula of docstrings and pages, with the file it stands in."""
    for path in sorted(ROOT.glob("src/**/*.py")):
        text = path.read_text()
        blocks = re.findall(r"\.\. math::(.+?)(?:\n\s*\n|\"\"\")", text, re.DOTALL)
        for formula in [*re.findall(r":math:`([^`]+)`", text), *blocks]:
            yield path.name, formula
    for path in sorted(ROOT.glob("docs/**/*.md")):
        found = re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", path.read_text(), re.DOTALL)
        for block, inline in found:
            yield path.name, block or inline


def test_every_formula_can_be_set():
    """The pages are built with formulas as MathML: one that is not read ends it all."""
    math = pytest.importorskip("docutils.utils.math")
    latex = pytest.importorskip("docutils.utils.math.latex2mathml")
    seen, wrong = 0, []
    for name, formula in formulas():
        seen += 1
        try:
            latex.tex2mathml(" ".join(formula.split()))
        except math.MathError as error:
            wrong.append(f"{name}: {formula.strip()}: {error}")
    assert seen > 200
    assert not wrong
