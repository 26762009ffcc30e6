"""Work in several processes: in order, with a bounded number of items under way, errors passed on."""

from __future__ import annotations

import math

import pytest

from goldproof.data.parallel import map_in_order


@pytest.mark.parametrize("workers", [1, 2])
def test_order_bound_and_errors(workers):
    taken = []

    def items():
        for i in range(40):
            taken.append(i)
            yield i

    results = map_in_order(math.factorial, items(), workers)
    assert next(results) == 1
    assert len(taken) <= 2 * workers + 1
    assert list(results) == [math.factorial(i) for i in range(1, 40)]
    with pytest.raises(ValueError, match="not defined for negative values"):
        list(map_in_order(math.factorial, [3, -1], workers))
