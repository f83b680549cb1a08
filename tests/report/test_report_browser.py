"""The page in a real browser."""

import shutil
import subprocess

import pytest

from scorecast import report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=2000",
]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture
def browse(tmp_path):
    def run(page, *options, width=1100):
        target = tmp_path / "page.html"
        target.write_text(page, encoding="utf-8")
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        window = f"--window-size={width},900"
        done = subprocess.run(
            [CHROMIUM, *QUIET, profile, window, *options, target.as_uri()],
            capture_output=True,
            check=True,
            timeout=120,
        )
        return done.stdout.decode("utf-8")

    return run


def test_what_was_injected_did_not_run(make, hostile_texts, browse):
    title = "Plain title " + hostile_texts[0]
    provenance = {"command": hostile_texts[1], "inputs": [{"path": hostile_texts[2]}]}
    page = report._page(make.hostile(), title, provenance)
    dom = browse(page, "--dump-dom")
    found = dom[dom.index("<title>") : dom.index("</title>")]
    assert found.startswith("<title>Plain title")
    assert "<script" not in dom
    assert "<img" not in dom
    assert dom.count("<svg") == page.count("<svg")


def test_injection_would_be_noticed(browse):
    dom = browse(
        "<title>Plain</title><script>document.title='owned'</script>", "--dump-dom"
    )
    assert "<title>owned</title>" in dom


@pytest.mark.slow
@pytest.mark.parametrize("width", [1100, 500])
def test_the_page_is_painted(forecast, browse, tmp_path, width):
    image = tmp_path / "page.png"
    browse(report.render(forecast, "html"), f"--screenshot={image}", width=width)
    assert image.read_bytes().startswith(b"\x89PNG")
    assert image.stat().st_size > 20_000
