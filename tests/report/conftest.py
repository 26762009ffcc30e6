"""A real browser for the tests of pages; what needs it is skipped with a reason where there is none."""

from __future__ import annotations

import shutil

import pytest
from tests.waiting import HANG_SECONDS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking"]
HANG_MILLISECONDS = 1000 * HANG_SECONDS  # for the browser's start and for whatever a test waits for in a page


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium or Chrome on the path")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, timeout=HANG_MILLISECONDS)
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser):
    """Make a page; it is closed with the test, whatever happened."""
    contexts = []

    def make(**options):
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(HANG_MILLISECONDS)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()
