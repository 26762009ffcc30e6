"""What tests share: where the published corpora lie, and a skip with the reason where they do not."""

from __future__ import annotations

import functools
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from goldproof.extras import MODULES, Need

ROOT = Path(__file__).resolve().parents[1]
for _name in ("GOLDPROOF_STORE", "RAY_ADDRESS"):  # whoever runs the tests may have a store and a cluster of their own
    os.environ.pop(_name, None)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # after `make test &`; what a test interrupts inherits it
    signal.signal(signal.SIGINT, signal.default_int_handler)
_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same examples", _ANY_MACHINE, derandomize=True)
settings.register_profile("new examples", _ANY_MACHINE)
settings.load_profile(os.environ.get("GOLDPROOF_EXAMPLES", "same examples"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Send files of one xdist_group to one worker: xdist 3.8 itself no longer sees groups under pytest 9.2."""
    from xdist.scheduler.loadgroup import LoadGroupScheduling

    class ByGroup(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _group_of(nodeid.partition("::")[0]) or super()._split_scope(nodeid)

    return ByGroup(config, log) if config.getvalue("dist") == "loadgroup" else None


@functools.cache
def _group_of(file: str) -> str:
    found = re.search(r'mark\.xdist_group\("(\w+)"\)', (ROOT / file).read_text(encoding="utf-8"))
    return found[1] if found else ""


def lacks(name: str) -> bool:
    """Whether an extra, or a module, is not installed."""
    return not Need(name, "a test").is_met if name in MODULES else not Need("models", "a test", (name,)).is_met


def reason(name: str) -> str:
    return f"the extra `{name}` is not installed" if name in MODULES else f"{name} is not installed"


class LackingModule(pytest.Module):
    """A file of tests that is not imported, since what it needs is not installed."""

    needs = ""

    def collect(self):
        pytest.skip(reason(self.needs), allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    """Skip a file with `pytestmark = pytest.mark.needs("…")` before it is imported where that is not installed."""
    found = re.search(r'^pytestmark = pytest\.mark\.needs\("(\w+)"\)', module_path.read_text("utf-8"), re.MULTILINE)
    if found is None or not lacks(found[1]):
        return None
    module = LackingModule.from_parent(parent, path=module_path)
    module.needs = found[1]
    return module


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Skip a test that needs what is not installed, before its fixtures are made."""
    for mark in item.iter_markers("needs"):
        if lacks(mark.args[0]):
            pytest.skip(reason(mark.args[0]))


@pytest.fixture(scope="session")
def published() -> Path:
    """The folder of published corpora; the test is skipped where it is absent."""
    folder = Path(os.environ.get("GOLDPROOF_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "README.md").exists():
        pytest.skip(f"the published corpora are not in {folder}; set GOLDPROOF_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def papers() -> Path:
    """The folder with the texts of the papers; the test is skipped where it is absent."""
    folder = ROOT.parent / "shared" / "papers"
    if not folder.is_dir():
        pytest.skip(f"the papers are not in {folder}")
    return folder


@pytest.fixture(scope="session")
def nltk_data(published: Path) -> Iterator[Path]:
    """NLTK's data, also for processes that a test starts; the test is skipped where it is absent."""
    folder = published / "nltk_data"
    if not folder.is_dir():
        pytest.skip(f"NLTK's data is not in {folder}")
    nltk = pytest.importorskip("nltk", reason=reason("english"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NLTK_DATA", str(folder))
        patch.setattr(nltk.data, "path", [str(folder)])
        yield folder
