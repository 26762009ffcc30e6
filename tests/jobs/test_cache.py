"""The cache beside a store: shared by jobs, absent without a store, and nothing but a cache."""

from __future__ import annotations

from pathlib import Path

from goldproof.jobs import Store, run_jobs, step
from goldproof.jobs.cache import cache_folder
from goldproof.jobs.files import remove_tree
from goldproof.runners.serial import SerialRunner


@step(version=1, name="tests.count_in_cache")
def count_in_cache(x: int) -> list[int]:
    """How many files other jobs left in the cache; leaves one more."""
    with cache_folder("counts") as folder:
        before = len(list(folder.iterdir()))
        (folder / str(x)).touch()
        return [x, before]


def test_jobs_of_a_store_share_a_cache_that_may_be_thrown_away(tmp_path):
    store = Store(tmp_path).open()
    jobs = [count_in_cache.job(x) for x in range(3)]
    assert {outcome.status for outcome in run_jobs(jobs, store, SerialRunner())} == {"done"}
    assert [store.load(job.key) for job in jobs] == [[0, 0], [1, 1], [2, 2]]
    assert sorted(path.name for path in (store.cache / "counts").iterdir()) == ["0", "1", "2"]
    remove_tree(store.cache)
    assert store.load(jobs[2].key) == [2, 2]
    more = count_in_cache.job(7)
    assert [outcome.status for outcome in run_jobs([more], store, SerialRunner())] == ["done"]
    assert store.load(more.key) == [7, 0]


def test_without_a_store_the_cache_is_temporary():
    with cache_folder("counts") as folder:
        place = Path(folder)
        assert place.is_dir()
    assert not place.exists()
    assert count_in_cache(1) == [1, 0]
