"""Loading the package costs neither matplotlib nor jinja2."""

import subprocess
import sys


def test_drawing_and_templating_are_loaded_late():
    code = (
        "import sys, scorecast.report as r; "
        "assert not {'matplotlib', 'jinja2'} & set(sys.modules), 'loaded too early'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
