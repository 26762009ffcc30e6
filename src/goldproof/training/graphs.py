"""Training steps captured in CUDA graphs, one for each padded length, or run plainly where there is no GPU. Imports
torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from goldproof.training.stacked import Lanes

N_REHEARSALS = 3  # TorchScript, which some models use inside, settles at its third run


def make_stepper(lanes: Lanes) -> Callable[[int], None]:
    """A function that makes one step of all lanes on items padded to a width."""
    if lanes.board.device.type == "cuda" and lanes.board.how.graphs:
        return GraphedSteps(lanes)
    return lanes.step


class GraphedSteps:
    """Steps that are captured at their first use and replayed afterwards.

    A step that cannot be captured (a model that waits for the device in its forward pass) is run plainly from then on;
    `lanes.captured` says so.
    """

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes
        self.lanes.captured = True
        self._graphs: dict[tuple[int, int], Any] = {}
        self._pool: Any = None

    def __call__(self, width: int) -> None:
        """Make a step."""
        key = (width, self.lanes.micro_batch)
        if self.lanes.captured and key not in self._graphs:
            self._graphs = {k: graph for k, graph in self._graphs.items() if k[1] == key[1]}
            self._try_capture(key)
        if self.lanes.captured:
            self._graphs[key].replay()
        else:
            self.lanes.step(width)

    def _try_capture(self, key: tuple[int, int]) -> None:
        try:
            self._graphs[key] = self._capture(key[0])
        except torch.OutOfMemoryError:
            raise
        except RuntimeError:
            torch.cuda.synchronize()
            self.lanes.captured = False
            self._graphs.clear()

    def _capture(self, width: int) -> Any:
        """Rehearse on a side stream, so that libraries set themselves up outside the graph; then capture."""
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(N_REHEARSALS):
                self.lanes.rehearse(width)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            self.lanes.step(width)
        self._pool = self._pool or graph.pool()
        return graph
