"""Training steps captured in CUDA graphs, one for each padded length, or run plainly where there is no GPU. Imports
torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from goldproof.training.seed_stack import SeedStack

N_REHEARSALS = 3  # TorchScript, which some models use inside, settles at its third run


def make_stepper(stack: SeedStack) -> Callable[[int], None]:
    """A function that makes one step of all seeds on items padded to a width."""
    if stack.shared.device.type == "cuda" and stack.shared.how.graphs:
        return GraphedSteps(stack)
    return stack.step


class GraphedSteps:
    """Steps that are captured at their first use and replayed afterwards.

    A step that cannot be captured (a model that waits for the device in its forward pass) is run plainly from then on;
    `stack.captured` says so.
    """

    def __init__(self, stack: SeedStack) -> None:
        self.stack = stack
        self.stack.captured = True
        self._graphs: dict[tuple[int, int], Any] = {}
        self._pool: Any = None

    def __call__(self, width: int) -> None:
        """Make a step."""
        key = (width, self.stack.micro_batch)
        if self.stack.captured and key not in self._graphs:
            self._graphs = {k: graph for k, graph in self._graphs.items() if k[1] == key[1]}
            self._try_capture(key)
        if self.stack.captured:
            self._graphs[key].replay()
        else:
            self.stack.step(width)

    def _try_capture(self, key: tuple[int, int]) -> None:
        try:
            self._graphs[key] = self._capture(key[0])
        except torch.OutOfMemoryError:
            raise
        except RuntimeError:
            torch.cuda.synchronize()
            self.stack.captured = False
            self._graphs.clear()

    def _capture(self, width: int) -> Any:
        """Rehearse on a side stream, so that libraries set themselves up outside the graph; then capture."""
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(N_REHEARSALS):
                self.stack.rehearse(width)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            self.stack.step(width)
        self._pool = self._pool or graph.pool()
        return graph
