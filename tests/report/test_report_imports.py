"""Loading the package costs neither matplotlib nor jinja2."""

import subprocess
import sys


def test_drawing_and_templating_are_loaded_late():
    code = (
        "import sys, scorecast.report as r; "
        "assert not {'matplotlib', 'jinja2'} & set(sys.modules), 'loaded too early'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_size_is_found_without_slow_libraries():
    code = (
        "import sys, scorecast.guarantees as g; g.required_test_size(0.9, width=0.1);"
        "print([x for x in ('scipy.stats', 'sklearn', 'pandas') if x in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
